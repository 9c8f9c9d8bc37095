import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { mergeIndex } from '../../../src/archive/index/index-merge.ts';
import { DigestTable } from '../../../src/archive/payloads/digest-table.ts';
import { EarlierPayloads, gatherEarlier } from '../../../src/archive/payloads/earlier-payloads.ts';
import { KeyFilter } from '../../../src/archive/payloads/key-filter.ts';
import { StoredPayloads } from '../../../src/archive/payloads/stored-payloads.ts';
import { recoverArchive } from '../../../src/archive/write/recovery.ts';
import {
  type StoredExchange,
  WarcWriter,
  type WarcWriterOptions,
} from '../../../src/archive/write/warc-writer.ts';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { openStateFile } from '../../../src/disk/block-file.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { makeExchange, readWithWarcio, type SecondOpinion } from '../warc/fixtures.ts';
import { indexFaults } from '../warc/true-index.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const MEMORY = 2 ** 16;

const body = (n: number, length = 2000) => Buffer.from(`<p>${n}</p>`.repeat(length / 5));
const page = (path: string, n: number, at = 0, length = 2000): Exchange => ({
  ...makeExchange({ url: `http://a.test/${path}`, wire: [body(n, length)] }),
  startedAt: Date.UTC(2026, 0, 1) + at,
});

interface Options extends Partial<WarcWriterOptions> {
  readonly memory?: number;
  readonly files?: readonly string[];
  readonly earlier?: EarlierPayloads | undefined;
}

async function openWriter(
  dir: string,
  { memory = MEMORY, files = [], earlier, ...rest }: Options = {},
) {
  const folder = join(dir, 'indexes/parts');
  mkdirSync(folder, { recursive: true });
  const payloads = await StoredPayloads.open({ disk, folder, files, memory, earlier });
  const info = { software: 'drumlin/test' };
  return {
    payloads,
    writer: await WarcWriter.open(join(dir, 'archive'), {
      info,
      indexDir: folder,
      disk,
      payloads,
      ...rest,
    }),
  };
}

async function write(
  dir: string,
  pages: Exchange[],
  options: Options = {},
): Promise<StoredExchange[]> {
  const { writer } = await openWriter(dir, options);
  const stored: StoredExchange[] = [];
  for (const exchange of pages) stored.push(await writer.write(exchange));
  await writer.close();
  return stored;
}

async function records(dir: string): Promise<SecondOpinion[]> {
  const files = readdirSync(join(dir, 'archive')).sort();
  return (
    await Promise.all(files.map((file) => readWithWarcio(join(dir, 'archive', file))))
  ).flat();
}

describe('the table of digests', () => {
  test('finds what was put last, agrees with a map until it is full, and counts evictions', () => {
    const operation = fc.tuple(fc.bigInt({ min: 0n, max: 60n }), fc.nat({ max: 1000 }));
    fc.assert(
      fc.property(fc.array(operation, { size: 'max', maxLength: 300 }), (puts) => {
        const table = new DigestTable(16 * 16);
        const model = new Map<bigint, number>();
        for (const [i, [key]] of puts.entries()) {
          table.put(key, i);
          model.set(key, i);
        }
        let missing = 0;
        for (const [key, place] of model) {
          const found = table.find(key);
          if (found === -1) missing++;
          else expect(found).toBe(place);
        }
        expect(missing).toBeLessThanOrEqual(table.forgotten);
        if (table.forgotten === 0) expect(missing).toBe(0);
        // Of the entries that share a set, the four newest are present.
        for (let set = 0n; set < 4n; set++) {
          const newest = [...model]
            .filter(([key]) => key % 4n === set)
            .sort((a, b) => b[1] - a[1])
            .slice(0, 4);
          for (const [key, place] of newest) expect(table.find(key)).toBe(place);
        }
      }),
    );
  });
});

describe('the filter of keys', () => {
  test('contains every added key, and few others', () => {
    const filter = new KeyFilter(2 ** 20, 20_000);
    const key = (i: number) => xxh64(`digest ${i}`);
    for (let i = 0; i < 20_000; i++) filter.add(key(i));
    let others = 0;
    for (let i = 0; i < 20_000; i++) {
      expect(filter.has(key(i))).toBe(true);
      if (filter.has(key(i + 1e6))) others++;
    }
    expect(others / 20_000).toBeLessThan(0.03);
  });

  test('keeps to its memory, with more false positives', () => {
    const filter = new KeyFilter(64, 1e9);
    filter.add(1n);
    expect(filter.has(1n)).toBe(true);
  });
});

describe('a page whose payload is already in the archive', () => {
  test('is stored as a revisit with its own head and the date, URL and record of the first', async () => {
    const dir = temporaryFolder();
    const stored = await write(dir, [page('a', 1), page('b', 2, 1000), page('c', 1, 5535)]);
    expect(stored.map(({ as }) => as)).toEqual(['response', 'response', 'revisit']);
    const all = await records(dir);
    const [, first, , , , revisit] = all;
    expect(revisit.type).toBe('revisit');
    expect(Buffer.from(revisit.block).toString()).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n',
    );
    const field = (name: string) => revisit.fields.get(name);
    expect(field('WARC-Profile')).toBe(
      'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    );
    expect(field('WARC-Refers-To-Target-URI')).toBe('http://a.test/a');
    expect(field('WARC-Refers-To-Date')).toBe(first.fields.get('WARC-Date'));
    expect(field('WARC-Refers-To')).toBe(first.fields.get('WARC-Record-ID'));
    expect(field('WARC-Payload-Digest')).toBe(first.fields.get('WARC-Payload-Digest'));
    expect(all.every(({ blockConfirmed }) => blockConfirmed === true)).toBe(true);
  });

  test('is in the index as warc/revisit, and resolves to the first page', async () => {
    const dir = temporaryFolder();
    await write(dir, [page('a', 1), page('b', 2), page('c', 1)]);
    await mergeIndex(disk, dir);
    expect(await indexFaults(dir)).toEqual([]);
    expect(readFileSync(join(dir, 'indexes/index.cdxj'), 'latin1')).not.toContain('"id"');
    const archive = await Archive.open(disk, dir);
    const capture = await archive.nearest('http://a.test/c');
    expect(capture?.mime).toBe('warc/revisit');
    const { block } = await archive.page(capture!);
    expect(Buffer.from(block).subarray(-body(1).length)).toEqual(body(1));
  });

  test('is skipped on request, and reported as skipped', async () => {
    const dir = temporaryFolder();
    const { writer } = await openWriter(dir, { duplicates: 'skip' });
    const said: string[] = [];
    for (const exchange of [page('a', 1), page('b', 1)])
      await writer.write(exchange, (as) => said.push(as));
    await writer.close();
    expect(said).toEqual(['response', 'skipped']);
    expect((await records(dir)).map(({ type }) => type)).toEqual([
      'warcinfo',
      'response',
      'request',
    ]);
  });

  test('is stored again if it is short or empty, or if one of the two was truncated', async () => {
    const cut: Exchange = { ...page('d', 4), truncated: 'time' };
    const pages = [
      page('a', 1, 0, 500),
      page('b', 1, 0, 500),
      page('c', 4),
      cut,
      page('e', 5),
      { ...page('f', 5), truncated: 'length' as const },
    ];
    const stored = await write(temporaryFolder(), pages);
    expect(stored.map(({ as }) => as)).toEqual(pages.map(() => 'response'));
  });

  test('is recognised after any rotation, flush or restart, as long as it is in the table', async () => {
    const step = fc.oneof(fc.nat({ max: 6 }), fc.constantFrom('flush' as const, 'reopen' as const));
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { size: 'max', maxLength: 40 }),
        fc.integer({ min: 500, max: 20_000 }),
        async (steps, rotateBytes) => {
          const dir = temporaryFolder();
          let { writer } = await openWriter(dir, { rotateBytes });
          const files: string[] = [];
          const seen = new Map<number, string>();
          for (const [i, what] of steps.entries()) {
            if (what === 'flush') await writer.flush();
            else if (what === 'reopen') {
              for (const { file } of writer.mark()) if (!files.includes(file)) files.push(file);
              await writer.close();
              ({ writer } = await openWriter(dir, { rotateBytes, files }));
            } else {
              const { as } = await writer.write(page(String(i), what));
              expect(as).toBe(seen.has(what) ? 'revisit' : 'response');
              if (!seen.has(what)) seen.set(what, `http://a.test/${i}`);
            }
          }
          await writer.close();
          const revisits = (await records(dir)).filter(({ type }) => type === 'revisit');
          for (const { url, fields } of revisits) {
            const what = steps[Number(new URL(String(url)).pathname.slice(1))];
            expect(fields.get('WARC-Refers-To-Target-URI')).toBe(seen.get(what as number));
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('is stored again if the first was removed because it came after the checkpoint', async () => {
    const dir = temporaryFolder();
    const { writer } = await openWriter(dir);
    await writer.write(page('a', 1));
    const cut = await writer.checkpoint();
    await writer.write(page('b', 2));
    await writer.close();
    await recoverArchive(disk, join(dir, 'archive'), '0', cut, {
      indexDir: join(dir, 'indexes/parts'),
    });
    const stored = await write(dir, [page('c', 2), page('d', 1)], {
      files: cut.map(({ file }) => file),
    });
    expect(stored.map(({ as }) => as)).toEqual(['response', 'revisit']);
  });

  test('is missed if the table is too small, and the eviction is counted', async () => {
    const dir = temporaryFolder();
    const { writer, payloads } = await openWriter(dir, { memory: 64 });
    for (let i = 0; i < 10; i++) await writer.write(page(`${i}`, i));
    expect(payloads.forgotten).toBe(6);
    expect((await writer.write(page('again', 0))).as).toBe('response');
    expect((await writer.write(page('again', 9))).as).toBe('revisit');
    await writer.close();
  });
});

describe('the payloads of earlier crawls', () => {
  async function earlierCrawl(count: number): Promise<string> {
    const dir = temporaryFolder();
    await write(
      dir,
      Array.from({ length: count }, (_, i) => page(`${i}`, i, i * 1001)),
      { rotateBytes: 20_000 },
    );
    await mergeIndex(disk, dir);
    return dir;
  }

  async function against(sources: string[], memory = MEMORY): Promise<EarlierPayloads> {
    const folder = temporaryFolder();
    await gatherEarlier(disk, folder, sources, 3000);
    return EarlierPayloads.open(disk, folder, memory);
  }

  test.each([
    64,
    MEMORY,
  ])('are all found, and no others, with any memory (%i bytes)', async (memory) => {
    const crawl = await earlierCrawl(100);
    const stored = await write(
      temporaryFolder(),
      Array.from({ length: 150 }, (_, i) => page(`new/${i}`, i)),
      { earlier: await against([crawl], memory) },
    );
    expect(stored.map(({ as }) => as)).toEqual(
      stored.map((_, i) => (i < 100 ? 'revisit' : 'response')),
    );
  });

  test('are referred to by date and record from a crawl, and by the second from an index', async () => {
    const crawl = await earlierCrawl(3);
    const first = (await records(crawl)).find(
      ({ url, type }) => url === 'http://a.test/2' && type === 'response',
    );
    const dir = temporaryFolder();
    await write(dir, [page('x', 2)], { earlier: await against([crawl]) });
    const revisit = (await records(dir)).find(({ type }) => type === 'revisit');
    expect(revisit?.fields.get('WARC-Refers-To')).toBe(first?.fields.get('WARC-Record-ID'));
    expect(revisit?.fields.get('WARC-Refers-To-Date')).toBe('2026-01-01T00:00:02.002Z');
    const other = temporaryFolder();
    await write(other, [page('x', 2)], {
      earlier: await against([join(crawl, 'indexes/index.cdxj')]),
    });
    const second = (await records(other)).find(({ type }) => type === 'revisit');
    expect(second?.fields.get('WARC-Refers-To')).toBeFalsy();
    expect(second?.fields.get('WARC-Refers-To-Date')).toBe('2026-01-01T00:00:02Z');
    expect(second?.fields.get('WARC-Refers-To-Target-URI')).toBe('http://a.test/2');
  });

  test('are gathered once for the same sources, and again for others', async () => {
    const [one, two] = [await earlierCrawl(3), await earlierCrawl(5)];
    const folder = temporaryFolder();
    await gatherEarlier(disk, folder, [one]);
    const before = readFileSync(join(folder, 'digests'));
    renameSync(join(one, 'archive'), join(one, 'gone'));
    await gatherEarlier(disk, folder, [one]);
    expect(readFileSync(join(folder, 'digests'))).toEqual(before);
    await gatherEarlier(disk, folder, [two]);
    const digests = await openStateFile(disk, join(folder, 'digests'), {
      ...{ type: 'dig', version: 1, summed: true },
    });
    expect(await digests.size()).toBe(8 + 5 * 16);
    await digests.close();
    expect(readdirSync(folder).sort()).toEqual(['digests', 'originals', 'sources']);
  });

  test('must exist: a source without any is refused by name', async () => {
    const folder = temporaryFolder();
    const empty = join(folder, 'none.cdxj');
    writeFileSync(empty, 'nothing\n');
    for (const source of [empty, folder]) {
      await expect(gatherEarlier(disk, join(folder, 'e'), [source])).rejects.toMatchObject({
        code: 'NOTHING_EARLIER',
        exitCode: 2,
      });
    }
    await expect(
      gatherEarlier(disk, join(folder, 'e'), [join(folder, 'x.cdxj')]),
    ).rejects.toMatchObject({
      code: 'FILE_MISSING',
    });
  });
});

describe('a metadata record', () => {
  test('is stored with a page that has known facts', async () => {
    const dir = temporaryFolder();
    const { writer } = await openWriter(dir, { metadata: true });
    await writer.write(page('a', 1), undefined, { hopsFromSeed: 3 });
    await writer.write(page('b', 2));
    await writer.close();
    const all = await records(dir);
    expect(all.map(({ type }) => type)).toEqual([
      'warcinfo',
      'response',
      'request',
      'metadata',
      'response',
      'request',
    ]);
    expect(Buffer.from(all[3].block).toString()).toBe('hopsFromSeed: 3\r\nfetchTimeMs: 12\r\n');
    expect(all[3].fields.get('WARC-Concurrent-To')).toBe(all[1].fields.get('WARC-Record-ID'));
    expect(all.every(({ blockConfirmed }) => blockConfirmed)).toBe(true);
    await mergeIndex(disk, dir);
    expect(await indexFaults(dir)).toEqual([]);
  });
});
