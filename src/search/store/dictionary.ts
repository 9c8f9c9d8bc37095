/**
 * The dictionary of a part, read: which terms there are, and where their postings stand.
 *
 * Idea      The first term of each group of 64 is in memory. A look-up finds the group by halving
 *           and reads it.
 * Cost      One read of about a kilobyte for each look-up; for a prefix, one for each group.
 */
import { VarintReader } from '../../base/varint.ts';
import type { StateFile } from '../../disk/block-file.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { GROUP, hasPositions } from './formats.ts';

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

export class Dictionary {
  readonly #file: StateFile;
  readonly #groups: readonly Group[];
  readonly #end: number;
  readonly #terms: number;

  private constructor(file: StateFile, groups: readonly Group[], end: number, terms: number) {
    this.#file = file;
    this.#groups = groups;
    this.#end = end;
    this.#terms = terms;
  }

  /** `groups` is the content of the file of groups. */
  static async open(file: StateFile, groups: Uint8Array, terms: number): Promise<Dictionary> {
    const reader = new VarintReader(groups, HEADER_BYTES);
    const found: Group[] = [];
    while (reader.at < groups.length) {
      const first = textIn(reader);
      const [at, postings, positions] = [reader.next(), reader.next(), reader.next()];
      found.push({ first, terms: at, postings, positions });
    }
    return new Dictionary(file, found, await file.size(), terms);
  }

  async find(term: string): Promise<TermEntry | undefined> {
    const at = this.#groupOf(term);
    if (at < 0) return undefined;
    const group = await this.#read(at);
    return group.find((entry) => entry.term === term);
  }

  /** The terms that begin with a prefix, in order. */
  async *startingWith(prefix: string): AsyncGenerator<TermEntry> {
    for (let at = Math.max(0, this.#groupOf(prefix)); at < this.#groups.length; at++) {
      if (this.#groups[at].first > prefix && !this.#groups[at].first.startsWith(prefix)) return;
      for (const entry of await this.#read(at)) if (entry.term.startsWith(prefix)) yield entry;
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

  async #read(index: number): Promise<TermEntry[]> {
    const { terms: from, postings, positions } = this.#groups[index];
    const to = this.#groups[index + 1]?.terms ?? this.#end;
    const bytes = new Uint8Array(to - from);
    await this.#file.readAll(bytes, from);
    const reader = new VarintReader(bytes);
    const entries: TermEntry[] = [];
    let [term, start, positionStart] = ['', postings, positions];
    const count = Math.min(GROUP, this.#terms - index * GROUP);
    for (let i = 0; i < count; i++) {
      const shared = reader.next();
      term = term.slice(0, shared) + textIn(reader);
      const [postingCount, length] = [reader.next(), reader.next()];
      const positionBytes = hasPositions(term[0]) ? reader.next() : 0;
      const places = { start, bytes: length, positionStart, positionBytes };
      entries.push({ term, count: postingCount, ...places });
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
