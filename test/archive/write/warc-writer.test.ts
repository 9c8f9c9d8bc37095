import { createReadStream } from 'node:fs';
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CDXIndexer } from 'warcio';
import { verifyDigests } from '../../../src/archive/tools/verify.ts';
import { readWarc, type WarcRecord } from '../../../src/archive/warc/warc-reader.ts';
import {
  type StoredExchange,
  WarcWriter,
  type WarcWriterOptions,
} from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import {
  anyExchange,
  chunkedExchange,
  collect,
  makeExchange,
  readWithWarcio,
  WatchedFileSystem,
} from '../warc/fixtures.ts';

const info = { software: 'drumlin/test' };

async function writeAll(
  dir: string,
  exchanges: Exchange[],
  options: Partial<WarcWriterOptions> = {},
): Promise<StoredExchange[]> {
  const writer = await WarcWriter.open(dir, { info, ...options });
  const stored: StoredExchange[] = [];
  for (const exchange of exchanges) stored.push(await writer.write(exchange));
  await writer.close();
  return stored;
}

async function recordsOf(path: string): Promise<WarcRecord[]> {
  const reader = readWarc(path);
  const records = await collect(reader);
  expect(reader.fault).toBeUndefined();
  expect(reader.wholeLength).toBe((await stat(path)).size);
  return records;
}

const blockOf = (exchange: Exchange) => Buffer.concat([exchange.head, ...exchange.wireBody]);

describe('what is written', () => {
  test('any exchanges read back to the byte with our reader and warcio, every digest confirmed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyExchange, { maxLength: 8 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.constantFrom<0 | 1 | 6>(0, 1, 6),
        fc.constantFrom('sha1' as const, 'sha256' as const),
        async (exchanges, rotateBytes, gzipLevel, digest) => {
          const dir = temporaryFolder();
          const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
          const stored = await writeAll(dir, exchanges, { rotateBytes, gzipLevel, digest, disk });
          const blocks: Buffer[] = [];
          for (const file of (await readdir(dir)).sort()) {
            const path = join(dir, file);
            const records = await recordsOf(path);
            const opinions = await readWithWarcio(path);
            expect(opinions.map((o) => [o.type, o.offset, o.length])).toEqual(
              records.map((r) => [r.type, r.offset, r.length]),
            );
            expect(opinions.every((o) => o.blockConfirmed === true)).toBe(true);
            expect(opinions.every((o) => o.payloadConfirmed !== false)).toBe(true);
            for (const record of records) {
              expect(verifyDigests(record).block).toBe('ok');
              expect(verifyDigests(record).payload).toBe(
                record.type === 'response' ? 'ok' : 'absent',
              );
              if (record.type === 'response') blocks.push(Buffer.from(record.block));
            }
          }
          expect(blocks).toEqual(exchanges.map(blockOf));
          expect(stored.length).toBe(exchanges.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a location is enough to read the record again', async () => {
    const dir = temporaryFolder();
    const exchanges = [
      makeExchange(),
      makeExchange({ wire: [Buffer.alloc(300_000, 'page ')] }),
      makeExchange(),
    ];
    const stored = await writeAll(dir, exchanges);
    for (const [i, { response, request }] of stored.entries()) {
      const file = await readFile(join(dir, response.file));
      const record = gunzipSync(file.subarray(response.offset, response.offset + response.length));
      expect(record.subarray(-4).toString()).toBe('\r\n\r\n');
      expect(record.includes(blockOf(exchanges[i]))).toBe(true);
      const asked = gunzipSync(file.subarray(request.offset, request.offset + request.length));
      expect(asked.includes('GET / HTTP/1.1')).toBe(true);
    }
  });

  test('the fields of a response and its request are those that archives expect', async () => {
    const dir = temporaryFolder();
    const ids = ['info', 'answer', 'question'].map(
      (name) => `00000000-0000-4000-8000-${name.padStart(12, '0')}`,
    );
    let next = 0;
    const [stored] = await writeAll(dir, [makeExchange({ truncated: 'length' })], {
      uuid: () => ids[next++],
    });
    const [, response, request] = await recordsOf(join(dir, stored.response.file));
    expect(response.version).toBe('WARC/1.1');
    expect(response.headers.entries).toEqual([
      ['WARC-Type', 'response'],
      ['WARC-Record-ID', `<urn:uuid:${ids[1]}>`],
      ['WARC-Date', '2026-03-14T15:09:26.535Z'],
      ['WARC-Target-URI', 'http://a.test/'],
      ['WARC-IP-Address', '127.0.0.1'],
      ['WARC-Warcinfo-ID', `<urn:uuid:${ids[0]}>`],
      ['WARC-Truncated', 'length'],
      ['WARC-Block-Digest', 'sha1:TI5DHC6GG4FXDT4ZC5FK3PYJIPOZDAKD'],
      ['WARC-Payload-Digest', stored.payloadDigest],
      ['Content-Type', 'application/http;msgtype=response'],
      ['Content-Length', '56'],
    ]);
    expect(request.headers.get('WARC-Concurrent-To')).toBe(`<urn:uuid:${ids[1]}>`);
    expect(request.headers.get('WARC-Date')).toBe(response.headers.get('WARC-Date'));
    expect(request.headers.get('Content-Type')).toBe('application/http;msgtype=request');
  });

  test('every file begins with a warcinfo; a line end in its values starts no new field', async () => {
    const dir = temporaryFolder();
    await writeAll(dir, [makeExchange(), makeExchange()], {
      rotateBytes: 1,
      info: {
        ...info,
        operator: 'Ann\r\nrobots: ignore',
        userAgent: 'Mozilla/5.0 (compatible; drumlin/test)',
      },
    });
    const files = await readdir(dir);
    expect(files.length).toBe(2);
    for (const file of files) {
      const [first] = await recordsOf(join(dir, file));
      expect(first.type).toBe('warcinfo');
      expect(first.headers.get('WARC-Filename')).toBe(file);
      expect(Buffer.from(first.block).toString().split('\r\n')).toEqual([
        'software: drumlin/test',
        'format: WARC File Format 1.1',
        'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
        'operator: Ann robots: ignore',
        'http-header-user-agent: Mozilla/5.0 (compatible; drumlin/test)',
        '',
      ]);
    }
  });

  test('the payload digest covers the body without chunk framing and with its content coding', async () => {
    const dir = temporaryFolder();
    const zipped = gzipSync('<p>hello</p>');
    const plain = makeExchange({ wire: [zipped] });
    const chunked = chunkedExchange(
      [zipped.subarray(0, 7), zipped.subarray(7)],
      'Content-Encoding: gzip\r\n',
    );
    const [a, b] = await writeAll(dir, [plain, chunked]);
    expect(b.payloadDigest).toBe(a.payloadDigest);
  });

  test('no payload digest is stated for a body with trailers, about which readers disagree', async () => {
    const dir = temporaryFolder();
    const [stored] = await writeAll(dir, [
      chunkedExchange([Buffer.from('abc')], '', 'Expires: 0\r\n'),
    ]);
    const path = join(dir, stored.response.file);
    const [, response] = await recordsOf(path);
    expect(verifyDigests(response)).toEqual({ block: 'ok', payload: 'absent' });
    const [, opinion] = await readWithWarcio(path);
    expect([opinion.blockConfirmed, opinion.payloadConfirmed]).toEqual([true, undefined]);
  });

  test('no payload digest is stated for truncated chunk framing', async () => {
    const dir = temporaryFolder();
    const cut: Exchange = {
      ...makeExchange({
        head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
        truncated: 'disconnect',
      }),
      wireBody: [Buffer.from('400\r\nabc')],
      payload: Buffer.from('abc'),
    };
    const [stored] = await writeAll(dir, [cut]);
    const [, response] = await recordsOf(join(dir, stored.response.file));
    expect(verifyDigests(response)).toEqual({ block: 'ok', payload: 'absent' });
    expect(stored.payloadDigest).toMatch(/^sha1:[A-Z2-7]{32}$/);
  });

  test("warcio's indexer lists every page with our digest, offset and length", async () => {
    const dir = temporaryFolder();
    const exchanges = [
      makeExchange(),
      chunkedExchange([Buffer.from('abc')]),
      makeExchange({ url: 'http://b.test/x' }),
    ];
    const stored = await writeAll(dir, exchanges);
    const file = stored[0].response.file;
    const lines = await collect(
      new CDXIndexer({ format: 'json' }).iterIndex([
        { filename: file, reader: createReadStream(join(dir, file)) },
      ]),
    );
    expect(lines.map((line) => [line.url, line.digest, line.offset, line.length])).toEqual(
      stored.map(({ response, payloadDigest }, i) => [
        exchanges[i].url,
        payloadDigest.replace('sha1:', ''),
        response.offset,
        response.length,
      ]),
    );
  });

  test('a URL may be long and need not be ASCII', async () => {
    const dir = temporaryFolder();
    for (const url of [
      `http://a.test/${'x'.repeat(20_000)}`,
      `http://a.test/${'北'.repeat(3000)}`,
    ]) {
      const [stored] = await writeAll(dir, [{ ...makeExchange(), url }]);
      const [, response, request] = await recordsOf(join(dir, stored.response.file));
      expect([response.headers.targetUri, request.headers.targetUri]).toEqual([url, url]);
      expect(verifyDigests(response).block).toBe('ok');
    }
  });

  test('a URL with a line end is refused and leaves nothing behind', async () => {
    const dir = temporaryFolder();
    const writer = await WarcWriter.open(dir, { info });
    await expect(
      writer.write({ ...makeExchange(), url: 'http://a.test/\r\nX: y' }),
    ).rejects.toMatchObject({
      code: 'WARC_FIELD',
    });
    const stored = await writer.write(makeExchange());
    await writer.close();
    expect((await recordsOf(join(dir, stored.response.file))).map((r) => r.type)).toEqual([
      'warcinfo',
      'response',
      'request',
    ]);
  });
});

describe('files', () => {
  test('are named by prefix, time, serial and agent, and never overwrite one another', async () => {
    const dir = temporaryFolder();
    const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), after: () => () => {} };
    const options = { prefix: 'mine', agent: '7', rotateBytes: 1, clock };
    await writeAll(dir, [makeExchange(), makeExchange()], options);
    await writeAll(dir, [makeExchange()], options);
    expect((await readdir(dir)).sort()).toEqual([
      'mine-20260102030405-00000-7.warc.gz',
      'mine-20260102030405-00001-7.warc.gz',
      'mine-20260102030405-00002-7.warc.gz',
    ]);
  });

  test('are not created before there is something to write', async () => {
    const dir = temporaryFolder();
    await writeAll(join(dir, 'deep', 'down'), []);
    expect(await readdir(join(dir, 'deep', 'down'))).toEqual([]);
  });

  test('keep response and request together, for any rotation size', async () => {
    const dir = temporaryFolder();
    const exchanges = Array.from({ length: 12 }, () => makeExchange());
    const stored = await writeAll(dir, exchanges, { rotateBytes: 3000 });
    expect(new Set(stored.map((s) => s.response.file)).size).toBeGreaterThan(2);
    for (const { response, request } of stored) expect(request.file).toBe(response.file);
  });
});

describe('the queue', () => {
  test('writes that are not awaited are stored in order, and flush waits for them', async () => {
    const dir = temporaryFolder();
    const writer = await WarcWriter.open(dir, { info, pendingBytes: 1 });
    const exchanges = Array.from({ length: 20 }, (_, i) =>
      makeExchange({
        url: `http://a.test/${i}`,
        wire: [Buffer.alloc(i % 3 === 0 ? 200_000 : 10, 'xyz')],
      }),
    );
    const writes = exchanges.map((exchange) => writer.write(exchange));
    await writer.flush();
    const offsets = (await Promise.all(writes)).map((s) => s.response.offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    await writer.close();
  });

  test('write waits while more than pendingBytes are not written yet', async () => {
    const dir = temporaryFolder();
    const system = new WatchedFileSystem();
    let release = () => {};
    system.gate = new Promise((resolve) => {
      release = resolve;
    });
    const writer = await WarcWriter.open(dir, { info, pendingBytes: 2000, disk: new Disk(system) });
    await writer.write(makeExchange());
    let accepted = false;
    const write = writer.write(makeExchange()).then(() => {
      accepted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(accepted).toBe(false);
    release();
    await write;
    await writer.close();
  });

  test('an exchange is in its file when flush resolves, and not before', async () => {
    const dir = temporaryFolder();
    const disk = new Disk();
    const writer = await WarcWriter.open(dir, { info, disk });
    const { request } = await writer.write(makeExchange());
    expect(disk.traffic.written).toBe(0);
    await writer.flush();
    expect((await stat(join(dir, request.file))).size).toBe(request.offset + request.length);
    expect(disk.traffic.written).toBe(request.offset + request.length);
    await writer.close();
  });

  test('write after close is refused; closing twice is allowed', async () => {
    const writer = await WarcWriter.open(temporaryFolder(), { info });
    await writer.close();
    await writer.close();
    await expect(writer.write(makeExchange())).rejects.toThrow('write after close');
  });
});

/** Records the lengths of every checkpoint; returns whether it came to the end. */
async function crawlUntilKilled(
  dir: string,
  disk: Disk,
  cut: Map<string, number>,
): Promise<boolean> {
  const writer = await WarcWriter.open(dir, { info, rotateBytes: 2000, disk });
  try {
    for (let i = 0; i < 6; i++) {
      await writer.write(makeExchange());
      await writer.flush();
      if (i % 2 === 1)
        for (const { file, length } of await writer.checkpoint()) cut.set(file, length);
    }
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'DISK_FAILED' });
    return false;
  } finally {
    await writer.close().catch(() => {});
  }
}

describe('checkpoints', () => {
  test('return every file since the last one, each ending with a complete member', async () => {
    const dir = temporaryFolder();
    const writer = await WarcWriter.open(dir, { info, rotateBytes: 2000 });
    expect(await writer.checkpoint()).toEqual([]);
    for (let i = 0; i < 5; i++) await writer.write(makeExchange());
    const cut = await writer.checkpoint();
    expect(cut.length).toBeGreaterThan(1);
    for (const { file, length } of cut) expect((await stat(join(dir, file))).size).toBe(length);
    for (const { file } of cut) await recordsOf(join(dir, file));
    expect((await writer.checkpoint()).map((c) => c.file)).toEqual([cut.at(-1)?.file]);
    await writer.close();
  });

  test('what a checkpoint returned survives a power failure, with its folder and nothing incomplete', async () => {
    const dir = join(temporaryFolder(), 'archive');
    const system = new PowerCutFileSystem();
    const writer = await WarcWriter.open(dir, { info, rotateBytes: 3000, disk: new Disk(system) });
    for (let i = 0; i < 4; i++) await writer.write(makeExchange());
    const cut = await writer.checkpoint();
    const { response } = await writer.write(makeExchange());
    await writer.flush();
    expect(cut.length).toBeGreaterThan(1);
    expect(response.file).toBe(cut.at(-1)?.file);
    system.cutPower();
    expect((await readdir(dir)).sort()).toEqual(cut.map(({ file }) => file));
    for (const { file, length } of cut) {
      expect((await stat(join(dir, file))).size).toBe(length);
      await recordsOf(join(dir, file));
    }
  });

  test('after a kill at any operation, the files are complete up to the last checkpoint', async () => {
    // The first two operations are those of `open`, which checks that the folder is writable.
    for (let operations = 2; ; operations++) {
      const dir = temporaryFolder();
      const system = new FaultyFileSystem({ operations, shortTransfers: 300, skipSync: true });
      const cut = new Map<string, number>();
      const finished = await crawlUntilKilled(dir, new Disk(system), cut);
      for (const [file, length] of cut) {
        const reader = readWarc(join(dir, file));
        await collect(reader);
        expect(reader.wholeLength).toBeGreaterThanOrEqual(length);
      }
      if (!finished) continue;
      expect(cut.size).toBeGreaterThan(1);
      expect(operations).toBeGreaterThan(20);
      break;
    }
  });

  test('a file truncated at any byte of its last member keeps all members before', async () => {
    const dir = temporaryFolder();
    const [, last] = await writeAll(dir, [makeExchange(), makeExchange()]);
    const path = join(dir, last.response.file);
    const whole = await readFile(path);
    const cutPath = join(dir, 'cut.warc.gz');
    for (let length = last.request.offset; length < whole.length; length++) {
      await writeFile(cutPath, whole.subarray(0, length));
      const reader = readWarc(cutPath);
      expect((await collect(reader)).length).toBe(4);
      expect(reader.wholeLength).toBe(last.request.offset);
      const expected = length === last.request.offset ? undefined : 'truncated';
      expect(reader.fault?.kind).toBe(expected);
    }
    await truncate(cutPath, last.request.offset);
    expect((await readWithWarcio(cutPath)).length).toBe(4);
  });
});

describe('a disk that refuses', () => {
  test('is reported with a remedy; accepted exchanges are kept and written when there is room again', async () => {
    const dir = temporaryFolder();
    const system = new FaultyFileSystem({ room: 300, shortTransfers: 100 });
    const writer = await WarcWriter.open(dir, { info, disk: new Disk(system) });
    const stored = await writer.write(makeExchange());
    await expect(writer.checkpoint()).rejects.toMatchObject({
      code: 'DISK_FULL',
      fact: expect.stringContaining(stored.response.file),
      exitCode: 4,
    });
    expect(system.faults.room).toBe(0);
    await expect(writer.write(makeExchange())).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect((await stat(join(dir, stored.response.file))).size).toBe(0);
    system.faults.room = Infinity;
    await writer.flush();
    await writer.write(makeExchange());
    await writer.close();
    expect((await recordsOf(join(dir, stored.response.file))).length).toBe(5);
  });

  test('wherever and however often it is full, files have complete members, and finally every exchange once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyExchange, fc.nat({ max: 3000 })), { maxLength: 6 }),
        fc.integer({ min: 50, max: 500 }),
        fc.integer({ min: 1, max: 4000 }),
        async (steps, shortTransfers, rotateBytes) => {
          const dir = temporaryFolder();
          const system = new FaultyFileSystem({ shortTransfers, skipSync: true });
          const writer = await WarcWriter.open(dir, { info, rotateBytes, disk: new Disk(system) });
          for (const [exchange, room] of steps) {
            await writer.write(exchange);
            system.faults.room = room;
            const full = await writer.flush().catch((error) => error);
            if (full)
              await expect(writer.write(exchange)).rejects.toMatchObject({ code: 'DISK_FULL' });
            for (const file of await readdir(dir)) await recordsOf(join(dir, file));
            system.faults.room = Infinity;
            await writer.flush();
          }
          await writer.close();
          const blocks: Buffer[] = [];
          for (const file of (await readdir(dir)).sort()) {
            for (const { type, block } of await recordsOf(join(dir, file))) {
              if (type === 'response') blocks.push(Buffer.from(block));
            }
          }
          expect(blocks).toEqual(steps.map(([exchange]) => blockOf(exchange)));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('is not trusted again after a failed sync, and close releases the file', async () => {
    const system = new WatchedFileSystem({ failSync: true });
    const writer = await WarcWriter.open(temporaryFolder(), { info, disk: new Disk(system) });
    await writer.write(makeExchange());
    const failure = { code: 'DISK_FAILED', fact: expect.stringContaining('made durable') };
    await expect(writer.checkpoint()).rejects.toMatchObject(failure);
    system.faults.failSync = false;
    await expect(writer.flush()).rejects.toMatchObject(failure);
    await expect(writer.checkpoint()).rejects.toMatchObject(failure);
    await expect(writer.write(makeExchange())).rejects.toMatchObject(failure);
    expect(system.openFiles).toBe(1);
    await expect(writer.close()).rejects.toMatchObject(failure);
    expect(system.openFiles).toBe(0);
  });

  test('does not keep close from releasing the file; close and flush report that records were lost', async () => {
    const dir = temporaryFolder();
    const system = new WatchedFileSystem({ room: 0 });
    const writer = await WarcWriter.open(dir, { info, disk: new Disk(system) });
    const { response } = await writer.write(makeExchange());
    expect(system.openFiles).toBe(1);
    await expect(writer.close()).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(system.openFiles).toBe(0);
    system.faults.room = Infinity;
    await expect(writer.flush()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await expect(writer.checkpoint()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await writer.close();
    expect((await stat(join(dir, response.file))).size).toBe(0);
  });

  test('to close a full file is reported once; the file is complete and the next exchange starts another', async () => {
    const dir = temporaryFolder();
    const system = new WatchedFileSystem();
    const writer = await WarcWriter.open(dir, { info, rotateBytes: 1, disk: new Disk(system) });
    const first = await writer.write(makeExchange());
    system.failClose = true;
    await expect(writer.write(makeExchange())).rejects.toMatchObject({ code: 'DISK_FAILED' });
    system.failClose = false;
    const second = await writer.write(makeExchange());
    const files = [first.response.file, second.response.file];
    expect((await writer.checkpoint()).map(({ file }) => file)).toEqual(files);
    for (const file of files) expect((await recordsOf(join(dir, file))).length).toBe(3);
    await writer.close();
    expect(system.openFiles).toBe(0);
  });

  test('to open another file is reported with a remedy, and the exchange can be written again', async () => {
    const system = new WatchedFileSystem();
    const writer = await WarcWriter.open(temporaryFolder(), { info, disk: new Disk(system) });
    system.refuseOpen = 'EMFILE';
    await expect(writer.write(makeExchange())).rejects.toMatchObject({
      remedy: expect.stringContaining('Too many files are open'),
    });
    system.refuseOpen = undefined;
    await writer.write(makeExchange());
    await writer.close();
    expect(system.openFiles).toBe(0);
  });

  test('is reported before anything is fetched if the folder cannot be created or written to', async () => {
    const dir = temporaryFolder();
    await writeFile(join(dir, 'file'), '');
    const refusal = {
      code: 'DISK_FAILED',
      remedy: expect.stringContaining('choose another --dir'),
    };
    await expect(WarcWriter.open(join(dir, 'file', 'archive'), { info })).rejects.toMatchObject(
      refusal,
    );
    await expect(WarcWriter.open(join(dir, 'file'), { info })).rejects.toMatchObject(refusal);
    const system = new WatchedFileSystem();
    system.refuseOpen = 'EACCES';
    await expect(WarcWriter.open(dir, { info, disk: new Disk(system) })).rejects.toMatchObject(
      refusal,
    );
    await (await WarcWriter.open(dir, { info })).close();
    expect(await readdir(dir)).toEqual(['file']);
  });
});
