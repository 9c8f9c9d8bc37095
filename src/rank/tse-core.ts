/**
 * Top Supporters Estimation on streams of adjacency lists: no files, no graph, so that a crawl can rank what it has seen so far.
 *
 * Idea      a node z supports x at level two when it links to one of x's in-neighbours, to x itself not, and is not x. The first pass
 *           over the out-lists keeps the lists of a fraction p of all sources; the second, over the in-lists, finds for each x the
 *           kept sources that support it, each once, and x's estimate is their number / p. As sources are drawn, not visits, nothing
 *           favours sources that reach x in many ways.
 * Requires  lists in increasing order of nodes, each list once.
 * Ensures   unbiased; the number found is binomial, so the relative error has deviation √((1 - p) / (p · SUPP)).
 *           With p = 1 it is SUPP itself.
 * Costs     one pass over the out-lists, one over the in-lists for every part of the sample that fits the memory at a time. RAM: the
 *           sampled part of the out-graph, n / 4 bytes, and the blocks in hand.
 *
 * Y. Cui, C. Sparkman, H.-T. Lee, D. Loguinov, Unsupervised Domain Ranking in Large-Scale Web Crawls, ACM Trans. Web 12(4), 2018, §6.3.
 */
import type { AdjacencyBlock } from '../graph/graph.ts';
import { type SupportersKernel, shareOut } from './supporters-kernel.ts';
import type { RetainedSample, SampleIndex } from './tse-index.ts';

/** What a retained arc takes while its index is built, in bytes: see tse-index.ts. */
export const BYTES_PER_ARC = 16;
/** What the blocks in hand take, in bytes, beside one list that is longer than a block: see `Slot`. */
export const blockBytes = (hands: number, blockArcs: number): number => slotsOf(hands) * 16 * (blockArcs + 4);

const PIECE = 65_536;

export interface Retained extends RetainedSample {
  readonly arcs: number;
  /** The node at which the sample was full, to go on from; undefined when the stream was read to its end. */
  readonly next: number | undefined;
}

/** Keeps the lists of sampled sources, as many as make `mostArcs` arcs, but at least one. */
export async function retain(
  outLists: AsyncIterable<AdjacencyBlock>,
  isSampled: (node: number) => boolean,
  mostArcs: number,
): Promise<Retained> {
  const sources: number[] = [];
  const lengths: number[] = [];
  const pieces = new Pieces();
  for await (const { first, count, offsets, targets } of outLists) {
    for (let i = 0; i < count; i++) {
      if (!isSampled(first + i) || offsets[i] === offsets[i + 1]) continue;
      const length = offsets[i + 1] - offsets[i];
      if (sources.length > 0 && pieces.length + length > mostArcs)
        return { sources, lengths, pieces: pieces.all(), arcs: pieces.length, next: first + i };
      sources.push(first + i);
      lengths.push(length);
      pieces.push(targets, offsets[i], offsets[i + 1]);
    }
  }
  return { sources, lengths, pieces: pieces.all(), arcs: pieces.length, next: undefined };
}

/** A list of words that grows without ever being copied. */
class Pieces {
  readonly #full: Uint32Array[] = [];
  #last = new Uint32Array(PIECE);
  #used = 0;

  get length(): number {
    return this.#full.length * PIECE + this.#used;
  }

  push(words: Uint32Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      if (this.#used === PIECE) {
        this.#full.push(this.#last);
        this.#last = new Uint32Array(PIECE);
        this.#used = 0;
      }
      const end = Math.min(to, at + PIECE - this.#used);
      this.#last.set(words.subarray(at, end), this.#used);
      this.#used += end - at;
      at = end;
    }
  }

  all(): Uint32Array[] {
    return [...this.#full, this.#last.subarray(0, this.#used)];
  }
}

/**
 * Counts, for each node whose in-list streams by, the sampled supporters; hands them to `add` with the first node they are of, block
 * by block, in no order. What is handed over is valid until `add` returns.
 * Requires  blocks of at most `blockArcs` nodes, and of at most as many arcs unless they hold but one list.
 */
export async function countSampled(
  kernel: SupportersKernel,
  index: SampleIndex,
  inLists: AsyncIterable<AdjacencyBlock>,
  blockArcs: number,
  add: (first: number, counts: Uint32Array) => void,
): Promise<void> {
  const marks = Array.from({ length: kernel.hands }, () => kernel.allocate(index.markBytes));
  const slots = Array.from({ length: slotsOf(kernel.hands) }, () => new Slot(kernel, blockArcs));
  const longList = new LongList(kernel);
  await shareOut(slots.length, inLists, async (block, number) => {
    const { first, count: nodes } = block;
    const slot = slots[number];
    const hand = number % kernel.hands;
    const isLong = block.offsets[nodes] > blockArcs;
    slot.fill(block);
    const arcs = await (isLong ? longList.take(block) : slot.fillArcs(block));
    return async () => {
      const place = [index.address, marks[hand], first, nodes, slot.offsets] as const;
      try {
        await kernel.call(hand, ['countSampled', ...place, arcs.targets, arcs.places, slot.counts]);
      } finally {
        if (isLong) longList.giveBack();
      }
      add(first, kernel.u32(slot.counts, nodes));
    };
  });
}

/** Two blocks a hand: one is being counted while the next is read. */
function slotsOf(hands: number): number {
  return hands === 1 ? 1 : 2 * hands;
}

/** Where the arcs of a block are, and room to write down which of them matter. */
interface Arcs {
  readonly targets: number;
  readonly places: number;
}

/** In 8 bytes an arc, and some. */
function layArcs(
  kernel: SupportersKernel,
  address: number,
  { count, offsets, targets }: AdjacencyBlock,
): Arcs {
  const arcs = offsets[count];
  // The engine copies to shared memory eight bytes at a time if both ends are as far from a multiple of eight, else byte by byte.
  const aligned = address + (targets.byteOffset % 8);
  kernel.u32(aligned, arcs).set(targets.subarray(0, arcs));
  return { targets: aligned, places: address + 4 * (arcs + 1) };
}

const arcsBytes = (arcs: number): number => 8 * (arcs + 1);

/** Room for a block, and for what is found. */
class Slot {
  readonly offsets: number;
  readonly counts: number;
  readonly #arcs: number;
  readonly #kernel: SupportersKernel;
  readonly #room: number;

  constructor(kernel: SupportersKernel, blockArcs: number) {
    this.#kernel = kernel;
    this.#room = blockArcs;
    this.offsets = kernel.allocate(4 * (blockArcs + 1));
    this.counts = kernel.allocate(4 * blockArcs);
    this.#arcs = kernel.allocate(arcsBytes(blockArcs));
  }

  /** All of a block but the arcs. */
  fill({ count, offsets }: AdjacencyBlock): void {
    if (count > this.#room) throw new RangeError(`a block of ${count} nodes, where ${this.#room} fit`);
    this.#kernel.u32(this.offsets, count + 1).set(offsets.subarray(0, count + 1));
    this.#kernel.u32(this.counts, count).fill(0);
  }

  fillArcs(block: AdjacencyBlock): Arcs {
    return layArcs(this.#kernel, this.#arcs, block);
  }
}

/** Room for one list that is longer than a block. A graph has few of those; the next one waits for the one before. */
class LongList {
  readonly #kernel: SupportersKernel;
  readonly #address: number;
  #bytes = 0;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  /** Nothing is allocated behind it, so that it can grow where it is. */
  constructor(kernel: SupportersKernel) {
    this.#kernel = kernel;
    this.#address = kernel.allocate(0);
  }

  async take(block: AdjacencyBlock): Promise<Arcs> {
    await this.#free;
    const needed = arcsBytes(block.offsets[block.count]);
    if (this.#bytes < needed) {
      this.#kernel.allocate(needed - this.#bytes);
      this.#bytes = needed;
    }
    this.#free = new Promise((resolve) => {
      this.#release = resolve;
    });
    return layArcs(this.#kernel, this.#address, block);
  }

  giveBack(): void {
    this.#release();
  }
}
