import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../../src/graph/memory-graph.ts';
import {
  LINK_FEATURES,
  linkValues,
  type PageQuantities,
  QUANTITIES,
} from '../../../../src/spam/features/links/formulas.ts';
import { linkFeatures } from '../../../../src/spam/features/links/link-features.ts';
import { type SiteLevel, siteOf } from '../../../../src/spam/features/sites.ts';
import { foreignMaterial } from '../../../foreign-material.ts';
import { leftOut } from '../../../left-out.ts';
import { naiveQuantities, range, type SmallWeb, smallWeb, valueByName } from './naive.ts';

const ROOM = { memory: 1e8, threads: 1 };
const published = await foreignMaterial('linkFeatures');

/** Equal but for rounding; both may be missing or infinite. */
function isNear(found: number | undefined, expected: number): boolean {
  const least = 1e-9 * Math.max(1, Math.abs(expected));
  return Object.is(found, expected) || Math.abs((found ?? Number.NaN) - expected) < least;
}

/** One row as a record. */
function row(set: Awaited<ReturnType<typeof linkFeatures>>, i: number): Map<string, number> {
  return new Map(set.columns.map((name, column) => [name, set.values[column][i]]));
}

function pageOf(values: Map<string, number>, page: 'hp' | 'mp'): PageQuantities {
  return Object.fromEntries(
    QUANTITIES.map((name) => [name, values.get(`${name}_${page}`)]),
  ) as PageQuantities;
}

/** The page that most others link to; the first of equals. */
function mostLinked({ urls, arcs }: SmallWeb): number {
  const others = arcs.filter(([from, to]) => from !== to);
  const links = urls.map((_, x) => new Set(others.filter(([, to]) => to === x).map(([f]) => f)));
  const counts = links.map(({ size }) => size);
  return counts.indexOf(Math.max(...counts));
}

/** The home page by its definition. */
function homeOf(urls: readonly string[], pagerank: readonly number[], site: string): number {
  const score = (url: string): number => {
    const { hostname, pathname, search } = new URL(url);
    if (pathname !== '/' || search !== '') return 3 + url.length;
    return [site, `www.${site}`].indexOf(hostname) + 1 || 3;
  };
  const order = range(urls.length).sort(
    (a, b) => score(urls[a]) - score(urls[b]) || pagerank[b] - pagerank[a] || a - b,
  );
  return order[0];
}

describe('link features', () => {
  test.skipIf(leftOut(published))('are the 176 of the public files', () => {
    const listed = readFileSync(published.path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(LINK_FEATURES.length).toBe(176);
    expect(new Set(LINK_FEATURES)).toEqual(new Set(listed));
  });

  test('are what their names say, whatever is zero or missing', () => {
    const number = fc.oneof(fc.constantFrom(0, 1, 2, Number.NaN), fc.double({ min: 0, max: 1e6 }));
    const page = fc.record(Object.fromEntries(QUANTITIES.map((name) => [name, number])));
    fc.assert(
      fc.property(page, page, fc.boolean(), (hp, mp, same) => {
        const [hpQ, mpQ] = [hp, mp] as unknown as [PageQuantities, PageQuantities];
        const values = linkValues(hpQ, mpQ, same);
        expect(values[0]).toBe(same ? 1 : 0);
        const wrong = LINK_FEATURES.filter(
          (name, i) => i > 0 && !isNear(values[i], valueByName(name, hpQ, mpQ)),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('of pages equal their definitions, at both levels, in any memory', async () => {
    const level = fc.constantFrom<SiteLevel>('host', 'domain');
    await fc.assert(
      fc.asyncProperty(smallWeb, level, fc.boolean(), async (web, pages, tight) => {
        const graph = memoryGraph(web.urls.length, web.arcs, web.urls);
        const names = [...new Set(web.urls.map((url) => siteOf(url, pages)))];
        const exact = naiveQuantities(web, (url) => siteOf(url, pages), [mostLinked(web)]);
        const room = tight ? { memory: 64 * web.urls.length + 400, threads: 1 } : ROOM;
        const set = await linkFeatures(graph, { sites: names, pages, ...room });
        for (const [i, site] of names.entries()) {
          const own = range(web.urls.length).filter((x) => siteOf(web.urls[x], pages) === site);
          const ranks = own.map((x) => exact[x].pagerank);
          const values = row(set, i);
          const [hp, mp] = [pageOf(values, 'hp'), pageOf(values, 'mp')];
          expect(mp.pagerank).toBeCloseTo(Math.max(...ranks), 8);
          const home =
            own[
              homeOf(
                own.map((x) => web.urls[x]),
                own.map((x) => exact[x].pagerank),
                site,
              )
            ];
          const best = own.filter((x) => Math.abs(exact[x].pagerank - mp.pagerank) < 1e-8);
          expectQuantities(hp, [exact[home]]);
          expectQuantities(
            mp,
            best.map((x) => exact[x]),
          );
          const wrong = [...values.keys()].filter(
            (name) => name !== 'eq_hp_mp' && !isNear(values.get(name), valueByName(name, hp, mp)),
          );
          expect(wrong).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('of sites alone: the site is both pages, and supporters are of other sites', async () => {
    await fc.assert(
      fc.asyncProperty(smallWeb, async ({ urls, arcs }) => {
        const names = urls.map((_, i) => `site-${String(i).padStart(2, '0')}`);
        const web = { urls: names, arcs };
        const graph = memoryGraph(names.length, arcs, names);
        const exact = naiveQuantities(web, (name) => name, [0]);
        const set = await linkFeatures(graph, {
          sites: [...names, 'no'],
          trusted: [names[0]],
          ...ROOM,
        });
        for (const i of range(names.length)) {
          const values = row(set, i);
          expect(values.get('eq_hp_mp')).toBe(1);
          expectQuantities(pageOf(values, 'hp'), [exact[i]]);
          expectQuantities(pageOf(values, 'mp'), [exact[i]]);
        }
        for (const value of row(set, names.length).values()) expect(value).toBeNaN();
      }),
      { numRuns: 40 },
    );
  });
});

/** One of the pages has these quantities; PageRank is computed to nine digits. */
function expectQuantities(found: PageQuantities, oneOf: readonly PageQuantities[]): void {
  const isThis = (exact: PageQuantities) =>
    QUANTITIES.every((name) => Math.abs(found[name] - exact[name]) < 2e-8);
  if (!oneOf.some(isThis)) expect(found).toEqual(oneOf[0]);
}
