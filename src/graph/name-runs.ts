/**
 * Numbers names by their byte order, however many there are.
 *
 * Idea      Names are collected in memory and numbered as they come. When memory is full they are
 *           sorted and written: a run. At the end all runs are merged, which gives each name its
 *           rank; for each run, the rank of each of its numbers is noted. Everything written with
 *           the numbers of a run can then be translated run by run, with that run's ranks in
 *           memory.
 * Requires  a folder of its own for its files.
 * Costs     memory as given. Each name is written and read once, and four bytes twice.
 */
import { join } from 'node:path';
import { writeVarint } from '../base/varint.ts';
import { AppendLog } from '../disk/append-log.ts';
import type { StateFile } from '../disk/block-file.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import { ReadAhead } from '../disk/read-ahead.ts';
import { compareBytes } from './name-format.ts';
import { ENTRY_HEAD, lengthAt, numberAt } from './name-sort.ts';
import { NameTable } from './name-table.ts';

const RUNS: Format = { type: 'gnr', version: 1 };
const STAGED_BYTES = 64 * 1024;

interface Run {
  readonly names: number;
  /** Where its names begin in the file of runs; they are in byte order. */
  readonly start: number;
  readonly end: number;
  /** Where the numbers of these names begin in their file; they are in the same order. */
  readonly numbers: number;
}

export class NameRuns {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #memory: number;
  #table: NameTable | undefined;
  #texts: AppendLog | undefined;
  #numbers: AppendLog | undefined;
  #ranks: DiskFile | undefined;
  readonly #runs: Run[] = [];

  constructor(disk: Disk, folder: string, memory: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#memory = memory;
    this.#table = new NameTable(memory);
  }

  get runs(): number {
    return this.#runs.length;
  }

  /** Number of names in a run. */
  names(run: number): number {
    return this.#runs[run].names;
  }

  /**
   * The number of a name within the run, the same for the same name; -1 if the run must be ended
   * first.
   */
  intern(bytes: Uint8Array, start: number, end: number): number {
    return this.#table?.intern(bytes, start, end) ?? -1;
  }

  /** Like `intern`, for names that are known to be new. */
  append(bytes: Uint8Array, start: number, end: number): number {
    return this.#table?.append(bytes, start, end) ?? -1;
  }

  /**
   * Sorts and writes what was collected. The next name begins a new run, unless this is the last.
   */
  async endRun(isLast: boolean): Promise<void> {
    const table = this.#table;
    if (table === undefined) throw new Error('the last run has already ended');
    this.#texts ??= await AppendLog.create(this.#disk, join(this.#folder, 'runs.names'), RUNS);
    this.#numbers ??= await AppendLog.create(this.#disk, join(this.#folder, 'runs.numbers'), RUNS);
    const order = table.sorted();
    const start = this.#texts.length;
    const numbers = this.#numbers.length;
    await writeNames(this.#texts, table.arena, order);
    for (let i = 0; i < order.length; i++) order[i] = numberAt(table.arena, order[i]);
    await this.#numbers.append(new Uint8Array(order.buffer, 0, order.byteLength));
    this.#runs.push({ names: order.length, start, end: this.#texts.length, numbers });
    if (isLast) this.#table = undefined;
    else table.clear();
  }

  /**
   * Passes every name to `take` once, in byte order (`take` may return a promise), and notes the
   * ranks. Returns the number of names. A name that occurs twice is first passed to `repeated`.
   */
  async merge(
    take: (bytes: Uint8Array, length: number) => Promise<void> | undefined,
    repeated: (bytes: Uint8Array, length: number) => void = () => {},
  ): Promise<number> {
    if (this.#texts === undefined || this.#numbers === undefined) return 0;
    await this.#texts.flush();
    await this.#numbers.flush();
    this.#ranks = await this.#disk.open(join(this.#folder, 'runs.ranks'), 'create');
    const share = Math.max(
      256,
      Math.min(64 * 1024, Math.floor(this.#memory / 4 / this.#runs.length)),
    );
    const cursors = this.#runs.map(
      (run) => new RunCursor(this.#texts!.file, this.#ranks!, run, share),
    );
    try {
      return await mergeRuns(cursors, take, repeated);
    } finally {
      for (const cursor of cursors) await cursor.end();
    }
  }

  /** The rank of each number of a run. */
  async ranks(run: number): Promise<Uint32Array> {
    const { names, numbers } = this.#runs[run];
    const order = new Uint32Array(names);
    const ranks = new Uint32Array(names);
    await this.#numbers!.file.readAll(new Uint8Array(order.buffer), numbers);
    await this.#ranks!.readAll(new Uint8Array(ranks.buffer), numbers - HEADER_BYTES);
    const byNumber = new Uint32Array(names);
    for (let i = 0; i < names; i++) byNumber[order[i]] = ranks[i];
    return byNumber;
  }

  async close(): Promise<void> {
    await this.#texts?.abandon();
    await this.#numbers?.abandon();
    await this.#ranks?.close();
  }
}

async function writeNames(log: AppendLog, arena: Uint8Array, order: Uint32Array): Promise<void> {
  const staged = new Uint8Array(STAGED_BYTES);
  for (let done = 0; done < order.length; ) {
    const { next, bytes } = packNames(arena, order, done, staged);
    await log.append(staged.subarray(0, bytes));
    done = next;
  }
}

/** Packs as many names from `start` on as there is room for, each after its length. */
function packNames(arena: Uint8Array, order: Uint32Array, start: number, into: Uint8Array) {
  let bytes = 0;
  let next = start;
  for (; next < order.length; next++) {
    const entry = order[next];
    const length = lengthAt(arena, entry);
    if (bytes + length + 5 > into.length) break;
    bytes = writeVarint(into, bytes, length);
    for (let i = 0; i < length; i++) into[bytes++] = arena[entry + ENTRY_HEAD + i];
  }
  return { next, bytes };
}

async function mergeRuns(
  cursors: readonly RunCursor[],
  take: (bytes: Uint8Array, length: number) => Promise<void> | undefined,
  repeated: (bytes: Uint8Array, length: number) => void,
): Promise<number> {
  const heap: RunCursor[] = [];
  for (const cursor of cursors) {
    if (cursor.next() || (await cursor.refill())) heap.push(cursor);
  }
  heap.sort((a, b) => a.compare(b));
  let last = new Uint8Array(256);
  let lastLength = -1;
  let rank = -1;
  while (heap.length > 0) {
    const cursor = heap[0];
    const { bytes, start, length } = cursor;
    if (compareBytes(bytes, start, start + length, last, 0, lastLength) === 0)
      repeated(last, length);
    else {
      rank++;
      if (length > last.length) last = new Uint8Array(2 * length);
      for (let i = 0; i < length; i++) last[i] = bytes[start + i];
      lastLength = length;
      const taken = take(last, length);
      if (taken !== undefined) await taken;
    }
    if (!cursor.note(rank)) await cursor.writeRanks();
    if (cursor.next() || (await cursor.refill())) sink(heap);
    else {
      const end = heap.pop()!;
      if (heap.length > 0 && end !== cursor) {
        heap[0] = end;
        sink(heap);
      }
    }
  }
  for (const cursor of cursors) await cursor.writeRanks();
  return rank + 1;
}

/** Moves the first entry of a heap to its place. */
function sink(heap: RunCursor[]): void {
  const cursor = heap[0];
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].compare(heap[child]) < 0) child++;
    if (heap[child].compare(cursor) >= 0) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = cursor;
}

/**
 * The position of the merge in a run: its next name, and ranks of earlier names that are not
 * written yet.
 */
class RunCursor {
  readonly #reader: ReadAhead;
  readonly #chunk: number;
  readonly #ranksFile: DiskFile;
  #ranksAt: number;
  readonly #ranks: Uint32Array;
  #noted = 0;
  #at = 0;
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  length = 0;

  constructor(texts: StateFile, ranks: DiskFile, { start, end, numbers }: Run, memory: number) {
    this.#chunk = memory;
    this.#reader = new ReadAhead(texts, start, end, memory);
    this.#ranksFile = ranks;
    this.#ranksAt = numbers - HEADER_BYTES;
    this.#ranks = new Uint32Array(memory / 4);
  }

  /** Moves to the next name; false if it is not complete in memory, or there is none. */
  next(): boolean {
    const { bytes } = this;
    let at = this.#at;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      if (at === bytes.length) return false;
      const byte = bytes[at++];
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    if (at + length > bytes.length) return false;
    this.start = at;
    this.length = length;
    this.#at = at + length;
    return true;
  }

  /** Reads more and moves to the next name; false if there is none. */
  async refill(): Promise<boolean> {
    this.#reader.skip(this.#at);
    for (let wanted = this.#chunk; ; wanted *= 2) {
      this.bytes = await this.#reader.peek(wanted);
      this.#at = 0;
      if (this.next()) return true;
      if (this.bytes.length < wanted) return false;
    }
  }

  /** Notes a rank. Returns false if `writeRanks` is due. */
  note(rank: number): boolean {
    this.#ranks[this.#noted++] = rank;
    return this.#noted < this.#ranks.length;
  }

  async writeRanks(): Promise<void> {
    const bytes = new Uint8Array(this.#ranks.buffer, 0, this.#noted * 4);
    await this.#ranksFile.writeAll(bytes, this.#ranksAt);
    this.#ranksAt += bytes.length;
    this.#noted = 0;
  }

  compare(other: RunCursor): number {
    return compareBytes(
      this.bytes,
      this.start,
      this.start + this.length,
      other.bytes,
      other.start,
      other.start + other.length,
    );
  }

  end(): Promise<void> {
    return this.#reader.end();
  }
}
