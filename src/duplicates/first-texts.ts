/**
 * Which site had a text first: tells copied pages from their originals, in fixed memory.
 *
 * Idea      A sketch has 16 words of eight places each. Two pages with the same text agree in all
 *           of them, pages with nine tenths of their text in common in four of ten, others in none.
 *           Eight words of every page are keys of a table, each with the site that came with it
 *           first. A page with two words of the same other site is a copy.
 *
 *             page ─► 8 words ─► sets of 4 entries: word, first site
 *
 * Requires  pages in the order in which they count. Sites have numbers of 32 bits.
 * Ensures   Memory is fixed: in a full set the oldest entry makes room. A table that is restored
 *           from what `encode` wrote gives the same answers. Pages of few shingles are no copies
 *           and have none: messages of servers, frames and lists, which many sites share.
 * Cost      About 1 µs a page. 2 MiB for 32,768 pages with texts of their own; copies take no room.
 */
import type { Fingerprint } from './fingerprint.ts';

/** What is needed of a page. */
export type PageText = Pick<Fingerprint, 'sketch' | 'distinct'>;

const WORDS = 8;
const NEEDED = 2;
const WAYS = 4;
/** 65,536 sets: 2 MiB. */
const SETS_LOG2 = 16;
const LEAST_SHINGLES = 32;
const NONE = 0;
/** Of an entry as it is written. */
const FIELDS = 3;

export class FirstTexts {
  readonly #setsLog2: number;
  readonly #keys: Uint32Array;
  /** 0 is none; a set is filled from its front. */
  readonly #sites: Uint32Array;
  #filled = 0;
  /** Of the page that is entered: other sites that have a word of it. */
  readonly #others = new Uint32Array(WORDS);

  constructor(setsLog2 = SETS_LOG2) {
    this.#setsLog2 = setsLog2;
    this.#keys = new Uint32Array(2 ** setsLog2 * WAYS);
    this.#sites = new Uint32Array(2 ** setsLog2 * WAYS);
  }

  /** Enters a page of a site. Returns whether its text is that of another site's earlier page. */
  enter({ sketch, distinct }: PageText, site: number): boolean {
    if (distinct < LEAST_SHINGLES) return false;
    const own = (site + 1) >>> 0 || 1;
    let found = 0;
    for (let word = 0; word < WORDS; word++) {
      const key = Math.imul(sketch[word] + word, 0x9e3779b1) >>> 0;
      const first = this.#firstOf(key, word, own);
      if (first !== own) this.#others[found++] = first;
    }
    return mostAlike(this.#others, found) >= NEEDED;
  }

  /** The first site with a key, which is `own` if none had it. */
  #firstOf(key: number, word: number, own: number): number {
    const set = (Math.imul(key ^ word, 0x85ebca77) >>> (32 - this.#setsLog2)) * WAYS;
    const [keys, sites] = [this.#keys, this.#sites];
    for (let i = set; i < set + WAYS && sites[i] !== NONE; i++)
      if (keys[i] === key) return sites[i];
    if (sites[set + WAYS - 1] === NONE) this.#filled++;
    keys.copyWithin(set + 1, set, set + WAYS - 1);
    sites.copyWithin(set + 1, set, set + WAYS - 1);
    keys[set] = key;
    sites[set] = own;
    return own;
  }

  /** Place, key and site of each entry. */
  encode(): Uint8Array {
    const sites = this.#sites;
    const entries = new Uint32Array(FIELDS * this.#filled);
    let at = 0;
    for (let i = 0; i < sites.length; i++) {
      if (sites[i] === NONE) continue;
      entries[at++] = i;
      entries[at++] = this.#keys[i];
      entries[at++] = sites[i];
    }
    return new Uint8Array(entries.buffer);
  }

  /** Replaces the table by what `encode` of one of the same size wrote. */
  restore(bytes: Uint8Array): void {
    const entries = new Uint32Array(bytes.slice().buffer);
    this.#sites.fill(NONE);
    this.#filled = entries.length / FIELDS;
    for (let at = 0; at < entries.length; at += FIELDS) {
      this.#keys[entries[at]] = entries[at + 1];
      this.#sites[entries[at]] = entries[at + 2];
    }
  }
}

/** How often the most frequent of the first `count` values is among them. */
function mostAlike(values: Uint32Array, count: number): number {
  let most = 0;
  for (let i = 0; i < count; i++) {
    let same = 0;
    for (let j = 0; j < count; j++) if (values[j] === values[i]) same++;
    most = Math.max(most, same);
  }
  return most;
}
