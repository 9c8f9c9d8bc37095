/**
 * Writes the dictionary and the postings of a part, term after term.
 *
 * Idea      A list is cut into blocks. In front of them stands a directory: for each block its last
 *           version, its bytes, its greatest frequency and its least length. With these two, the
 *           greatest score of a block is known for the statistics of any time. A list of one block
 *           has no directory: reading it costs as much.
 * Format    postings: [bytes of the directory, directory,] blocks. A block: differences of versions
 *           minus 1, frequencies minus 1, each a group of numbers (numbers.ts). positions: for each
 *           block one group (rice.ts): of each posting the first position and the differences minus
 *           1. terms: in groups, each term as the bytes it shares with the one before, the rest,
 *              the number
 *           of postings, and the bytes of its postings and positions.
 * Requires  Terms in increasing order (by UTF-16 units), records of a term in the order of
 *           versions.
 * Cost      About 20 ns a posting with its positions, and 2 µs a term.
 */

import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { damaged } from '../../disk/damage.ts';
import { FIELD, GROUP, hasPositions, isAnchor } from './formats.ts';
import type { Output } from './output.ts';
import { POSTING_KERNEL_WASM } from './posting-kernel-wasm.ts';

interface PostingOutputs {
  readonly terms: Output;
  readonly groups: Output;
  readonly postings: Output;
  /** Undefined for an index without positions. */
  readonly positions: Output | undefined;
}

/** What is known of versions when their postings are written. */
interface VersionNumbers {
  /** The number of each version in the part by its number in the runs; `NONE` if it has none. */
  readonly renumbered: Uint32Array;
  /** Words of texts and of titles, by version of the part. */
  readonly words: Uint32Array;
  readonly titleWords: Uint32Array;
  /** How many anchors the part has: their fields number these. */
  readonly anchors: number;
}

export const NONE = 0xffffffff;

interface Exports {
  readonly memory: KernelMemory<ArrayBuffer>;
  setVersions(before: number, after: number, block: number): number;
  lengthsAt(): number;
  inputFor(bytes: number): number;
  begin(field: number, withPositions: number, others: number): void;
  feed(bytes: number, postings: number): number;
  end(): number;
  blocksAt(): number;
  blocksLength(): number;
  directoryAt(): number;
  directoryLength(): number;
  positionsAt(): number;
  positionsLength(): number;
}

const NOTHING = Buffer.alloc(0);
const module = new WebAssembly.Module(POSTING_KERNEL_WASM);

export class PostingWriter {
  terms = 0;
  postings = 0;
  readonly #out: PostingOutputs;
  readonly #kernel: Exports;
  readonly #block: number;
  readonly #versions: number;
  readonly #anchors: number;
  #bytes: Uint8Array;
  #term = '';
  #before: Buffer = NOTHING;
  #positionsStart = 0;

  constructor(out: PostingOutputs, versions: VersionNumbers, block: number) {
    this.#out = out;
    this.#block = block;
    this.#kernel = new WebAssembly.Instance(module, {}).exports as Exports;
    const { renumbered, words, titleWords, anchors } = versions;
    this.#anchors = anchors;
    this.#versions = words.length;
    const place = this.#kernel.setVersions(renumbered.length, words.length, block);
    const { buffer } = this.#kernel.memory;
    this.#bytes = new Uint8Array(buffer);
    new Uint32Array(buffer, place, renumbered.length).set(renumbered);
    const lengths = new Uint32Array(buffer, this.#kernel.lengthsAt(), 2 * words.length);
    lengths.set(words);
    lengths.set(titleWords, words.length);
  }

  begin(term: string): void {
    this.#term = term;
    const { positions } = this.#out;
    this.#positionsStart = positions?.length ?? 0;
    const withPositions = positions !== undefined && hasPositions(term[0]);
    const others = isAnchor(term[0]) ? this.#anchors : 0;
    this.#kernel.begin(this.#lengthsOf(term[0]), withPositions ? 1 : 0, others);
  }

  /** Adds the postings of a record (build/run-builder.ts) from the run at `path`. */
  record(count: number, record: Uint8Array, path: string): void {
    const kernel = this.#kernel;
    const place = kernel.inputFor(record.length);
    this.#memory().set(record, place);
    if (kernel.feed(record.length, count) === 0)
      throw damaged(path, `is damaged: the postings of "${this.#term}" are not whole`);
    this.#takePositions();
  }

  /** Ends the term; a term without postings leaves no trace. */
  end(): void {
    const kernel = this.#kernel;
    const count = kernel.end();
    this.#takePositions();
    if (count === 0) return;
    const { terms, groups, postings, positions } = this.#out;
    if (this.terms % GROUP === 0) {
      groups.text(this.#term);
      groups.varint(terms.length);
      groups.varint(postings.length);
      groups.varint(this.#positionsStart);
      this.#before = NOTHING;
    }
    const start = postings.length;
    if (count > this.#block) {
      postings.varint(kernel.directoryLength());
      postings.bytes(this.#view(kernel.directoryAt(), kernel.directoryLength()));
    }
    postings.bytes(this.#view(kernel.blocksAt(), kernel.blocksLength()));
    const bytes = Buffer.from(this.#term);
    const shared = sharedBytes(this.#before, bytes);
    terms.varint(shared);
    terms.varint(bytes.length - shared);
    terms.bytes(bytes.subarray(shared));
    terms.varint(count);
    terms.varint(postings.length - start);
    if (hasPositions(this.#term[0]))
      terms.varint((positions?.length ?? this.#positionsStart) - this.#positionsStart);
    this.#before = bytes;
    this.terms++;
    this.postings += count;
  }

  /** Await what it returns before the next call, if it returns anything. */
  settle(): Promise<void> | undefined {
    const { terms, groups, postings, positions } = this.#out;
    return terms.settle() ?? groups.settle() ?? postings.settle() ?? positions?.settle();
  }

  /** Where the lengths of a field begin in the kernel; -1 if it has none. */
  #lengthsOf(field: string): number {
    if (field === FIELD.body || field === FIELD.bodyVariant) return 0;
    return field === FIELD.title || field === FIELD.titleVariant ? this.#versions : -1;
  }

  #takePositions(): void {
    const length = this.#kernel.positionsLength();
    if (length > 0) this.#out.positions?.bytes(this.#view(this.#kernel.positionsAt(), length));
  }

  #view(start: number, length: number): Uint8Array {
    return this.#memory().subarray(start, start + length);
  }

  #memory(): Uint8Array {
    const { buffer } = this.#kernel.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }
}

/** Bytes that two terms share at their beginning. */
function sharedBytes(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
}
