/** Captures, revisits and ends of random pages: what the index says of them, in any division. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Gone, type Revisit, textKey } from '../../src/search/build/read-archives.ts';
import { documentsOf } from '../../src/search/export/documents.ts';
import { versionsOf } from '../../src/search/query/page-versions.ts';
import { describe as described } from '../../src/search/query/results.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { timelineOf } from '../../src/search/query/timeline.ts';
import { ALL_TIMES, iso, type TimeRange } from '../../src/search/query/times.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, disk, type TestCapture } from './collection.ts';

type Seen = TestCapture | Revisit | Gone;

const RUNS = Number(process.env.DRUMLIN_SEARCH_RUNS ?? 6);
/** To shrink a world would build hundreds of indexes: minutes before a fault is named. */
const OPTIONS = { numRuns: RUNS, endOnFailure: true };
const START = Date.UTC(2011, 9, 1);
const [HOUR, DAY] = [3_600_000, 86_400_000];
const CRAWLS = ['one', 'two', 'three'];

const url = fc.constantFrom('http://a.example/', 'http://a.example/', 'http://b.example/');
/** Some of the same second, to which revisits refer. */
const time = fc
  .tuple(fc.nat(12), fc.constantFrom(0, 0, 400, 999))
  .map(([n, ms]) => START + 7 * n * HOUR + ms);
const capture = fc.record({
  ...{ url, time, language: fc.constant('en'), title: fc.constantFrom('', 'Bread') },
  text: fc.constantFrom('coast', 'coast crowd', 'bread'),
});
const revisit = fc.record({ url, time, refersTo: fc.constant(undefined) });
const gone = fc.record({ url, time, isGone: fc.constant(true as const) });
const seen: fc.Arbitrary<Seen> = fc.oneof(
  ...[{ weight: 4, arbitrary: capture }, revisit, { weight: 1, arbitrary: gone }],
);
/** What captures of the same millisecond are sorted by: revisits first, then texts. */
function orderOf(one: Seen): bigint {
  if ('isGone' in one) return -1n;
  if ('text' in one) return textKey(one.title, one.text);
  return BigInt(one.refersTo ?? -1) - 2n ** 60n;
}
const nameOf = (one: Seen): string => `${one.url} ${one.time} ${orderOf(one)}`;

/** The sightings of three crawls; the second one begins with what the first one saw, too. */
const world = fc
  .tuple(
    fc.uniqueArray(seen, {
      ...{ minLength: 12, maxLength: 40, selector: nameOf },
    }),
    fc.nat(3),
    fc.array(fc.nat(60), { minLength: 40, maxLength: 40 }),
  )
  .filter(([list]) => list.some((one) => 'text' in one))
  .map(([all, twice, places]) => {
    // A revisit refers to the second of any sighting, to one of none, or to nothing.
    const list = all.map((one, i) => {
      const refersTo = all[places[i]]?.time ?? (places[i] === 60 ? START : undefined);
      return 'refersTo' in one ? { ...one, refersTo } : one;
    });
    const crawls = CRAWLS.map((_, n) => list.filter((_, i) => i % 3 === n));
    crawls[1].unshift(...crawls[0].slice(0, twice));
    return crawls;
  });

interface Version {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly times: number[];
  /** From a time up to another. */
  readonly valid: [from: number, to: number][];
}

/** The versions of all pages: their sightings in the order of time, one after the other. */
function naiveVersions(crawls: readonly (readonly Seen[])[]): Version[] {
  const all = new Map(crawls.flat().map((one) => [nameOf(one), one]));
  const inTime = [...all.values()].sort(
    (a, b) => a.time - b.time || (orderOf(a) < orderOf(b) ? -1 : 1),
  );
  const versions: Version[] = [];
  for (const page of new Set(inTime.map((one) => one.url))) {
    const own = new Map<string, Version>();
    let now: Version | undefined;
    const since: [time: number, version: Version][] = [];
    const end = (time: number) => {
      const last = now?.valid.at(-1);
      if (last) last[1] = time;
    };
    for (const one of inTime.filter(({ url }) => url === page)) {
      let next = now;
      if ('isGone' in one) next = undefined;
      else if ('text' in one) {
        const { title, text } = one;
        const name = String(textKey(title, text));
        next = own.get(name) ?? { url: page, title, text, times: [], valid: [] };
        own.set(name, next);
      } else if (one.refersTo !== undefined) {
        const second = Math.floor(one.refersTo / 1000);
        next = since.find(([time]) => Math.floor(time / 1000) === second)?.[1] ?? now;
      }
      if (next !== now) {
        end(one.time);
        next?.valid.push([one.time, Number.POSITIVE_INFINITY]);
      }
      now = next;
      if (next === undefined) continue;
      next.times.push(one.time);
      since.push([one.time, next]);
    }
    versions.push(...own.values());
  }
  return versions;
}

const isValid = ({ valid }: Version, from: number, to: number): boolean =>
  valid.some(([start, end]) => start <= to && end > from);

/** One part, three parts, three folders: days as epochs in the first, crawls in the others. */
async function indexesOf(crawls: readonly (readonly Seen[])[]): Promise<SearchIndex[]> {
  const folder = () => join(temporaryFolder(), 'index');
  const [whole, divided, three] = [folder(), folder(), CRAWLS.map(folder)];
  await addCaptures(whole, crawls.flat(), 'all', { epoch: 'day' });
  for (const [n, name] of CRAWLS.entries()) {
    await addCaptures(divided, crawls[n], name);
    await addCaptures(three[n], crawls[n], name);
  }
  return Promise.all([[whole], [divided], three].map((each) => SearchIndex.open(each, disk)));
}

async function documentsIn(index: SearchIndex) {
  const found = [];
  for await (const { document } of documentsOf(index, disk)) {
    const { url, title, first, last, captures, valid } = document;
    found.push({ url, title, first, last, captures, valid });
  }
  return found;
}

const documentOf = ({ url, title, times, valid }: Version) => ({
  ...{ url, title, first: iso(Math.min(...times)), last: iso(Math.max(...times)) },
  captures: times.length,
  valid: valid
    .filter(([gte, lt]) => gte < lt)
    .map(([gte, lt]) => ({ gte: iso(gte), ...(lt < Infinity && { lt: iso(lt) }) })),
});

const sorted = <T>(list: readonly T[]): string[] => list.map((one) => JSON.stringify(one)).sort();

describe('random sightings of pages', () => {
  test('give the versions of a naive reading, their times and captures, however divided', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (crawls) => {
        const versions = naiveVersions(crawls);
        for (const index of await indexesOf(crawls)) {
          expect(sorted(await documentsIn(index))).toEqual(sorted(versions.map(documentOf)));
          for (const page of new Set(versions.map((one) => one.url))) {
            const own = versions.filter((one) => one.url === page);
            const firsts = own.map(({ times }) => Math.min(...times)).sort((a, b) => a - b);
            const listed = await versionsOf(index, page);
            expect(listed.map(({ first }) => first)).toEqual(firsts);
          }
          const results = await described(index, await index.search('coast or bread'), { disk });
          for (const { url, first, captures, versions: count } of results) {
            const own = versions.filter((one) => one.url === url);
            expect(own.map(({ times }) => times.length)).toContain(captures);
            expect(own.map(({ times }) => Math.min(...times))).toContain(first);
            expect(count).toBe(own.length);
          }
          await index.close();
        }
      }),
      OPTIONS,
    );
  });

  test('are found at each moment, and counted at the end of each epoch', async () => {
    const cut = fc.tuple(fc.nat(150), fc.nat(150)).map((two) => two.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(world, cut, async (crawls, [a, b]) => {
        const versions = naiveVersions(crawls).filter(({ text }) => text !== 'bread');
        const pagesAt = (from: number, to: number) =>
          new Set(versions.filter((one) => isValid(one, from, to)).map((one) => one.url)).size;
        const asked = { from: START + a * HOUR, to: START + b * HOUR + 1 };
        const times = naiveVersions(crawls).flatMap((one) => one.times);
        const [first, last] = [Math.min(...times), Math.max(...times)];
        const limits = [first - 1, first, (first + last) / 2, last, last + 1].map(Math.floor);
        for (const [i, index] of (await indexesOf(crawls)).entries()) {
          // Twice, in turn: what is kept of one moment says nothing of another.
          for (const at of [...limits, ...limits]) {
            const found = index.search('coast', { range: { from: at, to: at } });
            if (at < first) await expect(found).rejects.toThrow('no capture before this time');
            else if (at > last) await expect(found).rejects.toThrow('no capture at or after');
            else expect((await found).results).toHaveLength(pagesAt(at, at));
          }
          const ranges = [ALL_TIMES, asked, { from: first, to: first }, { from: first, to: last }];
          for (const range of ranges.filter((r) => r.to >= first && r.from <= last)) {
            const { results } = await index.search('coast', { range });
            expect(results).toHaveLength(pagesAt(range.from, range.to));
            if (range.from === range.to) continue;
            const timeline = await timelineOf(index, 'coast', { range });
            const [from, to] = [Math.max(first, range.from), Math.min(last, range.to)];
            const ends = i === 0 ? daysOf(from, to) : crawlEnds(crawls, range);
            expect(timeline.map(({ end, pages }) => [end, pages])).toEqual(
              ends.map((end) => [end, pagesAt(end, end)]),
            );
          }
          await index.close();
        }
      }),
      OPTIONS,
    );
  });
});

/** The ends of the days from one time to another, the last one cut. */
function daysOf(from: number, to: number): number[] {
  const ends: number[] = [];
  for (let start = Math.floor(from / DAY) * DAY; start <= to; start += DAY)
    ends.push(Math.min(to, start + DAY - 1));
  return ends;
}

/** The ends of the crawls that a time touches, each cut by it. */
const crawlEnds = (crawls: readonly (readonly Seen[])[], { from, to }: TimeRange): number[] =>
  crawls
    .filter((list) => list.some(({ time }) => time <= to) && list.some(({ time }) => time >= from))
    .map((list) => Math.min(to, Math.max(...list.map(({ time }) => time))))
    .sort((a, b) => a - b);

/** Twelve pages with the same words: equal scores; one page has two versions of equal score. */
async function equalPages(): Promise<SearchIndex> {
  const pages = Array.from({ length: 12 }, (_, i) => ({
    ...{ url: `http://${i}.example/`, title: '', language: 'en', time: START + i },
    text: 'coast bread crowd',
  }));
  const again = { ...pages[3], text: 'bread crowd coast', time: START + DAY };
  const out = join(temporaryFolder(), 'index');
  const all: TestCapture[] = [...pages, again];
  for (const n of [0, 1, 2]) {
    const own = all.filter((_, i) => i % 3 === n);
    await addCaptures(out, own, `part${n}`, { block: 4 });
  }
  return SearchIndex.open([out], disk);
}

describe('an answer', () => {
  test('has ten pages unless more are asked for; of equal versions the latest', async () => {
    const index = await equalPages();
    const { results } = await index.search('coast');
    expect(results).toHaveLength(10);
    const { results: all } = await index.search('coast', { top: 13 });
    expect(all).toHaveLength(12);
    expect(all.slice(0, 10)).toEqual(results);
    expect(new Set(all.map(({ score }) => score)).size).toBe(1);
    expect(all.map(({ page }) => page)).toEqual([...all.keys()]);
    const firsts = all.map(({ version }) => index.pages.firsts[version]);
    expect(firsts).toContain(START + DAY);
    expect(firsts).not.toContain(START + 3);
    await index.close();
  });

  const indexOf = async (texts: readonly (readonly [text: string, language: string])[]) => {
    const out = join(temporaryFolder(), 'index');
    const captures = texts.map(([text, language], i) => ({
      ...{ url: `http://a.example/${i}`, time: START + i, title: '', text, language },
    }));
    await addCaptures(out, captures, 'all', { block: 4 });
    return SearchIndex.open([out], disk);
  };

  test('leaves out a function word that more than a fifth of the versions have', async () => {
    const texts = ['the coast', 'crowd', 'bread', 'zone', 'harbour'].map((t) => [t, 'en'] as const);
    const fifth = await indexOf(texts);
    expect(await fifth.matches('the')).toHaveLength(1);
    await fifth.close();
    const more = await indexOf([...texts.slice(0, 4), ['the harbour', 'en']]);
    await expect(more.matches('the')).rejects.toThrow('only function words');
    expect(await more.matches('the crowd')).toHaveLength(1);
    await more.close();
  });

  test('to a prefix has the hundred words that most pages have', async () => {
    const words = Array.from({ length: 120 }, (_, i) => `p${String(i).padStart(3, '0')}`);
    const rare = words.map((word) => [word, 'en'] as const);
    const index = await indexOf([...rare, [words.slice(20).join(' '), 'en']]);
    const urls = (await index.matches('p*')).sort((a, b) => a - b);
    expect(urls).toEqual([...Array(101).keys()].map((i) => i + 20));
    await index.close();
  });

  test('in a language has its versions, however it is written, and its forms of words', async () => {
    const index = await indexOf([
      ['running dogs', 'en'],
      ['running dogs', 'de'],
      ['runs', 'en'],
      ['run', 'de'],
    ]);
    for (const language of ['en', 'EN'])
      expect(await index.matches('run', { language })).toEqual([0, 2]);
    expect(await index.matches('dogs', { language: 'de' })).toEqual([1]);
    // A German text has no English forms, and a German query asks for none.
    expect(await index.matches('running', { language: 'de' })).toEqual([1]);
    expect(await index.matches('dogs', { language: 'fr' })).toEqual([]);
    await index.close();
  });

  test('names a crawl of several folders once, from its first capture to its last', async () => {
    const folders = [temporaryFolder(), temporaryFolder()].map((each) => join(each, 'index'));
    const seen = (n: number) => ({
      ...{ url: `http://${n}.example/`, title: '', language: 'en', time: START + n },
      text: 'coast',
    });
    await addCaptures(folders[0], [seen(5), seen(9)], 'one');
    await addCaptures(folders[0], [seen(6)], 'two');
    await addCaptures(folders[1], [seen(2), seen(7), seen(8)], 'one');
    const index = await SearchIndex.open(folders, disk);
    const spans = [
      { name: 'two', first: START + 6, last: START + 6 },
      { name: 'one', first: START + 2, last: START + 9 },
    ];
    expect(index.crawls).toEqual(spans);
    const timeline = await timelineOf(index, 'coast');
    expect(timeline.map(({ epoch, pages }) => [epoch, pages])).toEqual([
      ['two', 3],
      ['one', 6],
    ]);
    await index.close();
  });

  test('is the same whether queries come one by one or at once', async () => {
    const index = await equalPages();
    const at = { range: { from: START + 5, to: START + 5 } };
    const queries = ['coast', '"coast bread"', 'crowd -"bread crowd"', 'coast or crowd', 'bre*'];
    const asked = queries.flatMap((query) => [{}, at].map((options) => [query, options] as const));
    const ask = async ([query, options]: (typeof asked)[number]) =>
      (await index.search(query, { top: 20, ...options })).results;
    const alone: Awaited<ReturnType<typeof ask>>[] = [];
    for (const one of asked) alone.push(await ask(one));
    expect(await Promise.all(asked.map(ask))).toEqual(alone);
    await index.close();
  });
});
