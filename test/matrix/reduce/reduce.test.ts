import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { type Reduced, reduce } from '../../../src/matrix/reduce/reduce.ts';

const MEMORY = 2 ** 24;

/** G of a small graph, dense: column j is g[j]. */
function denseMatrix(nodes: number, arcs: readonly (readonly [number, number])[], alpha: number) {
  const targets = Array.from({ length: nodes }, () => new Set<number>());
  for (const [from, to] of arcs) targets[from].add(to);
  return targets.map((links) =>
    Array.from({ length: nodes }, (_, i) => {
      const s = links.size === 0 ? 1 / nodes : links.has(i) ? 1 / links.size : 0;
      return alpha * s + (1 - alpha) / nodes;
    }),
  );
}

/** Solves the columns of a x = b by Gauss and Jordan with pivots; both are arrays of rows. */
function solve(a: number[][], b: number[][]): number[][] {
  const n = a.length;
  const rows = a.map((row, i) => [...row, ...b[i]]);
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j < rows[i].length; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row.slice(n).map((value) => value / row[i]));
}

/** G_rr + G_rs (1 − G_ss)⁻¹ G_sr, by columns. */
function denseReduced(g: number[][], set: readonly number[]): number[] {
  const others = g.map((_, i) => i).filter((i) => !set.includes(i));
  const oneMinus = others.map((i) => others.map((j) => (i === j ? 1 : 0) - g[j][i]));
  const through = solve(
    oneMinus,
    others.map((i) => set.map((j) => g[j][i])),
  );
  return set.flatMap((from, j) =>
    set.map((to) => g[from][to] + others.reduce((sum, s, k) => sum + g[s][to] * through[k][j], 0)),
  );
}

const names = (ids: readonly number[]) => ids.map(String);

/** Graphs with self-links, dangling nodes and parts that are not connected; and a set. */
const problem = fc.integer({ min: 1, max: 12 }).chain((nodes) => {
  const node = fc.nat(nodes - 1);
  return fc.record({
    nodes: fc.constant(nodes),
    arcs: fc.array(fc.tuple(node, node), { maxLength: 30 }),
    set: fc.uniqueArray(node, { minLength: 1, maxLength: nodes }),
    alpha: fc.constantFrom(0.85, 0.5, 0.99),
  });
});

function columnSums({ total, names: found }: Reduced): number[] {
  const n = found.length;
  return found.map((_, j) => total.subarray(j * n, (j + 1) * n).reduce((sum, v) => sum + v, 0));
}

describe('The reduced matrix', () => {
  test('equals dense algebra, has columns of sum 1 and the PageRank of the graph', async () => {
    await fc.assert(
      fc.asyncProperty(problem, async ({ nodes, arcs, set, alpha }) => {
        const graph = memoryGraph(nodes, arcs);
        const result = await reduce(graph, { nodes: names(set), alpha, memory: MEMORY });
        const expected = denseReduced(denseMatrix(nodes, arcs, alpha), set);
        for (const [at, value] of expected.entries())
          expect(Math.abs(result.total[at] - value)).toBeLessThan(1e-11);
        for (const sum of columnSums(result)) expect(Math.abs(sum - 1)).toBeLessThan(1e-12);
        expect(result.facts.columnError).toBeLessThan(1e-12);
        expect(result.facts.pagerankError).toBeLessThan(1e-11);
      }),
      { numRuns: 150 },
    );
  });

  test('has a PageRank part by the leading eigenvectors of G_ss, and parts that sum to it', async () => {
    await fc.assert(
      fc.asyncProperty(problem, async ({ nodes, arcs, set, alpha }) => {
        fc.pre(set.length < nodes && alpha < 0.99);
        const g = denseMatrix(nodes, arcs, alpha);
        const result = await reduce(memoryGraph(nodes, arcs), {
          nodes: names(set),
          alpha,
          memory: MEMORY,
        });
        const others = g.map((_, i) => i).filter((i) => !set.includes(i));
        const [right, left] = [powers(g, others, false), powers(g, others, true)];
        const leak = 1 - others.reduce((sum, j, k) => sum + right[k] * massTo(g[j], others), 0);
        const dot = right.reduce((sum, value, k) => sum + value * left[k], 0);
        fc.pre(result.facts.converged === 'yes');
        expect(result.facts.eigenvalue).toBeCloseTo(1 - leak, 8);
        for (const [j, from] of set.entries()) {
          for (const [i, to] of set.entries()) {
            const arriving = others.reduce((sum, s, k) => sum + g[s][to] * right[k], 0);
            const entering = others.reduce((sum, s, k) => sum + left[k] * g[from][s], 0);
            const at = j * set.length + i;
            expect(result.pagerank[at]).toBeCloseTo((arriving * entering) / (dot * leak), 6);
            expect(result.direct[at]).toBeCloseTo(g[from][to], 12);
            const parts = result.direct[at] + result.pagerank[at] + result.hidden[at];
            expect(parts).toBeCloseTo(result.total[at], 14);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('names the strongest hidden link: two nodes that only others connect', async () => {
    // A background of 60 nodes, and 60 → 63 → 64 → 61 beside it.
    const background = Array.from({ length: 60 }, (_, i) => i).flatMap((i) => [
      [i, (i + 1) % 60] as const,
      [i, (i * 7 + 3) % 60] as const,
    ]);
    const path = [
      [60, 63],
      [63, 64],
      [64, 61],
      [61, 0],
      [62, 1],
    ] as const;
    const graph = memoryGraph(65, [...background, ...path, [5, 60], [6, 61], [7, 62]]);
    const { strongest, linked, weights } = await reduce(graph, {
      nodes: ['60', '61', '62'],
      memory: MEMORY,
    });
    expect(strongest[0]).toMatchObject({ from: '60', to: '61', linked: false });
    expect(strongest[0].hidden).toBeGreaterThan(0.3);
    expect([...linked]).toEqual(Array(9).fill(0));
    expect(weights.direct + weights.pagerank + weights.hidden).toBeCloseTo(1, 12);
  });

  test('is the same in memory and streamed, on one thread and two, and reversed is that of reversed arcs', async () => {
    const nodes = 4000;
    const arcs = Array.from({ length: 9000 }, (_, i) => {
      const from = (i * 7919) % nodes;
      return [from, (from * 31 + i * i) % (1 + (i % nodes))] as const;
    });
    const graph = memoryGraph(nodes, arcs);
    const request = { nodes: ['0', '1', '17', '3999'], memory: MEMORY, alpha: 0.5 };
    const one = await reduce(graph, request);
    expect(one.facts.held).toBe('memory');
    const two = await reduce(graph, { ...request, threads: 2 });
    expect(two.total).toEqual(one.total);
    expect(two.hidden).toEqual(one.hidden);
    const streamed = await reduce(graph, { ...request, memory: 60 * nodes, alpha: 0.5 });
    expect(streamed.facts.held).toBe('stream');
    for (const [at, value] of streamed.total.entries())
      expect(value).toBeCloseTo(one.total[at], 13);
    const turned = memoryGraph(
      nodes,
      arcs.map(([from, to]) => [to, from] as const),
    );
    const reversed = await reduce(turned, { ...request, reverse: true });
    for (const [at, value] of reversed.total.entries())
      expect(value).toBeCloseTo(one.total[at], 13);
  });

  test('is the matrix itself for all nodes, 1 for one node, and uniform without arcs', async () => {
    const all = await reduce(memoryGraph(3, [[0, 1]]), { nodes: ['0', '1', '2'], memory: MEMORY });
    expect(all.hidden.every((value) => Math.abs(value) < 1e-15)).toBe(true);
    expect(all.total[1]).toBeCloseTo(0.85 + 0.05, 14);
    const one = await reduce(memoryGraph(1, []), { nodes: ['0'], memory: MEMORY });
    expect(one.total[0]).toBeCloseTo(1, 14);
    const none = await reduce(memoryGraph(5, []), { nodes: ['0', '3'], memory: MEMORY });
    for (const value of none.total) expect(value).toBeCloseTo(0.5, 13);
  });

  test('refuses names twice, none of the graph, more than 1,000, and a damping out of range', async () => {
    const graph = memoryGraph(3, [[0, 1]]);
    const refused = (nodes: string[], more = {}) =>
      expect(reduce(graph, { nodes, memory: MEMORY, ...more })).rejects;
    await refused(['1', '1']).toThrow(/"1" is in the set twice/);
    await refused(['x']).toThrow(/None of the 1 name/);
    await refused([]).toThrow(/The set has no names/);
    await refused(Array.from({ length: 1001 }, (_, i) => `${i}`)).toThrow(/at most 1,000/);
    await refused(['1'], { alpha: 1 }).toThrow(/alpha: 1 is out of range/);
    await expect(reduce(memoryGraph(0, []), { nodes: ['a'], memory: MEMORY })).rejects.toThrow(
      /None of the 1 name/,
    );
    await refused(['1'], { signal: AbortSignal.abort() }).toThrow(/Stopped/);
  });
});

/** The leading eigenvector of G on some nodes, right or left, of sum 1. */
function powers(g: number[][], on: readonly number[], isLeft: boolean): number[] {
  let x = on.map(() => 1 / on.length);
  for (let step = 0; step < 3000; step++) {
    const y = on.map((i) => on.reduce((sum, j, k) => sum + (isLeft ? g[i][j] : g[j][i]) * x[k], 0));
    const total = y.reduce((sum, value) => sum + value, 0);
    x = y.map((value) => value / total);
  }
  return x;
}

const massTo = (column: readonly number[], nodes: readonly number[]) =>
  nodes.reduce((sum, i) => sum + column[i], 0);
