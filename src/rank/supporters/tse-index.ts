/**
 * The sample of TSE's first pass, inverted so that the second pass can ask: which sampled sources
 * link to y?
 *
 * Idea      Sources are numbered 0 .. k - 1. A bit per node tells whether any of them links there.
 *           For most nodes none does, which costs one access to a small array. For the others, the
 *           number of bits set before it is the number of its list.
 *
 *             filter  about 2^20 bits  | does a sampled source link to y, or to y ± 2^20, …?
 *                                      | Folded to fit a cache near the core
 *             bits    u32 a 32 nodes   | does a sampled source link to it? Beside each word:
 *             rank    u32              | how many bits are set before it
 *             starts  u32 a list       | where list number `rank` begins in the pool; it ends
 *                                      | where the next begins
 *             pool    u32s             | lists: numbers of sources, or one bit a source if that
 *                                      | is no longer
 *             sources u32 a source     | their nodes, increasing
 *
 *           A list as long as a row of k bits is stored as such a row: it takes no more memory, and
 *           joining two rows costs a 128th of an operation per source. Hubs have such rows, and
 *           most visits are to hubs.
 * Requires  sources in increasing order; targets below `nodes`.
 * Costs     n / 4 bytes and at most 9 a sampled arc; while it is being built, another 8 with the
 *           sample itself.
 */
import { onesIn } from '../../base/bits.ts';
import type { SupportersKernel } from './supporters-kernel.ts';

/**
 * Sampled sources and their links: list i has `lengths[i]` targets; the lists are stored one after
 * the other in the pieces.
 */
export interface RetainedSample {
  readonly sources: readonly number[];
  readonly lengths: readonly number[];
  readonly pieces: readonly Uint32Array[];
}

/** An index in a kernel's memory; `address` is the argument of `countSampled`. */
export interface SampleIndex {
  readonly address: number;
  readonly sources: number;
  /** Size of the marks of one hand. */
  readonly markBytes: number;
}

const FIELDS = 8;
const ROW_BITS = 128;
/** Bits of the filter per list: so many that few other nodes pass. */
const FILTER_BITS_A_LIST = 8;
const MOST_FILTER_BITS = 2 ** 21;
const NO_MASK = 2 ** 32 - 1;

export function buildIndex(
  kernel: SupportersKernel,
  nodes: number,
  sample: RetainedSample,
): SampleIndex {
  const address = kernel.allocate(4 * FIELDS);
  const allocate = (length: number): [at: number, words: Uint32Array] => {
    const at = kernel.allocate(4 * length);
    return [at, kernel.u32(at, length)];
  };
  const { length: count } = sample.sources;
  const rowWords = Math.max(1, Math.ceil(count / ROW_BITS)) * (ROW_BITS / 32);
  const [rankedAt, ranked] = allocate(2 * (Math.floor(nodes / 32) + 1));
  const [sourcesAt, sources] = allocate(count);
  sources.set(sample.sources);
  const lists = markTargets(ranked, sample);
  const [startsAt, starts] = allocate(lists + 1);
  const [poolAt, pool] = allocate(planLists(ranked, starts, rowWords, sample));
  fillLists(ranked, starts, pool, rowWords, sample);
  const filterWords = Math.min(ranked.length / 2, filterWordsFor(lists));
  const [filterAt, filter] = allocate(filterWords);
  for (let at = 0; at < ranked.length; at += 2) filter[(at / 2) % filterWords] |= ranked[at];
  const mask = 2 * filterWords === ranked.length ? NO_MASK : 32 * filterWords - 1;
  kernel
    .u32(address, FIELDS)
    .set([rankedAt, startsAt, poolAt, rowWords, sourcesAt, count, filterAt, mask]);
  return { address, sources: count, markBytes: 4 * rowWords };
}

/** The size of the filter, a power of two. */
function filterWordsFor(lists: number): number {
  const bits = Math.min(MOST_FILTER_BITS, FILTER_BITS_A_LIST * Math.max(4, lists));
  return 2 ** Math.ceil(Math.log2(bits / 32));
}

/**
 * Sets the bit of each target, and counts the bits before each word. Returns how many bits are set
 * in all.
 */
function markTargets(ranked: Uint32Array, sample: RetainedSample): number {
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++) ranked[(piece[i] >>> 5) * 2] |= 1 << (piece[i] & 31);
  }
  let before = 0;
  for (let at = 0; at < ranked.length; at += 2) {
    ranked[at + 1] = before;
    before += onesIn(ranked[at]);
  }
  return before;
}

/**
 * Writes where each list begins; no list takes more than a row. Returns where the last one ends.
 */
function planLists(
  ranked: Uint32Array,
  starts: Uint32Array,
  rowWords: number,
  sample: RetainedSample,
): number {
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++) starts[rankOf(ranked, piece[i])]++;
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
  ranked: Uint32Array,
  starts: Uint32Array,
  pool: Uint32Array,
  rowWords: number,
  sample: RetainedSample,
): void {
  /** Where the next source of each list goes. */
  const next = starts.slice();
  let source = 0;
  let left = sample.lengths[0] ?? 0;
  for (const piece of sample.pieces) {
    for (let i = 0; i < piece.length; i++, left--) {
      while (left === 0) left = sample.lengths[++source];
      const list = rankOf(ranked, piece[i]);
      const start = starts[list];
      if (starts[list + 1] - start < rowWords) pool[next[list]++] = source;
      else pool[start + (source >>> 5)] |= 1 << (source & 31);
    }
  }
}

/** The number of a target's list. */
function rankOf(ranked: Uint32Array, target: number): number {
  const at = (target >>> 5) * 2;
  return ranked[at + 1] + onesIn(ranked[at] & ((1 << (target & 31)) - 1));
}
