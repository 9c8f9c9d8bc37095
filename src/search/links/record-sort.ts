/**
 * Records of a few 32-bit numbers, more than fit in memory, sorted by their numbers in order.
 *
 * Idea      Records are collected until they fill the memory, sorted there by the digits of their
 *           numbers, the last first, and written to a file: a run. Digits that all records share
 *           cost one look. Up to `MOST_RUNS` runs are merged at once. Numbers are in typed arrays:
 *           nothing is left to the garbage collector.
 * Requires  A folder for its files; `sorted` is called once, after the last `add`.
 * Ensures   Every record added comes out, in order, repeats included. Its files are deleted when
 *           `sorted` ends, or by `close`.
 * Costs     The memory given, in which a record takes its numbers and two more.
 */
import { join } from 'node:path';
import { type Lane, Merge } from '../../base/merge.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { orderOf } from '../store/digit-sort.ts';

/** Some records in order: `count` of them, each of `width` numbers. */
interface Records {
  readonly words: Uint32Array;
  readonly count: number;
}

/** Runs merged at once. */
const MOST_RUNS = 64;
/** Records that are held at first; twice as many when they are full. */
const FIRST = 1024;
/** Records of a batch of output. */
const BATCH = 4096;
const BUFFER: Bytes = 128 * 1024;

export class RecordSorter {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #name: string;
  readonly #width: number;
  /** The numbers of a record, in order. */
  readonly #numbers: readonly number[];
  readonly #most: number;
  #held = new Uint32Array(0);
  #count = 0;
  readonly #runs: string[] = [];
  #files = 0;

  /** `name` begins the names of its files; `width` is the numbers of a record, at most five. */
  constructor(disk: Disk, folder: string, name: string, width: number, memory: Bytes) {
    this.#disk = disk;
    this.#folder = folder;
    this.#name = name;
    this.#width = width;
    this.#numbers = Array.from({ length: width }, (_, i) => i);
    this.#most = Math.max(2, Math.floor(memory / (4 * (width + 2))));
  }

  /** Adds a record: of the numbers, as many as its width. Await what it returns, if anything. */
  add(a: number, b: number, c: number, d: number, e = 0): Promise<void> | undefined {
    const width = this.#width;
    if (this.#count * width === this.#held.length) this.#grow();
    const at = this.#count * width;
    const held = this.#held;
    held[at] = a;
    held[at + 1] = b;
    if (width > 2) held[at + 2] = c;
    if (width > 3) held[at + 3] = d;
    if (width > 4) held[at + 4] = e;
    return ++this.#count === this.#most ? this.#spill() : undefined;
  }

  /** All records, in batches; each is valid until the next. */
  async *sorted(): AsyncGenerator<Records> {
    try {
      if (this.#runs.length === 0) {
        yield* this.#ordered();
        return;
      }
      if (this.#count > 0) await this.#spill();
      this.#held = new Uint32Array(0);
      while (this.#runs.length > MOST_RUNS) {
        const some = this.#runs.splice(0, MOST_RUNS);
        this.#runs.push(await this.#write(this.#merge(some)));
        for (const run of some) await this.#disk.remove(run);
      }
      yield* this.#merge(this.#runs);
    } finally {
      await this.close();
    }
  }

  /** Deletes its files. */
  async close(): Promise<void> {
    for (const run of this.#runs.splice(0)) await this.#disk.remove(run);
  }

  #grow(): void {
    const records = Math.min(this.#most, Math.max(FIRST, 2 * this.#count));
    const larger = new Uint32Array(records * this.#width);
    larger.set(this.#held);
    this.#held = larger;
  }

  async #spill(): Promise<void> {
    this.#runs.push(await this.#write(this.#ordered()));
    this.#count = 0;
  }

  /** The records that are held, in order. */
  *#ordered(): Generator<Records> {
    const [width, count, held] = [this.#width, this.#count, this.#held];
    const order = orderOf(held, width, count, this.#numbers);
    const words = new Uint32Array(Math.min(BATCH, count) * width);
    for (let done = 0; done < count; done += BATCH) {
      const some = Math.min(BATCH, count - done);
      for (let i = 0, to = 0; i < some; i++) {
        const from = order[done + i] * width;
        for (let word = 0; word < width; word++) words[to++] = held[from + word];
      }
      yield { words, count: some };
    }
  }

  async #write(batches: AsyncIterable<Records> | Iterable<Records>): Promise<string> {
    const path = join(this.#folder, `${this.#name}-${this.#files++}.run`);
    const file = await this.#disk.open(path, 'create');
    try {
      let at = 0;
      for await (const { words, count } of batches) {
        const bytes = new Uint8Array(words.buffer, words.byteOffset, 4 * count * this.#width);
        await file.writeAll(bytes, at);
        at += bytes.length;
      }
      return path;
    } catch (error) {
      await this.#disk.remove(path);
      throw error;
    } finally {
      await file.close();
    }
  }

  #merge(runs: readonly string[]): AsyncGenerator<Records> {
    return mergeRecords(
      runs.map((run) => readRecords(this.#disk, run, this.#width)),
      this.#width,
    );
  }
}

/** The records of a file, in batches; each is valid until the next. */
export async function* readRecords(
  disk: Disk,
  path: string,
  width: number,
): AsyncGenerator<Records> {
  const file = await disk.open(path, 'read');
  // Windows begin at multiples of 8 bytes.
  const chunk = 8 * width * Math.floor(BUFFER / (8 * width));
  const reader = new ReadAhead(file, 0, await file.size(), chunk);
  try {
    for (;;) {
      const bytes = await reader.peek(chunk);
      if (bytes.length === 0) return;
      const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
      yield { words, count: Math.floor(words.length / width) };
      reader.skip(bytes.length);
    }
  } finally {
    await reader.end();
    await file.close();
  }
}

/** Records one at a time: `words` from `at` on are those of the current one. */
export class RecordCursor implements Lane {
  words: Uint32Array = new Uint32Array(0);
  at = 0;
  readonly #batches: AsyncGenerator<Records>;
  readonly #width: number;
  #end = 0;

  constructor(batches: AsyncGenerator<Records>, width: number) {
    this.#batches = batches;
    this.#width = width;
  }

  /** Whether there is a current one; await `fill` first, if it returns anything. */
  get hasOne(): boolean {
    return this.at < this.#end;
  }

  skip(): void {
    this.at += this.#width;
  }

  fill(): Promise<void> | undefined {
    return this.at < this.#end ? undefined : this.#more();
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#batches.next();
    this.at = 0;
    this.#end = done ? 0 : value.count * this.#width;
    if (!done) this.words = value.words;
  }
}

/** Merges sorted streams into one; closes them all, also after a failure. */
async function* mergeRecords(
  streams: readonly AsyncGenerator<Records>[],
  width: number,
): AsyncGenerator<Records> {
  const lanes = streams.map((stream) => new RecordCursor(stream, width));
  const merge = new Merge(lanes, (a, b) => isBefore(a, b, width));
  try {
    await merge.begin();
    const words = new Uint32Array(BATCH * width);
    let count = 0;
    for (let lane = merge.top; lane !== undefined; lane = merge.top) {
      for (let word = 0; word < width; word++)
        words[count * width + word] = lane.words[lane.at + word];
      if (++count === BATCH) {
        yield { words, count };
        count = 0;
      }
      const wait = merge.next();
      if (wait) await wait;
    }
    if (count > 0) yield { words, count };
  } finally {
    await merge.close();
  }
}

function isBefore(a: RecordCursor, b: RecordCursor, width: number): boolean {
  for (let word = 0; word < width; word++) {
    const one = a.words[a.at + word];
    const other = b.words[b.at + word];
    if (one !== other) return one < other;
  }
  return false;
}
