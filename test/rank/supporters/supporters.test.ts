import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { rank } from '../../../src/rank/index.ts';
import { supportersOf } from '../../../src/rank/methods/supp.ts';
import { range, smallGraph } from '../methods/naive.ts';
import { distances, graphOf, mediumGraph, quickVisits, supporters } from './naive.ts';

const RUNS = { numRuns: 100 };
const FEW = { numRuns: 30 };
const anyGraph = fc.oneof(smallGraph, mediumGraph);

describe('SUPP', () => {
  test('counts the nodes at distance D exactly, each once', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, fc.integer({ min: 1, max: 5 }), async (graph, depth) => {
        const { scores } = await rank(graphOf(graph), { by: 'supp', depth });
        expect([...scores]).toEqual(supporters(graph, depth));
      }),
      RUNS,
    );
  });

  test('is the same on several threads', async () => {
    // Enough arcs to give three threads work.
    const arcs = range(50_000).flatMap((i): [number, number][] =>
      range(4).map((k) => [i, (i * (k + 3) + 7 * k) % 50_000]),
    );
    const graph = memoryGraph(50_000, arcs);
    const alone = await rank(graph, { by: 'supp' });
    const helped = await rank(graph, { by: 'supp', threads: 3 });
    expect(Buffer.from(helped.scores.buffer).equals(Buffer.from(alone.scores.buffer))).toBe(true);
    expect(alone.facts.meanSupporters).toBeGreaterThan(10);
  });

  test('can be limited to some nodes, in any order, with repeats', async () => {
    await fc.assert(
      fc.asyncProperty(
        mediumGraph,
        fc.array(fc.nat(29), { maxLength: 60, size: 'max' }),
        async (graph, nodes) => {
          const some = await supportersOf(graphOf(graph), Uint32Array.from(nodes), 2, {
            threads: 1,
            memory: 1e8,
          });
          const all = supporters(graph, 2);
          expect([...some]).toEqual(nodes.map((node) => all[node]));
        },
      ),
      FEW,
    );
  });

  test('reports what it visited and read, and its progress up to the end', async () => {
    const graph = memoryGraph(4, [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 3],
    ]);
    const progress: number[] = [];
    const { facts } = await rank(graph, { by: 'supp', onProgress: (done) => progress.push(done) });
    expect(facts).toMatchObject({ depth: 2, meanSupporters: 0.5, bytesRead: graph.in.bytes });
    expect(progress.at(-1)).toBe(1);
  });

  test('refuses a graph that does not fit, and names an alternative', async () => {
    const graph = memoryGraph(1000, [[0, 1]]);
    await expect(rank(graph, { by: 'supp', memory: 10_000 })).rejects.toMatchObject({
      code: 'MEMORY',
      remedy: expect.stringContaining('--by tse'),
    });
  });
});

describe.each(['supp-a', 'supp-b'])('%s', (by) => {
  test('equals SUPP with memory for only a few supporters', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, async (graph) => {
        const memory = 8 * graph.nodes + (by === 'supp-a' ? 4096 : 8192);
        const { scores } = await rank(graphOf(graph), { by, memory });
        expect([...scores]).toEqual(supporters(graph, 2));
      }),
      by === 'supp-a' ? RUNS : { numRuns: 100 },
    );
  });

  test('reads more if there is less memory, as its model predicts, with the same result', async () => {
    const arcs = range(60).flatMap((i) => range(20).map((k) => [i, (i + k + 1) % 60] as const));
    const graph = memoryGraph(60, arcs);
    const little = await rank(graph, { by, memory: 8 * graph.nodes + 8192 });
    const plenty = await rank(graph, { by, memory: 1e8 });
    expect(little.scores).toEqual(plenty.scores);
    expect(Number(little.facts.bytesRead)).toBeGreaterThan(Number(plenty.facts.bytesRead));
    expect(Number(little.facts.predictedBytesRead)).toBeGreaterThan(
      Number(plenty.facts.predictedBytesRead),
    );
    if (by === 'supp-a') expect(plenty.facts.predictedBytesRead).toBe(graph.in.bytes);
  });

  test('refuses memory that does not even hold the scores', async () => {
    await expect(rank(memoryGraph(1000, [[0, 1]]), { by, memory: 8000 })).rejects.toMatchObject({
      code: 'MEMORY',
    });
  });
});

test('SUPP-A refuses if a single node has too many supporters', async () => {
  const nodes = 2000;
  const arcs = range(nodes - 2).flatMap((z) => [[z + 2, 1] as const, [1, 0] as const]);
  const graph = memoryGraph(nodes, arcs.slice(0, nodes));
  await expect(rank(graph, { by: 'supp-a', memory: 8 * nodes + 2048 })).rejects.toMatchObject({
    code: 'MEMORY',
  });
});

test('QVS counts every path of two links that begins elsewhere', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph, async (graph) => {
      const { scores, facts } = await rank(graphOf(graph), { by: 'qvs' });
      expect([...scores]).toEqual(quickVisits(graph));
      expect(facts.bytesRead).toBe(2 * graphOf(graph).in.bytes);
    }),
    RUNS,
  );
});

test.each([
  'qvs',
  'bit-vector',
])('%s is the same on several threads, and with lists longer than a block', async (by) => {
  const arcs = range(150_000).flatMap((i): [number, number][] => [
    [i, 7],
    [i, (i * 31) % 150_000],
  ]);
  const graph = memoryGraph(150_000, arcs);
  const few = by === 'qvs' ? {} : { rounds: 2 };
  const alone = await rank(graph, { by, ...few });
  const little = 45 * graph.nodes + 16 * 6 * 65_540;
  for (const memory of [1e9, little]) {
    const { scores } = await rank(graph, { by, ...few, threads: 3, memory });
    expect(Buffer.from(scores.buffer).equals(Buffer.from(alone.scores.buffer))).toBe(true);
  }
});

test('QVS refuses memory for less than degrees and scores', async () => {
  await expect(rank(memoryGraph(1000, []), { by: 'qvs', memory: 35_999 })).rejects.toMatchObject({
    code: 'MEMORY',
  });
});

test('distances by hand: the naive model itself', () => {
  const far = distances({
    nodes: 4,
    arcs: [
      [0, 1],
      [1, 2],
      [2, 2],
      [0, 2],
    ],
  });
  expect(far[0]).toEqual([0, 1, 1, Number.POSITIVE_INFINITY]);
});
