/**
 * Gathers the links between domains that an agent's pages contain, for the owners of their targets.
 *
 * Idea      The pages of a site repeat their links, so the same edge is found again and again. An
 *           edge found a moment ago is dropped at once, and no edge is sent twice in one parcel.
 *           Each page has one unit of cash, which it shares equally among the other domains it
 *           links to: OPIC's flow (Abiteboul, Preda, Cobena, 2003) with one visit a page. Cash is
 *           added up by target, since its source does not matter, and is never dropped.
 *
 *             page ─► origins: domain of each link ─► recent: new edges
 *                  ─► targets of each owner: name, sources, cash ─► drain ─► parcel
 *
 * Requires  canonical URLs. A checkpoint drains first: what is here is in no file.
 * Ensures   every edge found is sent at least once, and at most once per parcel. With cash, what
 *           was drained and what is still here add up to one per page that links to another domain,
 *           except for rounding.
 * Cost      about 2 µs for a page of 60 links. Memory: the cache; what was not drained; about 150
 *           bytes for each of up to 32,768 names seen lately; and `Origins`.
 */

import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { RecentCache } from '../../sieve/recent-cache.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { partitionOfFingerprint } from '../../url/fingerprint.ts';
import { PackedUrls } from '../../url/packed-urls.ts';
import { originOf } from '../../url/parts.ts';
import { EdgeParcelWriter } from './edge-parcel.ts';
import { Origins } from './origins.ts';

interface EdgeGathererOptions {
  readonly owners: number;
  /** The agent that owns a partition. */
  readonly ownerOf: (partition: number) => number;
  /** Whether cash is counted: the rank is OPIC. */
  readonly cash: boolean;
  /** Memory for edges found lately. */
  readonly cache: Bytes;
}

/** When there are this many names, those with nothing to send are forgotten. */
const MOST_NAMES = 32_768;
/** A pair is one number: that of the source times this, plus that of the target. */
const TARGETS = 2 ** 26;
const SLASH = 47;

export class EdgeGatherer {
  readonly #options: EdgeGathererOptions;
  #recent: RecentEdges | undefined;
  readonly #names = new Map<string, Target>();
  readonly #origins = new Origins((host) => this.#targetOf(payLevelDomain(host)));
  readonly #lanes: readonly Lane[];
  /** Targets of the page being read. */
  readonly #ofPage: Target[] = [];
  #pages = 0;
  #mostNames = MOST_NAMES;

  constructor(options: EdgeGathererOptions) {
    this.#options = options;
    this.forgetRecent();
    this.#lanes = Array.from({ length: options.owners }, () => new Lane());
  }

  /**
   * Edges that are not drained yet, of all owners. With cash, also targets that have cash to send.
   */
  get waiting(): number {
    const { cash } = this.#options;
    return this.#lanes.reduce((sum, { edges, targets }) => sum + edges + (cash ? targets : 0), 0);
  }

  /**
   * Notes a page: the key of its domain, its URL, and its links, in any order and with any repeats.
   */
  page(source: bigint, url: string, links: readonly string[] | PackedUrls): void {
    const packed = links instanceof PackedUrls ? links : PackedUrls.of(links);
    const targets = this.#targetsOf(source, url, packed);
    if (this.#options.cash)
      for (const target of targets) target.lane.pay(target, 1 / targets.length);
    const { length } = targets;
    const isNew = this.#recent?.admit(source, targets);
    for (let i = 0; i < length; i++) if (isNew?.[i] !== 0) targets[i].lane.add(targets[i], source);
  }

  /** Forgets which edges were found lately: each is sent again when it is found again. */
  forgetRecent(): void {
    const { cache } = this.#options;
    this.#recent = cache > 0 ? new RecentEdges(cache) : undefined;
  }

  /** What is gathered for an owner, packed; undefined if nothing is. */
  drain(owner: number): Uint8Array | undefined {
    return this.#lanes[owner].drain(this.#options.cash);
  }

  /** The other domains that a page links to, each once. */
  #targetsOf(source: bigint, url: string, { text, ends }: PackedUrls): readonly Target[] {
    const page = ++this.#pages;
    const targets = this.#ofPage;
    targets.length = 0;
    let last = originOf(url);
    let start = 0;
    for (let i = 0; i < ends.length; start = ends[i++]) {
      // The links of a page come in groups: those of its own site, those to one other site.
      if (text.charCodeAt(start + last.length) === SLASH && text.startsWith(last, start)) continue;
      const { name, known: target } = this.#origins.at(text, start);
      last = name;
      if (target.page === page) continue;
      target.page = page;
      if (target.key !== source) targets.push(target);
    }
    return targets;
  }

  #targetOf(name: string): Target {
    const known = this.#names.get(name);
    if (known) return known;
    if (this.#names.size >= this.#mostNames) this.#forgetNames();
    const key = xxh64(name);
    const lane = this.#lanes[this.#options.ownerOf(partitionOfFingerprint(key))];
    const [low, high] = [Number(key & 0xffff_ffffn), Number(key >> 32n)];
    // A copy, because a slice of a URL, itself a slice of a page, would keep the page in memory.
    const copy = Buffer.from(name, 'latin1').toString('latin1');
    const target: Target = {
      name: copy,
      key,
      low,
      high,
      lane,
      page: 0,
      number: -1,
      sources: [],
      cash: 0,
    };
    this.#names.set(copy, target);
    return target;
  }

  #forgetNames(): void {
    // Targets of the page being read will have something to send in a moment.
    const kept = [...this.#names.values()].filter(
      ({ number, page }) => number >= 0 || page === this.#pages,
    );
    this.#names.clear();
    this.#origins.forget();
    for (const target of kept) this.#names.set(target.name, target);
    this.#mostNames = Math.max(MOST_NAMES, 2 * this.#names.size);
  }
}

/** A domain that is linked to. */
interface Target {
  readonly name: string;
  readonly key: bigint;
  /** Lower half of the key. */
  readonly low: number;
  readonly high: number;
  readonly lane: Lane;
  /** The last page that linked to it: a page counts once. */
  page: number;
  /** Its index among the targets of its lane that have something to send; -1 if it has nothing. */
  number: number;
  readonly sources: bigint[];
  cash: number;
}

/**
 * Edges found lately, by 64-bit keys. Two edges with the same target or the same source never share
 * a key; any other two do with probability 2^-64.
 */
class RecentEdges {
  readonly #cache: RecentCache;
  #keys = new BigUint64Array(64);
  #words = new Uint32Array(this.#keys.buffer);
  #isNew = new Uint8Array(64);

  constructor(memory: Bytes) {
    this.#cache = new RecentCache(memory);
  }

  /** For each edge of a page, whether it was not found lately. Valid until the next call. */
  admit(source: bigint, targets: readonly Target[]): Uint8Array {
    if (targets.length > this.#isNew.length) this.#grow(2 * targets.length);
    const words = this.#words;
    const low = Math.imul(Number(source & 0xffff_ffffn), 0x9e3779b1);
    const high = Math.imul(Number(source >> 32n), 0x85ebca6b);
    for (let i = 0; i < targets.length; i++) {
      words[2 * i] = targets[i].low + low;
      words[2 * i + 1] = targets[i].high + high;
    }
    this.#cache.admit(this.#keys, targets.length, this.#isNew);
    return this.#isNew;
  }

  #grow(room: number): void {
    this.#keys = new BigUint64Array(room);
    this.#words = new Uint32Array(this.#keys.buffer);
    this.#isNew = new Uint8Array(room);
  }
}

/** The edges gathered for one owner. */
class Lane {
  readonly #targets: Target[] = [];
  readonly #pairs = new Set<number>();
  readonly #sources = new Map<bigint, number>();

  get edges(): number {
    return this.#pairs.size;
  }

  get targets(): number {
    return this.#targets.length;
  }

  pay(target: Target, cash: number): void {
    this.#enter(target);
    target.cash += cash;
  }

  add(target: Target, source: bigint): void {
    this.#enter(target);
    const pairs = this.#pairs.size;
    this.#pairs.add(this.#numberOf(source) * TARGETS + target.number);
    if (this.#pairs.size > pairs) target.sources.push(source);
  }

  drain(withCash: boolean): Uint8Array | undefined {
    const targets = this.#targets;
    if (targets.length === 0) return undefined;
    const names = targets.reduce((sum, { name }) => sum + name.length, 0);
    const parcel = new EdgeParcelWriter(targets.length, this.edges, withCash, names);
    fill(parcel, targets);
    this.#clear();
    return parcel.bytes;
  }

  #enter(target: Target): void {
    if (target.number < 0) target.number = this.#targets.push(target) - 1;
  }

  #numberOf(source: bigint): number {
    let number = this.#sources.get(source);
    if (number === undefined) {
      number = this.#sources.size;
      this.#sources.set(source, number);
    }
    return number;
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
