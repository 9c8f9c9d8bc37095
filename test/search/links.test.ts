import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../src/base/xxh64.ts';
import { Disk } from '../../src/disk/disk.ts';
import { indexArchives } from '../../src/search/build/build-index.ts';
import { LinkGraph } from '../../src/search/links/link-graph.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { type ArchivedPage, writeCrawl } from '../corpus/lab-archive.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import '../property-seed.ts';
import { addCaptures, disk, type TestCapture } from './collection.ts';
import { naiveLinks } from './naive-links.ts';

const DAY = 86_400_000;
const TINY = { block: 4, memory: 6000, mostRuns: 2, epoch: 'day' } as const;
const url = (n: number) => `http://a.example/${n}`;

const captures: fc.Arbitrary<TestCapture[]> = fc.uniqueArray(
  fc.record({
    url: fc.nat(5).map(url),
    time: fc.nat(6).map((day) => day * DAY + 1),
    title: fc.constant(''),
    text: fc.constantFrom('spring', 'arab spring'),
    language: fc.constant('en'),
    links: fc.array(fc.nat(8).map(url), { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 40, selector: (each) => `${each.url} ${each.time}` },
);

async function graphOf(folders: readonly string[]): Promise<LinkGraph> {
  const index = await SearchIndex.open(folders, disk);
  const graph = await LinkGraph.open(disk, folders, index.crawls);
  await index.close();
  return graph;
}

async function check(graph: LinkGraph, list: readonly TestCapture[]): Promise<void> {
  const { spans, at } = naiveLinks(list);
  for (let n = 0; n < 9; n++) {
    const node = graph.nodeOf(xxh64(url(n)));
    const [leaving, arriving] = [0, 1].map((end) => spans.filter((span) => span[end] === url(n)));
    const isKnown = list.some((each) => each.url === url(n)) || arriving.length > 0;
    expect(node >= 0).toBe(isKnown);
    if (node < 0) continue;
    for (const [direction, expected, other] of [
      ['out', leaving, 1],
      ['in', arriving, 0],
    ] as const) {
      const { others, firsts, lasts } = await graph.links(node, direction);
      const found = [...others].map((end, i) => [graph.keys[end], firsts[i], lasts[i]]);
      const wanted = expected.map((span) => [xxh64(span[other]), span[2], span[3]]);
      const byKey = ([a]: unknown[], [b]: unknown[]) => ((a as bigint) < (b as bigint) ? -1 : 1);
      expect(found).toEqual(wanted.sort(byKey));
      for (let day = 0; day < 8; day++) {
        const there = at(day).filter((span) => span[other === 1 ? 0 : 1] === url(n));
        expect(await graph.degreeAt(node, direction, day)).toBe(there.length);
      }
    }
  }
}

describe('the links of an index', () => {
  test('are those of all captures, in one index, three parts or three folders', async () => {
    await fc.assert(
      fc.asyncProperty(captures, async (list) => {
        const third = (n: number) => list.filter((_, i) => i % 3 === n);
        const three = [0, 1, 2].map(() => join(temporaryFolder(), 'index'));
        const [whole, divided] = [0, 1].map(() => join(temporaryFolder(), 'index'));
        await addCaptures(whole, list, 'all', TINY);
        for (const n of [0, 1, 2]) {
          await addCaptures(divided, third(n), `part${n}`, TINY);
          await addCaptures(three[n], third(n), `folder${n}`, TINY);
        }
        for (const folders of [[whole], [divided], three]) {
          const graph = await graphOf(folders);
          await check(graph, list);
          await graph.close();
        }
      }),
      { numRuns: Number(process.env.DRUMLIN_SEARCH_RUNS ?? 3) },
    );
  });

  test('come from the HTML of archives, in epochs of a crawl in the order of time', async () => {
    const page = (path: string, body: string): ArchivedPage => ({
      ...{ url: `http://a.example/${path}`, body: Buffer.from(body) },
    });
    const crawl = async (name: string, from: number, pages: ArchivedPage[]) => {
      const dir = join(temporaryFolder(), name);
      await writeCrawl(dir, pages, { from });
      return dir;
    };
    const late = await crawl('late', 9 * DAY, [
      page('', '<a href="/one">1</a><a href="/two#part">2</a><link rel=canonical href="/c">'),
    ]);
    const early = await crawl('early', DAY, [page('', '<a href="/one">1</a><a href="/">me</a>')]);
    const out = join(temporaryFolder(), 'index');
    await indexArchives([late, early], out, { disk });
    const graph = await graphOf([out]);
    const home = graph.nodeOf(xxh64('http://a.example/'));
    const { others, firsts, lasts } = await graph.links(home, 'out');
    const links = [...others].map((node, i) => [graph.keys[node], firsts[i], lasts[i]]);
    expect(new Set(links.map(String))).toEqual(
      new Set([`${xxh64('http://a.example/one')},0,1`, `${xxh64('http://a.example/two')},1,1`]),
    );
    expect(await graph.linksAt(home, 'out', 0)).toHaveLength(1);
    await graph.close();
  });

  const SOME: TestCapture[] = [1, 2, 3, 4, 5, 6].map((n) => ({
    ...{ url: url(n % 3), time: n * DAY, title: `Page ${n}`, text: 'arab spring', language: 'en' },
    links: [url(n), url(n + 1), url(7)],
  }));

  test('have the same bytes after a kill at any moment', async () => {
    const bytesOf = (out: string) =>
      ['nodes', 'out', 'in'].map((name) => readFileSync(join(out, 'parts/00000', name), 'hex'));
    const quietDisk = new Disk(new FaultyFileSystem({ skipSync: true }));
    const quiet = join(temporaryFolder(), 'index');
    const tiny = { ...TINY, memory: 1500 };
    await addCaptures(quiet, SOME, 'all', { ...tiny, disk: quietDisk });
    const { changes } = quietDisk.fileSystem as FaultyFileSystem;
    for (let kill = 0; kill < 8; kill++) {
      const out = join(temporaryFolder(), 'index');
      const operations = Math.floor((kill * changes) / 8);
      const mortal = new Disk(new FaultyFileSystem({ skipSync: true, operations }));
      await expect(addCaptures(out, SOME, 'all', { ...tiny, disk: mortal })).rejects.toThrow();
      await addCaptures(out, SOME, 'all', tiny);
      expect(bytesOf(out)).toEqual(bytesOf(quiet));
      expect(readdirSync(out)).not.toContain('work');
    }
  });

  test('are refused if they are damaged, missing, or of other epochs', async () => {
    const [out, other, without] = [0, 1, 2].map(() => join(temporaryFolder(), 'index'));
    await addCaptures(out, SOME, 'all', TINY);
    await addCaptures(other, SOME, 'all', { ...TINY, epoch: 'month' });
    await addCaptures(without, SOME, 'all', { ...TINY, links: false });
    await expect(graphOf([out, other])).rejects.toThrow('with the same --epoch');
    await expect(graphOf([without])).rejects.toThrow('without --no-links');
    await expect(addCaptures(without, SOME, 'more', { links: true })).rejects.toThrow('no links');
    const lists = join(out, 'parts/00000/in');
    const bytes = readFileSync(lists);
    writeFileSync(
      lists,
      bytes.map((byte, i) => (i === 12 ? byte ^ 1 : byte)),
    );
    await expect(graphOf([out])).rejects.toThrow('in is damaged');
    writeFileSync(lists, bytes);
    truncateSync(join(out, 'parts/00000/nodes'), 20);
    await expect(graphOf([out])).rejects.toThrow('nodes');
  });
});
