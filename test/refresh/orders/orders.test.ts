import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { wholeOrder } from '../../../src/refresh/compare/compare.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { checkAlpha, costsOf, wantedOf } from '../../../src/refresh/orders/cost.ts';
import { VERDICT, type Verdict } from '../../../src/refresh/orders/order.ts';
import { findOrder, ORDER_NAMES } from '../../../src/refresh/orders/registry.ts';
import { SAMPLE_NAMES, sampleFor } from '../../../src/refresh/orders/sample.ts';
import { graphOf, type SmallGraph, smallGraph } from '../../rank/methods/naive.ts';
import { cost, NAIVE, sampleByHost } from './naive.ts';

const exact = { tolerance: 1e-13 };

/** A graph, who is alive (often all or none), and a sample. */
const situation = smallGraph
  .filter(({ nodes }) => nodes > 0)
  .chain((graph) =>
    fc.record({
      graph: fc.constant(graph),
      alive: fc.oneof(
        { weight: 6, arbitrary: fc.array(fc.nat(1), arrayOf(graph.nodes)) },
        { weight: 1, arbitrary: fc.constant(new Array<number>(graph.nodes).fill(0)) },
        { weight: 1, arbitrary: fc.constant(new Array<number>(graph.nodes).fill(1)) },
      ),
      z: fc.integer({ min: 1, max: graph.nodes }),
      by: fc.constantFrom(...SAMPLE_NAMES),
      seed: fc.nat(1000),
    }),
  );

const arrayOf = (length: number) => ({ minLength: length, maxLength: length });

describe('an order', () => {
  test.each(Object.keys(NAIVE))('%s equals its naive form on any graph', async (name) => {
    await fc.assert(
      fc.asyncProperty(situation, async ({ graph, alive, z, by, seed }) => {
        const collection = new Collection(graphOf(graph), exact);
        const method = findOrder(name);
        const sample = [...(await sampleFor(method, collection, { by, z, seed }))];
        const whole = await wholeOrder(collection, method, { by, z, seed }, Uint8Array.from(alive));
        expect([...whole]).toEqual([...sample, ...NAIVE[name]({ graph, alive, sample, seed })]);
      }),
      { numRuns: 200 },
    );
  });

  test('asf equals its naive form, sample included, whichever hosts have the pages', async () => {
    const several = situation.chain((one) =>
      fc.record({
        one: fc.constant(one),
        hosts: fc.array(fc.nat(3), arrayOf(one.graph.nodes)).map((hosts) => hosts.sort()),
        perHost: fc.integer({ min: 1, max: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(several, async ({ one, hosts, perHost }) => {
        const { graph, alive, z, by, seed } = one;
        const names = hosts.map((host, page) => `http://h${host}.test/${page}`);
        const collection = new Collection(memoryGraph(graph.nodes, graph.arcs, names), exact);
        const size = { by, z, seed, perHost };
        const whole = await wholeOrder(collection, findOrder('asf'), size, Uint8Array.from(alive));
        const sample = sampleByHost({ hosts, seed }, z, perHost);
        const rest = NAIVE.asf({ graph, alive, sample, hosts, seed });
        expect([...whole]).toEqual([...sample, ...rest]);
      }),
      { numRuns: 200 },
    );
  });

  test.each(ORDER_NAMES)('%s tests each page exactly once', async (name) => {
    await fc.assert(
      fc.asyncProperty(situation, async ({ graph, alive, z, by, seed }) => {
        const collection = new Collection(graphOf(graph));
        const size = { by, z, seed, perHost: 2 };
        const whole = await wholeOrder(collection, findOrder(name), size, Uint8Array.from(alive));
        expect([...whole].sort()).toEqual(Array.from({ length: graph.nodes }, (_, i) => i).sort());
      }),
      { numRuns: 50 },
    );
  });

  test.each(['bfs', 'ai'])('%s may be asked ahead of the verdicts', async (name) => {
    const graph = memoryGraph(6, [
      [0, 3],
      [0, 4],
      [3, 5],
    ]);
    const collection = new Collection(graph, exact);
    const sample = { pages: Uint32Array.of(0), verdicts: Uint8Array.of(VERDICT.alive) };
    const order = await findOrder(name).open(collection, sample, { seed: 1 });
    const first = [order.next(), order.next()];
    expect(new Set(first)).toEqual(new Set([3, 4]));
    order.tested(4, VERDICT.unknown);
    order.tested(3, VERDICT.alive);
    expect([order.next(), order.next(), order.next(), order.next()]).toEqual([5, 1, 2, -1]);
  });

  test('an unknown verdict is neither alive nor dead', async () => {
    const graph = memoryGraph(4, [
      [0, 2],
      [1, 3],
    ]);
    const collection = new Collection(graph, exact);
    const open = async (name: string, verdicts: readonly Verdict[]) => {
      const sample = { pages: Uint32Array.of(0, 1), verdicts: Uint8Array.from(verdicts) };
      const order = await findOrder(name).open(collection, sample, { seed: 1 });
      return [order.next(), order.next()];
    };
    expect(await open('pa+-', [VERDICT.dead, VERDICT.alive])).toEqual([3, 2]);
    expect(await open('pa+-', [VERDICT.unknown, VERDICT.alive])).toEqual([2, 3]); // pagerank
    expect(await open('pa', [VERDICT.unknown, VERDICT.alive])).toEqual([3, 2]);
  });

  test('asf takes the share alive of the pages that are known', async () => {
    const names = ['a', 'b'].flatMap((host) => [1, 2, 3, 4].map((n) => `http://${host}.test/${n}`));
    const collection = new Collection(memoryGraph(8, [], names));
    const sample = {
      pages: Uint32Array.of(0, 1, 4, 5, 6),
      verdicts: Uint8Array.of(VERDICT.alive, VERDICT.unknown, 1, 1, VERDICT.dead),
    };
    const order = await findOrder('asf').open(collection, sample, { seed: 1 });
    expect([0, 1, 2, 3].map(() => order.next())).toEqual([2, 3, 7, -1]);
  });

  test('asf samples the largest hosts first, and orders the rest by the share alive', async () => {
    const host = (name: string, pages: number) =>
      Array.from({ length: pages }, (_, i) => `http://${name}/${i}`);
    const names = [...host('a', 4), ...host('b', 6), ...host('c', 5), ...host('d', 1)];
    const collection = new Collection(memoryGraph(names.length, [], names), exact);
    const alive = Uint8Array.from(names, (name) => (name.includes('/c/') ? 1 : 0));
    alive[1] = 1;
    const size = { by: 'random' as const, z: 6, seed: 3, perHost: 2 };
    const whole = [...(await wholeOrder(collection, findOrder('asf'), size, alive))];
    const hosts = whole.map((page) => names[page][7]).join('');
    expect(hosts.slice(0, 6)).toBe('bbccaa');
    expect(hosts.slice(6, 9)).toBe('ccc');
    expect(hosts.at(-1)).toBe('d');
    const small = { ...size, z: 3 };
    expect([...(await sampleFor(findOrder('asf'), collection, small))]).toEqual(whole.slice(0, 3));
  });

  test('an unknown name gets the nearest one', () => {
    expect(() => findOrder('pagernk')).toThrow(/Did you mean "pagerank"/);
  });
});

describe('a sample', () => {
  test.each([0, -1, 7, 1.5, Number.NaN])('of %s pages of six is refused', async (z) => {
    const collection = new Collection(memoryGraph(6, []));
    await expect(
      sampleFor(findOrder('pa'), collection, { by: 'random', z, seed: 1 }),
    ).rejects.toThrow(/cannot be drawn from 6/);
  });

  test('is no part of a static order', async () => {
    const collection = new Collection(memoryGraph(6, []));
    const request = { by: 'random', z: 3, seed: 1 } as const;
    expect(await sampleFor(findOrder('in'), collection, request)).toHaveLength(0);
  });
});

describe('the cost', () => {
  const collection = smallGraph.filter(({ nodes }: SmallGraph) => nodes > 0);

  test('equals its definition', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1), { minLength: 1, maxLength: 40 }).filter((alive) => alive.includes(1)),
        fc.nat(1000),
        (alive, seed) => {
          const order = alive.map((_, page) => (page * 7 + seed) % alive.length);
          if (new Set(order).size < alive.length) return;
          const alphas = [0.05, 0.15, 0.3, 0.5, 0.75, 1];
          const costs = costsOf(Uint32Array.from(order), Uint8Array.from(alive), alphas);
          expect([...costs]).toEqual(alphas.map((alpha) => cost(order, alive, alpha)));
        },
      ),
    );
  });

  test('in requests adds a robots.txt for each host and a made-up URL for each living one', () => {
    const hosts = { count: 3, of: Uint32Array.of(0, 0, 1, 1, 2) };
    const alive = Uint8Array.of(0, 1, 1, 1, 0);
    const order = Uint32Array.of(0, 1, 2, 4, 3);
    // Page 0 and host 0; page 1 and its made-up URL; page 2, host 1, URL; page 4, host 2; page 3.
    const costs = costsOf(order, alive, [1 / 3, 2 / 3, 1], hosts);
    expect([...costs].map((cost, i) => cost * (i + 1))).toEqual([4, 7, 10]);
  });

  test('of a perfect order is 1', () => {
    const alive = Uint8Array.from({ length: 100 }, (_, page) => (page < 20 ? 1 : 0));
    const order = Uint32Array.from({ length: 100 }, (_, page) => page);
    const alphas = Array.from({ length: 20 }, (_, i) => (i + 1) / 20);
    for (const one of costsOf(order, alive, alphas)) expect(one).toBeCloseTo(1, 12);
  });

  test.each([0, -0.1, 1.01, Number.NaN])('has no alpha of %s', (alpha) => {
    expect(() => wantedOf(alpha, 10)).toThrow(/share of living pages/);
    expect(() => checkAlpha(alpha)).toThrow(/at most 1/);
  });

  test('of orders on any collection is at least 1 and ends at n / n_a or less', async () => {
    await fc.assert(
      fc.asyncProperty(collection, fc.nat(100), async (graph, seed) => {
        const alive = Uint8Array.from({ length: graph.nodes }, (_, page) => (page + seed) % 2);
        const living = alive.reduce((a, b) => a + b, 0);
        if (living === 0) return;
        const size = { by: 'random' as const, z: 1, seed };
        const order = await wholeOrder(
          new Collection(graphOf(graph)),
          findOrder('bfs'),
          size,
          alive,
        );
        const [last] = costsOf(order, alive, [1]);
        expect(last).toBeGreaterThanOrEqual(1);
        expect(last).toBeLessThanOrEqual(graph.nodes / living);
      }),
      { numRuns: 50 },
    );
  });
});
