/**
 * Top Supporters Estimation on streams of adjacency lists: no files, no graph, so that a crawl can
 * rank what it has seen so far.
 *
 * Idea      A node z supports x at level two if it links to an in-neighbour of x, does not link to
 *           x, and is not x. The first pass, over the out-lists, keeps the lists of a fraction p of
 *           all sources. The second, over the in-lists, finds for each x the kept sources that
 *           support it, each once; the estimate is their number / p. Sources are drawn, not visits,
 *           so sources that reach x in many ways have no advantage.
 * Requires  lists in increasing order of nodes, each list once.
 * Ensures   unbiased; the number found is binomial, so the relative error has deviation √((1 - p) /
 *           (p · SUPP)). With p = 1 it is SUPP itself.
 * Costs     one pass over the out-lists, and one over the in-lists for every part of the sample
 *           that fits the memory. RAM: the sampled part of the out-graph, n / 4 bytes, and the
 *           blocks in use.
 *
 * Y. Cui, C. Sparkman, H.-T. Lee, D. Loguinov, Unsupervised Domain Ranking in Large-Scale Web
 * Crawls, ACM Trans. Web 12(4), 2018, §6.3.
 */
import type { AdjacencyBlock } from '../../graph/graph.ts';
import { feedBlocks } from './blocks.ts';
import type { SupportersKernel } from './supporters-kernel.ts';
import type { RetainedSample, SampleIndex } from './tse-index.ts';

/** Bytes of a retained arc while its index is built, see tse-index.ts. */
export const BYTES_PER_ARC = 16;
/** A source (its number and the length of its list) takes as much memory as this many arcs. */
const ARCS_A_SOURCE = 2;

const PIECE = 65_536;

interface Retained extends RetainedSample {
  readonly arcs: number;
  /**
   * The node at which the sample was full, to continue from; undefined if the stream was read to
   * its end.
   */
  readonly next: number | undefined;
}

/**
 * Keeps the lists of sampled sources, as many as fit the room of `mostArcs` arcs, but at least one.
 */
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
      const taken = pieces.length + ARCS_A_SOURCE * sources.length;
      if (sources.length > 0 && taken + length > mostArcs)
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
 * Counts the sampled supporters of each node in a stream of in-lists. Calls `add` with the counts
 * of a block and its first node, in no order of blocks; the counts are valid until `add` returns.
 * Blocks must be as `feedBlocks` requires.
 */
export async function countSampled(
  kernel: SupportersKernel,
  index: SampleIndex,
  inLists: AsyncIterable<AdjacencyBlock>,
  blockArcs: number,
  add: (first: number, counts: Uint32Array) => void,
): Promise<void> {
  const marks = Array.from({ length: kernel.hands }, () => kernel.allocate(index.markBytes));
  await feedBlocks(
    kernel,
    inLists,
    blockArcs,
    ({ first, count, offsets, targets, places, counts }, hand) => {
      const lists = [first, count, offsets, targets] as const;
      return ['countSampled', index.address, marks[hand], ...lists, places, counts];
    },
    ({ first, count, counts }) => add(first, kernel.u32(counts, count)),
  );
}
