/**
 * Supporters, SUPP: how many nodes are at distance D of a node exactly, along any path, each
 * counted once.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", §2.2): i supports j at level D when the
 * shortest path from i to j has D arcs; the score is the number of supporters at level D, with D =
 * 2. The members of a link farm are at distance one of each other, so these links count nothing;
 *    and a crowd at distance two takes millions of domains.
 *
 * Idea      A breadth-first search along in-links from each node, stopped at depth D: visit, mark,
 *           append unmarked nodes to the queue. The nodes appended by the last level are the
 *           answer. Marks are bits, and cleared by a walk over the queue.
 * Costs     n · E[Q] visits for D = 2, where Q is QVS (qvs.ts): days on a web of domains. RAM 4
 *           bytes an arc, 8 a node, and 4.2 a node for each thread. supp-a.ts and supp-b.ts need
 *           less memory; tse.ts estimates it in seconds.
 */
import { alignTo16 } from '../../base/align.ts';
import type { Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { loadInLists, type PlacedLists, shareOut } from '../supporters/blocks.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';

export const ranker = defineRanker({
  name: 'supp',
  title: 'Supporters',
  parameters: {
    depth: {
      kind: 'count',
      default: 2,
      least: 1,
      most: 1000,
      doc: 'the distance at which supporters are counted',
    },
  },
  run: supporters,
});

/** Visits per call: tens of milliseconds. */
const VISITS_A_CALL = 1e7;

async function supporters(
  graph: Graph,
  { depth }: { depth: number },
  options: RankOptions,
): Promise<RankResult> {
  const counting = await Counting.load(graph, options);
  try {
    const { counts, visits } = await counting.count(depth, undefined, options.onProgress);
    const scores = Float64Array.from(counts);
    const total = scores.reduce((sum, score) => sum + score, 0);
    const meanSupporters = graph.nodes === 0 ? 0 : total / graph.nodes;
    return { scores, facts: { depth, meanSupporters, visits, bytesRead: graph.in.bytes } };
  } finally {
    await counting.close();
  }
}

/** The supporters of some nodes only: exact figures for the top of an estimate. */
export async function supportersOf(
  graph: Graph,
  nodes: Uint32Array,
  depth: number,
  options: RankOptions,
): Promise<Uint32Array> {
  const counting = await Counting.load(graph, options);
  try {
    return (await counting.count(depth, nodes, options.onProgress)).counts;
  } finally {
    await counting.close();
  }
}

/** The in-graph in a kernel's memory. */
class Counting {
  readonly #kernel: SupportersKernel;
  readonly #lists: PlacedLists;

  static async load(graph: Graph, { memory, threads }: RankOptions): Promise<Counting> {
    const hands = usefulThreads(threads, graph.nodes, graph.arcs);
    requireMemory(memory, {
      what: 'Exact supporters and the whole in-graph in memory',
      bytes: bytesNeeded(graph, hands),
      otherwise: '--by tse, an estimate that streams, or supp-b, which is exact and slow',
    });
    const kernel = new SupportersKernel(hands);
    try {
      return new Counting(kernel, await loadInLists(kernel, graph));
    } catch (error) {
      await kernel.close();
      throw error;
    }
  }

  private constructor(kernel: SupportersKernel, lists: PlacedLists) {
    this.#kernel = kernel;
    this.#lists = lists;
  }

  get #nodes(): number {
    return this.#lists.count;
  }

  /** Counts the supporters of all nodes, or of those wanted. */
  async count(
    depth: number,
    wanted: Uint32Array | undefined,
    onProgress: ((done: number) => void) | undefined,
  ): Promise<{ counts: Uint32Array; visits: number }> {
    const kernel = this.#kernel;
    const length = wanted?.length ?? this.#nodes;
    const countsAt = kernel.allocate(4 * length);
    const wantedAt = wanted ? kernel.allocate(4 * length) : 0;
    if (wanted) kernel.u32(wantedAt, length).set(wanted);
    const hands = Array.from({ length: kernel.hands }, () => ({
      marks: kernel.allocate(4 * (Math.floor(this.#nodes / 32) + 1)),
      queue: kernel.allocate(4 * (this.#nodes + 1)),
    }));
    const { ranges, visits } = this.#plan(wanted);
    let done = 0;
    const lists = [this.#lists.offsets, this.#lists.targets, this.#nodes] as const;
    await shareOut(kernel.hands, ranges, async ({ from, to, visits: ofRange }, hand) => {
      const { marks, queue } = hands[hand];
      return async () => {
        const some = [depth, wantedAt, from, to] as const;
        await kernel.call(hand, ['countAtDistance', ...lists, ...some, marks, queue, countsAt]);
        done += ofRange;
        onProgress?.(done / visits);
      };
    });
    return { counts: kernel.u32(countsAt, length).slice(), visits };
  }

  /**
   * Ranges of nodes, or of wanted ones, with about equal work, which is known: the visits to depth
   * two.
   */
  #plan(wanted: Uint32Array | undefined): { ranges: Range[]; visits: number } {
    const offsets = this.#kernel.u32(this.#lists.offsets, this.#nodes + 1);
    const targets = this.#kernel.u32(this.#lists.targets, offsets[this.#nodes]);
    const length = wanted?.length ?? this.#nodes;
    const ranges: Range[] = [];
    let visits = 0;
    let range = { from: 0, to: 0, visits: 0 };
    for (let i = 0; i < length; i++) {
      const x = wanted?.[i] ?? i;
      range.visits += 1 + offsets[x + 1] - offsets[x];
      for (let at = offsets[x]; at < offsets[x + 1]; at++)
        range.visits += offsets[targets[at] + 1] - offsets[targets[at]];
      range.to = i + 1;
      if (range.visits < VISITS_A_CALL && range.to < length) continue;
      ranges.push(range);
      visits += range.visits;
      range = { from: range.to, to: range.to, visits: 0 };
    }
    return { ranges, visits };
  }

  close(): Promise<void> {
    return this.#kernel.close();
  }
}

interface Range {
  from: number;
  to: number;
  visits: number;
}

function bytesNeeded({ nodes, arcs }: Graph, threads: number): number {
  const hand = alignTo16(nodes / 8 + 4) + alignTo16(4 * (nodes + 1));
  return 4 * arcs + 8 * (nodes + 1) + 12 * nodes + threads * hand + 1024;
}
