/**
 * Gathers the links between domains that an agent's pages contain, for the owners of their targets.
 *
 * Idea      The pages of a site repeat their links, so the same edge is found again and again: within one parcel it is sent once, and one
 *           that was sent a moment ago is not sent again. Each page has one unit of cash, which it shares equally among the other
 *           domains it links to: OPIC's flow (Abiteboul, Preda, Cobena, 2003) with one visit a page. Cash is added up by target,
 *           since nobody asks from whom it came, and is never left out.
 *
 *             page ─► targets of each owner: name, sources, cash ─► drain ─► parcel (edge-parcel.ts)
 *
 * Requires  names of pay-level domains as they stand in canonical URLs (ASCII), no slices of pages: they are kept. Whoever writes a checkpoint
 *           drains first: what is here is in no file.
 * Ensures   every edge found is sent once at least, and once a parcel at the most. With cash, what was drained and what is still here
 *           add up to one a page that links to another domain, but for rounding.
 * Cost      about 3 µs for a page of 60 links; the memory of the cache and of what was not drained, and about 100 bytes for each of up to 32,768 names
 *           met lately.
 */
import { RecentCache } from '../sieve/recent-cache.ts';
import type { Bytes } from '../units.ts';
import { partitionOfFingerprint } from '../url/fingerprint.ts';
import { xxh64 } from '../url/xxh64.ts';
import { EdgeParcelWriter } from './edge-parcel.ts';

export interface EdgeGathererOptions {
  readonly owners: number;
  /** Which of them owns a partition. */
  readonly ownerOf: (partition: number) => number;
  /** Whether anybody counts cash: the rank is OPIC. */
  readonly cash: boolean;
  /** For remembering edges sent lately. */
  readonly cache: Bytes;
}

/** Names are remembered, since hashing them takes longer; when there are so many, those with nothing to send are forgotten. */
const MOST_NAMES = 32_768;
/** Pairs are numbers: that of the source times this, and that of the target. */
const TARGETS = 2 ** 26;

export class EdgeGatherer {
  readonly #options: EdgeGathererOptions;
  readonly #cache: RecentCache | undefined;
  readonly #names = new Map<string, Target>();
  readonly #lanes: readonly Lane[];
  /** The targets of the page at hand. */
  readonly #ofPage: Target[] = [];
  #pages = 0;
  #mostNames = MOST_NAMES;

  constructor(options: EdgeGathererOptions) {
    this.#options = options;
    this.#cache = options.cache > 0 ? new RecentCache(options.cache) : undefined;
    this.#lanes = Array.from({ length: options.owners }, () => new Lane());
  }

  /** Edges that wait to be drained, of all owners. */
  get waiting(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.edges, 0);
  }

  /** Notes a page: the key of its domain, and the domains that it links to, in any order and with any repeats. */
  page(source: bigint, targets: Iterable<string>): void {
    const page = ++this.#pages;
    const ofPage = this.#ofPage;
    ofPage.length = 0;
    for (const name of targets) {
      const target = this.#names.get(name) ?? this.#meet(name);
      if (target.page === page) continue;
      target.page = page;
      if (target.key !== source) ofPage.push(target);
    }
    for (const target of ofPage) target.lane.add(target, source, 1 / ofPage.length);
  }

  /** What waits for an owner, packed; undefined when nothing does. */
  drain(owner: number): Uint8Array | undefined {
    return this.#lanes[owner].drain(this.#cache, this.#options.cash);
  }

  #meet(name: string): Target {
    if (this.#names.size >= this.#mostNames) this.#forgetNames();
    const key = xxh64(name);
    const lane = this.#lanes[this.#options.ownerOf(partitionOfFingerprint(key))];
    const target: Target = { name, key, lane, page: 0, number: -1, sources: [], cash: 0 };
    this.#names.set(name, target);
    return target;
  }

  #forgetNames(): void {
    // Those of the page at hand will have something to send in a moment.
    const kept = [...this.#names.values()].filter(({ number, page }) => number >= 0 || page === this.#pages);
    this.#names.clear();
    for (const target of kept) this.#names.set(target.name, target);
    this.#mostNames = Math.max(MOST_NAMES, 2 * this.#names.size);
  }
}

/** A domain that is linked to. */
interface Target {
  readonly name: string;
  readonly key: bigint;
  readonly lane: Lane;
  /** The last page that linked to it: a page counts once. */
  page: number;
  /** Its place among those of its lane that have something to send; -1 when it has nothing. */
  number: number;
  readonly sources: bigint[];
  cash: number;
}

/** What waits for one owner. */
class Lane {
  readonly #targets: Target[] = [];
  readonly #pairs = new Set<number>();
  readonly #sources = new Map<bigint, number>();
  /** The source met last, which is mostly met again, and its number. */
  #source = 0n;
  #sourceNumber = -1;

  get edges(): number {
    return this.#pairs.size;
  }

  add(target: Target, source: bigint, cash: number): void {
    if (target.number < 0) target.number = this.#targets.push(target) - 1;
    target.cash += cash;
    const pairs = this.#pairs.size;
    this.#pairs.add(this.#numberOf(source) * TARGETS + target.number);
    if (this.#pairs.size > pairs) target.sources.push(source);
  }

  drain(cache: RecentCache | undefined, withCash: boolean): Uint8Array | undefined {
    if (cache) this.#leaveOutRecent(cache);
    const sent = this.#targets.filter(({ sources }) => withCash || sources.length > 0);
    const edges = sent.reduce((sum, { sources }) => sum + sources.length, 0);
    const names = sent.reduce((sum, { name }) => sum + name.length, 0);
    const parcel = sent.length > 0 ? new EdgeParcelWriter(sent.length, edges, withCash, names) : undefined;
    if (parcel) fill(parcel, sent);
    this.#clear();
    return parcel?.bytes;
  }

  #numberOf(source: bigint): number {
    if (source === this.#source && this.#sourceNumber >= 0) return this.#sourceNumber;
    let number = this.#sources.get(source);
    if (number === undefined) {
      number = this.#sources.size;
      this.#sources.set(source, number);
    }
    this.#source = source;
    this.#sourceNumber = number;
    return number;
  }

  #leaveOutRecent(cache: RecentCache): void {
    const keys = pairKeys(this.#targets, this.edges);
    const keep = new Uint8Array(keys.length);
    if (cache.admit(keys, keys.length, keep) === keys.length) return;
    let i = 0;
    for (const { sources } of this.#targets) {
      let kept = 0;
      for (const source of sources) if (keep[i++] === 1) sources[kept++] = source;
      sources.length = kept;
    }
  }

  #clear(): void {
    for (const target of this.#targets) {
      target.number = -1;
      target.sources.length = 0;
      target.cash = 0;
    }
    this.#targets.length = 0;
    this.#pairs.clear();
    this.#sources.clear();
    this.#sourceNumber = -1;
  }
}

function fill(parcel: EdgeParcelWriter, targets: readonly Target[]): void {
  let end = 0;
  for (let i = 0; i < targets.length; i++) {
    const { name, key, sources, cash } = targets[i];
    parcel.targets[i] = key;
    parcel.addName(i, name);
    for (const source of sources) parcel.sources[end++] = source;
    parcel.ends[i] = end;
    if (parcel.cash.length > 0) parcel.cash[i] = cash;
  }
}

/** Of all edges of the targets: a key that no other edge has with the same target or the same source, and any other with probability 2^-64. */
function pairKeys(targets: readonly Target[], edges: number): BigUint64Array {
  const keys = new BigUint64Array(2 * edges);
  let end = 0;
  for (const { key, sources } of targets) {
    for (const source of sources) {
      keys[end++] = key;
      keys[end++] = source;
    }
  }
  const words = new Uint32Array(keys.buffer);
  for (let i = 0; i < edges; i++) {
    const at = 4 * i;
    const low = words[at] + Math.imul(words[at + 2], 0x9e3779b1);
    const high = words[at + 1] + Math.imul(words[at + 3], 0x85ebca6b);
    words[2 * i] = low;
    words[2 * i + 1] = high;
  }
  return keys.subarray(0, edges);
}
