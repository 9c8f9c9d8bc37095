import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AdjacencyBlock, Graph } from '../../../src/graph/graph.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { order, rank, rankBest } from '../../../src/rank/index.ts';
import { shareOut } from '../../../src/rank/supporters/blocks.ts';
import { nameBits, sampler } from '../../../src/rank/supporters/sample.ts';
import { SupportersKernel } from '../../../src/rank/supporters/supporters-kernel.ts';
import { countSampled, retain } from '../../../src/rank/supporters/tse-core.ts';
import { buildIndex } from '../../../src/rank/supporters/tse-index.ts';
import { domainKey } from '../../../src/url/fingerprint.ts';
import { graphOf, mediumGraph, nameOf, supporters } from '../supporters/naive.ts';
import { range, type SmallGraph, smallGraph } from './naive.ts';

const RUNS = { numRuns: 100 };
const anyGraph = fc.oneof(smallGraph, mediumGraph);
const share = fc.constantFrom(0.05, 0.3, 0.5, 0.9, 1);
const scaled = (counts: readonly number[], p: number) => counts.map((count) => count / p);

describe('TSE', () => {
  test('counts exactly the supporters whose names are in the sample, and scales them', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, share, fc.nat(1000), async (graph, p, seed) => {
        const isIn = sampler(p, seed);
        const { scores } = await rank(graphOf(graph), { by: 'tse', p, seed, sample: 'name' });
        const found = supporters(graph, 2, (z) => isIn(nameBits(nameOf(z))));
        expect([...scores]).toEqual(scaled(found, p));
      }),
      RUNS,
    );
  });

  test('draws by number by default, and is SUPP if all are drawn', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, share, async (graph, p) => {
        const { scores } = await rank(graphOf(graph), { by: 'tse', p });
        const isIn = sampler(p, 1);
        expect([...scores]).toEqual(scaled(supporters(graph, 2, isIn), p));
        if (p === 1) expect([...scores]).toEqual(supporters(graph, 2));
      }),
      RUNS,
    );
  });

  test('is the same in parts and on threads, and reports how often it read the graph', async () => {
    const graph = webLike(20_000, 10);
    const whole = await rank(graph, { by: 'tse', p: 0.5 });
    const threads = await rank(graph, { by: 'tse', p: 0.5, threads: 3 });
    // Beside the sample it takes 8.4 bytes a node and a block; 16 bytes an arc are left for parts.
    const fixed = 8.375 * graph.nodes + 16 * (65_536 + 4);
    const parts = await rank(graph, { by: 'tse', p: 0.5, memory: fixed + 16 * 20_000 });
    expect(threads.scores).toEqual(whole.scores);
    expect(parts.scores).toEqual(whole.scores);
    expect(whole.facts).toMatchObject({ parts: 1, bytesRead: graph.out.bytes + graph.in.bytes });
    expect(Number(parts.facts.parts)).toBeGreaterThan(3);
    expect(parts.facts.bytesRead).toBe(
      graph.out.bytes + Number(parts.facts.parts) * graph.in.bytes,
    );
    expect(parts.facts.sampledArcs).toBe(whole.facts.sampledArcs);
  });

  test('finds the best nodes without the scores of all, and they are the same', async () => {
    const graph = webLike(20_000, 10);
    const cases = [
      { count: 1, p: 0.1 },
      { count: 100, p: 0.1, threads: 3 },
      { count: 312, p: 0.01, seed: 5, sample: 'name' },
      { count: 50, error: 0.1, at: 200 },
    ];
    for (const { count, ...request } of cases) {
      const all = await rank(graph, { by: 'tse', ...request });
      const best = await rankBest(graph, { by: 'tse', ...request }, count);
      expect('scores' in best).toBe(false);
      expect(best.facts).toEqual(all.facts);
      expect(await collected(best.top())).toEqual(await collected(all.top(count)));
      expect(await collected(best.top(3))).toEqual(await collected(all.top(Math.min(3, count))));
    }
    // Too many are wanted, the sample is in parts, the method cannot: then all scores are computed.
    const fixed = 8.375 * graph.nodes + 16 * (65_536 + 4);
    for (const [count, request] of [
      [400, { by: 'tse', p: 0.5 }],
      [10, { by: 'tse', p: 0.5, memory: fixed + 16 * 20_000 }],
      [10, { by: 'in' }],
    ] as const) {
      const best = await rankBest(graph, request, count);
      const all = await rank(graph, request);
      expect(await collected(best.top(count))).toEqual(await collected(all.top(count)));
      expect(best.facts).toEqual(all.facts);
    }
  });

  test('refuses memory so small that the graph would be read over and over', async () => {
    const graph = webLike(3000, 5);
    await expect(rank(graph, { by: 'tse', p: 1, memory: 10_000 })).rejects.toMatchObject({
      code: 'MEMORY',
    });
  });

  test('has the error that sampling theory predicts, no more and no less', async () => {
    const graph = webLike(5000, 10);
    const exact = (await rank(graph, { by: 'supp' })).scores;
    const top = order(exact, 1000);
    for (const p of [0.05, 0.3]) {
      // The errors of one sample are correlated, because the top nodes have most of their
      // supporters in common. So many samples are drawn.
      const samples = 150;
      let error = 0;
      let theory = 0;
      for (let seed = 0; seed < samples; seed++) {
        const { scores } = await rank(graph, { by: 'tse', p, seed });
        for (const x of top) {
          error += Math.abs(scores[x] / exact[x] - 1);
          theory += 0.8 * Math.sqrt((1 - p) / (p * exact[x]));
        }
      }
      expect(error / theory).toBeGreaterThan(0.8);
      expect(error / theory).toBeLessThan(1.2);
    }
  });
});

describe('the core of TSE', () => {
  test('counts over any stream of blocks, one part of the sample after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        mediumGraph,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 300 }),
        async (small, mostArcs, blockArcs) => {
          const graph = graphOf(small);
          const isIn = sampler(0.6, 3);
          const counts = range(graph.nodes).map(() => 0);
          const kernel = new SupportersKernel(1);
          for (let from: number | undefined = 0; from !== undefined; ) {
            const part = await retain(graph.out.scan({ from, blockArcs }), isIn, mostArcs);
            // A source takes the room of two arcs.
            if (part.sources.length > 1)
              expect(part.arcs + 2 * (part.sources.length - 1)).toBeLessThanOrEqual(mostArcs);
            const index = buildIndex(kernel, graph.nodes, part);
            await countSampled(
              kernel,
              index,
              graph.in.scan({ blockArcs }),
              blockArcs,
              (first, found) => {
                for (let i = 0; i < found.length; i++) counts[first + i] += found[i];
              },
            );
            kernel.release(16);
            from = part.next;
          }
          expect(counts).toEqual(supporters(small, 2, isIn));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('gives lists longer than a block their turn, on several threads', async () => {
    const nodes = 5000;
    const arcs = range(nodes).flatMap((z) => [[z, z % 3] as const, [z, (7 * z) % nodes] as const]);
    const small: SmallGraph = {
      nodes,
      arcs: [...new Map(arcs.map((arc) => [arc.join(), arc])).values()],
    };
    const graph = memoryGraph(nodes, small.arcs);
    const expected = (await rank(graph, { by: 'supp' })).scores;
    const kernel = new SupportersKernel(2);
    const blockArcs = 64;
    const part = await retain(graph.out.scan({ blockArcs }), () => true, 1e6);
    const counts = new Float64Array(nodes);
    const index = buildIndex(kernel, nodes, part);
    await countSampled(kernel, index, graph.in.scan({ blockArcs }), blockArcs, (first, found) => {
      counts.set(found, first);
    });
    await kernel.close();
    expect(counts).toEqual(expected);
  });

  test('refuses a block of more nodes than it expects', async () => {
    const graph = memoryGraph(10, [[0, 1]]);
    const kernel = new SupportersKernel(1);
    const index = buildIndex(kernel, 10, await retain(graph.out.scan(), () => true, 10));
    await expect(countSampled(kernel, index, graph.in.scan(), 5, () => {})).rejects.toThrow(
      RangeError,
    );
  });

  test('ends when the stream fails, with its error', async () => {
    async function* failing(): AsyncGenerator<AdjacencyBlock> {
      yield { first: 0, count: 1, offsets: Uint32Array.of(0, 1), targets: Uint32Array.of(1) };
      throw new Error('the disk is gone');
    }
    const kernel = new SupportersKernel(2);
    const index = buildIndex(
      kernel,
      2,
      await retain(memoryGraph(2, [[0, 1]]).out.scan(), () => true, 10),
    );
    await expect(countSampled(kernel, index, failing(), 5, () => {})).rejects.toThrow(
      'the disk is gone',
    );
    await kernel.close();
  });
});

describe('the sample', () => {
  test("has about its share, is part of a sample with a larger share, and is independent of another seed's", () => {
    const bits = range(200_000);
    const tenth = bits.filter(sampler(0.1, 1));
    expect(tenth.length / bits.length).toBeCloseTo(0.1, 2);
    expect(tenth.every(sampler(0.2, 1))).toBe(true);
    expect(tenth.filter(sampler(0.1, 2)).length / tenth.length).toBeCloseTo(0.1, 2);
    expect(bits.every(sampler(1, 9))).toBe(true);
  });

  test('is drawn from what the crawl stores of a domain', () => {
    for (const name of ['example.org', 'a.test', 'müller.example'])
      expect(nameBits(name)).toBe(Number(domainKey(name) >> 32n));
  });

  test('keeps a name in or out while the graph grows around it', async () => {
    const names = range(500).map((i) => `n${String(i).padStart(3, '0')}.example`);
    const arcsOf = (count: number) =>
      range(count).flatMap((i) => [[i, (i * 7 + 1) % count] as const]);
    const small = memoryGraph(
      250,
      arcsOf(250),
      names.filter((_, i) => i % 2 === 0),
    );
    const large = memoryGraph(500, arcsOf(500), names);
    const isIn = sampler(0.3, 1);
    const share = (graph: Graph) =>
      rank(graph, { by: 'tse', p: 0.3, sample: 'name' }).then(({ facts }) => facts.sources);
    expect(await share(small)).toBe(
      names.filter((name, i) => i % 2 === 0 && isIn(nameBits(name))).length,
    );
    expect(await share(large)).toBe(names.filter((name) => isIn(nameBits(name))).length);
  });
});

describe('sharing out', () => {
  test('throws the error of work that failed while the next item was awaited, and no other', async () => {
    async function* slowly() {
      yield 1;
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      yield 2;
    }
    const failing = shareOut(2, slowly(), async (item) => async () => {
      if (item === 1) throw new Error('one');
    });
    await expect(failing).rejects.toThrow('one');
  });

  test('works on every item once, never on more at a time than there are slots', async () => {
    const seen: number[] = [];
    const busy = new Set<number>();
    await shareOut(3, range(50), async (item, slot) => {
      expect(busy.has(slot)).toBe(false);
      busy.add(slot);
      return async () => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(item);
        busy.delete(slot);
      };
    });
    expect(seen.sort((a, b) => a - b)).toEqual(range(50));
  });

  test('rejects with the first failure, after all begun work has ended', async () => {
    let running = 0;
    const failing = shareOut(2, range(10), async (item) => async () => {
      running++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (item === 3) throw new Error('three');
    });
    await expect(failing).rejects.toThrow('three');
    expect(running).toBe(0);
  });
});

/** Degrees that fall with rank, in and out together, like those of domains. */
function webLike(nodes: number, meanDegree: number): Graph {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const [low, high] = [5 ** 0.1, (nodes + 5) ** 0.1];
  const arcs: [number, number][] = [];
  for (let node = 0; node < nodes; node++) {
    const degree = Math.ceil(0.5 * meanDegree * ((node + 1) / nodes) ** -0.5);
    for (let k = 0; k < degree; k++)
      arcs.push([
        node,
        Math.min(nodes - 1, Math.max(0, Math.floor((low + (high - low) * random()) ** 10 - 5))),
      ]);
  }
  return memoryGraph(nodes, arcs);
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
