/**
 * Writes the dictionary and the postings of a part, term after term.
 *
 * Idea      A list is cut into blocks. In front of them stands a directory: for each block its last
 *           version, its bytes, its greatest frequency and its least length. With these two, the
 *           greatest score of a block is known for the statistics of any time. A list of one block
 *           has no directory: reading it costs as much.
 * Format    postings: [bytes of the directory, directory,] blocks. A block: differences of versions
 *           minus 1, frequencies minus 1, each a group of numbers (numbers.ts). positions: for each
 *           block one group (rice.ts): of each posting the first position and the differences minus 1.
 *           terms: in groups, each term as what it shares with the one before, the rest, the number
 *           of postings, and the bytes of its postings and positions.
 * Requires  Terms in increasing order (by UTF-16 units), versions increasing within a term.
 */

import { writeVarint } from '../../base/varint.ts';
import { BLOCK, GROUP, hasPositions } from './formats.ts';
import { mostBytes, writeNumbers } from './numbers.ts';
import type { Output } from './output.ts';

interface PostingOutputs {
  readonly terms: Output;
  readonly groups: Output;
  readonly postings: Output;
  /** Undefined for an index without positions. */
  readonly positions: Output | undefined;
}

export class PostingWriter {
  terms = 0;
  postings = 0;
  readonly #out: PostingOutputs;
  readonly #block: number;
  readonly #ids: Uint32Array;
  readonly #frequencies: Uint32Array;
  #positions = new Uint32Array(4096);
  #term = '';
  #before = '';
  #lengths: Uint32Array | undefined;
  #withPositions = false;
  #count = 0;
  #inBlock = 0;
  #inPositions = 0;
  #lastId = -1;
  #blockBefore = -1;
  #positionsStart = 0;
  /** The blocks of the term so far, and their directory. */
  #blocks: Buffer = Buffer.alloc(4096);
  #blockBytes = 0;
  #directory: Buffer = Buffer.alloc(1024);
  #directoryBytes = 0;

  constructor(out: PostingOutputs, block = BLOCK) {
    this.#out = out;
    this.#block = block;
    this.#ids = new Uint32Array(block);
    this.#frequencies = new Uint32Array(block);
  }

  /** `lengths` are those of the field for each version; undefined if it has none. */
  begin(term: string, lengths: Uint32Array | undefined): void {
    this.#term = term;
    this.#lengths = lengths;
    this.#withPositions = this.#out.positions !== undefined && hasPositions(term[0]);
    this.#count = 0;
    this.#inBlock = 0;
    this.#inPositions = 0;
    this.#lastId = -1;
    this.#blockBefore = -1;
    this.#blockBytes = 0;
    this.#directoryBytes = 0;
    this.#positionsStart = this.#out.positions?.length ?? 0;
  }

  /** `positions` holds those of the posting in `from .. from + frequency`, if the field has any. */
  add(id: number, frequency: number, positions: Uint32Array, from: number): void {
    if (this.#inBlock === this.#block) this.#endBlock();
    this.#ids[this.#inBlock] = id - this.#lastId - 1;
    this.#frequencies[this.#inBlock++] = frequency - 1;
    this.#lastId = id;
    this.#count++;
    if (this.#withPositions) this.#addPositions(frequency, positions, from);
  }

  /** Ends the term; a term without postings leaves no trace. */
  async end(): Promise<void> {
    if (this.#count === 0) return;
    const { terms, groups, postings, positions } = this.#out;
    this.#endBlock();
    if (this.terms % GROUP === 0) {
      groups.text(this.#term);
      groups.varint(terms.length);
      groups.varint(postings.length);
      groups.varint(this.#positionsStart);
      this.#before = '';
    }
    const start = postings.length;
    if (this.#count > this.#block) {
      postings.varint(this.#directoryBytes);
      postings.bytes(this.#directory.subarray(0, this.#directoryBytes));
    }
    postings.bytes(this.#blocks.subarray(0, this.#blockBytes));
    const shared = sharedUnits(this.#before, this.#term);
    terms.varint(shared);
    terms.text(this.#term.slice(shared));
    terms.varint(this.#count);
    terms.varint(postings.length - start);
    if (hasPositions(this.#term[0]))
      terms.varint((positions?.length ?? this.#positionsStart) - this.#positionsStart);
    this.#before = this.#term;
    this.terms++;
    this.postings += this.#count;
    for (const output of [terms, groups, postings, positions]) await output?.settle();
  }

  /** Await what it returns now and then within a long term, if it returns anything. */
  settle(): Promise<void> | undefined {
    return this.#out.positions?.settle();
  }

  #addPositions(frequency: number, positions: Uint32Array, from: number): void {
    if (this.#inPositions + frequency > this.#positions.length) {
      const larger = new Uint32Array(2 * (this.#inPositions + frequency));
      larger.set(this.#positions.subarray(0, this.#inPositions));
      this.#positions = larger;
    }
    let before = -1;
    for (let i = from; i < from + frequency; i++) {
      this.#positions[this.#inPositions++] = positions[i] - before - 1;
      before = positions[i];
    }
  }

  #endBlock(): void {
    const count = this.#inBlock;
    this.#blocks = grown(this.#blocks, this.#blockBytes, 2 * mostBytes(count));
    const start = this.#blockBytes;
    let at = writeNumbers(this.#ids, count, this.#blocks, start);
    at = writeNumbers(this.#frequencies, count, this.#blocks, at);
    this.#blockBytes = at;
    let positionBytes = 0;
    if (this.#withPositions && this.#out.positions) {
      const before = this.#out.positions.length;
      this.#out.positions.rice(this.#positions, this.#inPositions);
      positionBytes = this.#out.positions.length - before;
    }
    this.#addToDirectory(at - start, positionBytes);
    this.#inBlock = 0;
    this.#inPositions = 0;
  }

  #addToDirectory(blockBytes: number, positionBytes: number): void {
    let greatest = 0;
    let least = this.#lengths ? 0xffffffff : 0;
    let id = this.#blockBefore;
    for (let i = 0; i < this.#inBlock; i++) {
      id += this.#ids[i] + 1;
      greatest = Math.max(greatest, this.#frequencies[i] + 1);
      if (this.#lengths) least = Math.min(least, this.#lengths[id]);
    }
    this.#directory = grown(this.#directory, this.#directoryBytes, 50);
    let at = writeVarint(this.#directory, this.#directoryBytes, id - this.#blockBefore - 1);
    at = writeVarint(this.#directory, at, blockBytes);
    at = writeVarint(this.#directory, at, greatest);
    at = writeVarint(this.#directory, at, least);
    if (this.#withPositions) at = writeVarint(this.#directory, at, positionBytes);
    this.#directoryBytes = at;
    this.#blockBefore = id;
  }
}

function grown(bytes: Buffer, filled: number, more: number): Buffer {
  if (filled + more <= bytes.length) return bytes;
  const larger = Buffer.alloc(2 * (filled + more));
  larger.set(bytes.subarray(0, filled));
  return larger;
}

/** Units that two terms share at their beginning, without half a pair of surrogates. */
function sharedUnits(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  const last = shared > 0 ? a.charCodeAt(shared - 1) : 0;
  return last >= 0xd800 && last < 0xdc00 ? shared - 1 : shared;
}
