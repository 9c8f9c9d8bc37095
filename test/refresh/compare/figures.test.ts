/** What a comparison of orders prints, on a small collection, by its values. */
import { expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { compareOrders, wholeOrder } from '../../../src/refresh/compare/compare.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { costsOf } from '../../../src/refresh/orders/cost.ts';
import { findOrder } from '../../../src/refresh/orders/registry.ts';

/** Ten pages; page n is linked by n others, and the last three live. */
const ARCS = [...Array(10).keys()].flatMap((to) =>
  [...Array(to).keys()].map((from): [number, number] => [from, to]),
);
const ALIVE = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1, 1, 1);
const collection = new Collection(memoryGraph(10, ARCS));
const SEEDS = 4;

test('runs are those of each seed, sampled with z and, if there are as many pages, with 5 z', async () => {
  for (const [z, sizes] of [
    [2, [2, 10]],
    [3, [3]],
  ] as const) {
    const methods = ['pa+-', 'random', 'in'].map(findOrder);
    const request = { methods, samples: ['random' as const], z, seeds: SEEDS };
    const { runs, alphas, unit, ...facts } = await compareOrders(collection, ALIVE, request);
    expect(facts).toMatchObject({ pages: 10, links: 45, living: 3, z, seeds: SEEDS });
    expect(unit).toBe('tests');
    expect(runs.map((run) => [run.by, run.z, run.seeds])).toEqual([
      ...sizes.map((size) => ['pa+-', size, SEEDS]),
      ['random', 0, SEEDS],
      ['in', 0, 1],
    ]);
    for (const { by, z: size, seeds, mean, least, most } of runs) {
      const all: Float64Array[] = [];
      for (let seed = 1; seed <= seeds; seed++) {
        const sample = { by: 'random' as const, z: size, seed };
        const order = await wholeOrder(collection, findOrder(by), sample, ALIVE);
        all.push(costsOf(order, ALIVE, alphas));
      }
      for (const i of alphas.keys()) {
        const costs = all.map((each) => each[i]);
        expect(mean[i]).toBeCloseTo(costs.reduce((a, b) => a + b, 0) / seeds, 12);
        expect([least[i], most[i]]).toEqual([Math.min(...costs), Math.max(...costs)]);
      }
    }
  }
});

test('shares of pages with at most so many links, of the living, the dead and all', async () => {
  const request = { methods: [], samples: [], z: 1, seeds: 1 };
  const { inDegree } = await compareOrders(collection, ALIVE, request);
  const shares = (degrees: readonly number[]) =>
    degrees.map((degree, i) => [degree, (i + 1) / degrees.length]);
  expect(inDegree.alive).toEqual(shares([7, 8, 9]));
  expect(inDegree.dead).toEqual(shares([0, 1, 2, 3, 4, 5, 6]));
  expect(inDegree.all).toEqual(shares([...Array(10).keys()]));
});

test('in requests a host costs its robots.txt once, and a made-up URL at its first living page', () => {
  const hosts = { count: 2, of: Uint32Array.of(0, 0, 0, 1, 0, 1) };
  const alive = Uint8Array.of(0, 1, 0, 0, 1, 1);
  const order = Uint32Array.from([...hosts.of.keys()]);
  // 2 + 2 + 1 + 2 + 1 + 2 requests for three living pages, found at the 2nd, 5th and 6th page.
  const costs = costsOf(order, alive, [1 / 3, 2 / 3, 1], hosts);
  expect([...costs]).toEqual([4, 8, 10].map((spent, i) => expect.closeTo(spent / (i + 1), 12)));
});
