import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { holdArcs } from '../../../src/rank/engine/held-arcs.ts';
import { Kernel } from '../../../src/rank/engine/kernel.ts';
import { liveWalks } from '../../../src/rank/engine/live-walks.ts';
import { placesByDegree } from '../../../src/rank/engine/relabel.ts';
import { startHelpers } from '../../../src/rank/engine/threads.ts';
import { rank } from '../../../src/rank/index.ts';

/**
 * Large enough for several chunks, one node linked from all over, a third of the nodes dangling;
 * the same on every run.
 */
function largeGraph(nodes = 60_000, arcs = 300_000) {
  let state = 1;
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const from = Uint32Array.from({ length: arcs }, () => 3 * below(nodes / 3) + below(2));
  const to = Uint32Array.from({ length: arcs }, (_, i) => (i % 4 === 0 ? 777 : below(nodes)));
  return memoryGraph(nodes, { from, to });
}

test.each(['pagerank', 'hits'])('%s: threads do not change a bit of the result', async (by) => {
  const graph = largeGraph();
  const iterations = 12;
  const alone = await rank(graph, { by, iterations, threads: 1 });
  const helped = await rank(graph, { by, iterations, threads: 3 });
  expect(Buffer.from(helped.scores.buffer).equals(Buffer.from(alone.scores.buffer))).toBe(true);
  expect(helped.facts).toEqual(alone.facts);
});

test.each([
  'pagerank',
  'hits',
])('%s: arcs in memory and arcs read again give the same scores', async (by) => {
  const graph = largeGraph();
  const inMemory = await rank(graph, { by, iterations: 12 });
  const streaming = await rank(graph, { by, iterations: 12, memory: 44 * graph.nodes });
  expect([inMemory.facts.held, streaming.facts.held]).toEqual(['memory', 'stream']);
  const furthest = inMemory.scores.reduce(
    (most, score, i) => Math.max(most, Math.abs(score - streaming.scores[i])),
    0,
  );
  expect(furthest).toBeLessThan(1e-13);
  const { bytesRead, iterations } = streaming.facts;
  expect(bytesRead).toBe(
    Number(iterations) * (graph.in.bytes + (by === 'hits' ? graph.out.bytes : 0)),
  );
});

describe('three walks in one pass', () => {
  const graph = largeGraph();
  const nodes = (...ids: number[]) => new Map(ids.map((id) => [String(id), 1]));
  const live = { by: 'live', alive: nodes(3, 600, 777), dead: nodes(4, 9, 40_000) };

  test('threads do not change a bit of the result', async () => {
    const alone = await rank(graph, { ...live, threads: 1 });
    const helped = await rank(graph, { ...live, threads: 3 });
    expect(Buffer.from(helped.scores.buffer).equals(Buffer.from(alone.scores.buffer))).toBe(true);
    expect(helped.facts).toEqual(alone.facts);
  });

  test('arcs in memory and arcs read again give the same scores', async () => {
    const inMemory = await rank(graph, live);
    const streaming = await rank(graph, { ...live, memory: 94 * graph.nodes });
    expect([inMemory.facts.held, streaming.facts.held]).toEqual(['memory', 'stream']);
    const furthest = inMemory.scores.reduce(
      (most, score, i) => Math.max(most, Math.abs(score / streaming.scores[i] - 1) || 0),
      0,
    );
    expect(furthest).toBeLessThan(1e-8); // 29 bits of a score count
  });

  test('each equals the walk done alone, to its tolerance', async () => {
    const how = { alpha: 0.85, tolerance: 1e-8, iterations: 1000 };
    const options = { threads: 1, memory: 2 ** 30 };
    const jumps = [undefined, [3, 600, 777], [4], [40_000, 5]];
    const walks = await liveWalks(graph, jumps, how, options);
    for (const [i, jump] of jumps.entries()) {
      const teleport = jump && nodes(...jump);
      const exact = { by: 'pagerank', dangling: 'lost', tolerance: 1e-14 };
      const { scores } = await rank(graph, teleport ? { ...exact, teleport } : exact);
      const furthest = scores.reduce(
        (most, score, node) => Math.max(most, Math.abs(walks[i].scores[node] / score - 1) || 0),
        0,
      );
      expect(furthest).toBeLessThan(1e-8);
    }
  });
});

test('memory too small for the vectors is refused with the size that is needed', async () => {
  const graph = largeGraph(3000, 10);
  await expect(rank(graph, { by: 'pagerank', memory: 44 * 3000 - 1 })).rejects.toMatchObject({
    code: 'MEMORY',
    fact: 'The vectors of 3,000 nodes take 132 kB; 132 kB are given.',
    remedy: 'Give --memory 1M or more.',
  });
  await expect(rank(graph, { by: 'hits', memory: 36 * 3000 - 1 })).rejects.toMatchObject({
    code: 'MEMORY',
  });
});

test("a graph whose vectors exceed the kernel's address space is refused, whatever the memory", async () => {
  const { in: lists } = largeGraph(3000, 10);
  const wanted = {
    nodes: 2e8,
    arcs: 10,
    lists: [lists],
    degrees: new Uint32Array(0),
    vectors: 4,
    others: 0,
  };
  await expect(holdArcs(wanted, { threads: 1, memory: 1e12 })).rejects.toMatchObject({
    code: 'GRAPH_SIZE',
  });
});

test('a relabelling is a permutation by powers of two of the degree, greatest first, that keeps the order of equals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(9), fc.nat(2 ** 32 - 1)), { maxLength: 100, size: 'max' }),
      (degrees) => {
        const power = (degree: number) => (degree === 0 ? -1 : Math.floor(Math.log2(degree)));
        const expected = degrees
          .map((_, i) => i)
          .sort((a, b) => power(degrees[b]) - power(degrees[a]) || a - b);
        const places = placesByDegree(Uint32Array.from(degrees));
        expect(expected.map((node) => places[node])).toEqual(expected.map((_, i) => i));
      },
    ),
  );
});

test('a plan that is too small is an error, not a memory overrun', async () => {
  const kernel = new Kernel(100, 1);
  expect(() => kernel.allocate(70_000)).toThrow(RangeError);
  await kernel.close();
});

test('a thread that fails reports its error', async () => {
  const memory = new SharedArrayBuffer(8);
  const helpers = startHelpers(1, { no: 'module' }, memory);
  await helpers.ended();
  expect(() => helpers.check()).toThrow(/WebAssembly/);
});
