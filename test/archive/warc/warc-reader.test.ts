import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyDigests } from '../../../src/archive/tools/verify.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { ARCHIVES } from '../../foreign-archives.ts';
import { leftOut } from '../../left-out.ts';
import { collect, makeExchange, WatchedFileSystem } from './fixtures.ts';

/** One line per record with type and the two verdicts; then how the reading ended. */
async function outcome(
  path: string,
  maxRecordBytes?: number,
): Promise<{ records: string[]; fault: string }> {
  const reader = readWarc(path, maxRecordBytes === undefined ? {} : { maxRecordBytes });
  const records: string[] = [];
  for await (const record of reader) {
    const { block, payload } = verifyDigests(record);
    records.push(`${record.type} ${block} ${payload}${record.sharesMember ? ' shared' : ''}`);
  }
  const { fault } = reader;
  return { records, fault: fault ? `${fault.kind} at ${fault.offset}: ${fault.fact}` : '' };
}

async function fileOf(content: Uint8Array): Promise<string> {
  const path = join(temporaryFolder(), 'x.warc.gz');
  await writeFile(path, content);
  return path;
}

const record = (block: string, length = block.length) =>
  `WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: ${length}\r\n\r\n${block}\r\n\r\n`;

describe('files of other tools', () => {
  const NONE = 'absent absent';
  const cases: Record<string, { records: string[]; fault?: string }> = {
    'example.warc': {
      records: [
        `warcinfo ${NONE}`,
        `warcinfo ${NONE}`,
        'response ok ok',
        `request ${NONE}`,
        'revisit ok absent',
        `request ${NONE}`,
      ],
    },
    'example.warc.gz': {
      records: [
        `warcinfo ${NONE}`,
        `warcinfo ${NONE}`,
        'response ok ok',
        'request ok ok',
        'revisit ok absent',
        'request ok ok',
      ],
    },
    // Its first payload digest is wrong on purpose; the others are in Base64.
    'example-digest.warc': {
      records: ['request ok mismatch', 'request ok ok', 'request ok ok', 'request ok ok'],
    },
    // Its payload digest covers the chunk framing.
    'example-iana.org-chunked.warc': {
      records: [`warcinfo ${NONE}`, 'response ok framed', 'request ok absent'],
    },
    'example-resource.warc.gz': {
      records: [`warcinfo ${NONE}`, `warcinfo ${NONE}`, 'resource ok ok'],
    },
    'example-space-in-target-uri.warc.gz': { records: [`warcinfo ${NONE}`, 'resource ok absent'] },
    'example-wget-bad-target-uri.warc.gz': {
      records: [
        'warcinfo ok absent',
        'request ok absent',
        'response ok ok',
        'metadata ok absent',
        'resource ok absent',
        'resource ok absent',
      ],
    },
    'post-test.warc.gz': {
      records: Array.from({ length: 3 }, () => ['response ok ok', 'request ok absent']).flat(),
    },
    // The whole file is one gzip member; the block digest of its revisit is wrong.
    'example-bad-non-chunked.warc.gz': {
      records: [
        `warcinfo ${NONE} shared`,
        `warcinfo ${NONE} shared`,
        'response ok ok shared',
        `request ${NONE} shared`,
        'revisit mismatch absent shared',
        `request ${NONE} shared`,
      ],
    },
    'example-bad.warc.gz.bad': {
      records: [
        `warcinfo ${NONE} shared`,
        'response absent ok shared',
        `request ${NONE} shared`,
        `revisit ${NONE} shared`,
        `request ${NONE} shared`,
        'response absent ok shared',
      ],
    },
    'example-trunc.warc': {
      records: [`warcinfo ${NONE}`, `warcinfo ${NONE}`],
      fault: 'corrupt at 1197: Content-Length is too small: no empty line follows the block',
    },
    'example-wrong-chunks.warc.gz': {
      records: [],
      fault: 'corrupt at 0: a record does not end within its gzip member',
    },
  };

  describe.each(ARCHIVES)('$name', (archives) => {
    const own = Object.entries(cases).filter(([file]) => archives.has(file));

    test.skipIf(leftOut(archives)).each(own)('%s is read as expected', async (file, expected) => {
      expect(await outcome(join(archives.path, file))).toEqual({ fault: '', ...expected });
    });
  });

  test('angle brackets around a target URI are not part of it', async () => {
    const uri = 'WARC-Target-URI: <http://example.com/>\r\nContent-Length';
    const text = record('a page').replace('Content-Length', uri);
    const [{ headers }] = await collect(readWarc(await fileOf(gzipSync(text))));
    expect(headers.targetUri).toBe('http://example.com/');
  });
});

describe('damage', () => {
  test('in any byte of a file never throws and never changes a record that is returned', async () => {
    const dir = temporaryFolder();
    const writer = await WarcWriter.open(dir, { info: { software: 'test' } });
    const { response } = await writer.write(makeExchange({ wire: [Buffer.alloc(3000, 'text ')] }));
    await writer.close();
    const whole = await collect(readWarc(join(dir, response.file)));
    const bytes = await readFile(join(dir, response.file));
    const path = join(dir, 'damaged.warc.gz');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const damaged = Buffer.from(bytes);
          damaged[at] ^= flip;
          await writeFile(path, damaged);
          const reader = readWarc(path);
          const records = await collect(reader);
          // No checksum covers the ten bytes of the gzip header: flags and time may change
          // unnoticed.
          for (const [i, record] of records.entries()) {
            expect(Buffer.from(record.block).equals(whole[i].block)).toBe(true);
          }
          if (records.length < whole.length) expect(reader.fault).toBeDefined();
        },
      ),
      { numRuns: 150 },
    );
  });

  test('any bytes are read without an exception', async () => {
    const start = fc.constantFrom('', 'WARC/1.1\r\n', '\x1f\x8b\x08\x00', '\x1f\x8b\x08\xff');
    const dir = temporaryFolder();
    const path = join(dir, 'any');
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), async (start, bytes) => {
        const content = Buffer.concat([Buffer.from(start, 'latin1'), bytes]);
        await writeFile(path, content);
        const reader = readWarc(path);
        await collect(reader);
        expect(reader.fault === undefined).toBe(reader.wholeLength === content.length);
      }),
    );
  });

  test('a plain file truncated at any byte keeps the records before', async () => {
    const first = record('first');
    const text = first + record('second block');
    for (let length = first.length; length < text.length - 4; length++) {
      const { records, fault } = await outcome(await fileOf(Buffer.from(text.slice(0, length))));
      expect(records.length).toBe(1);
      const expected =
        length === first.length ? '' : `truncated at ${first.length}: the last record is cut off`;
      expect(fault).toBe(expected);
    }
  });

  test('a wrong checksum, a wrong length and foreign content are distinguished', async () => {
    const member = gzipSync(record('x'));
    const checksum = Buffer.from(member);
    checksum[member.length - 8] ^= 1;
    expect((await outcome(await fileOf(checksum))).fault).toBe('corrupt at 0: wrong gzip checksum');
    const length = Buffer.from(member);
    length[member.length - 1] ^= 1;
    expect((await outcome(await fileOf(length))).fault).toBe('corrupt at 0: wrong gzip length');
    expect((await outcome(await fileOf(gzipSync('hello')))).fault).toBe(
      'corrupt at 0: not a WARC or ARC record',
    );
    expect((await outcome(await fileOf(Buffer.concat([member, Buffer.from('??')])))).fault).toBe(
      `truncated at ${member.length}: the last gzip member is cut off`,
    );
  });
});

describe('limits', () => {
  test('a member much wider than the window is read completely', async () => {
    const block = Array.from({ length: 200_000 }, (_, i) => (i * 2654435761) % 997).join(',');
    const path = await fileOf(gzipSync(record(block)));
    const [only] = await collect(readWarc(path));
    expect(Buffer.from(only.block).toString()).toBe(block);
    const plain = await fileOf(Buffer.from(record(block)));
    expect((await collect(readWarc(plain)))[0].block.length).toBe(block.length);
  });

  test('a record beyond the limit is refused by name, compressed or not', async () => {
    const small = gzipSync(record('x'));
    const bomb = Buffer.concat([small, gzipSync(record('0'.repeat(5_000_000)))]);
    expect((await outcome(await fileOf(bomb), 1_000_000)).fault).toBe(
      `too-large at ${small.length}: larger than 1000000 bytes`,
    );
    const plain = Buffer.from(record('y', 2_000_000_000));
    expect((await outcome(await fileOf(plain), 1_000_000)).fault).toBe(
      'too-large at 0: larger than 1000000 bytes',
    );
  });

  test('an empty file has no records and no fault', async () => {
    expect(await outcome(await fileOf(Buffer.alloc(0)))).toEqual({ records: [], fault: '' });
  });

  test('a gzip header with name, comment, extra field and checksum is skipped', async () => {
    const member = gzipSync(record('x'));
    const flags = Buffer.from([0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 0, 0, 0, 0, 0, 3]);
    const optional = Buffer.from('\x02\x00ABname\0comment\0cc', 'latin1');
    const path = await fileOf(Buffer.concat([flags, optional, member.subarray(10)]));
    expect(gunzipSync(member).includes('x')).toBe(true);
    expect((await outcome(path)).records).toEqual(['resource absent absent']);
  });
});

describe('the disk', () => {
  test('may return a few bytes at a time: the records are the same, and every byte is counted', async () => {
    const content = Buffer.concat(['one', 'two', 'three'].map((block) => gzipSync(record(block))));
    const path = await fileOf(content);
    const disk = new Disk(new WatchedFileSystem({ shortTransfers: 7 }));
    expect(await collect(readWarc(path, { disk }))).toEqual(await collect(readWarc(path)));
    expect(disk.traffic.read).toBeGreaterThanOrEqual(content.length);
  });

  test('reports a missing file or a folder with a remedy', async () => {
    const system = new WatchedFileSystem();
    const disk = new Disk(system);
    const missing = readWarc('/nowhere/x.warc.gz', { disk });
    await expect(collect(missing)).rejects.toMatchObject({ code: 'FILE_MISSING' });
    const folder = readWarc(temporaryFolder(), { disk });
    await expect(collect(folder)).rejects.toMatchObject({ code: 'DISK_FAILED' });
    expect(system.openFiles).toBe(0);
  });

  test('has its file closed by a reader that stops half-way', async () => {
    const path = await fileOf(Buffer.concat([gzipSync(record('one')), gzipSync(record('two'))]));
    const system = new WatchedFileSystem();
    for await (const first of readWarc(path, { disk: new Disk(system) })) {
      expect(Buffer.from(first.block).toString()).toBe('one');
      expect(system.openFiles).toBe(1);
      break;
    }
    expect(system.openFiles).toBe(0);
  });
});
