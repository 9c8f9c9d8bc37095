/**
 * The sample of a crawl in the form that the kernel of offline TSE needs: nodes that are numbers.
 *
 * Idea      Only domains at an end of a sampled arc matter to TSE, so only those get numbers. All
 *           others are unknown, and an unknown in-neighbour brings no supporters. The k sources are
 *           nodes 0 to k - 1, the other targets nodes up to m - 1. Each source s has a second node
 *           m + s to which only s itself links: with it, s can be put into the set of its own
 *           supporters, to be subtracted again (live-tse.ts). The nodes after these are free for
 *           the domains that are estimated.
 * Cost      about 250 ns an arc, in slices, except for a last one of some 40 ns an arc inside the
 *           kernel. Memory: 17 to 33 bytes a node, and per arc at most 17 while it is built and 9
 *           after that; with seeds 4 more of each, and 28 a source.
 */
import type { Pacer } from '../../base/pacer.ts';
import type { SupportersKernel } from '../../rank/supporters/supporters-kernel.ts';
import { type Trust, type WalkedArcs, walkTrust } from '../../rank/supporters/trust-walk.ts';
import { buildIndex, type SampleIndex } from '../../rank/supporters/tse-index.ts';
import { ARC_WORDS, type Arcs, arcWords } from './arc-set.ts';
import { KeyTable } from './key-table.ts';

export interface LiveIndex extends SampleIndex {
  readonly keys: KeyTable;
  /** m, the number of nodes that are domains. */
  readonly domains: number;
  /** How many sampled sources link to each node. */
  readonly linked: Uint32Array;
  /** The first free node. */
  readonly firstFree: number;
  /** The arcs, and the trust that flows along them from the seeds, if these are given. */
  readonly walked: { readonly arcs: WalkedArcs; readonly trust: Trust } | undefined;
}

/**
 * Builds the index, with `free` nodes left for domains to be estimated. With the keys of seeds,
 * also finds out how much trust each source gives.
 */
export async function indexArcs(
  kernel: SupportersKernel,
  arcs: Arcs,
  free: number,
  pacer: Pacer,
  seeds?: readonly bigint[],
): Promise<LiveIndex> {
  const keys = new KeyTable();
  // Sources first, so their numbers are those of the sample.
  const ends = new Uint32Array(arcs.length + 1);
  for (const words of arcWords(arcs)) {
    for (let at = 0; at < words.length; at += ARC_WORDS)
      ends[keys.numberOf(words[at], words[at + 1])]++;
    await pacer.pause();
  }
  const sources = keys.size;
  const lengths = Array.from(ends.subarray(0, sources), (arcCount) => arcCount + 1);
  startLists(ends, sources);
  const targets = new Uint32Array(arcs.length + sources);
  for (const words of arcWords(arcs)) {
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      const source = keys.lookUp(words[at], words[at + 1]);
      targets[ends[source]++] = keys.numberOf(words[at + 2], words[at + 3]);
    }
    await pacer.pause();
  }
  const domains = keys.size;
  const walked =
    seeds && (await walk(walkedArcs(domains, lengths, ends, targets), seeds, keys, pacer));
  const linked = new Uint32Array(domains);
  for (let source = 0, at = 0; source < sources; source++) {
    for (; at < ends[source]; at++) linked[targets[at]]++;
    targets[at++] = domains + source;
  }
  await pacer.pause();
  const firstFree = domains + sources;
  const numbers = Array.from(lengths, (_, source) => source);
  const index = buildIndex(kernel, firstFree + free, {
    sources: numbers,
    lengths,
    pieces: [targets],
  });
  return { ...index, keys, domains, linked, firstFree, walked };
}

async function walk(arcs: WalkedArcs, seeds: readonly bigint[], keys: KeyTable, pacer: Pacer) {
  return { arcs, trust: await walkTrust(arcs, numbersOf(seeds, keys), pacer) };
}

/** Numbers of the keys that have one, in their order, each once. */
function numbersOf(wanted: readonly bigint[], keys: KeyTable): number[] {
  const numbers = new Set<number>();
  for (const key of wanted) {
    const number = keys.lookUp(Number(key & 0xffffffffn), Number(key >> 32n));
    if (number >= 0) numbers.add(number);
  }
  return [...numbers];
}

/** The lists, which have room for one more target each. */
function walkedArcs(
  nodes: number,
  lengths: readonly number[],
  ends: Uint32Array,
  targets: Uint32Array,
): WalkedArcs {
  const sources = Uint32Array.from(lengths, (_, source) => source);
  const begins = Uint32Array.from(lengths, (length, source) => ends[source] - (length - 1));
  // A copy: `ends` has an entry for each arc.
  return { nodes, sources, begins, ends: ends.slice(0, lengths.length), targets };
}

/** Turns the lengths of lists into their starts, with room for one more entry in each. */
function startLists(lengths: Uint32Array, count: number): void {
  let start = 0;
  for (let i = 0; i < count; i++) {
    const length = lengths[i];
    lengths[i] = start;
    start += length + 1;
  }
}
