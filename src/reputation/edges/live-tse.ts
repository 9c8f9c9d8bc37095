/**
 * TSE on the graph of a crawl, as far as it is known: for every domain of an agent, an estimate of
 * its supporters at level two.
 *
 * Idea      The same estimate as offline (rank/supporters/tse-core.ts), with the same kernel: the
 *           number of sampled domains that link to an in-neighbour of x, each counted once, without
 *           x and without those that link to x, divided by p. Domains are keys here, not numbers,
 *           so an in-list is first translated (live-index.ts); what is not in the sample is
 *           dropped. The kernel counts unions. The domains to leave out, D, are known from the
 *           sample alone. D is put into the union and its size is subtracted again: |U without D| =
 *           |U and D| - |D|.
 * Requires  the lists contain all sampled arcs to x.
 * Ensures   what `drumlin rank --by tse --sample name` gives on the same graph with the same p and
 *           seed, for every domain that has an in-link. The arcs of the sample are those at the
 *           moment when the first estimate is asked for.
 * Cost      one pass over the lists, beside other work: the event loop has a turn after every few
 *           thousand arcs. Only a list with many thousand in-neighbours that sampled domains link
 *           to is counted in one go.
 */
import { flatOut, type Pacer } from '../../base/pacer.ts';
import { findExchanges } from '../../rank/supporters/link-exchanges.ts';
import { SupportersKernel } from '../../rank/supporters/supporters-kernel.ts';
import { CAP, PassedOn, WORTH } from '../../rank/supporters/trusted-score.ts';
import type { EdgeLists } from './edge-lists.ts';
import { indexArcs, type LiveIndex } from './live-index.ts';
import type { DrawnArcs } from './supporter-sample.ts';

/**
 * Keys of domains, estimates of how many supporters they have, and 1 for those that exchange links
 * (link-exchanges.ts); the first `length` count.
 */
interface SupporterEstimates {
  readonly length: number;
  readonly targets: BigUint64Array;
  readonly supporters: Float64Array;
  readonly exchanges: Uint8Array;
}

interface EstimateOptions {
  readonly pacer?: Pacer;
  /**
   * Keys of the domains of the seeds: estimates trusted supporters (trusted-score.ts), as offline
   * `--by trusted` does, instead of all.
   */
  readonly seeds?: readonly bigint[] | undefined;
  /** How many domains, and known in-neighbours, are counted at once. */
  readonly atOnce?: number;
}

/**
 * Streams an estimate for every target of the lists, in their order. Each batch is valid until the
 * next is asked for.
 */
export async function* estimateSupporters(
  lists: AsyncIterable<EdgeLists>,
  sample: { arcs(): DrawnArcs },
  { pacer = flatOut, atOnce = 8192, seeds }: EstimateOptions = {},
): AsyncGenerator<SupporterEstimates> {
  const kernel = new SupportersKernel(1);
  try {
    const arcs = sample.arcs();
    const index = await indexArcs(kernel, arcs, atOnce, pacer, seeds);
    const counter = new UnionCounter(kernel, index, arcs.p, atOnce);
    for await (const block of lists) {
      for (let next = 0; next < block.length; ) {
        next = counter.take(block, next);
        if (counter.isFull) yield await counter.count();
      }
      await pacer.pause();
    }
    if (counter.length > 0) yield await counter.count();
  } finally {
    await kernel.close();
  }
}

/** Collects lists as numbers in the memory of the kernel, and counts them when there are enough. */
class UnionCounter implements SupporterEstimates {
  readonly targets: BigUint64Array;
  readonly supporters: Float64Array;
  readonly exchanges: Uint8Array;
  length = 0;
  /** There are enough lists, all complete. */
  isFull = false;
  readonly #kernel: SupportersKernel;
  readonly #index: LiveIndex;
  readonly #atOnce: number;
  readonly #places: {
    readonly [Name in 'marks' | 'offsets' | 'nodes' | 'places' | 'counts']: number;
  };
  readonly #targetWords: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #nodes: Uint32Array;
  readonly #counts: Uint32Array;
  /** For each domain, the size of the set to leave out. */
  readonly #leftOut: Uint32Array;
  readonly #p: number;
  /** Only if supporters must be trusted. */
  readonly #passed: PassedOn | undefined;
  /** For each source, 1 if it exchanges links; the same. */
  readonly #isExchange: Uint8Array | undefined;
  #filled = 0;

  constructor(kernel: SupportersKernel, index: LiveIndex, p: number, atOnce: number) {
    // The last list is begun if there is any room left: it may contain all domains of the sample,
    // and two nodes of its own.
    const room = atOnce + index.domains + 2;
    this.#kernel = kernel;
    this.#index = index;
    this.#atOnce = atOnce;
    this.#p = p;
    this.#passed =
      index.walked && new PassedOn(atOnce, { p, cap: CAP, worth: WORTH, ...index.walked });
    this.#isExchange = index.walked && findExchanges({ p, linked: index.linked, ...index.walked });
    this.#places = {
      marks: kernel.allocate(index.markBytes),
      offsets: kernel.allocate(4 * (atOnce + 1)),
      counts: kernel.allocate(4 * atOnce),
      nodes: kernel.allocate(4 * room),
      places: kernel.allocate(4 * (room + 1)),
    };
    this.#offsets = kernel.u32(this.#places.offsets, atOnce + 1);
    this.#counts = kernel.u32(this.#places.counts, atOnce);
    this.#nodes = kernel.u32(this.#places.nodes, room);
    this.targets = new BigUint64Array(atOnce);
    this.#targetWords = wordsOf(this.targets);
    this.supporters = new Float64Array(atOnce);
    this.exchanges = new Uint8Array(atOnce);
    this.#leftOut = new Uint32Array(atOnce);
  }

  /**
   * Adds lists of a block from number `from` on, until it is full. Returns the first that was not
   * added.
   */
  take(block: EdgeLists, from: number): number {
    const words = wordsOf(block.sources);
    const targets = wordsOf(block.targets);
    let i = from;
    for (; i < block.length && !this.isFull; i++) {
      const start = i === 0 ? 0 : block.ends[i - 1];
      const end = block.ends[i];
      const before = i === 0 ? block.before : 0;
      if (before === 0) this.#begin(targets[2 * i], targets[2 * i + 1]);
      this.#addKnown(words, 2 * start, 2 * end);
      if (before + end - start < block.degrees[i]) continue;
      this.#offsets[this.length] = this.#filled;
      this.isFull = this.length === this.#atOnce || this.#filled >= this.#atOnce;
    }
    return i;
  }

  async count(): Promise<SupporterEstimates> {
    const { marks, offsets, nodes, places, counts } = this.#places;
    const { address, firstFree } = this.#index;
    const { length } = this;
    this.#counts.fill(0, 0, length);
    const lists = [firstFree, length, offsets, nodes, places] as const;
    await this.#kernel.call(0, ['countSampled', address, marks, ...lists, counts]);
    for (let i = 0; i < length; i++) {
      const found = this.#counts[i] - this.#leftOut[i];
      this.supporters[i] = this.#passed?.score(i, found) ?? found / this.#p;
    }
    this.length = 0;
    this.#filled = 0;
    this.isFull = false;
    const { targets, supporters, exchanges } = this;
    return { length, targets, supporters, exchanges };
  }

  /** Puts the domains to leave out into the union: those that link to the domain, and itself. */
  #begin(low: number, high: number): void {
    const { keys, domains, sources, linked } = this.#index;
    const own = keys.lookUp(low, high);
    this.#targetWords[2 * this.length] = low;
    this.#targetWords[2 * this.length + 1] = high;
    this.#leftOut[this.length] = 0;
    this.#passed?.begin(this.length, own < sources ? own : -1);
    this.exchanges[this.length] = own >= 0 && own < sources ? (this.#isExchange?.[own] ?? 0) : 0;
    if (own >= 0 && linked[own] > 0) {
      this.#nodes[this.#filled++] = own;
      this.#leftOut[this.length] = linked[own];
    }
    if (own >= 0 && own < sources) {
      this.#nodes[this.#filled++] = domains + own;
      this.#leftOut[this.length]++;
    }
    this.length++;
  }

  #addKnown(words: Uint32Array, from: number, to: number): void {
    const { keys, linked, sources } = this.#index;
    const passed = this.#passed;
    const nodes = this.#nodes;
    let filled = this.#filled;
    for (let at = from; at < to; at += 2) {
      const node = keys.lookUp(words[at], words[at + 1]);
      if (node < 0) continue;
      nodes[filled++] = node;
      if (node < sources) passed?.add(this.length - 1, linked[node], node);
    }
    this.#filled = filled;
  }
}

function wordsOf(keys: BigUint64Array): Uint32Array {
  return new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
}
