import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { order, rank } from '../../../src/rank/index.ts';
import { drawBits } from '../../../src/rank/methods/bit-vector-draw.ts';
import { distances, graphOf, mediumGraph, supporters } from '../supporters/naive.ts';
import { range, type SmallGraph, smallGraph } from './naive.ts';

test('only a node with supporters gets any, and a second reading of the same graph gives the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(smallGraph, mediumGraph),
      fc.integer({ min: 1, max: 3 }),
      async (graph, depth) => {
        const { scores } = await rank(graphOf(graph), { by: 'bit-vector', depth });
        const exact = supporters(graph, depth);
        expect(scores.length).toBe(graph.nodes);
        scores.forEach((score, node) => {
          if (exact[node] === 0) expect(score).toBe(0);
          expect(score).toBeGreaterThanOrEqual(0);
        });
        const again = await rank(graphOf(graph), { by: 'bit-vector', depth });
        expect(again.scores).toEqual(scores);
      },
    ),
    { numRuns: 200 },
  );
});

/** The definition, one node at a time: the union of what all nodes within a distance drew. */
function naive(graph: SmallGraph, depth: number, seed: number): number[] {
  const far = distances(graph);
  const bits = new Uint32Array(2 * graph.nodes);
  const scores = range(graph.nodes).map(() => 0);
  const stages = range(graph.nodes).map(() => 'begun');
  for (let round = 0; stages.some((stage) => stage !== 'final'); round++) {
    const chance = Math.min(0.5, 2 ** round / graph.nodes);
    drawBits(bits, chance, seed, round);
    const drawn = range(graph.nodes).map((node) =>
      range(64).filter((bit) => (bits[2 * node + (bit >> 5)] >>> (bit & 31)) & 1),
    );
    const unset = (x: number, distance: number) =>
      64 - new Set(drawn.flatMap((own, z) => (far[z][x] <= distance ? own : []))).size;
    for (const x of range(graph.nodes).filter((node) => stages[node] !== 'final')) {
      const [before, after] = [unset(x, depth - 1), unset(x, depth)];
      if (before > 0)
        scores[x] =
          before === after ? 0 : Math.log(Math.max(after, 0.5) / before) / Math.log1p(-chance);
      const isReady = before - after >= before * (1 - Math.exp(-0.5));
      stages[x] = stages[x] === 'ready' ? 'final' : isReady ? 'ready' : 'begun';
    }
    if (2 ** round / graph.nodes >= 0.5) break;
  }
  return scores;
}

test('equals the definition, node by node, for any draw', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(smallGraph, mediumGraph),
      fc.integer({ min: 1, max: 3 }),
      fc.nat(1000),
      async (graph, depth, seed) => {
        const { scores } = await rank(graphOf(graph), { by: 'bit-vector', depth, seed });
        naive(graph, depth, seed).forEach((expected, node) => {
          expect(scores[node]).toBeCloseTo(expected, 9);
        });
      },
    ),
    { numRuns: 100 },
  );
});

/**
 * Node 0 has `near` in-neighbours, and `far` nodes at distance two, all through each of them; other
 * nodes have the same in smaller numbers.
 */
function crowd(near: number, far: number) {
  const nodes = 1 + near + far;
  const arcs = range(near).flatMap((i) => [
    [1 + i, 0] as const,
    ...range(far)
      .filter((z) => z % near === i || z % 7 === 0)
      .map((z) => [1 + near + z, 1 + i] as const),
  ]);
  return memoryGraph(nodes, arcs);
}

test('estimates the nodes at distance two, not those nearer and not the paths, within its error', async () => {
  const far = 2000;
  const graph = crowd(10, far);
  let error = 0;
  let bias = 0;
  const samples = 100;
  for (let seed = 0; seed < samples; seed++) {
    const { scores } = await rank(graph, { by: 'bit-vector', seed });
    error += Math.abs(scores[0] / far - 1) / samples;
    bias += (scores[0] / far - 1) / samples;
  }
  // 64 bits, each set with probability 1 - exp(-t) for a t from 1 to 2, give 12 to 13 % in the
  // mean.
  expect(error).toBeGreaterThan(0.06);
  expect(error).toBeLessThan(0.2);
  expect(Math.abs(bias)).toBeLessThan(0.06);
});

test('removes level one even if it is as large as level two', async () => {
  const graph = crowd(600, 600);
  let mean = 0;
  const samples = 40;
  for (let seed = 0; seed < samples; seed++)
    mean += (await rank(graph, { by: 'bit-vector', seed })).scores[0] / samples;
  expect(mean / 600).toBeGreaterThan(0.8);
  expect(mean / 600).toBeLessThan(1.25);
});

test('a few rounds are enough for the best supported', async () => {
  const graph = crowd(20, 4000);
  const all = await rank(graph, { by: 'bit-vector' });
  const two = await rank(graph, { by: 'bit-vector', rounds: 2 });
  expect(Number(two.facts.rounds)).toBeLessThan(Number(all.facts.rounds));
  expect(order(two.scores, 1)).toEqual(order(all.scores, 1));
  expect(two.scores[0]).toBe(all.scores[0]);
});

test('reads the lists once if they fit and in every step if not, with the same result', async () => {
  const graph = crowd(10, 500);
  const little = 25 * graph.nodes + 16 * (graph.arcs + 4);
  const inMemory = await rank(graph, { by: 'bit-vector' });
  const streaming = await rank(graph, { by: 'bit-vector', memory: little });
  expect([inMemory.facts.held, streaming.facts.held]).toEqual(['memory', 'stream']);
  expect(streaming.scores).toEqual(inMemory.scores);
  expect(inMemory.facts.bytesRead).toBe(graph.in.bytes);
  expect(streaming.facts.bytesRead).toBe(2 * Number(streaming.facts.rounds) * graph.in.bytes);
  await expect(rank(graph, { by: 'bit-vector', memory: little - 1 })).rejects.toMatchObject({
    code: 'MEMORY',
  });
});
