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

test('for α < 1 a value that is not yet 1 is no eigenvalue 1 of G', async () => {
  // A long line into a dangling node: one vector of the basis says little about 1.
  const graph = memoryGraph(400, [...arcsOf(399, (i) => [i, i + 1] as const), [7, 300]]);
  const [whole] = (await spectrum(graph, { dimension: 1, vectors: 0 })).eigenvalues;
  const [first] = (await spectrum(graph, { dimension: 1, vectors: 0, alpha: 0.5 })).eigenvalues;
  expect(Math.hypot(whole.re - 1, whole.im)).toBeGreaterThan(whole.residual * whole.condition);
  expect(first.re).toBeCloseTo(whole.re / 2, 12);
});

test('only the vectors that were asked for are there', async () => {
  const graph = memoryGraph(12, [...cycle(0, 5), ...cycle(5, 7)]);
  for (const share of [0, 1])
    for (const vectors of [0, 1, 3])
      expect((await spectrum(graph, { share, vectors })).vectors.length).toBe(vectors);
});

test('copies of a subspace under other numbers have the same values and their own vectors', async () => {
  // A ring of 30 with chords, and the same ring numbered backwards.
  const ring = (place: (i: number) => number) =>
    arcsOf(60, (i) => [place(i % 30), place(i < 30 ? (i + 1) % 30 : (i * i + 3) % 30)] as const);
  const arcs = [...ring((i) => i), ...ring((i) => 59 - i)];
  const found = await spectrum(memoryGraph(60, arcs), { share: 1, vectors: 60 });
  const [a, b] = [1, 2].map((n) => found.eigenvalues.filter(({ subspace }) => subspace === n));
  expect(a.map(({ re, im }) => [re, im])).toEqual(b.map(({ re, im }) => [re, im]));
  for (const { index, nodes, re, im } of found.vectors) {
    const { re: lambda, im: width } = found.eigenvalues[index];
    const sums = new Map([...nodes].map((node) => [node, [0, 0]]));
    const links = new Map<number, Set<number>>();
    for (const [from, to] of arcs) links.set(from, (links.get(from) ?? new Set()).add(to));
    nodes.forEach((node, i) => {
      const targets = links.get(node) ?? new Set();
      for (const target of targets) {
        const sum = sums.get(target) as number[];
        sum[0] += re[i] / targets.size;
        sum[1] += im[i] / targets.size;
      }
    });
    nodes.forEach((node, i) => {
      const [x, y] = sums.get(node) as number[];
      expect(x).toBeCloseTo(lambda * re[i] - width * im[i], 9);
      expect(y).toBeCloseTo(lambda * im[i] + width * re[i], 9);
    });
  }
});

test('a block that does not fit the memory is refused with what would fit', async () => {
  const arcs = [...cycle(0, 300), ...arcsOf(300, (i) => [i, (i * 7 + 2) % 300] as const)];
  await expect(spectrum(memoryGraph(300, arcs), { share: 1, memory: 1e6 })).rejects.toThrow(
    /block of 300 rows take 4.3 MB; 1.0 MB are given/,
  );
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
