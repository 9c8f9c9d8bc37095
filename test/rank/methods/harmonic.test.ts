import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { rank } from '../../../src/rank/index.ts';
import { graphOf, type SmallGraph, smallGraph } from './naive.ts';

/** A breadth-first search from every node, against the arcs. */
function harmonic({ nodes, arcs }: SmallGraph): number[] {
  const into = Array.from({ length: nodes }, (_, node) =>
    arcs.filter(([, to]) => to === node).map(([from]) => from),
  );
  return into.map((_, node) => {
    const distances = new Map([[node, 0]]);
    for (const [reached, distance] of distances)
      for (const from of into[reached]) if (!distances.has(from)) distances.set(from, distance + 1);
    return [...distances.values()].reduce((sum, d) => sum + (d === 0 ? 0 : 1 / d), 0);
  });
}

/** More than two batches of 128, with long paths, hubs and nodes that nobody links to. */
function largerGraph(nodes: number, seed: number): SmallGraph {
  const arcs = new Map<number, readonly [number, number]>();
  let state = seed;
  const below = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const add = (from: number, to: number) => arcs.set(from * nodes + to, [from, to]);
  for (let node = 0; node < nodes; node++) {
    if (node % 7 > 0) add(node, (node + 1) % nodes);
    for (let i = 0; i < 3; i++) add(node, Math.floor(below(nodes) ** 2 / nodes));
  }
  return { nodes, arcs: [...arcs.values()] };
}

const graph = ({ nodes, arcs }: SmallGraph) => memoryGraph(nodes, arcs);

describe('harmonic centrality', () => {
  test('is the sum of 1/distance over all nodes that reach a node', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, async (small) => {
        const { scores } = await rank(graphOf(small), { by: 'harmonic' });
        for (const [node, expected] of harmonic(small).entries())
          expect(scores[node]).toBeCloseTo(expected, 12);
      }),
    );
  });

  test('is right for sources in several batches, and the same on two threads', async () => {
    const larger = largerGraph(700, 5);
    const { scores, facts } = await rank(graph(larger), { by: 'harmonic' });
    for (const [node, expected] of harmonic(larger).entries())
      expect(scores[node]).toBeCloseTo(expected, 10);
    expect(facts.longestDistance).toBeGreaterThan(3);
    const again = await rank(graph(larger), { by: 'harmonic', threads: 2 });
    expect(again.scores).toEqual(scores);
  });

  test('refuses a graph that does not fit, and names the estimate', async () => {
    await expect(
      rank(graph(largerGraph(700, 5)), { by: 'harmonic', memory: 40_000 }),
    ).rejects.toThrow('--by hyperball');
  });
});

describe('HyperBall', () => {
  test('has the error that it states, and no bias', async () => {
    const larger = graph(largerGraph(2000, 9));
    const { scores: exact } = await rank(larger, { by: 'harmonic' });
    const reached = [...exact.keys()].filter((node) => exact[node] > 50);
    for (const registers of ['16', '64', '256']) {
      let squares = 0;
      let sum = 0;
      const seeds = 60;
      let stated = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const { scores, facts } = await rank(larger, { by: 'hyperball', registers, seed });
        stated = Number(facts.standardError);
        for (const node of reached) {
          const error = scores[node] / exact[node] - 1;
          squares += error ** 2;
          sum += error;
        }
      }
      const count = seeds * reached.length;
      expect(Math.sqrt(squares / count)).toBeLessThan(1.2 * stated);
      expect(Math.sqrt(squares / count)).toBeGreaterThan(0.3 * stated);
      expect(Math.abs(sum / count)).toBeLessThan(0.4 * stated);
    }
  });

  test('gives the same scores from memory, from a stream, and on two threads', async () => {
    const larger = graph(largerGraph(3000, 2));
    const kept = await rank(larger, { by: 'hyperball', registers: '16' });
    expect(kept.facts.held).toBe('memory');
    const memory = 3000 * 58 + 16 * (12_000 + 4) + 100;
    const streamed = await rank(larger, { by: 'hyperball', registers: '16', memory });
    expect(streamed.facts.held).toBe('stream');
    expect(streamed.scores).toEqual(kept.scores);
    const threads = await rank(larger, { by: 'hyperball', registers: '16', threads: 2 });
    expect(threads.scores).toEqual(kept.scores);
  });

  test('is nearly exact where a ball has few nodes', async () => {
    const path = { nodes: 6, arcs: [0, 1, 2, 3, 4].map((node) => [node, node + 1] as const) };
    const { scores } = await rank(graph(path), { by: 'hyperball', registers: '1024' });
    expect(scores[0]).toBe(0);
    for (const [node, expected] of harmonic(path).entries())
      expect(Math.abs(scores[node] - expected)).toBeLessThan(0.03 * (expected + 1));
  });

  test('says when paths are longer than --distance', async () => {
    const path = {
      nodes: 50,
      arcs: Array.from({ length: 49 }, (_, i) => [i, i + 1] as const),
    };
    const { facts } = await rank(graph(path), { by: 'hyperball', distance: 10 });
    expect(facts).toMatchObject({ complete: 'no', longestDistance: 10 });
    const whole = await rank(graph(path), { by: 'hyperball' });
    expect(whole.facts).toMatchObject({ complete: 'yes' });
  });

  test.each([0, 1])('ranks a graph of %d nodes', async (nodes) => {
    for (const by of ['harmonic', 'hyperball']) {
      const { scores } = await rank(memoryGraph(nodes, []), { by });
      expect([...scores]).toEqual(Array(nodes).fill(0));
    }
  });
});
