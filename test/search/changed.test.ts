import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../src/base/xxh64.ts';
import { changeOf, changeParts } from '../../src/search/changed/change.ts';
import { whatChanged } from '../../src/search/changed/changed.ts';
import { CHANGED, ORDERS, type Order } from '../../src/search/changed/order.ts';
import { statesOf } from '../../src/search/changed/states.ts';
import { LinkGraph } from '../../src/search/links/link-graph.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import '../property-seed.ts';
import { addCaptures, disk, type TestCapture } from './collection.ts';
import { naiveLinks } from './naive-links.ts';
import { naiveSearch, versionsOf } from './naive-search.ts';

const DAY = 86_400_000;
const TINY = { block: 4, memory: 14_000, mostRuns: 2, epoch: 'day' } as const;

describe('change', () => {
  /** Counts that have the logarithms of the paper's Table 1: content, in-links, out-links. */
  const TABLE = {
    'Muammar Gaddafi': {
      counts: {
        words: [10_000, 10_450, 12_536],
        in: [1000, 1740, 1970],
        out: [10_000, 10_340, 10_766],
      },
      table: { words: [0.044, 0.18, 0.23], in: [0.55, 0.12, 0.68], out: [0.033, 0.04, 0.074] },
    },
    'Death of Muammar Gaddafi': {
      counts: { words: [0, 0, 2231], in: [0, 0, 67], out: [0, 0, 104] },
      table: { words: [0, 7.71, 7.71], in: [0, 4.21, 4.21], out: [0, 4.64, 4.64] },
    },
    'Battle of Sirte (2011)': {
      counts: { words: [0, 2390, 5242], in: [0, 119, 147], out: [0, 137, 158] },
      table: { words: [7.78, 0.79, 8.56], in: [4.78, 0.21, 4.99], out: [4.9, 0.14, 5.06] },
    },
  };

  test.each(Object.entries(TABLE))('is that of Table 1 for %s', (_, { counts, table }) => {
    const at = (t: number) => ({ words: counts.words[t], in: counts.in[t], out: counts.out[t] });
    for (const [column, [t1, t2]] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ].entries()) {
      const parts = changeParts(at(t1), at(t2));
      for (const field of ['words', 'in', 'out'] as const) {
        const printed = table[field][column];
        const digits = String(printed).split('.')[1]?.length ?? 12;
        // To the last digit printed.
        expect(Math.abs(parts[field] - printed)).toBeLessThan(10 ** -digits);
      }
      expect(changeOf(at(t1), at(t2))).toBeCloseTo(parts.words + parts.in + parts.out, 12);
      expect(changeOf(at(t2), at(t1))).toBeCloseTo(changeOf(at(t1), at(t2)), 12);
    }
  });
});

const siteOf = (page: string) => new URL(page).hostname;
const url = (n: number) => `http://${'abc'[n % 3]}.example/${n}`;
const capture = fc.record({
  url: fc.nat(9).map(url),
  time: fc.nat(3).map((day) => day * DAY + 1),
  title: fc.constant('page'),
  text: fc
    .array(fc.constantFrom('arab', 'spring', 'zone', 'stock'), { minLength: 1, maxLength: 9 })
    .map((words) => words.join(' ')),
  language: fc.constant('en'),
  links: fc.array(fc.nat(11).map(url), { maxLength: 6 }),
});
const collection = fc.record({
  list: fc.uniqueArray(capture, {
    ...{ minLength: 6, maxLength: 40, selector: (each: TestCapture) => `${each.url} ${each.time}` },
  }),
  days: fc.constantFrom([0, 1], [1, 2], [0, 3], [2, 3]),
  query: fc.constantFrom('arab', 'arab spring', 'zone or stock'),
  by: fc.constantFrom<Order>(...ORDERS),
  alpha: fc.constantFrom(0, 0.3, 0.5, 1),
  seeds: fc.constantFrom(1, 3, 100),
  expand: fc.constantFrom(0, 1, 3, 100),
});

type Case = typeof collection extends fc.Arbitrary<infer T> ? T : never;

/** Everything from the captures, with matrices instead of lists. */
function naiveChanged({ list, days, query, by, alpha, seeds, expand }: Case) {
  const links = naiveLinks(list);
  const all = Array.from({ length: 12 }, (_, n) => url(n));
  const versionAt = (page: string, day: number) =>
    versionsOf(list).find(
      (version) =>
        version.url === page &&
        version.spans.some(([a, b]) => a <= (day + 1) * DAY - 1 && b > (day + 1) * DAY - 1),
    );
  const [t1, t2] = days.map((day) => {
    const there = links.at(day);
    return (page: string) => ({
      words: versionAt(page, day)?.words.length ?? 0,
      out: there.filter(([from]) => from === page).length,
      in: there.filter(([, to]) => to === page).length,
    });
  });
  const change = (page: string) => changeOf(t1(page), t2(page));
  const end = (days[1] + 1) * DAY - 1;
  const words = query.split(' ').filter((word) => word !== 'or');
  const atoms = words.map((word) => ({ word, inTitle: false, prefix: false }));
  const clauses = query.includes(' or ') ? [atoms] : atoms.map((atom) => [atom]);
  const found = naiveSearch(list, ['en'], { clauses, excluded: [], any: false }, end, end);
  if (typeof found === 'string') throw new Error(found);
  const scores = new Map(found.map((each) => [each.url, each.score]));
  const byKey = (a: string, b: string) => (xxh64(a) < xxh64(b) ? -1 : 1);
  const isTie = found[seeds] && Math.abs(found[seeds - 1].score - found[seeds].score) < 1e-9;
  const seedUrls = found.slice(0, seeds).map((each) => each.url);
  const main = seedUrls
    .map(siteOf)
    .find((site) => 2 * seedUrls.filter((each) => siteOf(each) === site).length >= seedUrls.length);
  const edges = links.at(days[1]).filter(([a, b]) => siteOf(a) !== siteOf(b) || siteOf(a) === main);
  const reach = (page: string) =>
    Math.max(
      ...seedUrls
        .filter((seed) =>
          edges.some(([a, b]) => (a === seed && b === page) || (a === page && b === seed)),
        )
        .map((seed) => (scores.get(seed) ?? 0) + change(seed) + change(page)),
    );
  const others = all
    .filter((page) => !seedUrls.includes(page) && versionAt(page, days[1]) && reach(page) > -1)
    .sort((a, b) => reach(b) - reach(a) || byKey(a, b));
  const isClose =
    others[expand] &&
    expand > 0 &&
    Math.abs(reach(others[expand]) - reach(others[expand - 1])) < 1e-9;
  const pages = [...seedUrls, ...others.slice(0, expand)];
  const most = Math.max(0, ...pages.map((page) => scores.get(page) ?? 0));
  const p = pages.map((page) => {
    const text = most > 0 ? (scores.get(page) ?? 0) / most : 0;
    return alpha * text + ((1 - alpha) * change(page)) / (change(page) + 10);
  });
  const matrix = pages.map((a) => pages.map((b) => edges.some(([x, y]) => x === a && y === b)));
  return { pages, ranks: naiveRanks(by, matrix, p), p, isUnsure: isTie || isClose };
}

function naiveRanks(by: Order, links: readonly boolean[][], p: readonly number[]): number[] {
  const all = p.map((_, i) => i);
  const out = (page: number) => links[page].filter(Boolean).length;
  const greatest = (values: readonly number[]) => Math.max(...values) || 1;
  const scaled = (values: readonly number[]) => values.map((value) => value / greatest(values));
  if (by === 'none') return [...p];
  if (by.startsWith('hits')) {
    const sum = p.reduce((a, b) => a + b, 0) || 1;
    let [a, h] = [[...p], scaled(p)];
    for (let step = 0; step < 300; step++) {
      a = scaled(
        all.map((v) => all.reduce((s, u) => s + (links[u][v] ? h[u] : 0), (200 * p[v]) / sum)),
      );
      h = scaled(
        all.map((v) => all.reduce((s, u) => s + (links[v][u] ? a[u] : 0), (200 * p[v]) / sum)),
      );
    }
    return by === 'hits-hub' ? h : a;
  }
  let ppr = p.map((value) => 0.9 * value);
  for (let step = 0; step < 300; step++)
    ppr = all.map((v) =>
      all.reduce((s, u) => s + (links[u][v] ? (0.1 * ppr[u]) / out(u) : 0), 0.9 * p[v]),
    );
  if (by === 'pagerank') return ppr;
  return all.map((i) => (scaled(p)[i] + scaled(ppr)[i]) / 2);
}

describe('what happened', () => {
  test('is what a naive model says, for all orders', async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(collection, async (each) => {
        const { list, days, query, by, alpha, seeds, expand } = each;
        const day = (n: number) => new Date(n * DAY).toISOString().slice(0, 10);
        if (!list.some(({ time }) => time <= days[0] * DAY + 1)) return;
        if (!list.some(({ time }) => time >= days[1] * DAY)) return;
        const out = join(temporaryFolder(), 'index');
        for (const n of [0, 1])
          await addCaptures(
            out,
            list.filter((_, i) => i % 2 === n),
            `part${n}`,
            TINY,
          );
        const index = await SearchIndex.open([out], disk);
        const links = await LinkGraph.open(disk, [out], index.crawls);
        const states = statesOf(index, { from: day(days[0]), to: day(days[1]) });
        const { pages } = await whatChanged(index, links, states, query, {
          ...{ by, alpha, seeds, expand, top: 100 },
        });
        const expected = naiveChanged(each);
        if (!expected.isUnsure) {
          checked++;
          expect(new Set(pages.map((page) => page.url))).toEqual(new Set(expected.pages));
          for (const page of pages) {
            const at = expected.pages.indexOf(page.url);
            expect(page.p).toBeCloseTo(expected.p[at], 10);
            expect(page.rank).toBeCloseTo(expected.ranks[at], 10);
          }
          const ranks = pages.map(({ rank }) => rank);
          expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
        }
        await links.close();
        await index.close();
      }),
      { numRuns: Number(process.env.DRUMLIN_SEARCH_RUNS ?? 8) },
    );
    expect(checked).toBeGreaterThan(3);
  });

  const crawls = async (days: readonly number[], epoch: 'crawl' | 'month' | 'day' = 'crawl') => {
    const out = join(temporaryFolder(), 'index');
    for (const n of days) {
      const text = { title: '', text: 'arab spring', language: 'en', links: [url(n)] };
      const captures = [{ url: url(0), time: Date.UTC(2011, 8, n), ...text }];
      await addCaptures(out, captures, `crawl${n}`, { epoch });
    }
    return SearchIndex.open([out], disk);
  };

  test('is asked for around a time or between two: the epochs that ended there', async () => {
    const index = await crawls([1, 36, 75]); // 1 September, 6 October, 14 November
    const names = (asked: Parameters<typeof statesOf>[1]) => {
      const { before, after } = statesOf(index, asked);
      return [before.name, after.name];
    };
    expect(names({ at: '2011-09-15' })).toEqual(['crawl1', 'crawl36']);
    expect(names({ at: '2011-10-06' })).toEqual(['crawl1', 'crawl36']);
    expect(names({ at: '2011-10-07' })).toEqual(['crawl36', 'crawl75']);
    expect(names({ at: '2011-11' })).toEqual(['crawl36', 'crawl75']);
    expect(names({ from: '2011-09-01', to: '2011-11-14' })).toEqual(['crawl1', 'crawl75']);
    await index.close();
    const months = await crawls([1, 36, 75], 'month');
    const { before, after } = statesOf(months, { at: '2011-10-15' });
    expect([before.name, after.name]).toEqual(['2011-09', '2011-10']);
    await months.close();
  });

  test.each([
    [[1], { at: '2011-09-01' }, 'one epoch only'],
    [[1, 36], { at: '2011-08' }, 'no capture before this time'],
    [[1, 36], { at: '2012' }, 'no capture at or after this time'],
    [[1, 36], { at: '2011-09-01' }, 'no epoch that ended before this time'],
    [[1, 36], { from: '2011-09-02', to: '2011-09-03' }, 'No epoch ended between'],
    [[1, 36], { from: '2011-09-02' }, 'Give --at, or both --from and --to'],
    [[1, 36], {}, 'Give --at, or both --from and --to'],
    [[1, 36], { at: 'soon' }, 'is not a time'],
  ])('of crawls on days %o at %o is an error with a remedy', async (days, asked, fact) => {
    const index = await crawls(days);
    expect(() => statesOf(index, asked)).toThrow(fact);
    await index.close();
  });

  test('begins with the parameters of the paper, and the order that the lab found best', () => {
    expect(CHANGED).toEqual({ seeds: 100, expand: 100, alpha: 0.5, by: 'combined' });
  });
});
