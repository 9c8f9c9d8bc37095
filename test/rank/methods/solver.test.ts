/**
 * PageRank of a graph like the web, against a solver that shares nothing with ours but the
 * definition.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heavyTailedGraph } from '../../../bench/graphs.ts';
import { buildGraph } from '../../../src/graph/build.ts';
import type { Csr } from '../../../src/graph/graph.ts';
import { type DiskGraph, openGraph } from '../../../src/graph/open-graph.ts';
import { rank } from '../../../src/rank/index.ts';

const NODES = 50_000;
const ARCS = 500_000;

describe('PageRank of a graph like the web', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-solver-'));
  let graph: DiskGraph;
  let expected: Float64Array;

  beforeAll(async () => {
    const ids = ReadableStream.from([heavyTailedGraph({ nodes: NODES, arcs: ARCS })]);
    await buildGraph(join(folder, 'graph'), { ids, nodes: NODES }, { memory: 2 ** 28 });
    graph = await openGraph(join(folder, 'graph'));
    expected = gaussSeidel(await graph.in.load(), await graph.out.degrees());
  });

  afterAll(async () => {
    await graph?.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['in memory', 1, 2 ** 30],
    ['in memory, on two threads', 2, 2 ** 30],
    ['with memory for the vectors only', 1, 44 * NODES],
  ])(
    '%s it is the solution to 1e-9',
    async (_, threads, memory) => {
      const { scores, facts } = await rank(graph, { by: 'pagerank', threads, memory });
      expect(facts.held).toBe(memory < 2 ** 30 ? 'stream' : 'memory');
      let distance = 0;
      for (let node = 0; node < graph.nodes; node++)
        distance += Math.abs(scores[node] - expected[node]);
      expect(distance).toBeLessThan(1e-9);
    },
    60_000,
  );
});

/**
 * Solves x = 0.85 S x + 1 with dangling columns 0, by Gauss and Seidel: each new value is used at
 * once. With a uniform jump, what dangling nodes give to all nodes only scales the solution, so it
 * is the PageRank after its sum is scaled to 1.
 */
function gaussSeidel({ offsets, targets }: Csr, degrees: Uint32Array): Float64Array {
  const nodes = degrees.length;
  const x = new Float64Array(nodes).fill(1);
  for (let moved = 1; moved > 1e-13; ) {
    let change = 0;
    let total = 0;
    for (let node = 0; node < nodes; node++) {
      let sum = 0;
      let own = 0;
      for (let at = offsets[node]; at < offsets[node + 1]; at++) {
        const source = targets[at];
        if (source === node) own = 0.85 / degrees[node];
        else sum += x[source] / degrees[source];
      }
      const value = (1 + 0.85 * sum) / (1 - own);
      change += Math.abs(value - x[node]);
      total += value;
      x[node] = value;
    }
    moved = change / total;
  }
  const total = x.reduce((sum, value) => sum + value, 0);
  return x.map((value) => value / total);
}
