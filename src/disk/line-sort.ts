/**
 * Lines of text, more than fit in memory, sorted bytewise.
 *
 * Idea      Lines are collected until they fill the memory, sorted there and written to a file: a
 *           run. Up to `MOST_RUNS` runs are merged at once, until one merge gives all lines.
 * Requires  a folder for its files; Latin-1 lines without line ends; `sorted` is called once, after
 *           the last `add`.
 * Ensures   every line added comes out, in order, repeats included. Its files are deleted when
 *           `sorted` ends, or by `close`.
 * Costs     about the memory given. Each line is written and read once if all fit in `MOST_RUNS`
 *           times the memory.
 */
import { join } from 'node:path';
import { type Lane, Merge } from '../base/merge.ts';
import type { Bytes } from '../base/units.ts';
import type { Disk } from './disk.ts';
import { readLines } from './lines.ts';

/** Bytes of a line in memory besides its characters. */
const PER_LINE: Bytes = 48;
/** Runs merged at once. */
const MOST_RUNS = 64;
const LEAST_BUFFER: Bytes = 4096;
const MOST_BUFFER: Bytes = 256 * 1024;
/** Lines in a batch of output. */
const BATCH = 1024;

export class LineSorter {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #name: string;
  readonly #memory: Bytes;
  readonly #mostRuns: number;
  #lines: string[] = [];
  #held: Bytes = 0;
  #runs: string[] = [];
  #count = 0;

  /** `name` begins the names of its files. */
  constructor(disk: Disk, folder: string, name: string, memory: Bytes, mostRuns = MOST_RUNS) {
    this.#disk = disk;
    this.#folder = folder;
    this.#name = name;
    this.#memory = memory;
    this.#mostRuns = Math.max(2, mostRuns);
  }

  /** Await what it returns, if it returns anything. */
  add(line: string): Promise<void> | undefined {
    this.#lines.push(line);
    this.#held += line.length + PER_LINE;
    return this.#held >= this.#memory ? this.#spill() : undefined;
  }

  async addAll(lines: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const batch of lines)
      for (const line of batch) {
        const full = this.add(line);
        if (full) await full;
      }
  }

  /** All lines, in batches that stay valid. */
  async *sorted(): AsyncGenerator<string[]> {
    try {
      if (this.#runs.length === 0) {
        yield* inBatches(this.#take());
        return;
      }
      await this.#spill();
      while (this.#runs.length > this.#mostRuns) {
        const some = this.#runs.splice(0, this.#mostRuns);
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

  #take(): string[] {
    const lines = this.#lines.sort();
    this.#lines = [];
    this.#held = 0;
    return lines;
  }

  async #spill(): Promise<void> {
    if (this.#lines.length > 0) this.#runs.push(await this.#write(inBatches(this.#take())));
  }

  async #write(batches: AsyncIterable<string[]> | Iterable<string[]>): Promise<string> {
    const path = join(this.#folder, `${this.#name}-${this.#count++}.run`);
    const file = await this.#disk.open(path, 'create');
    try {
      let at = 0;
      for await (const lines of batches) {
        const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
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

  #merge(runs: readonly string[]): AsyncGenerator<string[]> {
    const share = Math.floor(this.#memory / (4 * runs.length));
    const buffer = Math.min(MOST_BUFFER, Math.max(LEAST_BUFFER, share));
    return mergeLines(runs.map((run) => readLines(this.#disk, run, 0, buffer)));
  }
}

function* inBatches(lines: readonly string[]): Generator<string[]> {
  for (let at = 0; at < lines.length; at += BATCH) yield lines.slice(at, at + BATCH);
}

/** One sorted stream of lines in a merge, and the position in its current batch. */
class LineLane implements Lane {
  #batch: readonly string[] = [];
  #at = 0;
  readonly #rest: AsyncGenerator<string[]>;

  constructor(rest: AsyncGenerator<string[]>) {
    this.#rest = rest;
  }

  get line(): string {
    return this.#batch[this.#at];
  }

  get hasOne(): boolean {
    return this.#at < this.#batch.length;
  }

  skip(): void {
    this.#at++;
  }

  fill(): Promise<void> | undefined {
    return this.hasOne ? undefined : this.#more();
  }

  async close(): Promise<void> {
    await this.#rest.return(undefined);
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#rest.next();
    this.#batch = done ? [] : value;
    this.#at = 0;
  }
}

/** Merges sorted streams into one; closes them all, also after a failure. */
export async function* mergeLines(
  streams: readonly AsyncGenerator<string[]>[],
): AsyncGenerator<string[]> {
  const lanes = streams.map((stream) => new LineLane(stream));
  const merge = new Merge(lanes, (a, b) => a.line < b.line);
  try {
    await merge.begin();
    let out: string[] = [];
    for (let lane = merge.top; lane !== undefined; lane = merge.top) {
      out.push(lane.line);
      if (out.length === BATCH) {
        yield out;
        out = [];
      }
      const wait = merge.next();
      if (wait) await wait;
    }
    if (out.length > 0) yield out;
  } finally {
    await merge.close();
  }
}
