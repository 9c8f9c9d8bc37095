/**
 * The postings of a term in a part, read block by block.
 *
 * Idea      The directory says which block may hold a version. Versions of a block are decoded when
 *           they are asked for, frequencies and positions later still. Queries are answered by the
 *           kernel (query/scanner.ts); this is for phrases, which look at few versions.
 * Requires  `seek` with increasing versions.
 * Ensures   `id` is the first version at or after the one sought, or `END`.
 */
import { VarintReader } from '../../base/varint.ts';
import type { TermEntry } from './dictionary.ts';
import { hasPositions } from './formats.ts';
import { readNumbers } from './numbers.ts';

/** After the last posting. */
const END = 0xffffffff;

/** Blocks decoded, of how many: whether the bounds save anything. */
export interface ReadCounts {
  blocks: number;
  decoded: number;
}

interface ListOptions {
  /** Postings of a block. */
  readonly block: number;
  /** Whether the index has positions. */
  readonly positions: boolean;
  readonly counts?: ReadCounts | undefined;
}

export class PostingList {
  readonly term: string;
  readonly count: number;
  id = 0;
  readonly positionStart: number;
  readonly #bytes: Uint8Array;
  readonly #block: number;
  readonly #counts: ReadCounts;
  /** Of each block: its last version, and where it begins. */
  readonly #lasts: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #positionEnds: Float64Array;
  readonly #ids: Uint32Array;
  readonly #frequencies: Uint32Array;
  #at = 0;
  /** The block that `look` is at; the one whose versions, and whose frequencies, are decoded. */
  #current = 0;
  #decoded = -1;
  #withFrequencies = -1;
  #frequenciesAt = 0;

  constructor(
    entry: TermEntry,
    bytes: Uint8Array,
    { block, positions, counts = { blocks: 0, decoded: 0 } }: ListOptions,
  ) {
    this.term = entry.term;
    this.count = entry.count;
    this.positionStart = entry.positionStart;
    this.#bytes = bytes;
    this.#block = block;
    this.#counts = counts;
    const blocks = Math.ceil(entry.count / block);
    counts.blocks += blocks;
    this.#lasts = new Uint32Array(blocks);
    this.#starts = new Uint32Array(blocks);
    this.#positionEnds = new Float64Array(blocks);
    this.#ids = new Uint32Array(Math.min(block, entry.count));
    this.#frequencies = new Uint32Array(this.#ids.length);
    if (blocks > 1) this.#readDirectory(positions && hasPositions(this.term[0]));
    else this.#describe(entry.positionBytes);
  }

  #rewind(): void {
    this.#current = 0;
    this.#at = 0;
    this.seek(0);
  }

  /** Moves to the block that may hold a version, without decoding it. */
  #look(id: number): void {
    const lasts = this.#lasts;
    let low = this.#current;
    if (low >= lasts.length || lasts[low] >= id) return;
    let step = 1;
    while (low + step < lasts.length && lasts[low + step] < id) {
      low += step;
      step *= 2;
    }
    let high = Math.min(lasts.length, low + step);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (lasts[middle] < id) low = middle;
      else high = middle;
    }
    this.#current = high;
  }

  /** Moves to the first version at or after `id`, and returns it. */
  seek(id: number): number {
    this.#look(id);
    if (this.#current === this.#lasts.length) {
      this.id = END;
      return END;
    }
    if (this.#decoded !== this.#current) this.#decode();
    const ids = this.#ids;
    let at = this.#at;
    // Most steps are short. The block has a version at or after `id`.
    while (ids[at] < id) at++;
    this.#at = at;
    this.id = ids[at];
    return this.id;
  }

  /** The frequency of the posting at `id`. */
  get frequency(): number {
    if (this.#withFrequencies !== this.#decoded) this.#decodeFrequencies();
    return this.#frequencies[this.#at] + 1;
  }

  /** Calls `visit` with the versions of each block; only the first `count` are valid. */
  eachBlock(visit: (ids: Uint32Array, count: number) => void): void {
    for (let block = 0; block < this.#lasts.length; block++) {
      this.#current = block;
      if (this.#decoded !== block) this.#decode();
      visit(this.#ids, this.#countIn(block));
    }
    this.#rewind();
  }

  /** Calls `visit` with every posting. */
  eachPosting(visit: (id: number, frequency: number) => void): void {
    this.eachBlock((ids, count) => {
      this.#decodeFrequencies();
      for (let i = 0; i < count; i++) visit(ids[i], this.#frequencies[i] + 1);
    });
  }

  /** Where the positions of the current block stand in their file. */
  positionRange(): readonly [start: number, end: number] {
    const block = this.#decoded;
    const start = block === 0 ? 0 : this.#positionEnds[block - 1];
    return [this.positionStart + start, this.positionStart + this.#positionEnds[block]];
  }

  /** Which positions of the current block are those of the posting at `id`. */
  positionPlace(): { readonly before: number; readonly count: number; readonly total: number } {
    const count = this.frequency;
    let [before, total] = [0, 0];
    for (let i = 0; i < this.#countIn(this.#decoded); i++) {
      total += this.#frequencies[i] + 1;
      if (i < this.#at) before = total;
    }
    return { before, count, total };
  }

  #decodeFrequencies(): void {
    const count = this.#countIn(this.#decoded);
    readNumbers(this.#bytes, this.#frequenciesAt, count, this.#frequencies);
    this.#withFrequencies = this.#decoded;
  }

  #countIn(block: number): number {
    return Math.min(this.#block, this.count - block * this.#block);
  }

  #decode(): void {
    const block = this.#current;
    const count = this.#countIn(block);
    const ids = this.#ids;
    this.#frequenciesAt = readNumbers(this.#bytes, this.#starts[block], count, ids);
    let id = block === 0 ? -1 : this.#lasts[block - 1];
    for (let i = 0; i < count; i++) {
      id += ids[i] + 1;
      ids[i] = id;
    }
    this.#decoded = block;
    this.#at = 0;
    this.#counts.decoded++;
  }

  #readDirectory(withPositions: boolean): void {
    const reader = new VarintReader(this.#bytes);
    let start = reader.next() + reader.at;
    let [last, positions] = [-1, 0];
    for (let i = 0; i < this.#lasts.length; i++) {
      last += reader.next() + 1;
      this.#lasts[i] = last;
      this.#starts[i] = start;
      start += reader.next();
      reader.next(); // the greatest frequency
      reader.next(); // the least length
      if (withPositions) positions += reader.next();
      this.#positionEnds[i] = positions;
    }
  }

  /** A list of one block has no directory: what it would say is computed. */
  #describe(positionBytes: number): void {
    this.#decode();
    this.#positionEnds[0] = positionBytes;
    this.#lasts[0] = this.#ids[this.count - 1];
  }
}
