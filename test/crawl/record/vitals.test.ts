import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { troubleOf } from '../../../src/crawl/monitor/health.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import type { Progress } from '../../../src/crawl/record/progress.ts';
import { mostPages, TopDomains } from '../../../src/crawl/record/top-domains.ts';
import { allVitals, VitalsKeeper } from '../../../src/crawl/record/vitals.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';

describe('the top domains', () => {
  test('are those of a full count, if every domain is seen once after its last page', () => {
    const domain = fc.record({ name: fc.nat({ max: 80 }).map(String), pages: fc.nat({ max: 50 }) });
    const looks = fc.array(fc.array(domain, { size: 'max', maxLength: 60 }), { maxLength: 8 });
    fc.assert(
      fc.property(looks, (all) => {
        const top = new TopDomains();
        const model = new Map<string, number>();
        for (const look of all) {
          // A count never falls.
          const grown = look.map(({ name, pages }) => {
            model.set(name, Math.max(pages, model.get(name) ?? 0));
            return name;
          });
          top.look([...new Set(grown)].map((name) => ({ name, pages: model.get(name) ?? 0 })));
        }
        const expected = [...model]
          .filter(([, pages]) => pages > 0)
          .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        expect(top.best.map(({ pages }) => pages)).toEqual(
          expected.slice(0, 32).map(([, pages]) => pages),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('have a rank and a budget where these are known', () => {
    const top = new TopDomains([{ name: 'gone.example', pages: 5, rank: 7 }]);
    const ranks = new Map([
      [xxh64('a.example'), 7],
      [xxh64('gone.example'), 8],
    ]);
    top.look([{ name: 'a.example', pages: 9 }], (hash) => ({
      rank: ranks.get(hash) ?? 0,
      budget: 10,
    }));
    // That of a domain that left memory is not the one of its last look.
    expect(top.best).toEqual([
      { name: 'a.example', pages: 9, rank: 7, budget: 10 },
      { name: 'gone.example', pages: 5, rank: 8, budget: 10 },
    ]);
  });

  test('of several agents appear once each, with the highest count', () => {
    const lists = [
      [{ name: 'a', pages: 3 }],
      [
        { name: 'a', pages: 5 },
        { name: 'b', pages: 4 },
      ],
    ];
    expect(mostPages(lists, 5)).toEqual([
      { name: 'a', pages: 5 },
      { name: 'b', pages: 4 },
    ]);
  });
});

describe('the vitals of an agent', () => {
  test('hold the time of the last page, and the duration of the last checkpoint', () => {
    const clock = virtualClock(1000);
    let pages = 0;
    let looks = 0;
    const keeper = new VitalsKeeper({
      clock,
      pages: () => pages,
      outage: () => undefined,
      waiting: () => undefined,
      look: () => void looks++,
      top: undefined,
    });
    expect(keeper.now()).toMatchObject({ lastPageAt: 1000, savedAt: undefined });
    clock.advance(500);
    pages = 3;
    keeper.now();
    clock.advance(1400);
    expect(keeper.now().lastPageAt).toBe(1500);
    expect(looks).toBe(1);
    keeper.saved(2500);
    clock.advance(100);
    expect(keeper.now()).toMatchObject({ savedAt: 2900, saving: 400 });
    expect(looks).toBe(2);
  });

  test('of all agents: the last page of any, the oldest checkpoint, or none if one agent has none', () => {
    const one = { lastPageAt: 5, savedAt: 9, saving: 1, top: [] };
    const other = {
      lastPageAt: 7,
      savedAt: 4,
      saving: 3,
      top: [],
      outage: { of: 'names', since: 2 } as const,
    };
    expect(allVitals([one, other], 1)).toEqual({
      lastPageAt: 7,
      savedAt: 4,
      saving: 3,
      outage: other.outage,
      top: [],
    });
    expect(allVitals([one, { ...other, savedAt: undefined }], 1).savedAt).toBeUndefined();
    expect(allVitals([one, other], 1, 3).savedAt).toBeUndefined(); // the third has not reported
    expect(allVitals([], 3)).toMatchObject({ lastPageAt: 3, savedAt: undefined });
  });
});

describe('a crawl is in trouble', () => {
  const MINUTE = 60_000;
  const well: Progress = {
    ...new Counters(),
    ...{
      at: 1e12,
      startedAt: 1e12 - 60 * MINUTE,
      elapsed: 60 * MINUTE,
      agents: 1,
      checkpoint: 10_000,
    },
    ...{ maxTime: Infinity, maxPages: Infinity, maxBytes: Infinity },
    ...{
      fetching: 0,
      front: 3,
      queued: 10,
      backlog: 0,
      hosts: 1,
      domains: 1,
      urlsUnique: 5,
      forgotten: {},
    },
    before: { ...new Counters() },
    vitals: { lastPageAt: 1e12 - 1000, savedAt: 1e12 - 9000, saving: 10, top: [] },
  };
  const codeOf = (vitals: Partial<Progress['vitals']>, more: Partial<Progress> = {}) =>
    troubleOf({ ...well, ...more, vitals: { ...well.vitals, ...vitals } })?.code;

  test('when no server answers, when DNS fails, when no page is fetched although URLs are queued, without checkpoints, and on a full disk', () => {
    expect(codeOf({})).toBeUndefined();
    expect(codeOf({ outage: { of: 'network', since: 1e12 - MINUTE } })).toBe('network-gone');
    expect(codeOf({ outage: { of: 'names', since: 1e12 - MINUTE } })).toBe('names-gone');
    expect(codeOf({ lastPageAt: 1e12 - 6 * MINUTE })).toBe('no-pages');
    expect(codeOf({ savedAt: 1e12 - 6 * MINUTE })).toBe('no-checkpoint');
    expect(codeOf({}, { diskFree: 4e8 })).toBe('disk-low');
  });

  test('but not when nothing is queued, when it has just started, or when it keeps no checkpoints', () => {
    expect(codeOf({ lastPageAt: 1e12 - 6 * MINUTE }, { front: 0, queued: 0 })).toBeUndefined();
    expect(codeOf({ savedAt: undefined }, { startedAt: 1e12 - MINUTE })).toBeUndefined();
    expect(codeOf({ savedAt: undefined }, { checkpoint: 0 })).toBeUndefined();
    expect(codeOf({}, { diskFree: 6e8 })).toBeUndefined();
    expect(codeOf({ savedAt: 1e12 - 6 * MINUTE }, { checkpoint: 60 * MINUTE })).toBeUndefined();
  });

  test('and reports the fact in one sentence and the remedy in another', () => {
    const trouble = troubleOf({
      ...well,
      vitals: { ...well.vitals, lastPageAt: 1e12 - 7 * MINUTE },
    });
    expect(trouble?.fact).toBe('No page was fetched for 7 min 0 s, although 10 URLs are queued.');
    expect(trouble?.remedy).toMatch(/^Read the last lines of log\.jsonl/);
  });
});
