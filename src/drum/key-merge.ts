/**
 * The second half of DRUM for keys without values: each bucket is sorted and merged into the repository, and all of them
 * in one pass over it.
 *
 * Requires  a finished log: every bucket's tuples on disk. The arena is free.
 * Ensures   `out` becomes the sorted union of the repository and the log; `answers` holds, for each chunk of the log in the order
 *           of buckets, which of its tuples are the first of a key never seen before. Nothing else is touched, so that
 *           an interrupted merge leaves everything as it was.
 * Costs     one read and one write of the repository, one read of the log's keys; about 30 ns of work a key.
 *
 * An answer block: u32 count of tuples, u32 count of answers; if there are answers, a bit a tuple (padded to 8 bytes)
 * and the answered keys in order.
 */
import type { AppendLog } from '../disk/append-log.ts';
import type { DiskFile } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import type { ChunkLog } from './chunk-log.ts';
import { type Geometry, KEYS_PER_GROUP } from './geometry.ts';
import { alignUp, type Kernel, MERGE } from './kernel.ts';
import type { Pacer } from './pacer.ts';

export const KEYS_FORMAT: Format = { type: 'key', version: 1 };
export const ANSWERS_FORMAT: Format = { type: 'ans', version: 1 };

/** Work between two pauses: about two milliseconds. */
const SLICE_KEYS = 65_536;

export interface Repository {
  readonly file: DiskFile;
  readonly count: number;
}

/** Addresses in the arena; see `mergeBytes` for their sizes. */
interface Regions {
  readonly cursors: number;
  readonly keys: number;
  readonly pairs: number;
  readonly groups: number;
  readonly novel: number;
  readonly windows: readonly [number, number];
  readonly out: number;
  readonly answer: number;
}

export class KeyMerge {
  readonly #kernel: Kernel;
  readonly #geometry: Geometry;
  readonly #pacer: Pacer;
  readonly #regions: Regions;
  readonly #cursors: Uint32Array;

  constructor(kernel: Kernel, geometry: Geometry, arena: number, pacer: Pacer) {
    this.#kernel = kernel;
    this.#geometry = geometry;
    this.#pacer = pacer;
    this.#regions = layout(geometry, arena);
    this.#cursors = kernel.u32(this.#regions.cursors, 6);
  }

  /** Returns where the buckets should begin so that tuples like these would fill them evenly. */
  async run(
    log: ChunkLog,
    repository: Repository | undefined,
    out: AppendLog,
    answers: AppendLog,
    tuples: number,
  ): Promise<number[]> {
    const { buckets, window } = this.#geometry;
    const { windows, out: outAt } = this.#regions;
    const seen = new SeenKeys(this.#kernel, repository, windows, window);
    this.#cursors.set([0, 0, 0, 0, outAt, outAt + window]);
    const starts = new EvenStarts(buckets, tuples);
    for (let bucket = 0; bucket < buckets; bucket++) {
      const n = await this.#load(log, bucket);
      if (n === 0) continue;
      await this.#sort(n);
      starts.sawBucket(n, (i) => this.#kernel.u32(this.#regions.pairs + i * 16 + 4, 1)[0] >>> 16);
      await this.#mergeBucket(n, seen, out);
      await this.#answer(log, bucket, answers);
    }
    await this.#copyRest(seen, out);
    return starts.result;
  }

  async #load(log: ChunkLog, bucket: number): Promise<number> {
    let at = this.#regions.keys;
    for (const chunk of log.chunks(bucket)) {
      await log.read(this.#kernel.view(at, chunk.count * 8), chunk.keysAt);
      at += chunk.count * 8;
    }
    return (at - this.#regions.keys) / 8;
  }

  async #sort(n: number): Promise<void> {
    const { run } = this.#kernel;
    const { keys, pairs, groups, cursors, novel } = this.#regions;
    const bounds = alignUp(cursors + 24);
    run.bounds(keys, n, bounds);
    const [low, high] = this.#kernel.u64(bounds, 2);
    const bits = Math.max(1, Math.ceil(Math.log2(n / KEYS_PER_GROUP)));
    const shift = Math.max(0, (high - low).toString(2).length - bits);
    const count = Number((high - low) >> BigInt(shift)) + 1;
    this.#kernel.bytes.fill(0, groups, groups + count * 4);
    this.#kernel.bytes.fill(0, novel, novel + alignUp(Math.ceil(n / 8)));
    run.countGroups(keys, n, low, shift, groups);
    run.startGroups(groups, count);
    for (let from = 0; from < n; from += SLICE_KEYS) {
      run.scatter(keys, from, Math.min(n, from + SLICE_KEYS), low, shift, groups, pairs);
      await this.#pacer.pause();
    }
    const slice = Math.max(1, Math.floor((SLICE_KEYS * count) / n));
    for (let from = 0; from < count; from += slice) {
      run.sortGroups(groups, from, Math.min(count, from + slice), pairs);
      await this.#pacer.pause();
    }
  }

  async #mergeBucket(n: number, seen: SeenKeys, out: AppendLog): Promise<void> {
    const { pairs, cursors, novel } = this.#regions;
    this.#cursors[0] = pairs;
    this.#cursors[1] = pairs + n * 16;
    while (true) {
      const why = this.#kernel.run.merge(cursors, novel, seen.isLast ? 1 : 0);
      if (why === MERGE.done) return;
      if (why === MERGE.needsRoom) await this.#flushOut(out);
      else await seen.advance(this.#cursors);
      await this.#pacer.pause();
    }
  }

  async #answer(log: ChunkLog, bucket: number, answers: AppendLog): Promise<void> {
    const { keys, novel, answer } = this.#regions;
    const counts = this.#kernel.u32(answer, 2);
    let from = 0;
    for (const { count } of log.chunks(bucket)) {
      const bitBytes = alignUp(Math.ceil(count / 8));
      this.#kernel.bytes.fill(0, answer + 8, answer + 8 + bitBytes);
      const n = this.#kernel.run.pick(keys, novel, from, count, answer + 8, answer + 8 + bitBytes);
      counts[0] = count;
      counts[1] = n;
      await answers.append(this.#kernel.view(answer, n === 0 ? 8 : 8 + bitBytes + n * 8));
      from += count;
    }
  }

  async #flushOut(out: AppendLog): Promise<void> {
    const start = this.#regions.out;
    await out.append(this.#kernel.view(start, this.#cursors[4] - start));
    this.#cursors[4] = start;
  }

  /** The keys of the repository behind the last bucket come over as they are. */
  async #copyRest(seen: SeenKeys, out: AppendLog): Promise<void> {
    await this.#flushOut(out);
    while (true) {
      await out.append(this.#kernel.view(this.#cursors[2], this.#cursors[3] - this.#cursors[2]));
      if (seen.isLast) return;
      await seen.advance(this.#cursors);
      await this.#pacer.pause();
    }
  }
}

/** The sorted keys of the repository, a window at a time; the next is being read while one is worked on. */
class SeenKeys {
  readonly #kernel: Kernel;
  readonly #file: DiskFile | undefined;
  readonly #windows: readonly [number, number];
  readonly #windowBytes: number;
  readonly #end: number;
  #position = HEADER_BYTES;
  #turn = 0;
  #coming: Promise<number> | undefined;

  constructor(
    kernel: Kernel,
    repository: Repository | undefined,
    windows: readonly [number, number],
    windowBytes: number,
  ) {
    this.#kernel = kernel;
    this.#file = repository?.file;
    this.#end = HEADER_BYTES + (repository?.count ?? 0) * 8;
    this.#windows = windows;
    this.#windowBytes = windowBytes;
    this.#readAhead();
  }

  /** No keys come after the present window. */
  get isLast(): boolean {
    return this.#coming === undefined;
  }

  async advance(cursors: Uint32Array): Promise<void> {
    const bytes = (await this.#coming) ?? 0;
    cursors[2] = this.#windows[this.#turn];
    cursors[3] = cursors[2] + bytes;
    this.#turn = 1 - this.#turn;
    this.#readAhead();
  }

  #readAhead(): void {
    const bytes = Math.min(this.#windowBytes, this.#end - this.#position);
    if (bytes <= 0 || !this.#file) {
      this.#coming = undefined;
      return;
    }
    const into = this.#kernel.view(this.#windows[this.#turn], bytes);
    this.#coming = this.#file.readAll(into, this.#position).then(() => bytes);
    this.#coming.catch(() => undefined); // it is awaited by the next `advance`; until then it is not unhandled
    this.#position += bytes;
  }
}

/** Watches the sorted buckets go by and notes the slot at each k-th part of all tuples. */
class EvenStarts {
  readonly result = [0];
  readonly #buckets: number;
  readonly #tuples: number;
  #passed = 0;

  constructor(buckets: number, tuples: number) {
    this.#buckets = buckets;
    this.#tuples = tuples;
  }

  sawBucket(n: number, slotAt: (i: number) => number): void {
    while (this.result.length < this.#buckets) {
      const target = Math.floor((this.result.length * this.#tuples) / this.#buckets);
      if (target >= this.#passed + n) break;
      this.result.push(slotAt(target - this.#passed));
    }
    this.#passed += n;
  }
}

function layout(g: Geometry, arena: number): Regions {
  let at = arena;
  const region = (bytes: number) => {
    const start = at;
    at += alignUp(bytes);
    return start;
  };
  return {
    cursors: region(48),
    keys: region(g.bucketKeys * 8),
    pairs: region(g.bucketKeys * 16),
    groups: region((g.bucketKeys * 8) / KEYS_PER_GROUP + 16),
    novel: region(Math.ceil(g.bucketKeys / 8) + 8),
    windows: [region(g.window), region(g.window)],
    out: region(g.window),
    answer: at,
  };
}
