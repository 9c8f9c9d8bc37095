/**
 * A run: one file of the backlog, in which URLs stand sorted by host, those of a host in the order they came.
 *
 * Idea      The data never change. What changes is the index, a row per host that still has something here: each sweep over
 *           the backlog reads the old index and writes the new one, so that taking ten URLs of a host with a million
 *           costs a row, not a million URLs rewritten.
 * Format    run.N            header, then per host: the length of its name (u16), the name, its entries (`PathQueue`).
 *           run.N.index.G    header, then per host 32 bytes: key (u64), check (u32), bytes consumed (u32), where the
 *                            host begins in run.N (f64), bytes left (u32), entries left (u32).
 * Ensures   rows strictly increasing by (key, check).
 */
import { AppendLog } from '../disk/append-log.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { type Format, HEADER_BYTES, requireFormat } from '../disk/format.ts';
import { SequentialReader } from '../disk/sequential-reader.ts';
import type { VersionedFiles } from '../disk/versioned-files.ts';
import { type Entries, wholeEntries } from './path-queue.ts';

const RUN_FORMAT: Format = { type: 'run', version: 1 };
const INDEX_FORMAT: Format = { type: 'idx', version: 1 };
const ROW = 32;
const NAME_LENGTH = 2;
/** Read at once from the index and from the data; there may be dozens of runs. */
const WINDOW = 32 * 1024;
const INDEX_BUFFER = 16 * 1024;
const DATA_BUFFER = 256 * 1024;

/** Which host: the key it sorts by, and 32 bits more of its hash, so that two hosts are never taken for one. */
export interface HostId {
  readonly key: bigint;
  readonly check: number;
}

export function compareIds(a: HostId, b: HostId): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.check - b.check;
}

/** What is left of a host in a run. */
interface Row extends HostId {
  readonly at: number;
  consumed: number;
  bytes: number;
  count: number;
}

export interface RunState {
  readonly id: number;
  readonly generation: number;
  readonly urls: number;
  /** In the middle of a sweep: the index that is being written, and where the row after its last begins in the old. */
  readonly sweep?: { readonly generation: number; readonly from: number };
}

export interface RunPlace {
  readonly disk: Disk;
  readonly files: VersionedFiles;
}

const dataName = (id: number) => `run.${id}`;
const indexName = (id: number, generation: number) => `run.${id}.index.${generation}`;
export const RUN_FILES = /^run\.\d+(\.index\.\d+)?$/;

export class Run {
  readonly id: number;
  readonly place: RunPlace;
  readonly data: DiskFile;
  readonly dataLength: number;
  /** URLs left. */
  urls: number;
  #index: { file: DiskFile; length: number; generation: number };
  /** The sweep under way, if any. */
  cursor: RunCursor | undefined;

  constructor(
    id: number,
    place: RunPlace,
    data: DiskFile,
    dataLength: number,
    index: { file: DiskFile; length: number; generation: number },
    urls: number,
  ) {
    this.id = id;
    this.place = place;
    this.data = data;
    this.dataLength = dataLength;
    this.#index = index;
    this.urls = urls;
  }

  static async open(place: RunPlace, state: RunState, files: Readonly<Record<string, number>>): Promise<Run> {
    const { id, generation } = state;
    const open = async (name: string, format: Format) => {
      const file = await place.disk.open(place.files.path(name), 'read');
      await requireFormat(file, format);
      return file;
    };
    const data = await open(dataName(id), RUN_FORMAT);
    const name = indexName(id, generation);
    const index = { file: await open(name, INDEX_FORMAT), length: files[name], generation };
    const run = new Run(id, place, data, files[dataName(id)], index, state.urls);
    if (state.sweep) await run.#finishSweep(state.sweep, files[indexName(id, state.sweep.generation)]);
    return run;
  }

  /** Hosts with something left, as of the last sweep. */
  get hosts(): number {
    return (this.#index.length - HEADER_BYTES) / ROW;
  }

  async beginSweep(): Promise<RunCursor> {
    const { file, length, generation } = this.#index;
    this.cursor = await RunCursor.create(this, file, length, generation + 1, HEADER_BYTES);
    await this.cursor.load();
    return this.cursor;
  }

  /** Every row was passed: the index that the cursor wrote takes the place of the old one. */
  async endSweep(): Promise<void> {
    const { left } = this.#swept();
    const file = await left.seal();
    const old = this.#index;
    this.#index = { file, length: left.length, generation: old.generation + 1 };
    this.cursor = undefined;
    await old.file.close();
    await this.place.files.discard(indexName(this.id, old.generation));
  }

  /** Nothing is left in it. */
  async discard(): Promise<void> {
    await this.close();
    await this.place.files.discard(dataName(this.id));
    await this.place.files.discard(indexName(this.id, this.#index.generation));
  }

  async freeze(files: Record<string, number>): Promise<RunState> {
    const { id, urls } = this;
    const { generation } = this.#index;
    await this.#name(files, dataName(id), this.data, this.dataLength);
    await this.#name(files, indexName(id, generation), this.#index.file, this.#index.length);
    if (!this.cursor) return { id, generation, urls };
    const { left, from } = this.cursor;
    await left.sync();
    files[indexName(id, generation + 1)] = left.length;
    return { id, generation, urls, sweep: { generation: generation + 1, from } };
  }

  async close(): Promise<void> {
    await this.cursor?.left.abandon();
    await this.#index.file.close();
    await this.data.close();
  }

  async #name(files: Record<string, number>, name: string, file: DiskFile, length: number): Promise<void> {
    await this.place.files.makeDurable(name, file);
    files[name] = length;
  }

  #swept(): RunCursor {
    if (!this.cursor || this.cursor.row) throw new Error(`run ${this.id} is not swept to its end`);
    return this.cursor;
  }

  /** A sweep that a crash cut off ends by passing over the rest: the next one begins anew. */
  async #finishSweep({ generation, from }: { generation: number; from: number }, length: number) {
    const path = this.place.files.path(indexName(this.id, generation));
    const left = await AppendLog.open(this.place.disk, path, INDEX_FORMAT, length, INDEX_BUFFER);
    this.place.files.reopen(indexName(this.id, generation));
    const { file, length: end } = this.#index;
    this.cursor = new RunCursor(this, new SequentialReader(file, from, end, WINDOW), left, from);
    await this.cursor.load();
    while (this.cursor.row) await this.cursor.pass();
    await this.endSweep();
  }
}

/** Where a sweep stands in one run. */
export class RunCursor {
  readonly run: Run;
  readonly left: AppendLog;
  /** Where the present row begins in the old index. */
  from: number;
  row: Row | undefined;
  readonly #index: SequentialReader;
  readonly #window: Window;

  constructor(run: Run, index: SequentialReader, left: AppendLog, from: number) {
    this.run = run;
    this.#index = index;
    this.left = left;
    this.from = from;
    this.#window = new Window(run.data, run.dataLength);
  }

  static async create(run: Run, file: DiskFile, length: number, generation: number, from: number) {
    const path = run.place.files.path(indexName(run.id, generation));
    const left = await AppendLog.create(run.place.disk, path, INDEX_FORMAT, INDEX_BUFFER);
    return new RunCursor(run, new SequentialReader(file, from, length, WINDOW), left, from);
  }

  async load(): Promise<void> {
    this.from = this.#index.position;
    const bytes = await this.#index.take(ROW);
    this.row = bytes && readRow(bytes);
  }

  /** Keeps what is left of the present host for the next sweep, and goes on to the next. */
  async pass(): Promise<void> {
    if (this.row && this.row.count > 0) await this.left.append(writeRow(this.row));
    await this.load();
  }

  async host(): Promise<string> {
    const { at } = this.#present();
    const start = await this.#window.read(at, NAME_LENGTH, WINDOW);
    const length = start[0] | (start[1] << 8);
    const name = await this.#window.read(at + NAME_LENGTH, length, length);
    return Buffer.from(name.buffer, name.byteOffset, length).toString('latin1');
  }

  /** Takes up to `most` of the host's entries, fewer when they are long; a view, valid until the next call. */
  async take(most: number, nameLength: number): Promise<Entries> {
    const row = this.#present();
    const at = row.at + NAME_LENGTH + nameLength + row.consumed;
    for (let size = WINDOW; ; size *= 2) {
      const bytes = await this.#window.read(at, Math.min(size, row.bytes), row.bytes);
      const taken = wholeEntries(bytes.subarray(0, row.bytes), Math.min(most, row.count));
      if (taken.count === 0 && row.count > 0 && most > 0) continue;
      row.consumed += taken.bytes.length;
      row.bytes -= taken.bytes.length;
      row.count -= taken.count;
      this.run.urls -= taken.count;
      return taken;
    }
  }

  /** Gives up all that is left of the host; returns how many URLs that were. */
  drop(): number {
    const row = this.#present();
    const { count } = row;
    row.count = 0;
    this.run.urls -= count;
    return count;
  }

  #present(): Row {
    if (!this.row) throw new Error(`run ${this.run.id} has been swept to its end`);
    return this.row;
  }
}

/** Writes a run, host by host in increasing order. */
export class RunWriter {
  readonly #id: number;
  readonly #place: RunPlace;
  readonly #data: AppendLog;
  readonly #index: AppendLog;
  #row: Row | undefined;
  #urls = 0;

  private constructor(id: number, place: RunPlace, data: AppendLog, index: AppendLog) {
    this.#id = id;
    this.#place = place;
    this.#data = data;
    this.#index = index;
  }

  static async create(place: RunPlace, id: number): Promise<RunWriter> {
    const { disk, files } = place;
    const data = await AppendLog.create(disk, files.path(dataName(id)), RUN_FORMAT, DATA_BUFFER);
    const index = await AppendLog.create(disk, files.path(indexName(id, 0)), INDEX_FORMAT, INDEX_BUFFER);
    return new RunWriter(id, place, data, index);
  }

  async begin({ key, check }: HostId, host: string): Promise<void> {
    await this.#endHost();
    this.#row = { key, check, at: this.#data.length, consumed: 0, bytes: 0, count: 0 };
    const name = Buffer.alloc(NAME_LENGTH + host.length);
    name.writeUInt16LE(host.length);
    name.write(host, NAME_LENGTH, 'latin1');
    await this.#data.append(name);
  }

  async append({ count, bytes }: Entries): Promise<void> {
    const row = this.#row as Row;
    row.count += count;
    row.bytes += bytes.length;
    this.#urls += count;
    await this.#data.append(bytes);
  }

  async seal(): Promise<Run> {
    await this.#endHost();
    const data = await this.#data.seal();
    const index = { file: await this.#index.seal(), length: this.#index.length, generation: 0 };
    return new Run(this.#id, this.#place, data, this.#data.length, index, this.#urls);
  }

  async abandon(): Promise<void> {
    await this.#data.abandon();
    await this.#index.abandon();
  }

  async #endHost(): Promise<void> {
    if (this.#row && this.#row.count > 0) await this.#index.append(writeRow(this.#row));
    this.#row = undefined;
  }
}

/** A piece of a file in memory, moved forward as reads go on. */
class Window {
  readonly #file: DiskFile;
  readonly #end: number;
  #bytes = new Uint8Array(0);
  #start = 0;
  #length = 0;

  constructor(file: DiskFile, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** At least `least` bytes from `at`, and no more than `most`; a view, valid until the next call. */
  async read(at: number, least: number, most: number): Promise<Uint8Array> {
    if (at < this.#start || at + least > this.#start + this.#length) {
      const size = Math.min(Math.max(least, WINDOW), this.#end - at);
      if (this.#bytes.length < size) this.#bytes = new Uint8Array(Math.max(size, WINDOW));
      else if (this.#bytes.length > 4 * WINDOW && size <= WINDOW) this.#bytes = new Uint8Array(WINDOW);
      await this.#file.readAll(this.#bytes.subarray(0, size), at);
      this.#start = at;
      this.#length = size;
    }
    const from = at - this.#start;
    return this.#bytes.subarray(from, Math.min(this.#length, from + most));
  }
}

function readRow(bytes: Uint8Array): Row {
  const view = new DataView(bytes.buffer, bytes.byteOffset, ROW);
  return {
    key: view.getBigUint64(0, true),
    check: view.getUint32(8, true),
    consumed: view.getUint32(12, true),
    at: view.getFloat64(16, true),
    bytes: view.getUint32(24, true),
    count: view.getUint32(28, true),
  };
}

function writeRow({ key, check, consumed, at, bytes, count }: Row): Uint8Array {
  const view = new DataView(new ArrayBuffer(ROW));
  view.setBigUint64(0, key, true);
  view.setUint32(8, check, true);
  view.setUint32(12, consumed, true);
  view.setFloat64(16, at, true);
  view.setUint32(24, bytes, true);
  view.setUint32(28, count, true);
  return new Uint8Array(view.buffer);
}
