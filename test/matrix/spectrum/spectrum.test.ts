import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { type Spectrum, spectrum } from '../../../src/matrix/spectrum/spectrum.ts';
import { arcsOf } from '../small-graphs.ts';

type Point = readonly [re: number, im: number];

const distance = ([a, b]: Point, [c, d]: Point) => Math.hypot(a - c, b - d);

/** Takes the nearest of `points` away; returns how far it was. */
function takeNearest(points: Point[], point: Point): number {
  let best = -1;
  points.forEach((one, i) => {
    if (best < 0 || distance(one, point) < distance(points[best], point)) best = i;
  });
  if (best < 0) return Number.POSITIVE_INFINITY;
  const [nearest] = points.splice(best, 1);
  return distance(nearest, point);
}

const pointsOf = ({ eigenvalues }: Spectrum): Point[] => eigenvalues.map(({ re, im }) => [re, im]);

/** All eigenvalues are these, each as often as it is listed. */
function expectValues(found: Spectrum, wanted: readonly Point[]): void {
  const points = pointsOf(found);
  expect(points.length + found.zeros).toBe(wanted.length);
  for (const point of wanted.filter(([re, im]) => Math.hypot(re, im) > 1e-9))
    expect(takeNearest(points, point)).toBeLessThan(1e-8);
}

const roots = (n: number): Point[] =>
  Array.from({ length: n }, (_, k) => [
    Math.cos((2 * Math.PI * k) / n),
    Math.sin((2 * Math.PI * k) / n),
  ]);
const cycle = (first: number, n: number) => arcsOf(n, (i) => [first + i, first + ((i + 1) % n)]);

describe('the spectrum of S', () => {
  test('of a cycle of n are the n-th roots of unity, in the core and as a subspace', async () => {
    for (const n of [1, 2, 3, 5, 12])
      for (const share of [0, 1])
        expectValues(await spectrum(memoryGraph(n, cycle(0, n)), { share }), roots(n));
  });

  test('of a complete graph without loops are 1 and −1/(n − 1)', async () => {
    for (const n of [2, 3, 7, 20]) {
      const arcs = arcsOf(n * n, (i) => [Math.floor(i / n), i % n]).filter(([a, b]) => a !== b);
      const wanted: Point[] = [
        [1, 0],
        ...Array.from({ length: n - 1 }, (): Point => [-1 / (n - 1), 0]),
      ];
      for (const share of [0, 1])
        expectValues(await spectrum(memoryGraph(n, arcs), { share }), wanted);
    }
  });

  test('of two disjoint cycles are both sets of roots', async () => {
    const graph = memoryGraph(10, [...cycle(0, 4), ...cycle(4, 6)]);
    for (const share of [0, 0.5, 1])
      expectValues(await spectrum(graph, { share }), [...roots(4), ...roots(6)]);
  });

  test('of one node, of no arcs and of no nodes are those of their matrices', async () => {
    expectValues(await spectrum(memoryGraph(1, [])), [[1, 0]]);
    expectValues(await spectrum(memoryGraph(1, [[0, 0]])), [[1, 0]]);
    expectValues(await spectrum(memoryGraph(5, [])), [
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expectValues(await spectrum(memoryGraph(0, [])), []);
  });
});

test('for α < 1 the first eigenvalue is that of S and the others are α times those of S', async () => {
  const graph = memoryGraph(10, [...cycle(0, 4), ...cycle(4, 6)]);
  const found = await spectrum(graph, { alpha: 0.5 });
  const [, ...others] = [...roots(4), ...roots(6)];
  const wanted: Point[] = [[1, 0], ...others.map(([re, im]): Point => [re / 2, im / 2])];
  expectValues(found, wanted);
  expect(found.eigenvalues[0].re).toBeCloseTo(1, 12);
});

test('an eigenvector solves S, and its participation ratio is the nodes that it is on', async () => {
  const found = await spectrum(memoryGraph(12, [...cycle(0, 5), ...cycle(5, 7)]), { share: 1 });
  for (const { index, nodes, re, im, participation } of found.vectors) {
    expect(participation).toBeCloseTo(nodes.length, 9);
    const { re: lambda, im: width } = found.eigenvalues[index];
    nodes.forEach((_, i) => {
      const next = (i + 1) % nodes.length;
      expect(re[i]).toBeCloseTo(lambda * re[next] - width * im[next], 9);
      expect(im[i]).toBeCloseTo(lambda * im[next] + width * re[next], 9);
    });
  }
  expect(found.vectors.length).toBe(5);
});

describe('options out of range', () => {
  const graph = memoryGraph(3, cycle(0, 3));
  test.each([
    [{ alpha: 0 }, 'alpha: 0 is out of range'],
    [{ dimension: 0 }, 'dimension: 0 is out of range'],
    [{ values: 1.5 }, 'values: 1.5 is out of range'],
    [{ dimension: 5, values: 5 }, 'both given'],
    [{ tolerance: 2 }, 'tolerance: 2 is out of range'],
    [{ share: -1 }, 'share: -1 is out of range'],
  ])('%o are refused', async (options, message) => {
    await expect(spectrum(graph, options)).rejects.toThrow(message);
  });
});
