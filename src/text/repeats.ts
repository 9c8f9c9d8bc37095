/**
 * What repeats on a site: the blocks that stand on many pages of a host.
 *
 * Idea      a block of a host is a 32-bit key, a page is a number. Pairs of them are sorted, in
 *           memory or on disk (src/disk/external-sort.ts), which leaves each page once; the length
 *           of a group is the number of pages with that block. A key of the host alone counts its
 *           pages. Only keys on at least `FEWEST` pages are kept, and they are few: what repeats.
 * Requires  each page once, in any order, from any number of threads: one counter takes their keys.
 * Ensures   the table depends only on the set of pages, not on their order.
 * Cost      `memory` while counting, and 8 bytes a block on disk if that is not enough; then 6
 *           bytes for each block that repeats. Two blocks share a key with probability 2^-32.
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

/** The key of a host: it counts the pages of the host. */
function hostKey(host: string): number {
  let hash = 0x9e3779b1 ^ 0x811c9dc5;
  for (let at = 0; at < host.length; at++) hash = Math.imul(hash ^ host.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

function blockKey(host: number, block: Block): number {
  return mixed(Math.imul(block.hash ^ host, 0x9e3779b1) ^ host);
}

function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The keys of a page: of its host first, then of its blocks; those of more blocks are left out. */
export function repeatKeys(host: string, blocks: readonly Block[]): Uint32Array {
  return blockKeys(host, blocks.slice(0, MOST_BLOCKS));
}

/** The key of a host, then of all blocks. */
export function blockKeys(host: string, blocks: readonly Block[]): Uint32Array {
  const key = hostKey(host);
  const keys = new Uint32Array(blocks.length + 1);
  keys[0] = key;
  for (let i = 0; i < blocks.length; i++) keys[i + 1] = blockKey(key, blocks[i]);
  return keys;
}

/** Counts keys of pages. `folder` must exist; it gets files if the keys do not fit in memory. */
export class RepeatCounter {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #memory: number;
  /** Pairs in memory: a key and a page each. */
  #keys: Uint32Array;
  #pages: Uint32Array;
  #held = 0;
  #sorter: PairSorter | undefined;

  constructor(disk: Disk, folder: string, memory: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#memory = memory;
    // Sorting in memory takes as much again.
    const pairs = Math.max(1, Math.floor(memory / (2 * PAIR_BYTES)));
    this.#keys = new Uint32Array(pairs);
    this.#pages = new Uint32Array(pairs);
  }

  /** Adds the keys of a page. `page` is any number below 2^32 that no other page has. */
  async add(page: number, keys: Uint32Array): Promise<void> {
    for (const key of keys) {
      if (this.#held === this.#keys.length) await this.#spill();
      this.#keys[this.#held] = key;
      this.#pages[this.#held++] = page;
    }
  }

  /** Ends the counting. Call it once. */
  async finish(): Promise<RepeatTable> {
    const groups = new GroupCounter();
    if (this.#sorter === undefined) countHeld(this.#keys, this.#pages, this.#held, groups);
    else {
      await this.#spill();
      this.#keys = this.#pages = new Uint32Array(0);
      for await (const { first, count, offsets } of this.#sorter.sorted())
        for (let i = 0; i < count; i++) groups.add(first + i, offsets[i + 1] - offsets[i]);
    }
    return groups.table();
  }

  /** Ends the counting without a result. */
  async abandon(): Promise<void> {
    await this.#sorter?.abandon();
  }

  async #spill(): Promise<void> {
    this.#sorter ??= new PairSorter(this.#disk, this.#folder, 'repeats', this.#memory);
    await this.#sorter.add(this.#keys, this.#pages, this.#held);
    this.#held = 0;
  }
}

const PAIR_BYTES = 8;

/** Counts the different pages of each key, in memory. */
function countHeld(
  keys: Uint32Array,
  pages: Uint32Array,
  held: number,
  groups: GroupCounter,
): void {
  const pairs = new BigUint64Array(held);
  for (let i = 0; i < held; i++) pairs[i] = (BigInt(keys[i]) << 32n) | BigInt(pages[i]);
  pairs.sort();
  for (let i = 0; i < held; i++)
    if (i === 0 || pairs[i] !== pairs[i - 1]) groups.add(Number(pairs[i] >> 32n), 1);
}

/** Keeps the keys with enough pages. Keys come in order, one with very many pages several times. */
class GroupCounter {
  readonly #keys: number[] = [];
  readonly #counts: number[] = [];
  #key = -1;
  #pages = 0;

  add(key: number, pages: number): void {
    if (pages === 0) return;
    if (key !== this.#key) {
      this.#keep();
      this.#key = key;
      this.#pages = 0;
    }
    this.#pages += pages;
  }

  table(): RepeatTable {
    this.#keep();
    this.#pages = 0;
    return new RepeatTable(Uint32Array.from(this.#keys), Uint16Array.from(this.#counts));
  }

  #keep(): void {
    if (this.#pages < FEWEST) return;
    this.#keys.push(this.#key);
    this.#counts.push(Math.min(this.#pages, COUNT_LIMIT));
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
    const repeats = this.ofKeys(host);
    if (repeats === undefined) return () => false;
    const key = hostKey(host);
    return (block) => repeats(blockKey(key, block));
  }

  /** The same for the keys of blocks; undefined if the host has too few pages to tell. */
  ofKeys(host: string): ((key: number) => boolean) | undefined {
    const pages = this.#count(hostKey(host));
    if (pages < FEWEST) return undefined;
    const many = Math.max(FEWEST, Math.min(MANY, Math.ceil(pages * SHARE)));
    return (key) => this.#count(key) >= many;
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
