/** The spectrum of small random graphs beside a dense solver that shares no code. */
import fc from 'fast-check';
import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { spectrum } from '../../../src/matrix/spectrum/spectrum.ts';
import { type SmallGraph, smallGraph } from '../small-graphs.ts';

type Point = readonly [re: number, im: number];

/** S by its definition. */
function denseS({ nodes, arcs }: SmallGraph): number[][] {
  const links = Array.from({ length: nodes }, () => new Set<number>());
  for (const [from, to] of arcs) links[from].add(to);
  return Array.from({ length: nodes }, (_, i) =>
    links.map((targets) =>
      targets.size === 0 ? 1 / nodes : targets.has(i) ? 1 / targets.size : 0,
    ),
  );
}

/** The matrix in other coordinates: the other solver does not end on some permutations. */
function reflected(s: number[][]): Matrix {
  const v = Matrix.columnVector(s.map((_, i) => Math.sin(1 + i * 1.7)));
  const mirror = Matrix.eye(s.length).sub(v.mmul(v.transpose()).mul(2 / v.dot(v)));
  return mirror.mmul(new Matrix(s)).mmul(mirror);
}

/**
 * Eigenvalues with condition numbers from the inverse of the vectors. A trace of noise makes the
 * vectors of a defective matrix invertible; their conditions are then huge.
 */
function otherValues(s: number[][]): { value: Point; condition: number }[] {
  const n = s.length;
  const solved = new EigenvalueDecomposition(reflected(s), { assumeSymmetric: false });
  const [re, im] = [solved.realEigenvalues, solved.imaginaryEigenvalues];
  const columns = solved.eigenvectorMatrix.transpose().to2DArray();
  // Columns are real and imaginary parts of pairs; a pair spans what its two vectors span.
  const vectors = Matrix.zeros(n, n);
  const lengths = columns.map((column, j) =>
    im[j] === 0
      ? Math.hypot(...column)
      : Math.hypot(...column, ...columns[im[j] > 0 ? j + 1 : j - 1]),
  );
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++)
      vectors.set(
        i,
        j,
        columns[j][i] / (lengths[j] || 1) + 1e-13 * Math.sin(1 + i * 7.3 + j * 3.1),
      );
  const rows = inverse(vectors);
  return Array.from({ length: n }, (_, j) => {
    const other = im[j] === 0 ? undefined : rows.getRow(im[j] > 0 ? j + 1 : j - 1);
    return {
      value: [re[j], im[j]] as const,
      condition: Math.hypot(...rows.getRow(j), ...(other ?? [])),
    };
  });
}

/** Takes the nearest of `points` away; returns how far it was. */
function takeNearest(points: Point[], [re, im]: Point): number {
  const distances = points.map(([a, b]) => Math.hypot(a - re, b - im));
  const nearest = Math.min(...distances, Number.POSITIVE_INFINITY);
  if (points.length > 0) points.splice(distances.indexOf(nearest), 1);
  return nearest;
}

test('every eigenvalue above 0.1 that a dense solver finds is found as often, within 1e-8', async () => {
  const graphs = fc.sample(smallGraph(60), { seed: 22, numRuns: 500 });
  let compared = 0;
  for (const [i, given] of graphs.entries()) {
    const reverse = i % 2 === 1;
    const share = [0.05, 0.1, 0.3, 1][i % 4];
    const s = denseS(reverse ? { ...given, arcs: given.arcs.map(([a, b]) => [b, a]) } : given);
    const found = await spectrum(memoryGraph(given.nodes, given.arcs), { share, reverse });
    expect(found.eigenvalues.length + found.zeros).toBe(given.nodes);
    const points = found.eigenvalues.map(({ re, im }): Point => [re, im]);
    const near = (test: (point: Point) => boolean) => points.filter(test).length;
    expect(near(([re, im]) => Math.hypot(re - 1, im) < 1e-8)).toBe(found.subspaces.ones);
    expect(near(([re, im]) => Math.abs(Math.hypot(re, im) - 1) < 1e-8)).toBe(
      found.subspaces.circle,
    );
    const left = [...points];
    for (const { value, condition } of otherValues(s)) {
      if (Math.hypot(...value) <= 0.1 || condition >= 1e6) continue;
      const distance = takeNearest(left, value);
      expect(distance < 1e-8 ? 0 : { graph: i, value, distance, condition }).toBe(0);
      compared++;
    }
    for (const { residual } of found.eigenvalues) expect(residual).toBeLessThan(1e-12);
  }
  expect(compared).toBeGreaterThan(1000);
});
