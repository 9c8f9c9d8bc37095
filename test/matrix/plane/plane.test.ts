import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { CELLS, densityOf } from '../../../src/matrix/plane/density.ts';
import { exponentOf } from '../../../src/matrix/plane/exponent.ts';
import { plane } from '../../../src/matrix/plane/plane.ts';
import { planePage } from '../../../src/matrix/plane/report.ts';
import { ridgeOf } from '../../../src/matrix/plane/ridge.ts';
import { rank } from '../../../src/rank/index.ts';

/** A permutation of 1 .. n. */
const places = (n: number) =>
  fc
    .shuffledSubarray(
      Array.from({ length: n }, (_, i) => i + 1),
      { minLength: n },
    )
    .map((list) => Uint32Array.from(list));
const twoPlaces = fc.integer({ min: 1, max: 300 }).chain((n) => fc.tuple(places(n), places(n)));

describe('The density of nodes', () => {
  test('has each node once, in the cell of its logarithms', () => {
    fc.assert(
      fc.property(twoPlaces, ([k, kStar]) => {
        const { counts, widths, bounds } = densityOf(k, kStar);
        const n = k.length;
        const cell = (place: number) =>
          n === 1 ? 0 : Math.min(CELLS - 1, Math.floor((Math.log(place) / Math.log(n)) * CELLS));
        const naive = new Map<number, number>();
        k.forEach((place, node) => {
          const at = cell(kStar[node]) * CELLS + cell(place);
          naive.set(at, (naive.get(at) ?? 0) + 1);
        });
        expect(
          [...counts].map((count, at) => [at, count]).filter(([, count]) => count > 0),
        ).toEqual([...naive].sort(([a], [b]) => a - b));
        expect(widths.reduce((sum, width) => sum + width, 0)).toBe(n);
        expect(bounds[CELLS]).toBe(n + 1);
      }),
    );
  });

  test('is the share of pairs of places: 1 where a cell has one pair, and mean 1/N over all pairs', () => {
    fc.assert(
      fc.property(twoPlaces, ([k, kStar]) => {
        const { density, widths } = densityOf(k, kStar);
        let nodes = 0;
        expect(density.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(1);
        density.forEach((value, at) => {
          nodes += value * widths[Math.floor(at / CELLS)] * widths[at % CELLS];
        });
        expect(nodes).toBeCloseTo(k.length, 8);
      }),
    );
  });

  test('has a ridge that turns round with the axes, and is 0 on the diagonal', () => {
    const n = 3000;
    const k = Uint32Array.from({ length: n }, (_, i) => i + 1);
    const kStar = k.map((place) => Math.min(place * 5, n) - (place * 5 > n ? (place * 7) % n : 0));
    expect(ridgeOf(k, kStar)?.offset).toBeCloseTo(-(ridgeOf(kStar, k)?.offset ?? 0), 8);
    expect(ridgeOf(k, k)).toMatchObject({ offset: 0, share: 1 });
  });

  test('has no ridge of note by chance', () => {
    const n = 20_011;
    const k = Uint32Array.from({ length: n }, (_, i) => i + 1);
    const found = ridgeOf(
      k,
      Uint32Array.from(k, (i) => ((i * 7919) % n) + 1),
    );
    expect(found?.share ?? 0).toBeLessThan(2 * (found?.chance ?? 1) + 0.01);
  });

  test('has a ridge above the diagonal where K* is a multiple of K', () => {
    // Node i has K = i; the first tenth has K* = 10 i, and the rest is in no order.
    const n = 5000;
    const taken = new Set(Array.from({ length: n / 10 }, (_, i) => 10 * (i + 1)));
    const rest = Array.from({ length: n }, (_, i) => ((i * 1877) % n) + 1).filter(
      (place) => !taken.has(place),
    );
    const k = Uint32Array.from({ length: n }, (_, i) => i + 1);
    const kStar = Uint32Array.from([...taken, ...rest]);
    const ridge = ridgeOf(k, kStar);
    expect(ridge?.offset).toBeCloseTo(Math.log(10), 1);
    expect(ridge?.share).toBeGreaterThanOrEqual(0.1);
  });
});

test('the exponent of a power law is found, without its first places and its flat tail', () => {
  const law = (beta: number) =>
    Float64Array.from({ length: 10_000 }, (_, i) => Math.max((i + 1) ** -beta, 4000 ** -beta));
  for (const beta of [0.5, 0.9, 1.2]) {
    const found = exponentOf(law(beta));
    expect(found?.exponent).toBeCloseTo(beta, 2);
    expect(found).toMatchObject({ from: 10, to: 3999 });
  }
  expect(exponentOf(Float64Array.of(1))).toBeUndefined();
  expect(exponentOf(Float64Array.of(0.5, 0.5))?.exponent).toBe(0);
});

const GRAPH = fc.integer({ min: 1, max: 30 }).chain((nodes) => {
  const node = fc.nat(nodes - 1);
  return fc.record({ nodes: fc.constant(nodes), arcs: fc.array(fc.tuple(node, node)) });
});

describe('The plane of a graph', () => {
  test('has the names and the correlator of the rankings', async () => {
    await fc.assert(
      fc.asyncProperty(GRAPH, async ({ nodes, arcs }) => {
        const graph = memoryGraph(nodes, arcs);
        const found = await plane(graph);
        const first = async (by: string) => {
          const names: string[] = [];
          for await (const { name } of (await rank(graph, { by })).top(10)) names.push(name);
          return names;
        };
        expect(found.pagerank.first).toEqual(await first('pagerank'));
        expect(found.cheirank.first).toEqual(await first('cheirank'));
        expect(found.first2d).toEqual(await first('2drank'));
        const { facts } = await rank(graph, { by: '2drank' });
        expect(found.correlator).toBe(facts.correlator);
        const turned = await plane(
          memoryGraph(
            nodes,
            arcs.map(([a, b]) => [b, a] as const),
          ),
        );
        expect(turned.correlator).toBeCloseTo(found.correlator, 9);
        expect(turned.pagerank.points).toEqual(found.cheirank.points);
      }),
      { numRuns: 30 },
    );
  });

  test('is drawn for one node, for nodes without arcs and for all dangling, without a NaN', async () => {
    for (const graph of [
      memoryGraph(1, []),
      memoryGraph(1, [[0, 0]]),
      memoryGraph(7, []),
      memoryGraph(2, [[0, 1]]),
    ]) {
      const found = await plane(graph);
      expect(planePage(found, '<plane>')).not.toMatch(/NaN|Infinity|<plane>/);
      expect(found.density.counts.reduce((sum, count) => sum + count, 0)).toBe(graph.nodes);
    }
    expect((await plane(memoryGraph(7, []))).correlator).toBeCloseTo(0, 12);
  });

  test('is refused for a graph without nodes, in too little memory and with a damping out of range', async () => {
    await expect(plane(memoryGraph(0, []))).rejects.toThrow(/The graph has no nodes/);
    await expect(plane(memoryGraph(9, []), { memory: 100 })).rejects.toThrow(/Give --memory/);
    await expect(plane(memoryGraph(9, []), { alpha: 1 })).rejects.toThrow(/alpha: 1 is out of/);
  });
});
