import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { VERDICT, type Verdict } from '../../../src/refresh/orders/order.ts';
import { findOrder, ORDER_NAMES } from '../../../src/refresh/orders/registry.ts';
import { sampleFor } from '../../../src/refresh/orders/sample.ts';
import { estimateLiving } from '../../../src/refresh/run/estimate.ts';
import { Plan } from '../../../src/refresh/run/plan.ts';

const web = fc.integer({ min: 2, max: 30 }).chain((pages) =>
  fc.record({
    pages: fc.constant(pages),
    arcs: fc.array(fc.tuple(fc.nat(pages - 1), fc.nat(pages - 1)), { maxLength: 60 }),
    alive: fc.array(fc.boolean(), { minLength: pages, maxLength: pages }),
    z: fc.integer({ min: 1, max: pages }),
    window: fc.integer({ min: 1, max: 12 }),
    by: fc.constantFrom(...ORDER_NAMES),
    picks: fc.infiniteStream(fc.nat()),
  }),
);

async function planOf({ pages, arcs, z, by, window }: Omit<Web, 'alive' | 'picks'>, alpha: number) {
  const collection = new Collection(graphOf(pages, arcs));
  const method = findOrder(by);
  const sampled = method.kind === 'static' ? { ...method, kind: 'sampled' as const } : method;
  const sample = await sampleFor(sampled, collection, { by: 'random', z, seed: 1 });
  return new Plan({
    ...{ collection, method, sample, alpha, seed: 1, window, dynamicWindow: 3 },
  });
}
interface Web {
  readonly pages: number;
  readonly arcs: readonly (readonly [number, number])[];
  readonly alive: readonly boolean[];
  readonly z: number;
  readonly window: number;
  readonly by: string;
  readonly picks: Iterator<number>;
}

const graphOf = (pages: number, arcs: Web['arcs']) => memoryGraph(pages, arcs);

describe('a plan', () => {
  test('hands out every page once, none before one that stands more than a window ahead', async () => {
    await fc.assert(
      fc.asyncProperty(web, async (given) => {
        const plan = await planOf(given, 1);
        const open: number[] = [];
        const places: number[] = [];
        while (!plan.isOver) {
          for (let page = await plan.next(); page !== undefined; page = await plan.next()) {
            places.push(page);
            open.push(page);
            const first = Math.min(...open.map((one) => places.indexOf(one)));
            expect(places.length - 1 - first).toBeLessThanOrEqual(given.window);
          }
          expect(open.length).toBeGreaterThan(0);
          const [page] = open.splice(given.picks.next().value % open.length, 1);
          plan.settle(page, given.alive[page] ? VERDICT.alive : VERDICT.dead);
        }
        expect([...places].sort((a, b) => a - b)).toEqual([...Array(given.pages).keys()]);
      }),
      { numRuns: 200 },
    );
  });

  test('ends with the share of living pages that was asked for, or with all pages', async () => {
    await fc.assert(
      fc.asyncProperty(web, async (given) => {
        const plan = await planOf(given, 0.5);
        while (!plan.isOver) {
          const page = await plan.next();
          if (page !== undefined) plan.settle(page, given.alive[page] ? 1 : 0);
        }
        const found = plan.count(VERDICT.alive);
        if (plan.tested < given.pages) expect(found).toBeGreaterThanOrEqual(plan.wanted ?? 0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a plan after its sample', () => {
  test.each<[name: string, verdicts: Verdict[], tested: number, alive: number]>([
    ['some unknown', [1, 1, 0, 2, 2], 3, 2],
    ['none unknown', [1, 0, 0, 0, 0], 5, 1],
    ['none alive', [0, 0, 2, 0, 0], 4, 0],
    ['all unknown', [2, 2, 2, 2, 2], 0, 0],
  ])('of %s estimates from what is known, and wants its share of that', async (_, verdicts, tested, alive) => {
    const given = { pages: 40, arcs: [], z: 5, by: 'pagerank', window: 9 };
    const plan = await planOf(given, 0.5);
    for (const verdict of verdicts) plan.settle((await plan.next()) ?? -1, verdict);
    expect([plan.wanted, plan.isOver]).toEqual([undefined, false]);
    expect(await plan.next()).toBeGreaterThanOrEqual(0);
    const estimate = estimateLiving(alive, tested, 40);
    expect(plan.estimate).toEqual(estimate);
    expect(plan.wanted).toBe(Math.ceil((alive > 0 ? estimate.living : estimate.high) / 2));
    expect(plan.curve.at(-1)).toEqual({ tested: 5, alive });
  });
});

describe('the estimate', () => {
  test('is exact when everything was tested', () => {
    expect(estimateLiving(3, 10, 10)).toEqual({ living: 3, low: 3, high: 3 });
    expect(estimateLiving(0, 0, 10)).toEqual({ living: 0, low: 0, high: 10 });
  });

  test('has the truth in its interval 19 times in 20', () => {
    const random = randomNumbers(7);
    for (const [pages, living, tested] of [
      [1000, 60, 100],
      [1000, 400, 50],
      [200, 100, 120],
    ]) {
      let inside = 0;
      for (let run = 0; run < 2000; run++) {
        let [left, alive, seen] = [pages, living, 0];
        for (let i = 0; i < tested; i++, left--) {
          if (random() * left >= alive) continue;
          alive--;
          seen++;
        }
        const { low, high } = estimateLiving(seen, tested, pages);
        if (low <= living && living <= high) inside++;
      }
      expect(inside / 2000).toBeGreaterThan(0.93);
    }
  });
});
