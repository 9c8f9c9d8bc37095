import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { order, rank } from '../../../src/rank/index.ts';

/** Nodes that link more often to small numbers: supporters from none to nearly all. */
function skewed(nodes: number, links: number): ReturnType<typeof memoryGraph> {
  const arcs = new Map<number, readonly [number, number]>();
  let state = 7;
  for (let from = 0; from < nodes; from++) {
    for (let i = 0; i < links; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const to = Math.floor(nodes * (state / 2 ** 32) ** 4);
      arcs.set(from * nodes + to, [from, to]);
    }
  }
  return memoryGraph(nodes, [...arcs.values()]);
}

const RUNS = 300;

describe('what TSE says about its error', () => {
  test(`the interval holds the truth in 95 % of ${RUNS} runs, for many and for few supporters`, async () => {
    const graph = skewed(600, 4);
    const { scores: truth } = await rank(graph, { by: 'supp' });
    const places = [0, 5, 50, 100, 150].map((place) => order(truth)[place]);
    const p = 0.1;
    const held = new Map(places.map((node) => [node, 0]));
    for (let seed = 0; seed < RUNS; seed++) {
      const { scores, interval } = await rank(graph, { by: 'tse', p, seed });
      for (const node of places) {
        const [low, high] = interval?.(scores[node]) as readonly [number, number];
        if (low <= truth[node] && truth[node] <= high)
          held.set(node, (held.get(node) as number) + 1);
      }
    }
    expect(places.map((node) => truth[node] > 5)).toEqual(places.map(() => true));
    for (const count of held.values()) expect(count).toBeGreaterThanOrEqual(0.95 * RUNS);
  });

  test('the standard error is that of the place asked for', async () => {
    const graph = skewed(600, 4);
    const { scores: truth } = await rank(graph, { by: 'supp' });
    const { facts } = await rank(graph, { by: 'tse', p: 0.5, at: 10 });
    const score = truth[order(truth)[9]];
    expect(facts.at).toBe(10);
    expect(Number(facts.standardError)).toBeCloseTo(Math.sqrt(0.5 / (0.5 * score)), 2);
    const all = await rank(graph, { by: 'tse', p: 1, at: 10 });
    expect(all.facts.standardError).toBe(0);
  });

  test('with a wanted error it chooses p, and reaches it', async () => {
    const graph = skewed(3000, 6);
    for (const error of ['20%', '10%', '5%']) {
      const { facts } = await rank(graph, { by: 'tse', error, at: 100 });
      const wanted = Number.parseFloat(error) / 100;
      expect(Number(facts.standardError)).toBeLessThanOrEqual(wanted);
      expect(Number(facts.standardError)).toBeGreaterThan(0.5 * wanted);
    }
    const exact = await rank(graph, { by: 'tse', error: 1e-9 });
    expect(exact.facts).toMatchObject({ p: 1, standardError: 0 });
    expect(exact.scores).toEqual((await rank(graph, { by: 'supp' })).scores);
  });

  test('a graph without supporters is found to have none', async () => {
    const { facts } = await rank(memoryGraph(3, [[0, 1]]), { by: 'tse', error: 0.01 });
    expect(facts).toMatchObject({ p: 1, at: 0, standardError: 0 });
  });
});
