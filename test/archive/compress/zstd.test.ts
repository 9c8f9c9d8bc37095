import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress, compressUsingDict, createCCtx, decompress } from '@bokuweb/zstd-wasm';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadZstd, type Zstd } from '../../../src/archive/compress/zstd.ts';
import { measureFrame } from '../../../src/archive/compress/zstd-frame.ts';
import { repair } from '../../../src/archive/tools/repair.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { leftOut, needs } from '../../left-out.ts';
import { collect, makeExchange } from '../warc/fixtures.ts';

/** A dictionary for WARC records, made by `zstd --train` and compressed by `zstd -19`. */
const COMPRESSED_DICTIONARY = Buffer.from(
  'KLUv/WQAA/0MANYUTi1AeQNTK8Fh3zrncL7rQlabmnM7xV87sYCwmkAPUoQiu7s37Uzm7OqxoGATtRRFAEIAQgDzjI4V9t6D7evVxNxDkFPuvbdReAI2DYIjkGPccLybYgsOlr2Tg70hzV9i710AcjA7gWe0K6J0ww04GpaJxl4gcUwedANxZ1RC/8ySyaRTq8a+x2wnrR31HG3PeP6ypuLCrdpVrr4rylG39a/Kdh6rXDRaTMtokzPWdFCVLJaaR2hmdDEZEAEv2K/N/xM6eY/0VEQicQwIuD3j1mfRM6iezTLKZ81gkpSOub6ccr3qWq5tJPTT86djGQPCvzCb/tn8I3KaxvX/rTPuyvYOs1191e5h77lnYQ6rLVdd7j3MwusL95d3eO3qylm29d27vnXVSp1ObLQMO1exs7+qP2eWXFfqSSsgoEZmzjoWUjwHGCV6MIZDmxkl1XOATaj2wTB8aKvRQJ8FfQJ8JTgQANpivINWHcicIeQBgJIDpC+w60u3oCODNAZQkspABkDCUqR2DQhQgGWgBI9hsKmx7wDAQO8jUrUP4OrRZ5nP',
  'base64',
);

let zstd: Zstd;
beforeAll(async () => {
  zstd = await loadZstd();
});

const record = (url: string, block: string) =>
  Buffer.from(
    `WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:${url}>\r\nWARC-Date: 2026-03-14T15:09:26Z\r\nWARC-Target-URI: ${url}\r\nContent-Type: text/plain\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`,
  );
const frame = (content: Uint8Array) => zstd.frame(content, 3);

function skippable(content: Uint8Array, magic: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(magic);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

const extension = (text: string) => skippable(Buffer.from(text), 0x184d2a50);
const dictionaryFrame = (content: Uint8Array) => skippable(content, 0x184d2a5d);

/** A frame without a stated length, as for a stream. The window takes the place of the length. */
function unstated(content: Uint8Array): Buffer {
  const stated = Buffer.from(compress(content, 3));
  const lengthBytes = [1, 2, 4, 8][stated[4] >> 6];
  // Single segment: no window, then the length. A window of 8 MiB instead.
  expect(stated[4] & 0x20).toBe(0x20);
  return Buffer.concat([
    stated.subarray(0, 4),
    Buffer.from([0, 13 << 3]),
    stated.subarray(5 + lengthBytes),
  ]);
}

function fileOf(...pieces: Uint8Array[]): string {
  const path = join(temporaryFolder(), 'x.warc.zst');
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

async function outcome(path: string, start = 0, maxRecordBytes?: number) {
  const reader = readWarc(path, { start, ...(maxRecordBytes !== undefined && { maxRecordBytes }) });
  const records = await collect(reader);
  const { fault, wholeLength } = reader;
  return {
    wholeLength,
    records: records.map(({ headers, block }) => `${headers.targetUri} ${Buffer.from(block)}`),
    places: records.map(({ offset, length }) => [offset, length]),
    fault: fault && `${fault.kind} at ${fault.offset}: ${fault.fact}`,
  };
}

describe('a frame', () => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }),
    fc
      .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.nat({ max: 40_000 }))
      .map(([text, times]) => Buffer.from(text.repeat(times))),
    fc
      .nat({ max: 300_000 })
      .map((length) => Buffer.from(Array.from({ length }, (_, i) => (i * i) >>> 9))),
  );

  test('states its length, ends with a checksum, and is measured without decompression', () => {
    fc.assert(
      fc.property(
        content,
        fc.integer({ min: 1, max: 5 }),
        fc.uint8Array({ maxLength: 20 }),
        (bytes, level, behind) => {
          const made = zstd.frame(bytes, level);
          const found = measureFrame(Buffer.concat([made, behind]));
          expect(found).toMatchObject({ kind: 'data', length: made.length, content: bytes.length });
          expect(made[4] & 0b100).toBe(0b100);
          if (found.kind !== 'data') return;
          expect(found.mostContent).toBeGreaterThanOrEqual(bytes.length);
          const undone = zstd.content(made, found, bytes.length);
          expect(typeof undone === 'object' && Buffer.from(undone).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of compressed content is stored unchanged, for any length', () => {
    for (const length of [1024, 1025, 131_072, 131_073, 262_144, 1_000_000]) {
      const bytes = randomBytes(length);
      const made = Buffer.from(zstd.frame(bytes, 3));
      expect(made.length).toBe(length + 13 + 3 * Math.ceil(length / 131_072));
      const found = measureFrame(made);
      expect(found).toMatchObject({
        kind: 'data',
        length: made.length,
        content: length,
        mostContent: length,
      });
      expect(Buffer.from(decompress(made)).equals(bytes)).toBe(true);
    }
  });

  test('that does not end within the bytes is short, at any length', () => {
    const made = Buffer.from(zstd.frame(Buffer.alloc(300_000, 'some text '), 1));
    for (let length = 0; length < made.length; length++) {
      expect(measureFrame(made.subarray(0, length)).kind).toBe('short');
    }
  });

  test('of any bytes can be measured, and decompression never exceeds its limit', () => {
    const start = fc.constantFrom(
      '28b52ffd',
      '28b52ffd24',
      '28b52ffd04',
      '28b52ffda4',
      '5d2a4d18',
      '502a4d18',
      '',
    );
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 60 }), (hex, rest) => {
        const bytes = Buffer.concat([Buffer.from(hex, 'hex'), rest]);
        const found = measureFrame(bytes);
        if (found.kind !== 'data') return;
        const undone = zstd.content(bytes.subarray(0, found.length), found, 1000);
        if (typeof undone !== 'string') expect(undone.length).toBeLessThanOrEqual(1000);
      }),
      { numRuns: 2000 },
    );
  });

  test('with a wrong checksum is reported', () => {
    const made = Buffer.from(frame(Buffer.from('a page')));
    made[made.length - 1] ^= 1;
    const found = measureFrame(made);
    expect(found.kind === 'data' && zstd.content(made, found, 100)).toBe('wrong zstd checksum');
  });

  test.skipIf(leftOut(needs.program('zstd')))(
    'is read by another program, a whole file at once, and its checksum confirmed',
    async () => {
      const dir = temporaryFolder();
      const writer = await WarcWriter.open(dir, { info: { software: 'test' }, compress: 'zstd' });
      const bodies = ['one', 'two '.repeat(10_000), 'x'.repeat(2_500_000), randomBytes(200_000)];
      const stored = [];
      for (const body of bodies)
        stored.push(await writer.write(makeExchange({ wire: [Buffer.from(body)] })));
      await writer.close();
      const path = join(dir, stored[0].response.file);
      const plain = execFileSync('zstd', ['-dc', path], { maxBuffer: 2 ** 26 });
      const records = await collect(readWarc(path));
      const bytes = records.flatMap((record) => [record.bytes, Buffer.from('\r\n\r\n')]);
      expect(plain.equals(Buffer.concat(bytes))).toBe(true);
      expect(execFileSync('zstd', ['-lv', path]).toString()).toContain('XXH64');
    },
  );
});

describe('files of other tools', () => {
  const one = record('urn:one', 'first');
  const two = record('urn:two', 'second '.repeat(200));

  test('may split a record into several frames anywhere, even in its header and after its block', async () => {
    for (let cut = 1; cut < one.length; cut += 3) {
      const pieces = [one.subarray(0, cut), one.subarray(cut)].map(frame);
      const { records, fault } = await outcome(fileOf(...pieces, frame(two)));
      expect(fault).toBeUndefined();
      expect(records).toEqual(['urn:one first', `urn:two ${'second '.repeat(200)}`]);
    }
  });

  test('may have empty and skippable frames between records and within them', async () => {
    const parts = [
      frame(Buffer.alloc(0)),
      extension('padding'),
      frame(one.subarray(0, 20)),
      extension('inside'),
    ];
    const path = fileOf(
      ...parts,
      frame(one.subarray(20)),
      extension('x'.repeat(70_000)),
      frame(two),
    );
    const { records, places, fault, wholeLength } = await outcome(path);
    expect(fault).toBeUndefined();
    expect(records.length).toBe(2);
    const first = parts[0].length + parts[1].length;
    expect(places[0][0]).toBe(first);
    expect(wholeLength).toBe(readFileSync(path).length);
    expect((await outcome(path, first)).records).toEqual(records);
  });

  test('may state no length; decompression is limited nevertheless', async () => {
    const path = fileOf(unstated(one), unstated(two));
    expect(await outcome(path)).toMatchObject({ records: { length: 2 }, fault: undefined });
    expect(await outcome(path, 0, 500)).toMatchObject({
      records: { length: 1 },
      fault: `too-large at ${unstated(one).length}: larger than 500 bytes`,
    });
  });

  test('may have several records in a frame, which repair separates', async () => {
    const path = fileOf(frame(Buffer.concat([one, two])), frame(one));
    expect((await outcome(path)).records.length).toBe(3);
    const out = join(temporaryFolder(), 'parted.warc.zst');
    expect(await repair(new Disk(), path, out)).toMatchObject({
      parted: 2,
      records: 3,
      compression: 'zstd',
    });
    expect(new Set((await outcome(out)).places.map(String)).size).toBe(3);
    expect((await outcome(out)).records).toEqual((await outcome(path)).records);
  });

  describe('with a dictionary', () => {
    const dictionary = () => {
      const found = measureFrame(COMPRESSED_DICTIONARY);
      const content = found.kind === 'data' && zstd.content(COMPRESSED_DICTIONARY, found, 10_000);
      if (typeof content !== 'object') throw new Error('the dictionary of this test is damaged');
      return content;
    };
    const framed = (content: Uint8Array) =>
      compressUsingDict(createCCtx(), content, dictionary(), 3);

    test('are read from the start and from the middle, with a compressed or a plain dictionary', async () => {
      for (const front of [dictionaryFrame(COMPRESSED_DICTIONARY), dictionaryFrame(dictionary())]) {
        const path = fileOf(front, framed(one), framed(two));
        const { records, places, fault } = await outcome(path);
        expect(fault).toBeUndefined();
        expect(records.length).toBe(2);
        expect(places[0][0]).toBe(front.length);
        expect((await outcome(path, places[1][0])).records).toEqual([records[1]]);
      }
    });

    test('are repaired with it', async () => {
      const front = dictionaryFrame(COMPRESSED_DICTIONARY);
      const path = fileOf(front, framed(one), framed(two).subarray(0, 60));
      const out = join(temporaryFolder(), 'whole.warc.zst');
      await repair(new Disk(), path, out);
      expect(readFileSync(out)).toEqual(Buffer.concat([front, framed(one)]));
      expect((await outcome(out)).records).toEqual(['urn:one first']);
    });

    test('that is missing, damaged, cut off, too large or invalid are refused by name', async () => {
      const damaged = Buffer.from(COMPRESSED_DICTIONARY);
      damaged[200] ^= 0xff;
      const spoilt = Buffer.from(dictionary());
      spoilt.fill(0xff, 8, 100);
      const large = Buffer.alloc(8 * 2 ** 20 + 1);
      const cases: [Buffer, string][] = [
        [Buffer.alloc(0), 'compressed with a zstd dictionary that is not in the file'],
        [dictionaryFrame(Buffer.from('words')), 'a zstd dictionary of an unknown form'],
        [dictionaryFrame(spoilt), 'damaged zstd dictionary'],
        [dictionaryFrame(large), 'a zstd dictionary larger than 8 MiB'],
      ];
      for (const [front, words] of cases) {
        const { records, fault } = await outcome(fileOf(front, framed(one)));
        expect(records).toEqual([]);
        expect(fault).toBe(`corrupt at ${front.length}: ${words}`);
      }
      const { fault } = await outcome(fileOf(dictionaryFrame(damaged), framed(one)));
      expect(fault).toContain('damaged zstd dictionary: ');
      const cut = dictionaryFrame(COMPRESSED_DICTIONARY).subarray(0, 100);
      expect((await outcome(fileOf(cut))).fault).toBe(
        'truncated at 0: the last zstd frame is cut off',
      );
    });
  });

  test('that are damaged are distinguished by the kind of damage', async () => {
    const good = Buffer.from(frame(one));
    const unfinished = frame(one.subarray(0, 50));
    const known = Buffer.from(good);
    known[4] |= 0b1000;
    const window = Buffer.from(unstated(one));
    window[5] = 31 << 3;
    const lies = Buffer.from(frame(Buffer.from('x'.repeat(200))));
    lies[5] = 255;
    const at = good.length;
    const cases: [Uint8Array, string][] = [
      [Buffer.from('junk that is no frame'), `corrupt at ${at}: not a zstd frame`],
      [frame(Buffer.from('plain text, no record')), `corrupt at ${at}: not a WARC or ARC record`],
      [unfinished, `truncated at ${at}: the last record is cut off`],
      [known, `corrupt at ${at}: a zstd frame of an unknown kind`],
      [window, `corrupt at ${at}: a zstd frame that needs more than 1 GiB of memory`],
      [lies, `corrupt at ${at}: damaged zstd data (20)`],
      [extension('padding').subarray(0, 12), `truncated at ${at}: the last zstd frame is cut off`],
      [Buffer.from('28b5', 'hex'), `truncated at ${at}: the last zstd frame is cut off`],
    ];
    for (const [behind, words] of cases) {
      const { records, fault, wholeLength } = await outcome(fileOf(good, behind));
      expect(records).toEqual(['urn:one first']);
      expect(wholeLength).toBe(at);
      expect(fault).toBe(words);
    }
  });
});
