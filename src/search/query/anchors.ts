/**
 * The anchors of all parts together: which versions each belongs to, and lists of postings of them.
 *
 * Idea      A version has the anchors that were seen before it ended: a page that is linked keeps
 *           what was said of it. Parts list targets in the order of their keys, so one merge brings
 *           the anchors of a page together. The postings of a word number anchors; they become
 *           postings of versions when a query asks for the word.
 * Ensures   The same lists however captures are divided into parts and folders: an anchor that
 *           several parts have counts once, from its first sighting, and of the anchors of a page
 *           the `MOST_ANCHORS` with the least hashes count.
 * Cost      8 bytes of memory an anchor and 4 a version; one pass over all anchors. A list costs
 *           about 20 ns a posting, once: lists are kept up to `KEPT`.
 */
import type { Bytes } from '../../base/units.ts';
import { type AnchorReader, MOST_ANCHORS, type TargetAnchors } from '../store/anchor-file.ts';
import { encodeList } from '../store/encode-list.ts';
import type { ListBytes, Part } from '../store/part.ts';
import type { Pages } from './pages.ts';

/** Lists that were made are kept up to this size together. */
const KEPT: Bytes = 16 * 2 ** 20;
const PER_LIST: Bytes = 200;

/** The lists of a term, by part; undefined where a part has no version with it. */
type PartList = ListBytes | undefined;

/**
 * The versions of the anchors of a part: those of `i` are `versions[starts[i] .. starts[i + 1])`.
 */
interface AnchorVersions {
  readonly starts: Uint32Array;
  readonly versions: Uint32Array;
}

interface Seen {
  time: number;
  readonly words: number;
  readonly part: number;
  readonly number: number;
}

export class Anchors {
  /** Words of the anchors of each version. */
  readonly words: Uint32Array;
  /** Whether there are any. */
  readonly hasAny: boolean;
  readonly #parts: readonly Part[];
  readonly #bases: readonly number[];
  readonly #versions: readonly AnchorVersions[];
  /** Frequencies by version while a list is made; all 0 otherwise. */
  readonly #counts: Uint32Array;
  readonly #kept = new Map<string, readonly PartList[]>();
  #keptBytes: Bytes = 0;

  private constructor(
    parts: readonly Part[],
    pages: Pages,
    versions: readonly AnchorVersions[],
    words: Uint32Array,
  ) {
    this.#parts = parts;
    this.#bases = pages.bases;
    this.words = words;
    this.#versions = versions;
    this.hasAny = this.#versions.some((each) => each.versions.length > 0);
    this.#counts = new Uint32Array(this.hasAny ? pages.versions : 0);
  }

  static async join(parts: readonly Part[], pages: Pages): Promise<Anchors> {
    const readers: (AnchorReader | undefined)[] = [];
    for (const part of parts) readers.push(await part.anchors());
    const having = parts.map(({ info }) => new VersionLists(info.anchors ?? 0));
    const words = new Uint32Array(pages.versions);
    const heads = readers.map((reader) => reader?.next());
    for (;;) {
      let key: bigint | undefined;
      for (const head of heads)
        if (head !== undefined && (key === undefined || head.key < key)) key = head.key;
      if (key === undefined) break;
      const found: [part: number, target: TargetAnchors][] = [];
      for (const [part, head] of heads.entries()) {
        if (head === undefined || head.key !== key) continue;
        found.push([part, head]);
        heads[part] = readers[part]?.next();
      }
      const page = pages.pageWith(key);
      if (page < 0) continue; // never captured
      for (const { part, number, time, words: count } of together(found)) {
        for (const version of pages.endingAfter(page, time)) {
          having[part].add(number, version);
          words[version] += count;
        }
      }
    }
    const lists = having.map((each) => each.end());
    return new Anchors(parts, pages, lists, words);
  }

  /** The versions of a part whose anchors have a term; await it if it is a promise. */
  listBytes(part: number, term: string): PartList | Promise<PartList> {
    const known = this.#kept.get(term);
    return known ? known[part] : this.#keep(part, term);
  }

  async #keep(part: number, term: string): Promise<PartList> {
    const made = await this.#make(term);
    if (this.#kept.has(term)) return made[part];
    this.#keptBytes += bytesOf(made);
    for (const [oldest, lists] of this.#kept) {
      if (this.#keptBytes <= KEPT) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(lists);
    }
    this.#kept.set(term, made);
    return made[part];
  }

  async #make(term: string): Promise<PartList[]> {
    const lists = await Promise.all(this.#parts.map((part) => part.list(term)));
    const found: number[] = [];
    for (const [i, list] of lists.entries()) {
      const { starts, versions } = this.#versions[i];
      list?.eachPosting((anchor, frequency) => {
        for (let at = starts[anchor]; at < starts[anchor + 1]; at++) {
          const version = versions[at];
          if (this.#counts[version] === 0) found.push(version);
          this.#counts[version] += frequency;
        }
      });
    }
    const all = Uint32Array.from(found).sort();
    const frequencies = all.map((version) => this.#counts[version]);
    for (const version of found) this.#counts[version] = 0;
    return this.#parts.map((part, i) => this.#listOf(term, part, i, all, frequencies));
  }

  #listOf(
    term: string,
    part: Part,
    i: number,
    all: Uint32Array,
    frequencies: Uint32Array,
  ): PartList {
    const [base, end] = [this.#bases[i], this.#bases[i + 1]];
    const [from, to] = [firstFrom(all, base), firstFrom(all, end)];
    if (from === to) return undefined;
    const ids = all.subarray(from, to).map((version) => version - base);
    const postings = { ids, frequencies: frequencies.subarray(from, to) };
    const lengthOf = (id: number) => this.words[base + id];
    return encodeList(term, postings, part.settings.block, lengthOf);
  }
}

/** The anchors of a page that count, each with its number in the first part that has it. */
function together(found: readonly (readonly [part: number, target: TargetAnchors])[]): Seen[] {
  const seen = new Map<bigint, Seen>();
  for (const [part, { first, anchors }] of found) {
    for (const [i, { hash, time, words }] of anchors.entries()) {
      const known = seen.get(hash);
      if (known === undefined) seen.set(hash, { time, words, part, number: first + i });
      else known.time = Math.min(known.time, time);
    }
  }
  if (seen.size <= MOST_ANCHORS) return [...seen.values()];
  const hashes = [...seen.keys()].sort((a, b) => (a < b ? -1 : 1)).slice(0, MOST_ANCHORS);
  return hashes.flatMap((hash) => seen.get(hash) ?? []);
}

/** The versions of anchors, given in the order of the anchors. */
class VersionLists {
  readonly #starts: Uint32Array;
  readonly #versions: number[] = [];
  #next = 0;

  constructor(anchors: number) {
    this.#starts = new Uint32Array(anchors + 1);
  }

  add(anchor: number, version: number): void {
    while (this.#next <= anchor) this.#starts[this.#next++] = this.#versions.length;
    this.#versions.push(version);
  }

  end(): AnchorVersions {
    this.#starts.fill(this.#versions.length, this.#next);
    return { starts: this.#starts, versions: Uint32Array.from(this.#versions) };
  }
}

/** How many numbers of a sorted list are below one. */
function firstFrom(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const bytesOf = (lists: readonly PartList[]): Bytes =>
  lists.reduce((sum, list) => sum + PER_LIST + (list?.bytes.length ?? 0), 0);
