/**
 * The pages of all parts together: which versions each has, and when each was valid.
 *
 * Idea      Parts list pages in the order of their keys, so one merge brings the captures of a page
 *           together, whatever part or folder they are in. In the order of time they give
 *           stretches: a version is valid from a capture of it to the next capture of another, or
 *           to an answer that the page is gone. A
 *           revisit is a capture of the version that it refers to or, if that is unknown, of the
 *           one before it.
 * Requires  Parts in a fixed order.
 * Ensures   The same stretches however captures are divided into parts. Of a version that several
 *           parts hold, the first counts and the others have no captures. Captures of one page at
 *           the same time count in the order of their texts.
 * Cost      Some numbers a version and a stretch in memory; one pass over all captures.
 */
import type { Millis } from '../../base/units.ts';
import { placeOf } from '../store/keys.ts';
import type { Part } from '../store/part.ts';
import {
  type Capture,
  GONE,
  type PageSightings,
  type SightingsReader,
} from '../store/sightings.ts';

export class Pages {
  /** The first version of each part in the numbers of all; after the last, their number. */
  readonly bases: readonly number[];
  readonly versions: number;
  /** The page of each version. */
  readonly pageOf: Uint32Array;
  /** The hash of the text of each version. */
  readonly #texts: BigUint64Array;
  /** Of each version: first and last capture, and how many; 0 if an earlier part holds it, too. */
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
  readonly captures: Uint32Array;
  /** Of each page; pages are in the order of their keys. */
  readonly versionCounts: number[] = [];
  readonly keys: bigint[] = [];
  /** Stretches, those of a page together, in the order of time. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #stretchVersions: number[] = [];
  /** The first stretch of each page. */
  readonly #firstStretches: number[] = [];
  first: Millis = Number.POSITIVE_INFINITY;
  last: Millis = Number.NEGATIVE_INFINITY;

  private constructor(parts: readonly Part[]) {
    const bases = [0];
    for (const part of parts) bases.push(bases[bases.length - 1] + part.versions.count);
    this.bases = bases;
    this.versions = bases[parts.length];
    this.pageOf = new Uint32Array(this.versions);
    this.#texts = new BigUint64Array(this.versions);
    this.firsts = new Float64Array(this.versions).fill(Number.POSITIVE_INFINITY);
    this.lasts = new Float64Array(this.versions).fill(Number.NEGATIVE_INFINITY);
    this.captures = new Uint32Array(this.versions);
  }

  static async join(parts: readonly Part[]): Promise<Pages> {
    const pages = new Pages(parts);
    const readers: SightingsReader[] = [];
    for (const part of parts) readers.push(await part.sightings());
    const heads = readers.map((reader) => reader.next());
    for (;;) {
      let key: bigint | undefined;
      for (const head of heads)
        if (head !== undefined && (key === undefined || head.key < key)) key = head.key;
      if (key === undefined) return pages;
      const found: [part: number, page: PageSightings][] = [];
      for (const [part, head] of heads.entries()) {
        if (head === undefined || head.key !== key) continue;
        found.push([part, head]);
        heads[part] = readers[part].next();
      }
      pages.#add(found);
    }
  }

  /** The page with a key; -1 if there is none. */
  pageWith(key: bigint): number {
    return placeOf(this.keys, key);
  }

  /** A name of a version that is the same in every index: of its page and of its text. */
  idOf(version: number): string {
    const hex = (key: bigint) => key.toString(16).padStart(16, '0');
    return `${hex(this.keys[this.pageOf[version]])}-${hex(this.#texts[version])}`;
  }

  /** The versions of a page that were valid at a time or later. */
  endingAfter(page: number, time: Millis): number[] {
    const first = this.#firstStretches[page];
    const found: number[] = [];
    for (let i = (this.#firstStretches[page + 1] ?? this.#ends.length) - 1; i >= first; i--) {
      if (this.#ends[i] <= time) break;
      if (!found.includes(this.#stretchVersions[i])) found.push(this.#stretchVersions[i]);
    }
    return found;
  }

  /** Calls `visit` for every stretch, those of a page in the order of time. */
  eachStretch(visit: (version: number, start: Millis, end: Millis) => void): void {
    const versions = this.#stretchVersions;
    for (let i = 0; i < versions.length; i++) visit(versions[i], this.#starts[i], this.#ends[i]);
  }

  #add(found: readonly (readonly [part: number, page: PageSightings])[]): void {
    const page = this.versionCounts.length;
    const versions = this.#versionsIn(page, found);
    const captures = versions.size === 0 ? [] : capturesIn(found);
    if (captures.length === 0) return;
    this.versionCounts.push(versions.size);
    this.keys.push(found[0][1].key);
    this.#firstStretches.push(this.#starts.length);
    const seen: [time: Millis, version: number][] = [];
    const bySecond = new Map<number, number>();
    for (const capture of captures) {
      const before = seen.at(-1)?.[1];
      const version = versionAt(capture, before, bySecond, versions);
      if (version === undefined) continue;
      seen.push([capture.time, version]);
      if (version === GONE_PAGE) continue;
      const second = Math.floor(capture.time / 1000);
      if (!bySecond.has(second)) bySecond.set(second, version);
      this.#see(version, capture.time);
    }
    this.#stretch(seen);
  }

  /** Versions of a page by their texts, in the numbers of all parts. */
  #versionsIn(
    page: number,
    found: readonly (readonly [part: number, page: PageSightings])[],
  ): Map<bigint, number> {
    const versions = new Map<bigint, number>();
    for (const [part, sightings] of found) {
      for (const { text, local } of sightings.versions) {
        if (local < 0) continue;
        const version = this.bases[part] + local;
        this.pageOf[version] = page;
        this.#texts[version] = text;
        if (!versions.has(text)) versions.set(text, version);
      }
    }
    return versions;
  }

  #see(version: number, time: Millis): void {
    this.firsts[version] = Math.min(this.firsts[version], time);
    this.lasts[version] = Math.max(this.lasts[version], time);
    this.captures[version]++;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
  }

  #stretch(seen: readonly (readonly [time: Millis, version: number])[]): void {
    let before = GONE_PAGE;
    for (const [time, version] of seen) {
      if (version === before) continue;
      if (before !== GONE_PAGE) this.#ends.push(time);
      before = version;
      if (version === GONE_PAGE) continue;
      this.#starts.push(time);
      this.#stretchVersions.push(version);
    }
    if (before !== GONE_PAGE) this.#ends.push(Number.POSITIVE_INFINITY);
  }
}

/** In place of a version: the page was gone. */
const GONE_PAGE = -1;

interface TextCapture {
  readonly time: Millis;
  /** Undefined for a revisit. */
  readonly text: bigint | undefined;
  readonly refersTo: Millis;
}

/** The captures of a page from all parts, in the order of time and text; equal ones once. */
function capturesIn(
  found: readonly (readonly [part: number, page: PageSightings])[],
): readonly TextCapture[] {
  const all = found.flatMap(([, { versions, captures }]) =>
    captures.map(({ time, version, refersTo }: Capture) => ({
      ...{ time, refersTo, text: version < 0 ? undefined : versions[version].text },
    })),
  );
  if (found.length === 1) return all;
  all.sort(compare);
  return all.filter((capture, i) => i === 0 || compare(all[i - 1], capture) !== 0);
}

/** As lines are sorted (build/sighting-lines.ts): revisits before captures. */
function compare(a: TextCapture, b: TextCapture): number {
  if (a.time !== b.time) return a.time - b.time;
  if (a.text === undefined || b.text === undefined) {
    if (a.text !== b.text) return a.text === undefined ? -1 : 1;
    return a.refersTo - b.refersTo;
  }
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

/**
 * The version that a capture shows; undefined for a revisit, or an end, of nothing that is known.
 */
function versionAt(
  { text, refersTo }: TextCapture,
  before: number | undefined,
  bySecond: ReadonlyMap<number, number>,
  versions: ReadonlyMap<bigint, number>,
): number | undefined {
  if (text !== undefined) return versions.get(text);
  if (refersTo === GONE) return before === undefined ? undefined : GONE_PAGE;
  const original = refersTo < 0 ? undefined : bySecond.get(Math.floor(refersTo / 1000));
  return original ?? before;
}
