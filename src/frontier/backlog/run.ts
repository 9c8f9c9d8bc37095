/**
 * A run: one file of the backlog, with URLs sorted by host, those of a host in the order they came.
 *
 * Idea      The data never change, only the index does (`run-index.ts`): taking ten URLs of a host
 *           with a million rewrites one row, not a million URLs.
 * Format    run.N: header, then the entries (`PathQueue`) of one host after the other.
 * Requires  one sweep at a time; a run being swept is not merged.
 */

import type { Bytes } from '../../base/units.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { RunCursor, Window } from './run-cursor.ts';
import {
  completeIndex,
  type Index,
  IndexWriter,
  indexName,
  openIndex,
  RowReader,
  type RunPlace,
  saveRows,
} from './run-index.ts';

export const RUN_FORMAT: Format = { type: 'run', version: 1, summed: true };
export const RUN_FILES = /^run\.\d+(\.index\.\d+)?$/;
export const dataName = (id: number) => `run.${id}`;

/**
 * The key by which a host is sorted. Two hosts may share a key, though rarely; then they are sorted
 * by name.
 */
export interface HostId {
  readonly key: bigint;
}

/** How much is left in a run. */
interface RunCounts {
  readonly urls: number;
  readonly hosts: number;
  readonly bytes: Bytes;
}

export interface RunState extends RunCounts {
  readonly id: number;
  readonly generation: number;
  /**
   * During a sweep: the generation of the index being written, and where the row after its last one
   * begins in the old index.
   */
  readonly sweep?: { readonly generation: number; readonly from: number };
}

type Lengths = Readonly<Record<string, Bytes>>;

interface RunData {
  readonly file: StateFile;
  readonly length: Bytes;
}

export class Run {
  readonly id: number;
  readonly #place: RunPlace;
  readonly #data: RunData;
  readonly #window: Window;
  #index: Index;
  #counts: RunCounts;
  #nextGeneration: number;
  /** The sweep under way. */
  #cursor: RunCursor | undefined;
  /** Where the rows in memory were last written, and how many URLs were left then. */
  #saved:
    | { readonly generation: number; readonly length: Bytes; readonly urls: number }
    | undefined;

  constructor(place: RunPlace, id: number, data: RunData, index: Index, counts: RunCounts) {
    this.#place = place;
    this.id = id;
    this.#data = data;
    this.#window = new Window(data.file, data.length, place.window);
    this.#index = index;
    this.#counts = counts;
    this.#nextGeneration = index.generation + 1;
  }

  static async open(place: RunPlace, state: RunState, lengths: Lengths): Promise<Run> {
    const { id, generation, sweep } = state;
    const file = await openStateFile(place.disk, place.files.path(dataName(id)), RUN_FORMAT);
    let run: Run | undefined;
    try {
      const index = await openIndex(place, id, generation, lengths[indexName(id, generation)]);
      run = new Run(place, id, { file, length: lengths[dataName(id)] }, index, state);
      if (index.rows) run.#saved = { generation, length: index.length, urls: state.urls };
      if (sweep) await run.#finishSweep(sweep, lengths);
      return run;
    } catch (error) {
      await run?.close();
      await file.close();
      throw error;
    }
  }

  /** URLs left. */
  get urls(): number {
    return this.#counts.urls - (this.#cursor?.taken.urls ?? 0);
  }

  /** Hosts that have URLs left. */
  get hosts(): number {
    return this.#counts.hosts - (this.#cursor?.taken.hosts ?? 0);
  }

  /** Bytes of entries left. */
  get bytes(): Bytes {
    return this.#counts.bytes - (this.#cursor?.taken.bytes ?? 0);
  }

  /** Bytes of entries that no longer count: only rewriting the run frees them. */
  get waste(): Bytes {
    return this.#data.length - HEADER_BYTES - this.bytes;
  }

  get isSwept(): boolean {
    return this.#cursor !== undefined;
  }

  async beginSweep(): Promise<RunCursor> {
    const left = new IndexWriter(this.#place, this.id, this.#nextGeneration++);
    this.#cursor = this.#cursorAt(HEADER_BYTES, left);
    await this.#cursor.start();
    return this.#cursor;
  }

  /** Ends a sweep that passed every row: the index that the cursor wrote replaces the old one. */
  async endSweep(): Promise<void> {
    const cursor = this.#cursor;
    if (!cursor?.isAtEnd) throw new Error(`The sweep of run ${this.id} has not ended.`);
    const index = await cursor.seal();
    this.#counts = { urls: this.urls, hosts: this.hosts, bytes: this.bytes };
    this.#cursor = undefined;
    await this.#replaceIndex(index);
  }

  /** A cursor to read everything that is left; it changes nothing. */
  async read(): Promise<RunCursor> {
    const cursor = this.#cursorAt(HEADER_BYTES);
    await cursor.start();
    return cursor;
  }

  /**
   * Makes what is left durable, adds its files to `lengths`, and returns its state. No cursor may
   * be at a host.
   */
  async freeze(lengths: Record<string, Bytes>): Promise<RunState> {
    const { id, urls, hosts, bytes } = this;
    const { files } = this.#place;
    await files.makeDurable(dataName(id), this.#data.file);
    lengths[dataName(id)] = this.#data.length;
    if (this.#index.rows) {
      const { generation, length } = await this.#saveRows();
      lengths[indexName(id, generation)] = length;
      return { id, generation, urls, hosts, bytes };
    }
    const { generation, length, file } = this.#index;
    await files.makeDurable(indexName(id, generation), file as StateFile);
    lengths[indexName(id, generation)] = length;
    const sweep = await this.#cursor?.save();
    if (!sweep) return { id, generation, urls, hosts, bytes };
    lengths[indexName(id, sweep.generation)] = sweep.length;
    return {
      id,
      generation,
      urls,
      hosts,
      bytes,
      sweep: { generation: sweep.generation, from: sweep.from },
    };
  }

  /** Deletes its files as soon as no checkpoint needs them; close it first. */
  async discard(): Promise<void> {
    const { files } = this.#place;
    await files.discard(dataName(this.id));
    if (this.#index.file) await files.discard(indexName(this.id, this.#index.generation));
    if (this.#saved) await files.discard(indexName(this.id, this.#saved.generation));
  }

  async close(): Promise<void> {
    await this.#cursor?.abandon();
    await this.#index.file?.close();
    await this.#data.file.close();
  }

  #cursorAt(from: number, left?: IndexWriter): RunCursor {
    return new RunCursor(new RowReader(this.#index, from, this.#place.window), this.#window, left);
  }

  /**
   * Rows change only when URLs are taken: while their number is the same, the last written rows are
   * valid.
   */
  async #saveRows(): Promise<{ readonly generation: number; readonly length: Bytes }> {
    if (this.#saved?.urls === this.urls) return this.#saved;
    const generation = this.#nextGeneration++;
    const rows = this.#cursor?.rows() ?? [this.#index.rows as Buffer];
    const length = await saveRows(this.#place, this.id, generation, rows);
    if (this.#saved) await this.#place.files.discard(indexName(this.id, this.#saved.generation));
    this.#saved = { generation, length, urls: this.urls };
    return this.#saved;
  }

  async #replaceIndex(index: Index): Promise<void> {
    const old = this.#index;
    this.#index = index;
    if (old.file) {
      await old.file.close();
      await this.#place.files.discard(indexName(this.id, old.generation));
    } else if (index.file && this.#saved) {
      await this.#place.files.discard(indexName(this.id, this.#saved.generation));
      this.#saved = undefined;
    }
  }

  /**
   * Ends a sweep that a crash interrupted: the rest is kept, and the next sweep begins at the first
   * host.
   */
  async #finishSweep({ generation, from }: { generation: number; from: number }, lengths: Lengths) {
    const length = lengths[indexName(this.id, generation)];
    this.#nextGeneration = Math.max(this.#nextGeneration, generation + 1);
    const begun = { generation, length };
    await this.#replaceIndex(
      await completeIndex(this.#place, this.id, begun, { index: this.#index, from }),
    );
  }
}
