/**
 * The sample of TSE's first pass, turned round so that the second pass can ask: which sampled sources link to y?
 *
 * Idea      sources are numbered 0 .. k - 1. A bit a node tells whether any of them links there, which for most is no and costs one look
 *           into a small array; for the others the bits before it, counted, give the number of its list.
 *
 *             bits    1 bit a node     | does a sampled source link to it?
 *             ranks   u32 a 32 nodes   | how many bits stand before this word
 *             starts  u32 a list       | where list number `rank` begins in the pool; the next begins where it ends
 *             pool    u32s             | lists: numbers of sources, or, where that is no longer, one bit a source
 *             sources u32 a source     | their nodes, increasing
 *
 *           A list that would be as long as a row of k bits is such a row: it takes no more memory, and joining two of them costs
 *           a 128th of an operation a source. Hubs have such rows, and most visits are to hubs.
 * Requires  sources in increasing order; targets below `nodes`.
 * Costs     n / 4 bytes and at most 8 a sampled arc; while it is being built, another 8 with the sample itself.
 */
import { ones } from './supporters-bits.ts';
import type { SupportersKernel } from './supporters-kernel.ts';

/** Sampled sources and where they link to: list i has `lengths[i]` targets; the lists follow one another through the pieces. */
export interface RetainedSample {
  readonly sources: readonly number[];
  readonly lengths: readonly number[];
  readonly pieces: readonly Uint32Array[];
}

/** In a kernel's memory; `address` is what `countSampled` takes. */
export interface SampleIndex {
  readonly address: number;
  readonly sources: number;
  /** What a counting hand needs for its marks. */
  readonly markBytes: number;
}

const FIELDS = 7;
const ROW_BITS = 128;

export function buildIndex(kernel: SupportersKernel, nodes: number, sample: RetainedSample): SampleIndex {
  const address = kernel.allocate(4 * FIELDS);
  const allocate = (length: number): [at: number, words: Uint32Array] => {
    const at = kernel.allocate(4 * length);
    return [at, kernel.u32(at, length)];
  };
  const { length: count } = sample.sources;
  const rowWords = Math.max(1, Math.ceil(count / ROW_BITS)) * (ROW_BITS / 32);
  const [bitsAt, bits] = allocate(Math.floor(nodes / 32) + 1);
  const [ranksAt, ranks] = allocate(bits.length);
  const [sourcesAt, sources] = allocate(count);
  sources.set(sample.sources);
  const lists = markTargets(bits, ranks, sample);
  const [startsAt, starts] = allocate(lists + 1);
  const [poolAt, pool] = allocate(planLists(bits, ranks, starts, rowWords, sample));
  fillLists(bits, ranks, starts, pool, rowWords, sample);
  kernel.u32(address, FIELDS).set([bitsAt, ranksAt, startsAt, poolAt, rowWords, sourcesAt, count]);
  return { address, sources: count, markBytes: 4 * rowWords };
}

/** Sets the bit of each target, and counts the bits before each word; gives how many there are in all. */
function markTargets(bits: Uint32Array, ranks: Uint32Array, sample: RetainedSample): number {
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++) bits[piece[i] >>> 5] |= 1 << (piece[i] & 31);
  }
  let before = 0;
  for (let word = 0; word < bits.length; word++) {
    ranks[word] = before;
    before += ones(bits[word]);
  }
  return before;
}

/** Writes where each list begins, given that none takes more than a row; gives where the last one ends. */
function planLists(
  bits: Uint32Array,
  ranks: Uint32Array,
  starts: Uint32Array,
  rowWords: number,
  sample: RetainedSample,
): number {
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++) starts[rankOf(bits, ranks, piece[i])]++;
  }
  let end = 0;
  for (let list = 0; list < starts.length; list++) {
    const length = Math.min(starts[list], rowWords);
    starts[list] = end;
    end += length;
  }
  return end;
}

function fillLists(
  bits: Uint32Array,
  ranks: Uint32Array,
  starts: Uint32Array,
  pool: Uint32Array,
  rowWords: number,
  sample: RetainedSample,
): void {
  /** Where each list goes on. */
  const next = starts.slice();
  let source = 0;
  let left = sample.lengths[0] ?? 0;
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++, left--) {
      while (left === 0) left = sample.lengths[++source];
      const list = rankOf(bits, ranks, piece[i]);
      const start = starts[list];
      if (starts[list + 1] - start < rowWords) pool[next[list]++] = source;
      else pool[start + (source >>> 5)] |= 1 << (source & 31);
    }
  }
}

/** The number of a target's list. */
function rankOf(bits: Uint32Array, ranks: Uint32Array, target: number): number {
  const word = target >>> 5;
  return ranks[word] + ones(bits[word] & ((1 << (target & 31)) - 1));
}
