/**
 * The dictionary of a part, read: which terms there are, and where their postings stand.
 *
 * Idea      The first term of each group of 64 is in memory. A look-up finds the group by halving
 *           and reads it. Terms are not decoded to be compared: a term that shares more bytes with
 *           the one before than that one with the term sought differs from it at the same place.
 * Cost      One read of about a kilobyte for each look-up, unless it was read before; for a prefix,
 *           one for each group. A file of up to 16 MiB is in memory, and of a larger
 *           one as many groups.
 */
import type { Bytes } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { GROUP, hasPositions } from './formats.ts';
import type { IndexFile } from './index-file.ts';

/** Where the postings of a term are. */
export interface TermEntry {
  readonly term: string;
  /** Postings. */
  readonly count: number;
  readonly start: number;
  readonly bytes: number;
  readonly positionStart: number;
  readonly positionBytes: number;
}

interface Group {
  readonly first: string;
  readonly terms: number;
  readonly postings: number;
  readonly positions: number;
}

/** Groups that were read are kept up to this size together. */
const KEPT: Bytes = 16 * 2 ** 20;

export class Dictionary {
  readonly #kept = new Map<number, Uint8Array>();
  #keptBytes: Bytes = 0;
  readonly #file: IndexFile;
  readonly #groups: readonly Group[];
  readonly #terms: number;
  /** The content of the file, if it is small. */
  readonly #all: Uint8Array | undefined;

  private constructor(
    file: IndexFile,
    groups: readonly Group[],
    { terms, all }: { terms: number; all: Uint8Array | undefined },
  ) {
    this.#file = file;
    this.#groups = groups;
    this.#terms = terms;
    this.#all = all;
  }

  /** `groups` is the content of the file of groups. */
  static async open(file: IndexFile, groups: Uint8Array, terms: number): Promise<Dictionary> {
    const reader = new VarintReader(groups, HEADER_BYTES);
    const found: Group[] = [];
    while (reader.at < groups.length) {
      const first = textIn(reader);
      const [at, postings, positions] = [reader.next(), reader.next(), reader.next()];
      found.push({ first, terms: at, postings, positions });
    }
    const all = file.length <= KEPT ? await file.content() : undefined;
    return new Dictionary(file, found, { terms, all });
  }

  /** Await what it returns, if it is a promise: what is in memory is found at once. */
  find(term: string): TermEntry | undefined | Promise<TermEntry | undefined> {
    const at = this.#groupOf(term);
    if (at < 0) return undefined;
    const bytes = this.#kept.get(at) ?? this.#read(at);
    return bytes instanceof Promise
      ? bytes.then((read) => this.#findIn(at, read, term))
      : this.#findIn(at, bytes, term);
  }

  #findIn(at: number, bytes: Uint8Array, term: string): TermEntry | undefined {
    const sought = Buffer.from(term);
    const reader = new VarintReader(bytes);
    let { postings: start, positions: positionStart } = this.#groups[at];
    const withPositions = hasPositions(term[0]);
    // How many bytes the term before shares with the one sought.
    let matched = 0;
    let field = 0;
    for (let left = this.#termsIn(at); left > 0; left--) {
      const shared = reader.next();
      const length = reader.next();
      if (shared === 0) field = bytes[reader.at];
      let isSame = false;
      if (shared <= matched) {
        matched = shared;
        while (
          matched < sought.length &&
          matched - shared < length &&
          bytes[reader.at + matched - shared] === sought[matched]
        )
          matched++;
        isSame = matched === sought.length && shared + length === matched;
      }
      reader.skip(length);
      const [count, size] = [reader.next(), reader.next()];
      const hasThem = isSame ? withPositions : hasPositions(String.fromCharCode(field));
      const positionBytes = hasThem ? reader.next() : 0;
      if (isSame) return { term, count, start, bytes: size, positionStart, positionBytes };
      start += size;
      positionStart += positionBytes;
    }
    return undefined;
  }

  /** The terms that begin with a prefix, in order. */
  async *startingWith(prefix: string): AsyncGenerator<TermEntry> {
    for (let at = Math.max(0, this.#groupOf(prefix)); at < this.#groups.length; at++) {
      if (this.#groups[at].first > prefix && !this.#groups[at].first.startsWith(prefix)) return;
      for (const entry of await this.#entries(at)) if (entry.term.startsWith(prefix)) yield entry;
    }
  }

  /** The group that a term is in, if it is in any; -1 for a term before all. */
  #groupOf(term: string): number {
    let [low, high] = [0, this.#groups.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#groups[middle].first <= term) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #termsIn(group: number): number {
    return Math.min(GROUP, this.#terms - group * GROUP);
  }

  #read(group: number): Uint8Array | Promise<Uint8Array> {
    const { terms: from } = this.#groups[group];
    const to = this.#groups[group + 1]?.terms ?? this.#file.length;
    return this.#all ? this.#all.subarray(from, to) : this.#readFile(group, from, to);
  }

  async #readFile(group: number, from: number, to: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(to - from);
    await this.#file.readAll(bytes, from);
    if (this.#keptBytes + bytes.length > KEPT) {
      this.#kept.clear();
      this.#keptBytes = 0;
    }
    if (!this.#kept.has(group)) this.#keptBytes += bytes.length;
    this.#kept.set(group, bytes);
    return bytes;
  }

  async #entries(group: number): Promise<TermEntry[]> {
    const reader = new VarintReader(this.#kept.get(group) ?? (await this.#read(group)));
    const entries: TermEntry[] = [];
    let { postings: start, positions: positionStart } = this.#groups[group];
    let bytes = Buffer.alloc(0);
    for (let left = this.#termsIn(group); left > 0; left--) {
      const shared = reader.next();
      bytes = Buffer.concat([bytes.subarray(0, shared), reader.take(reader.next())]);
      const term = bytes.toString();
      const [count, length] = [reader.next(), reader.next()];
      const positionBytes = hasPositions(term[0]) ? reader.next() : 0;
      const places = { start, bytes: length, positionStart, positionBytes };
      entries.push({ term, count, ...places });
      start += length;
      positionStart += positionBytes;
    }
    return entries;
  }
}

function textIn(reader: VarintReader): string {
  const length = reader.next();
  const { buffer, byteOffset } = reader.take(length);
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}
