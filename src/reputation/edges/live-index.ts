/**
 * The sample of a crawl as the kernel of offline TSE wants it: nodes that are numbers.
 *
 * Idea      Only domains that a sampled arc has at one of its ends matter to TSE, so only those get numbers; all others are unknown, and an
 *           in-neighbour that is unknown brings nobody. Beside the k sources, 0 to k - 1, and the other targets, up to m - 1,
 *           each source s has a second node m + s that only s itself links to: with it a domain can be among its own supporters, to be
 *           taken away from them again (live-tse.ts). Behind these the nodes are free for the domains that are estimated.
 * Cost      about 250 ns an arc, in slices but for a last one of some 40 ns an arc, which is a kernel's; memory: 17 to 33 bytes a node, and at
 *           most 17 an arc while it is built, 9 after that.
 */
import type { Pacer } from '../../base/pacer.ts';
import type { SupportersKernel } from '../../rank/supporters/supporters-kernel.ts';
import { buildIndex, type SampleIndex } from '../../rank/supporters/tse-index.ts';
import { ARC_WORDS, type Arcs, arcWords } from './arc-set.ts';
import { KeyTable } from './key-table.ts';

export interface LiveIndex extends SampleIndex {
  readonly keys: KeyTable;
  /** m, the nodes that are domains. */
  readonly domains: number;
  /** How many sampled sources link to each. */
  readonly linked: Uint32Array;
  /** The first node that is nobody's. */
  readonly firstFree: number;
}

/** `free` nodes are left for domains to be estimated. */
export async function indexArcs(
  kernel: SupportersKernel,
  arcs: Arcs,
  free: number,
  pacer: Pacer,
): Promise<LiveIndex> {
  const keys = new KeyTable();
  // Sources first: their numbers are then those of the sample.
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
  return { ...index, keys, domains, linked, firstFree };
}

/** Turns the lengths of lists into where they begin, with room for one more in each. */
function startLists(lengths: Uint32Array, count: number): void {
  let start = 0;
  for (let i = 0; i < count; i++) {
    const length = lengths[i];
    lengths[i] = start;
    start += length + 1;
  }
}
