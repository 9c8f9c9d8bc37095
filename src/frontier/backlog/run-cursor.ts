/**
 * A position in a run: at a host. The reader takes some of the host's first entries or all, then
 * passes to the next host.
 *
 * Ensures   rows of hosts that are passed with something left go to the new index, if one is given;
 *           the run's own index does not change. `take` gives entries in the order of the file.
 * Cost      a window on the index and one on the data. The window on the data reads ahead over
 *           small hosts, and holds about what is asked for of large ones.
 */

import type { Bytes } from '../../base/units.ts';
import type { StateFile } from '../../disk/block-file.ts';
import { damaged } from '../../disk/damage.ts';
import { type Entries, wholeEntries } from '../queue/path-queue.ts';
import type { HostCursor } from './host-merge.ts';
import type { Index, IndexWriter, RowReader } from './run-index.ts';

/** The smallest read worth its cost. */
const LEAST_READ: Bytes = 4096;

export class RunCursor implements HostCursor {
  readonly #row: RowReader;
  readonly #window: Window;
  readonly #left: IndexWriter | undefined;
  /** What was taken or dropped; a host counts when it is passed with nothing left. */
  readonly taken = { urls: 0, hosts: 0, bytes: 0 };

  constructor(row: RowReader, window: Window, left?: IndexWriter) {
    this.#row = row;
    this.#window = window;
    this.#left = left;
  }

  /** Moves to the first host. */
  async start(): Promise<void> {
    await this.#row.next();
  }

  get order(): number {
    return this.#row.order;
  }

  get high(): number {
    return this.#row.high;
  }

  get low(): number {
    return this.#row.low;
  }

  get host(): string {
    return this.#row.host;
  }

  get isAtEnd(): boolean {
    return this.#row.order === Infinity;
  }

  /** Entries left of the host. */
  get count(): number {
    return this.#row.count;
  }

  /**
   * Takes up to `most` of the host's entries, those that are in memory: a view, valid until the
   * next call.
   */
  take(most: number): Entries {
    const row = this.#row;
    const held = this.#window.held(row.at, row.bytes);
    const entries = wholeEntries(held, Math.min(most, row.count));
    row.at += entries.bytes.length;
    row.bytes -= entries.bytes.length;
    row.count -= entries.count;
    this.taken.urls += entries.count;
    this.taken.bytes += entries.bytes.length;
    return entries;
  }

  /**
   * Reads at least one more entry of the host, about `most` if possible; call it when entries are
   * left and `take` gives none.
   */
  async load(most: number): Promise<void> {
    const { at, bytes, count } = this.#row;
    const { size } = this.#window;
    const held = this.#window.held(at, bytes).length;
    if (held === bytes) throw damaged(this.#window.file.path, `has no whole entry at byte ${at}`);
    // After a small host come others that will be needed next.
    const wanted = bytes <= size ? size : Math.max(LEAST_READ, (1.25 * most * bytes) / count);
    await this.#window.load(at, Math.max(Math.ceil(Math.min(size, wanted)), 2 * held));
  }

  /** Drops all that is left of the host; returns how many URLs. */
  drop(): number {
    const { count, bytes } = this.#row;
    this.#row.count = 0;
    this.#row.bytes = 0;
    this.taken.urls += count;
    this.taken.bytes += bytes;
    return count;
  }

  /**
   * Keeps what is left of the host for the next sweep, and moves to the next host; a promise when
   * that takes time.
   */
  pass(): void | Promise<void> {
    const row = this.#row;
    if (row.count === 0) this.taken.hosts++;
    else if (this.#left) {
      const waits = this.#left.reserve(row.size);
      if (waits) return this.#keepAfter(waits, this.#left);
      this.#left.copy(row);
    }
    return row.next();
  }

  /** The index of what is left, after everything was passed. */
  seal(): Promise<Index> {
    return this.#written().seal();
  }

  /** Makes the new index so far durable; returns where in the old one to continue. */
  async save(): Promise<{
    readonly generation: number;
    readonly length: Bytes;
    readonly from: number;
  }> {
    const left = this.#written();
    await left.save();
    return { generation: left.generation, length: left.length, from: this.#row.position };
  }

  /** What is left, passed or not, when the index is in memory. */
  rows(): Buffer[] {
    return [this.#written().rows(), this.#row.rest()];
  }

  async abandon(): Promise<void> {
    await this.#left?.abandon();
  }

  async #keepAfter(waits: Promise<void>, left: IndexWriter): Promise<void> {
    await waits;
    left.copy(this.#row);
    await this.#row.next();
  }

  #written(): IndexWriter {
    if (!this.#left) throw new Error('This cursor writes no index.');
    return this.#left;
  }
}

/** A piece of a file in memory, which moves forward. */
export class Window {
  readonly file: StateFile;
  readonly size: Bytes;
  readonly #end: number;
  #bytes = new Uint8Array(0);
  #start = 0;
  #length = 0;

  constructor(file: StateFile, end: number, size: Bytes) {
    this.file = file;
    this.#end = end;
    this.size = size;
  }

  /** What is in memory from `at` on, at most `most` bytes: a view, valid until the next `load`. */
  held(at: number, most: number): Uint8Array {
    const from = at - this.#start;
    if (from < 0 || from >= this.#length) return this.#bytes.subarray(0, 0);
    return this.#bytes.subarray(from, Math.min(this.#length, from + most));
  }

  /** Reads `most` bytes from `at` on, or to the end. */
  async load(at: number, most: Bytes): Promise<void> {
    const size = Math.min(most, this.#end - at);
    if (size <= 0) throw damaged(this.file.path, `has no byte ${at}, which its index names`);
    this.#length = 0;
    if (this.#bytes.length < size || this.#bytes.length > 4 * this.size)
      this.#bytes = new Uint8Array(Math.max(size, this.size));
    await this.file.readAll(this.#bytes.subarray(0, size), at);
    this.#start = at;
    this.#length = size;
  }
}
