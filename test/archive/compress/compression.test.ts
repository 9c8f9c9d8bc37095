/** What holds for an archive with any compression: one suite, run for each kind. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Compression } from '../../../src/archive/compress/compression.ts';
import { Archive } from '../../../src/archive/index/archive.ts';
import { mergeIndex } from '../../../src/archive/index/index-merge.ts';
import { StoredPayloads } from '../../../src/archive/payloads/stored-payloads.ts';
import { checkArchive, type Problem } from '../../../src/archive/tools/check.ts';
import { importWarcs } from '../../../src/archive/tools/import.ts';
import { repair } from '../../../src/archive/tools/repair.ts';
import { writeWacz } from '../../../src/archive/tools/wacz.ts';
import { isWarcName } from '../../../src/archive/warc/warc-names.ts';
import { readWarc, type WarcRecord } from '../../../src/archive/warc/warc-reader.ts';
import { recoverArchive } from '../../../src/archive/write/recovery.ts';
import { WarcWriter, type WarcWriterOptions } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import { crawlLinks } from '../../../src/graph/io/crawl-links.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { anyExchange, collect, makeExchange, readWithWarcio } from '../warc/fixtures.ts';

const info = { software: 'drumlin/test' };
const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const NOW = Date.UTC(2026, 2, 14);

interface Way {
  readonly compress: Compression;
  readonly suffix: string;
  /** The message for a file that ends too early. */
  readonly cutOff: string;
}

const WAYS: Way[] = [
  { compress: 'gzip', suffix: '.warc.gz', cutOff: 'the last gzip member is cut off' },
  { compress: 'zstd', suffix: '.warc.zst', cutOff: 'the last zstd frame is cut off' },
  { compress: 'none', suffix: '.warc', cutOff: 'the last record is cut off' },
];

const blockOf = (exchange: Exchange) => Buffer.concat([exchange.head, ...exchange.wireBody]);
const page = (path: string, body: string) =>
  makeExchange({ url: `http://a.test/${path}`, wire: [Buffer.from(body)] });
const html = (word: string) => `<a href="/next">${word}</a>${`${word} `.repeat(400)}`;
const PAGES = [
  page('', html('one')),
  page('two', html('two')),
  page('copy', html('one')),
  page('next', html('next')),
];

async function write(
  dir: string,
  exchanges: readonly Exchange[],
  options: Partial<WarcWriterOptions>,
) {
  const writer = await WarcWriter.open(dir, { info, disk, ...options });
  const stored = [];
  for (const exchange of exchanges) stored.push(await writer.write(exchange));
  await writer.close();
  return stored;
}

/** A crawl folder with an index and a revisit. */
async function crawlFolder(compress: Compression): Promise<string> {
  const dir = temporaryFolder();
  const indexDir = join(dir, 'indexes/parts');
  mkdirSync(indexDir, { recursive: true });
  const payloads = await StoredPayloads.open({
    disk,
    folder: indexDir,
    files: [],
    memory: 2 ** 16,
  });
  await write(join(dir, 'archive'), PAGES, { compress, indexDir, payloads });
  await mergeIndex(disk, dir);
  return dir;
}

const onlyFile = (dir: string) => join(dir, 'archive', readdirSync(join(dir, 'archive'))[0]);

async function recordsOf(path: string): Promise<WarcRecord[]> {
  const reader = readWarc(path);
  const records = await collect(reader);
  expect(reader.fault).toBeUndefined();
  return records;
}

const tellTypes = (records: readonly WarcRecord[]) =>
  records.map(({ type, headers }) => [type, headers.targetUri]);

async function problemsIn(place: string): Promise<string[]> {
  const problems: Problem[] = [];
  await checkArchive(disk, await Archive.open(disk, place), (problem) => problems.push(problem));
  return problems.map(({ words }) => words);
}

describe.each(WAYS)('an archive with compression $compress', ({ compress, suffix, cutOff }) => {
  test('returns any exchanges to the byte, each record also from its position alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyExchange, { maxLength: 6 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 1, max: 6 }),
        async (exchanges, rotateBytes, zstdLevel) => {
          const dir = temporaryFolder();
          const stored = await write(dir, exchanges, { compress, rotateBytes, zstdLevel });
          for (const [i, { response, request }] of stored.entries()) {
            expect(response.file.endsWith(suffix)).toBe(true);
            const path = join(dir, `one${suffix}`);
            const bytes = readFileSync(join(dir, response.file));
            writeFileSync(path, bytes.subarray(response.offset, response.offset + response.length));
            const [record, ...others] = await recordsOf(path);
            expect(others).toEqual([]);
            expect(record.length).toBe(response.length);
            expect(Buffer.from(record.block).equals(blockOf(exchanges[i]))).toBe(true);
            for await (const same of readWarc(join(dir, request.file), { start: request.offset })) {
              expect(same).toMatchObject({ type: 'request', length: request.length });
              break;
            }
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  test('holds records of many megabytes', async () => {
    const dir = temporaryFolder();
    const body = Buffer.alloc(3_500_000);
    for (let i = 0; i < body.length; i++) body[i] = (i * i) >>> 11;
    const huge = makeExchange({ wire: [body] });
    const [{ response }] = await write(dir, [huge, makeExchange()], { compress });
    const records = await recordsOf(join(dir, response.file));
    expect(records.map(({ type }) => type)).toEqual([
      'warcinfo',
      'response',
      'request',
      'response',
      'request',
    ]);
    expect(records[1]).toMatchObject({ offset: response.offset, length: response.length });
    expect(Buffer.from(records[1].block).equals(blockOf(huge))).toBe(true);
  });

  test('refuses a record beyond the limit, independent of its compressed size', async () => {
    const dir = temporaryFolder();
    const bomb = makeExchange({ wire: [Buffer.alloc(3_000_000, 'a')] });
    const [{ response }] = await write(dir, [bomb], { compress });
    const reader = readWarc(join(dir, response.file), { maxRecordBytes: 100_000 });
    expect((await collect(reader)).map(({ type }) => type)).toEqual(['warcinfo']);
    const fault = { kind: 'too-large', offset: response.offset, fact: 'larger than 100000 bytes' };
    expect(reader.fault).toEqual(fault);
  });

  test('has a correct index, finds pages with it, and passes the check', async () => {
    const dir = await crawlFolder(compress);
    expect(await problemsIn(dir)).toEqual([]);
    const archive = await Archive.open(disk, dir);
    const captures = await collect(archive.captures());
    expect(captures.map(({ url, mime }) => [url, mime])).toEqual([
      ['http://a.test/', 'unk'],
      ['http://a.test/copy', 'warc/revisit'],
      ['http://a.test/next', 'unk'],
      ['http://a.test/two', 'unk'],
    ]);
    const copy = await archive.page(captures[1]);
    expect(Buffer.from(copy.block)).toEqual(blockOf(PAGES[0]));
    // The same from the files alone.
    const bare = await Archive.open(disk, join(dir, 'archive'));
    // The fixture's head has a type, but the fetcher's exchange does not have it.
    const seen = (await collect(bare.captures())).map(({ mime, ...rest }) => ({
      ...rest,
      mime: mime === 'text/html' ? 'unk' : mime,
    }));
    expect(seen).toEqual(captures);
  });

  test('can be imported, and a graph made of its links', async () => {
    const dir = await crawlFolder(compress);
    const imported = join(temporaryFolder(), 'new');
    // A name without an extension gets one that fits the content.
    const odd = join(temporaryFolder(), 'odd');
    writeFileSync(odd, readFileSync(onlyFile(dir)));
    expect(await importWarcs(disk, [odd], imported, { now: NOW })).toMatchObject({
      files: 1,
      captures: 4,
    });
    expect(readdirSync(join(imported, 'archive'))).toEqual([`odd${suffix}`]);
    const links: string[] = [];
    for await (const [from, to] of crawlLinks(disk, imported, { level: 'page' })) {
      if (to) links.push(`${from} ${to}`);
    }
    expect(links.length).toBe(4);
  });

  test('truncated at any byte keeps the complete records before, reports it, and is repaired to them', async () => {
    const dir = await crawlFolder(compress);
    const path = onlyFile(dir);
    const bytes = readFileSync(path);
    const records = await recordsOf(path);
    const work = temporaryFolder();
    const cutPath = join(work, `cut${suffix}`);
    for (
      let length = records[1].offset;
      length < bytes.length;
      length += compress === 'none' ? 97 : 41
    ) {
      writeFileSync(cutPath, bytes.subarray(0, length));
      const whole = records.filter((record) => record.offset + record.length <= length);
      const end = whole.at(-1)!.offset + whole.at(-1)!.length;
      const reader = readWarc(cutPath);
      const kept = await collect(reader);
      // A plain record is complete if its block is, even if line ends are missing.
      const line = compress === 'none' && kept.length > whole.length;
      if (!line) {
        expect(tellTypes(kept)).toEqual(tellTypes(whole));
        expect(reader.wholeLength).toBe(end);
        if (end < length)
          expect(reader.fault).toEqual({ offset: end, kind: 'truncated', fact: cutOff });
      }
      if (length % 5 > 0) continue;
      const out = join(work, `out-${length}${suffix}`);
      const report = await repair(disk, cutPath, out);
      expect(report.records).toBe(kept.length);
      expect(readFileSync(out)).toEqual(bytes.subarray(0, reader.wholeLength));
    }
  });

  test('with damage in the middle is repaired to the records around it', async () => {
    const dir = await crawlFolder(compress);
    const path = onlyFile(dir);
    const records = await recordsOf(path);
    const bytes = readFileSync(path);
    bytes[records[3].offset + 1] ^= 0xff;
    writeFileSync(path, bytes);
    const out = join(dir, `whole${suffix}`);
    const report = await repair(disk, path, out);
    expect(report.leftOut).toMatchObject([
      { offset: records[3].offset, length: records[3].length },
    ]);
    const left = await recordsOf(out);
    expect(tellTypes(left)).toEqual(tellTypes(records.filter((_, i) => i !== 3)));
    expect(await problemsIn(out)).toEqual([]);
  });

  test('with any byte changed is reported as damaged, or yields the same records', async () => {
    const dir = temporaryFolder();
    const [{ response }] = await write(dir, [page('', html('one'))], { compress });
    const whole = await recordsOf(join(dir, response.file));
    const bytes = readFileSync(join(dir, response.file));
    const path = join(dir, `damaged${suffix}`);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const damaged = Buffer.from(bytes);
          damaged[at] ^= flip;
          writeFileSync(path, damaged);
          const reader = readWarc(path);
          const records = await collect(reader);
          if (records.length < whole.length) expect(reader.fault).toBeDefined();
          // Only the digests protect an uncompressed record.
          if (compress === 'none') return;
          for (const [i, { block }] of records.entries()) {
            expect(Buffer.from(block).equals(whole[i].block)).toBe(true);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('after a kill at any operation, resumes from its last checkpoint with complete records', async () => {
    for (let operations = 4; ; operations++) {
      const dir = temporaryFolder();
      const indexDir = join(dir, 'parts');
      const archive = join(dir, 'archive');
      for (const folder of [indexDir, archive]) mkdirSync(folder);
      const killed = new Disk(
        new FaultyFileSystem({ operations, shortTransfers: 500, skipSync: true }),
      );
      const cut = new Map<string, { file: string; length: number; index?: number | undefined }>();
      let stored = 0;
      let finished = false;
      try {
        const options = { info, compress, indexDir, disk: killed, rotateBytes: 1500 };
        const writer = await WarcWriter.open(archive, options);
        for (const [i, exchange] of PAGES.entries()) {
          await writer.write(exchange);
          if (i % 2 === 0) continue;
          for (const file of await writer.checkpoint()) cut.set(file.file, file);
          stored = i + 1;
        }
        await writer.close();
        finished = true;
      } catch {
        // As after a kill: nothing is tidied up.
      }
      await recoverArchive(disk, archive, '0', [...cut.values()], { indexDir });
      const urls: (string | undefined)[] = [];
      let lines = 0;
      for (const name of readdirSync(archive).filter(isWarcName).sort()) {
        const records = await recordsOf(join(archive, name));
        urls.push(
          ...records
            .filter(({ type }) => type === 'response')
            .map(({ headers }) => headers.targetUri),
        );
        lines += readFileSync(join(indexDir, `${name}.cdxj`), 'latin1').split('\n').length - 1;
      }
      expect(urls).toEqual(PAGES.slice(0, stored).map(({ url }) => url));
      expect(lines).toBe(stored);
      if (!finished) continue;
      expect(operations).toBeGreaterThan(20);
      break;
    }
  });

  test('can be packed into a WACZ that another reader understands', async () => {
    const dir = await crawlFolder(compress);
    const folder = temporaryFolder();
    const out = join(folder, 'x.wacz');
    const archive = await Archive.open(disk, dir);
    const { pages } = await writeWacz(disk, archive, out, { now: NOW });
    expect(pages).toBe(3);
    expect(readdirSync(folder)).toEqual(['x.wacz']);
    const files = storedEntries(readFileSync(out));
    const name = [...files.keys()].find((entry) => entry.startsWith('archive/'))!;
    expect(name.endsWith(compress === 'none' ? '.warc' : '.warc.gz')).toBe(true);
    const warc = join(folder, name.slice('archive/'.length));
    writeFileSync(warc, files.get(name)!);
    const opinions = await readWithWarcio(warc);
    const original = await recordsOf(onlyFile(dir));
    expect(opinions.map(({ block }) => Buffer.from(block))).toEqual(
      original.map(({ block }) => Buffer.from(block)),
    );
    const lines = files.get('indexes/index.cdxj')!.toString().trimEnd().split('\n');
    expect(lines.toSorted()).toEqual(lines);
    const said = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))));
    const captures = opinions.filter(({ type }) => type === 'response' || type === 'revisit');
    // For a plain record, warcio does not count the line ends after it.
    const behind = compress === 'none' ? 4 : 0;
    const place = (offset: number, length: number, url: string | null) =>
      `${offset} ${length} ${url}`;
    expect(said.map(({ offset, length, url }) => place(offset, length, url)).sort()).toEqual(
      captures.map(({ offset, length, url }) => place(offset, length + behind, url)).sort(),
    );
    expect(new Set(said.map(({ filename }) => filename))).toEqual(
      new Set([name.slice('archive/'.length)]),
    );
  });
});

/** The entries of a ZIP without compression, read sequentially. */
function storedEntries(zip: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 30, at + 30 + zip.readUInt16LE(at + 26));
    at = start + zip.readUInt32LE(at + 18);
    entries.set(name, zip.subarray(start, at));
  }
  return entries;
}

describe('an archive whose compression changed on resume', () => {
  test('is looked up, checked, recovered, deduplicated against and packed as one archive', async () => {
    const dir = temporaryFolder();
    const indexDir = join(dir, 'indexes/parts');
    mkdirSync(indexDir, { recursive: true });
    const files: string[] = [];
    for (const [i, { compress }] of WAYS.entries()) {
      const payloads = await StoredPayloads.open({
        disk,
        folder: indexDir,
        files,
        memory: 2 ** 16,
      });
      const options = { compress, indexDir, payloads };
      const [{ response, as }] = await write(
        join(dir, 'archive'),
        [page(`run-${i}`, html('same')), page(`own-${i}`, html(compress))],
        options,
      );
      expect(as).toBe(i === 0 ? 'response' : 'revisit');
      files.push(response.file);
    }
    await mergeIndex(disk, dir);
    expect(await problemsIn(dir)).toEqual([]);
    const archive = await Archive.open(disk, dir);
    for (const capture of await collect(archive.captures())) {
      const record = await archive.page(capture);
      const word = /own-(\d)/.exec(capture.url)?.[1];
      const text = word === undefined ? html('same') : html(WAYS[Number(word)].compress);
      expect(Buffer.from(record.block).toString()).toContain(text);
    }
    const out = join(dir, 'x.wacz');
    await writeWacz(disk, archive, out, { now: NOW });
    const packed = [...storedEntries(readFileSync(out)).keys()].filter((name) =>
      name.startsWith('archive/'),
    );
    const name = (file: string, number = '') => `archive/${number}${file.replace(/\.zst$/, '.gz')}`;
    // Two files were started in the same second: with the same ending they would share a name.
    const isTaken = files[0] === files[1].replace(/\.zst$/, '.gz');
    expect(packed.sort()).toEqual(
      [name(files[0]), name(files[1], isTaken ? '2-' : ''), name(files[2])].sort(),
    );
    await recoverArchive(disk, join(dir, 'archive'), '0', [], { indexDir });
    expect(readdirSync(join(dir, 'archive'))).toEqual(['orphans']);
    expect(readdirSync(join(dir, 'archive/orphans')).sort()).toEqual([...files].sort());
    expect(readdirSync(indexDir)).toEqual([]);
  });
});
