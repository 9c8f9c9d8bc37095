import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { Basis, basisRoom } from '../../../src/matrix/krylov/basis.ts';
import { drawn } from '../../../src/matrix/krylov/draw.ts';
import type { SpectrumOptions } from '../../../src/matrix/spectrum/options.ts';
import { spectrum } from '../../../src/matrix/spectrum/spectrum.ts';
import { Kernel } from '../../../src/rank/engine/kernel.ts';

/** A sparse graph with a few dangling nodes; all of it is core. */
function sparse(nodes: number, seed: number, links = 3) {
  const draw = (i: number) => Math.floor((drawn(i, seed) + 0.5) * nodes);
  const arcs = Array.from(
    { length: links * nodes },
    (_, i) => [draw(2 * i), draw(2 * i + 1)] as const,
  );
  return memoryGraph(
    nodes,
    arcs.filter(([from]) => from % 40 !== 0),
  );
}

const valuesOf = async (graph: ReturnType<typeof sparse>, options: SpectrumOptions) => {
  const { eigenvalues, core } = await spectrum(graph, { share: 0, ...options });
  return { core, eigenvalues, points: eigenvalues.map(({ re, im }) => [re, im] as const) };
};

test('columns of a basis are orthogonal to rounding, also where little or nothing new is left', async () => {
  const [length, columns] = [501, 24];
  const kernel = new Kernel(basisRoom(length, columns) + 65_536, 1);
  const basis = new Basis(kernel, length, columns);
  const products = (a: Float64Array, b: Float64Array) =>
    a.reduce((sum, entry, i) => sum + entry * b[i], 0);
  for (let j = 0; j < columns; j++) {
    const column = basis.column(j);
    // The sum of all before, and what is new: much, little, and next to nothing.
    const share = [1, 1e-3, 1e-9][j % 3];
    for (let i = 0; i < length; i++) {
      column[i] = share * drawn(i, j);
      for (let k = 0; k < j; k++) column[i] += basis.column(k)[i];
    }
    expect((await basis.orthogonalise(j)).left).toBeGreaterThan(0);
    for (let k = 0; k <= j; k++)
      expect(Math.abs(products(basis.column(k), column) - (k === j ? 1 : 0))).toBeLessThan(1e-14);
  }
  await kernel.close();
});

describe('a basis instead of the whole core', () => {
  test('finds by restarts the values of greatest modulus that the whole matrix has', async () => {
    for (const seed of [1, 2]) {
      const graph = sparse(300, seed);
      const whole = await valuesOf(graph, {});
      expect(whole.core?.method).toBe('dense');
      const some = await valuesOf(graph, { values: 12 });
      expect(some.core).toMatchObject({ method: 'krylov-schur', settled: true });
      const left = [...whole.points];
      for (const [re, im] of some.points) {
        const distances = left.map(([a, b]) => Math.hypot(a - re, b - im));
        const nearest = distances.indexOf(Math.min(...distances));
        expect(distances[nearest]).toBeLessThan(1e-8);
        left.splice(nearest, 1);
      }
      const least = Math.min(...some.eigenvalues.map(({ modulus }) => modulus));
      expect(left.filter(([a, b]) => Math.hypot(a, b) > least + 1e-8)).toEqual([]);
    }
  });

  test('finds copies of a multiple eigenvalue, although it starts from one vector', async () => {
    // Sixty triangles: each third root of unity sixty times.
    const arcs = Array.from({ length: 180 }, (_, i) => [i, i % 3 === 2 ? i - 2 : i + 1] as const);
    const { points } = await valuesOf(memoryGraph(180, arcs), { values: 30 });
    for (const [re, im] of points) expect(Math.hypot(re, im)).toBeCloseTo(1, 8);
    expect(points.length).toBeGreaterThanOrEqual(30);
  });

  test('gives the same bits on one and two threads, in memory and streamed', async () => {
    const graph = sparse(1000, 4, 12);
    for (const asked of [{ dimension: 30 }, { values: 6 }]) {
      const one = await valuesOf(graph, { ...asked, threads: 1 });
      expect(one.core?.held).toBe('memory');
      expect((await valuesOf(graph, { ...asked, threads: 2 })).eigenvalues).toEqual(
        one.eigenvalues,
      );
      const { classes = 0, dimension = 0 } = one.core ?? {};
      const memory = basisRoom(classes, dimension) + 55 * graph.nodes;
      const streamed = await valuesOf(graph, { ...asked, memory });
      expect(streamed.core).toMatchObject({ held: 'stream', dimension: one.core?.dimension });
      expect(streamed.eigenvalues).toEqual(one.eigenvalues);
    }
  });

  test('has the residuals that its vectors have in the matrix', async () => {
    const measured = await valuesOf(sparse(700, 5), { dimension: 40, vectors: 40 });
    const estimated = await valuesOf(sparse(700, 5), { dimension: 40, vectors: 0 });
    measured.eigenvalues.forEach(({ residual }, i) => {
      expect(Math.abs(residual - estimated.eigenvalues[i].residual)).toBeLessThan(1e-12);
    });
  });

  test('is refused with what fits, if it is larger than the memory', async () => {
    await expect(valuesOf(sparse(5000, 4), { dimension: 400, memory: 3e6 })).rejects.toThrow(
      /A basis of 400 vectors .* Give --memory \d+M, or --dimension \d+/,
    );
  });
});
