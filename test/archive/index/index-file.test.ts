import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexLine } from '../../../src/archive/index/cdxj.ts';
import { openIndex, removeIndex, writeIndex } from '../../../src/archive/index/index-file.ts';
import { mergeIndex, partLines, scannedLines } from '../../../src/archive/index/index-merge.ts';
import { recoverArchive } from '../../../src/archive/write/recovery.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { anyExchange, makeExchange } from '../warc/fixtures.ts';
import { indexFaults } from '../warc/true-index.ts';

const info = { software: 'drumlin/test' };
const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

async function all(batches: AsyncIterable<string[]>): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of batches) lines.push(...batch);
  return lines;
}

async function* batchesOf(lines: string[], size = 7): AsyncGenerator<string[]> {
  for (let at = 0; at < lines.length; at += size) yield lines.slice(at, at + size);
}

function openWriter(dir: string, options: object = {}): Promise<WarcWriter> {
  return WarcWriter.open(join(dir, 'archive'), {
    info,
    indexDir: join(dir, 'indexes/parts'),
    disk,
    ...options,
  });
}

const numbered = (i: number): Exchange =>
  makeExchange({
    url: `http://h${i % 3}.test/${i}`,
    wire: [Buffer.from(`<p>page ${i}</p>`.repeat(i % 50))],
  });

describe('a sorted index', () => {
  const key = fc.stringMatching(/^[a-c,)/]{1,6}$/);
  const anyLines = fc.array(
    fc
      .tuple(key, fc.nat({ max: 99 }), fc.nat({ max: 3000 }))
      .map(([k, t, n]) => `${k} ${t} {"x":"${'y'.repeat(n)}"}`),
    { size: 'max', maxLength: 200 },
  );

  test.each([
    false,
    true,
  ])('yields the lines that are not below a key, in order (compressed: %s)', async (compressed) => {
    await fc.assert(
      fc.asyncProperty(anyLines, fc.array(key, { minLength: 3 }), async (lines, keys) => {
        const folder = temporaryFolder();
        const sorted = lines.toSorted();
        expect(await writeIndex(disk, folder, batchesOf(sorted), compressed)).toBe(lines.length);
        const index = await openIndex(disk, folder);
        for (const wanted of ['', ...keys]) {
          expect(await all(index!.linesFrom(wanted))).toEqual(
            sorted.filter((line) => line >= wanted),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  test('has members of 3,000 lines if compressed, each listed with position and digest', async () => {
    const folder = temporaryFolder();
    const lines = Array.from(
      { length: 7000 },
      (_, i) => `k${String(i).padStart(5, '0')} 2026 {"url":"u${i}"}`,
    );
    await writeIndex(disk, folder, batchesOf(lines, 1000), true);
    expect(readdirSync(folder).sort()).toEqual(['index.cdx.gz', 'index.idx']);
    const [meta, ...entries] = readFileSync(join(folder, 'index.idx'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(meta).toBe('!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}');
    const bytes = readFileSync(join(folder, 'index.cdx.gz'));
    const blocks = entries.map((entry) => {
      const { offset, length, digest, filename } = JSON.parse(entry.slice(entry.indexOf('{')));
      const block = bytes.subarray(offset, offset + length);
      expect(filename).toBe('index.cdx.gz');
      expect(digest).toBe(`sha256:${createHash('sha256').update(block).digest('hex')}`);
      return {
        start: entry.slice(0, entry.indexOf(' {')),
        lines: gunzipSync(block).toString().trimEnd().split('\n'),
      };
    });
    expect(blocks.map((block) => [block.start, block.lines.length])).toEqual([
      ['k00000 2026', 3000],
      ['k03000 2026', 3000],
      ['k06000 2026', 1000],
    ]);
    expect(blocks.flatMap((block) => block.lines)).toEqual(lines);
    expect(gunzipSync(bytes).toString()).toBe(`${lines.join('\n')}\n`);
  });

  test('replaces the other form, and is removed with all its files', async () => {
    const folder = temporaryFolder();
    await writeIndex(disk, folder, batchesOf(['a 1 {}']), true);
    await writeIndex(disk, folder, batchesOf(['b 1 {}']), false);
    expect(readdirSync(folder)).toEqual(['index.cdxj']);
    await removeIndex(disk, folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(await openIndex(disk, folder)).toBeUndefined();
    expect(await openIndex(disk, join(folder, 'none'))).toBeUndefined();
  });

  test('with damage is refused by name', async () => {
    const folder = temporaryFolder();
    await writeIndex(disk, folder, batchesOf(['a 1 {}']), true);
    truncateSync(join(folder, 'index.cdx.gz'), 10);
    appendFileSync(join(folder, 'index.cdx.gz'), Buffer.alloc(100));
    const index = await openIndex(disk, folder);
    await expect(all(index!.linesFrom(''))).rejects.toMatchObject({
      code: 'INDEX_DAMAGED',
      exitCode: 5,
    });
    appendFileSync(join(folder, 'index.idx'), 'no line\n');
    await expect(openIndex(disk, folder)).rejects.toMatchObject({ code: 'INDEX_DAMAGED' });
  });

  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('that is replaced is the old one, the new one or none, whenever power is lost (compressed: %s, then %s)', async (before, after) => {
    const [old, novel] = [['a 1 {}'], ['b 1 {}', 'c 1 {}']];
    for (const eagerRenames of [false, true])
      for (let operations = 0, done = false; !done; operations++) {
        const folder = temporaryFolder();
        await writeIndex(disk, folder, batchesOf(old), before);
        const powered = new PowerCutFileSystem({ eagerRenames });
        const mortal = new Disk(new FaultyFileSystem({ operations }, powered));
        // What was there counts as durable once it was opened.
        for (const name of readdirSync(folder))
          await (await powered.open(join(folder, name), 'read')).close();
        done = await writeIndex(mortal, folder, batchesOf(novel), after).then(
          () => true,
          () => false,
        );
        powered.cutPower();
        const index = await openIndex(disk, folder);
        const found = index && (await all(index.linesFrom('')));
        expect(done ? [novel] : [old, novel, undefined]).toContainEqual(found);
      }
  });

  test('is never left incomplete when the disk fills up', async () => {
    const folder = temporaryFolder();
    const full = new Disk(new FaultyFileSystem({ room: 1000 }));
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i} {"x":"some letters"}`);
    await expect(writeIndex(full, folder, batchesOf(lines), false)).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the parts that the archive writes', () => {
  test('list what a reader of the files finds, for any records and any rotation', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyExchange, { maxLength: 8 }),
        fc.integer({ min: 1, max: 5000 }),
        async (some, rotateBytes) => {
          const dir = temporaryFolder();
          const writer = await openWriter(dir, { rotateBytes });
          for (const exchange of some) await writer.write(exchange);
          await writer.close();
          for (const warc of readdirSync(join(dir, 'archive'))) {
            const part = readFileSync(join(dir, 'indexes/parts', `${warc}.cdxj`), 'latin1')
              .split('\n')
              .slice(0, -1);
            const withoutHead = part.map((line) =>
              indexLine(line).replace('"mime":"unk"', '"mime":"text/html"'),
            );
            const scanned = await all(scannedLines(disk, join(dir, 'archive', warc), warc));
            const known = scanned.map((line) => line.replace('"mime":"unk"', '"mime":"text/html"'));
            expect(withoutHead).toEqual(known);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('are truncated with the files to a checkpoint; those of later files are deleted', async () => {
    const dir = temporaryFolder();
    const writer = await openWriter(dir, { rotateBytes: 3000 });
    for (let i = 0; i < 10; i++) await writer.write(numbered(i));
    const mark = writer.mark();
    const cut = await writer.checkpoint();
    expect(mark.at(-1)).toEqual(cut.at(-1));
    for (let i = 10; i < 30; i++) await writer.write(numbered(i));
    await writer.close();
    const whole = mark.slice(0, -1).concat(cut.at(-1)!);
    await recoverArchive(disk, join(dir, 'archive'), '0', whole, {
      indexDir: join(dir, 'indexes/parts'),
    });
    const urls = (await all(partLines(disk, dir))).map(
      (line) => JSON.parse(line.slice(line.indexOf('{'))).url,
    );
    expect(urls).toEqual(Array.from({ length: 10 }, (_, i) => numbered(i).url));
    expect(readdirSync(join(dir, 'indexes/parts')).length).toBe(
      readdirSync(join(dir, 'archive')).filter((name) => name !== 'orphans').length,
    );
    await mergeIndex(disk, dir);
    expect(await indexFaults(dir)).toEqual([]);
  });

  test('are made again from the files if they are missing, too short, or of an older checkpoint', async () => {
    const dir = temporaryFolder();
    const writer = await openWriter(dir, { rotateBytes: 3000 });
    for (let i = 0; i < 30; i++) await writer.write(numbered(i));
    const cut = writer.mark();
    await writer.close();
    const [first, second, third] = cut.map(({ file }) =>
      join(dir, 'indexes/parts', `${file}.cdxj`),
    );
    rmSync(first);
    truncateSync(second, statSync(second).size - 1);
    const { index: _, ...old } = cut[2];
    const files = cut.map((file, i) => (i === 2 ? old : file));
    await recoverArchive(disk, join(dir, 'archive'), '0', files, {
      indexDir: join(dir, 'indexes/parts'),
    });
    expect(readdirSync(join(dir, 'indexes/parts'))).not.toContain(third);
    expect(await mergeIndex(disk, dir)).toBe(30);
    expect(await indexFaults(dir)).toEqual([]);
  });

  test('are merged alike in little memory, and to the compressed form if they are large', async () => {
    const dir = temporaryFolder();
    const writer = await openWriter(dir);
    for (let i = 0; i < 200; i++) await writer.write(numbered(i));
    await writer.close();
    await mergeIndex(disk, dir);
    const plain = readFileSync(join(dir, 'indexes/index.cdxj'), 'latin1');
    await mergeIndex(disk, dir, { memory: 2000, compressFrom: 100 });
    expect(readdirSync(join(dir, 'indexes')).sort()).toEqual([
      'index.cdx.gz',
      'index.idx',
      'parts',
    ]);
    expect(gunzipSync(readFileSync(join(dir, 'indexes/index.cdx.gz'))).toString('latin1')).toBe(
      plain,
    );
  });

  test('lose nothing when the disk refuses for a while: the same lines go to the same position', async () => {
    const dir = temporaryFolder();
    const faults = { room: 1500, skipSync: true };
    const writer = await openWriter(dir, { disk: new Disk(new FaultyFileSystem(faults)) });
    await writer.write(numbered(1));
    await writer.write(numbered(2));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'DISK_FULL' });
    for (let room = 1600; room < 4000; room += 50) {
      faults.room = room;
      await writer.flush().catch(() => {});
    }
    await writer.write(numbered(3));
    await writer.close();
    await mergeIndex(disk, dir);
    expect(await indexFaults(dir)).toEqual([]);
  });
});
