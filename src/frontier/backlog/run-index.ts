/**
 * The index of a run: a row for each host that still has URLs in it, in the order of hosts.
 *
 * Idea      A row never changes in place. A sweep reads the old index and writes the new one, which
 *           is the old one of the next sweep. An index of few rows stays in memory and has no file
 *           until a checkpoint needs one: the backlog of one large site is swept often without
 *           making files.
 * Format    run.N.index.G: header, then for each host its key (u64), where its entries begin in
 *           run.N (u48), how many bytes (u48) and entries (u48) there are, the length of its name
 *           (u16), the name.
 * Ensures   rows strictly increasing by key, then by name: a key is 64 bits of hashes, and two
 *           hosts may share one.
 */

import type { Bytes } from '../../base/units.ts';
import { AppendLog, writeStateFile } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { damaged } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import type { VersionedFiles } from '../../disk/versioned-files.ts';

const INDEX_FORMAT: Format = { type: 'idx', version: 1, summed: true };
const AT = 8;
const BYTES = 14;
const COUNT = 20;
const NAME_LENGTH = 26;
const NAME = 28;
const LOG_BUFFER: Bytes = 16 * 1024;
/** Buffer to copy rows: a backlog of millions of hosts has hundreds of megabytes of rows. */
const COPY_BUFFER: Bytes = 2 ** 18;
const FIRST_BUFFER: Bytes = 1024;

/** The folder of runs, and how much of a run is held in memory. */
export interface RunPlace {
  readonly disk: Disk;
  readonly files: VersionedFiles;
  /** Bytes read at once from the index and from the data of a run. */
  readonly window: Bytes;
  /** An index up to this size has no file of its own. */
  readonly indexInMemory: Bytes;
}

export const indexName = (run: number, generation: number) => `run.${run}.index.${generation}`;

/** A complete index. */
export interface Index {
  /** Length of its file, or of the file it would have. */
  readonly length: Bytes;
  /** The rows, when they are few. */
  readonly rows?: Buffer;
  readonly file?: StateFile;
  /** The generation in the name of its file. */
  readonly generation: number;
}

export async function openIndex(
  place: RunPlace,
  run: number,
  generation: number,
  length: Bytes,
): Promise<Index> {
  const path = place.files.path(indexName(run, generation));
  const file = await openStateFile(place.disk, path, INDEX_FORMAT);
  try {
    if (length > place.indexInMemory) return { length, file, generation };
    const rows = Buffer.alloc(length - HEADER_BYTES);
    await file.readAll(rows, HEADER_BYTES);
    await file.close();
    return { length, rows, generation };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes rows in memory to a file, durably; returns its length. */
export async function saveRows(
  place: RunPlace,
  run: number,
  generation: number,
  rows: readonly Uint8Array[],
): Promise<Bytes> {
  const path = place.files.path(indexName(run, generation));
  return writeStateFile(place.disk, path, INDEX_FORMAT, rows);
}

/** Reads an index row by row. */
export class RowReader {
  /** 53 bits of the key of the present row, for a first comparison; Infinity after the last row. */
  order = Infinity;
  high = 0;
  low = 0;
  at = 0;
  bytes = 0;
  count = 0;
  #host: string | undefined;
  readonly #file: StateFile | undefined;
  readonly #length: Bytes;
  #buffer: Buffer;
  /** Where in the index the bytes of the buffer begin. */
  #position: number;
  /** How many bytes of the buffer are filled. */
  #held: number;
  /** Where the present row begins in the buffer. */
  #start = 0;
  /** Where the present row ends in the buffer. */
  #end = 0;

  /** Begins before the row at `from`. */
  constructor(index: Index, from: number, window: Bytes) {
    this.#length = index.length;
    this.#file = index.file;
    if (index.rows) {
      this.#buffer = index.rows;
      this.#position = HEADER_BYTES;
      this.#held = index.rows.length;
      this.#end = from - HEADER_BYTES;
    } else {
      this.#buffer = Buffer.allocUnsafeSlow(window);
      this.#position = from;
      this.#held = 0;
    }
  }

  /** Where the present row begins in the index. */
  get position(): number {
    return this.#position + this.#start;
  }

  get host(): string {
    this.#host ??= this.#buffer.toString('latin1', this.#start + NAME, this.#end);
    return this.#host;
  }

  /** Bytes of the present row. */
  get size(): Bytes {
    return this.#end - this.#start;
  }

  /** Moves to the next row; a promise when it must be read first. */
  next(): void | Promise<void> {
    if (!this.#step()) return this.#fill();
  }

  /** Copies the present row. */
  copyTo(into: Buffer, at: number): void {
    this.#buffer.copy(into, at, this.#start, this.#end);
    writeNumbers(into, at, this.at, this.bytes, this.count);
  }

  /** The present row and all after it; requires that they are in memory. */
  rest(): Buffer {
    return this.#buffer.subarray(this.#start, this.#held);
  }

  #step(): boolean {
    const start = this.#end;
    if (this.#position + start === this.#length) {
      this.order = Infinity;
      this.#start = start;
      return true;
    }
    const buffer = this.#buffer;
    if (start + NAME > this.#held) return false;
    const end = start + NAME + buffer.readUInt16LE(start + NAME_LENGTH);
    if (end > this.#held) return false;
    this.#start = start;
    this.#end = end;
    this.#host = undefined;
    this.low = buffer.readUInt32LE(start);
    this.high = buffer.readUInt32LE(start + 4);
    this.order = orderOf(this.high, this.low);
    this.at = buffer.readUIntLE(start + AT, 6);
    this.bytes = buffer.readUIntLE(start + BYTES, 6);
    this.count = buffer.readUIntLE(start + COUNT, 6);
    return true;
  }

  async #fill(): Promise<void> {
    do {
      const rest = this.#buffer.subarray(this.#end, this.#held);
      // The name is longer than the window.
      if (rest.length === this.#buffer.length)
        this.#buffer = Buffer.allocUnsafeSlow(2 * rest.length);
      this.#buffer.set(rest);
      this.#position += this.#end;
      this.#start = 0;
      this.#end = 0;
      this.#held = rest.length;
      const left = this.#length - this.#position - rest.length;
      const read = await this.#read(this.#buffer.subarray(rest.length, rest.length + left));
      if (read === 0) throw damaged(this.#file?.path ?? 'an index in memory', 'ends inside a row');
      this.#held += read;
    } while (!this.#step());
  }

  async #read(into: Uint8Array): Promise<number> {
    if (!this.#file || into.length === 0) return 0;
    return this.#file.readUpTo(into, this.#position + this.#held);
  }
}

/**
 * Completes an unfinished index of a checkpoint: appends the rows of the old index from a place on.
 */
export async function completeIndex(
  { disk, files }: RunPlace,
  run: number,
  { generation, length }: { readonly generation: number; readonly length: Bytes },
  rest: { readonly index: Index; readonly from: number },
): Promise<Index> {
  const name = indexName(run, generation);
  const log = await AppendLog.open(disk, files.path(name), INDEX_FORMAT, length, COPY_BUFFER);
  files.reopen(name);
  const { file, rows } = rest.index;
  try {
    // It is in memory if larger indexes may be than when the checkpoint was made.
    if (rows) await log.append(rows.subarray(rest.from - HEADER_BYTES));
    if (file) await copyRows(file, rest.from, rest.index.length, log);
    return { length: log.length, file: await log.seal(), generation };
  } catch (error) {
    await log.abandon();
    throw error;
  }
}

async function copyRows(file: StateFile, from: number, end: number, log: AppendLog): Promise<void> {
  const block = Buffer.allocUnsafeSlow(COPY_BUFFER);
  for (let at = from; at < end; ) {
    const read = await file.readUpTo(block.subarray(0, end - at), at);
    if (read === 0) throw damaged(file.path, 'ends inside a row');
    await log.append(block.subarray(0, read));
    at += read;
  }
}

/** Collects the rows of a new index. */
export class IndexWriter {
  readonly #place: RunPlace;
  readonly #run: number;
  readonly generation: number;
  #buffer: Buffer;
  #filled = 0;
  /** Present once the rows outgrow memory, or a checkpoint needs them. */
  #log: AppendLog | undefined;
  #durable: Bytes = 0;

  constructor(place: RunPlace, run: number, generation: number) {
    this.#place = place;
    this.#run = run;
    this.generation = generation;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_BUFFER, place.indexInMemory));
  }

  /** Length of the file that it is or would be. */
  get length(): Bytes {
    return (this.#log?.length ?? HEADER_BYTES) + this.#filled;
  }

  /** Makes room for a row; a promise when it has to wait for the disk. */
  reserve(size: Bytes): void | Promise<void> {
    if (this.#filled + size > this.#buffer.length) return this.#makeRoom(size);
  }

  /** Adds a row; `reserve` it first. */
  add(high: number, low: number, host: string, at: number, bytes: number, count: number): void {
    const start = this.#filled;
    this.#buffer.writeUInt32LE(low, start);
    this.#buffer.writeUInt32LE(high, start + 4);
    writeNumbers(this.#buffer, start, at, bytes, count);
    this.#buffer.writeUInt16LE(host.length, start + NAME_LENGTH);
    this.#buffer.write(host, start + NAME, 'latin1');
    this.#filled += rowSize(host);
  }

  /** Adds the present row of another index; `reserve` it first. */
  copy(row: RowReader): void {
    row.copyTo(this.#buffer, this.#filled);
    this.#filled += row.size;
  }

  /** The rows so far; requires that they are in memory. */
  rows(): Buffer {
    return this.#buffer.subarray(0, this.#filled);
  }

  async seal(): Promise<Index> {
    const { generation, length } = this;
    if (!this.#log) return { length, rows: this.rows(), generation };
    await this.#flush();
    return { length, file: await this.#log.seal(), generation };
  }

  /** Makes the rows so far survive a loss of power. */
  async save(): Promise<void> {
    if (this.#durable === this.length) return;
    await this.#flush();
    await this.#log?.sync();
    this.#durable = this.length;
  }

  async abandon(): Promise<void> {
    await this.#log?.abandon();
  }

  async #makeRoom(size: Bytes): Promise<void> {
    const needed = this.#filled + size;
    if (this.#log || needed > this.#place.indexInMemory) await this.#flush();
    if (this.#filled + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(
      Math.max(needed, Math.min(2 * needed, this.#place.indexInMemory)),
    );
    larger.set(this.rows());
    this.#buffer = larger;
  }

  async #flush(): Promise<void> {
    const { disk, files } = this.#place;
    const path = files.path(indexName(this.#run, this.generation));
    this.#log ??= await AppendLog.create(disk, path, INDEX_FORMAT, LOG_BUFFER);
    await this.#log.append(this.rows());
    this.#filled = 0;
  }
}

export function rowSize(host: string): Bytes {
  return NAME + host.length;
}

/** The first 53 bits of a key, as an exact number. */
export function orderOf(high: number, low: number): number {
  return high * 2 ** 21 + (low >>> 11);
}

function writeNumbers(into: Buffer, start: number, at: number, bytes: number, count: number): void {
  into.writeUIntLE(at, start + AT, 6);
  into.writeUIntLE(bytes, start + BYTES, 6);
  into.writeUIntLE(count, start + COUNT, 6);
}
