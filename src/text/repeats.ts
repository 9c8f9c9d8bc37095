/**
 * What repeats on a site: the blocks that stand on many pages of a host.
 *
 * Idea      a block of a host is a 32-bit key, a page is a number. Pairs of them are sorted on disk
 *           (src/disk/external-sort.ts), which leaves each page once; the length of a group is the
 *           number of pages with that block. A key of the host alone counts its pages. Only keys on
 *           at least `FEWEST` pages are kept, and they are few: what repeats.
 * Requires  each page once, in any order, from any number of threads: one counter takes their keys.
 * Ensures   the table depends only on the set of pages, not on their order.
 * Cost      8 bytes a block on disk while counting, `memory` while sorting, then 5 bytes for each
 *           block that repeats. Two blocks share a key with probability 2^-32.
 */
import type { Disk } from '../disk/disk.ts';
import { PairSorter } from '../disk/external-sort.ts';
import type { Block } from './block.ts';

/** Fewer pages show nothing. */
const FEWEST = 3;
/** On so many pages a block repeats, however large the host. */
const MANY = 20;
/** … or on this share of the host's pages. */
const SHARE = 0.2;
/** Blocks of a page that count; a page with more is a list. */
const MOST_BLOCKS = 1024;

/** A hash of a text (FNV-1a over UTF-16 units, then mixed). */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The key of a host: it counts the pages of the host. */
function hostKey(host: string): number {
  return hashOf(host, 0x9e3779b1);
}

function blockKey(host: number, block: Block): number {
  return hashOf(block.text, host);
}

/** The keys of a page: of its host first, then of its blocks. */
export function repeatKeys(host: string, blocks: readonly Block[]): Uint32Array {
  const key = hostKey(host);
  const count = Math.min(blocks.length, MOST_BLOCKS);
  const keys = new Uint32Array(count + 1);
  keys[0] = key;
  for (let i = 0; i < count; i++) keys[i + 1] = blockKey(key, blocks[i]);
  return keys;
}

/** Counts keys of pages on disk. `folder` must exist and is used for temporary files. */
export class RepeatCounter {
  readonly #sorter: PairSorter;

  constructor(disk: Disk, folder: string, memory: number) {
    this.#sorter = new PairSorter(disk, folder, 'repeats', memory);
  }

  /** Adds the keys of a page. `page` is any number below 2^32 that no other page has. */
  async add(page: number, keys: Uint32Array): Promise<void> {
    await this.#sorter.add(keys, new Uint32Array(keys.length).fill(page));
  }

  /** Ends the counting. Call it once. */
  async finish(): Promise<RepeatTable> {
    const keys: number[] = [];
    const counts: number[] = [];
    let last = -1;
    let pages = 0;
    const keep = (): void => {
      if (pages < FEWEST) return;
      keys.push(last);
      counts.push(Math.min(pages, COUNT_LIMIT));
    };
    for await (const { first, count, offsets } of this.#sorter.sorted()) {
      for (let i = 0; i < count; i++) {
        const length = offsets[i + 1] - offsets[i];
        if (length === 0) continue;
        // A key with very many pages comes in several groups.
        if (first + i === last) pages += length;
        else {
          keep();
          last = first + i;
          pages = length;
        }
      }
    }
    keep();
    return new RepeatTable(Uint32Array.from(keys), Uint16Array.from(counts));
  }

  /** Ends the counting without a result. */
  async abandon(): Promise<void> {
    await this.#sorter.abandon();
  }
}

const COUNT_LIMIT = 0xffff;

/** The keys that repeat, in order, with their numbers of pages. It can be sent to other threads. */
export class RepeatTable {
  readonly keys: Uint32Array;
  readonly counts: Uint16Array;

  constructor(keys: Uint32Array, counts: Uint16Array) {
    this.keys = keys;
    this.counts = counts;
  }

  /** The test for the pages of a host: does a block repeat on it? */
  of(host: string): (block: Block) => boolean {
    const key = hostKey(host);
    const pages = this.#count(key);
    if (pages < FEWEST) return () => false;
    const many = Math.max(FEWEST, Math.min(MANY, Math.ceil(pages * SHARE)));
    return (block) => this.#count(blockKey(key, block)) >= many;
  }

  #count(key: number): number {
    const { keys } = this;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return keys[low] === key ? this.counts[low] : 0;
  }
}
