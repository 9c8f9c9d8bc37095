/**
 * The second half of DRUM for keys without values: each bucket is sorted and merged into the
 * repository, all of them in one pass over it.
 *
 * Requires  a finished log: every bucket's tuples are on disk. The arena is free.
 * Ensures   `out` becomes the sorted union of the repository and the log; `answers` holds, for each
 *           chunk of the log in the order of buckets, which of its tuples are the first of a key
 *           never seen before. Nothing else is touched, so that an interrupted merge leaves
 *           everything as it was.
 * Costs     one read and one write of the repository, one read of the log's keys; about 30 ns of
 *           work a key.
 *
 * An answer block: u32 count of tuples, u32 count of answers; if there are answers, a bit a tuple
 * (padded to 8 bytes) and the answered keys in order.
 */

import { alignTo8 } from '../base/align.ts';
import type { Pacer } from '../base/pacer.ts';
import type { AppendLog } from '../disk/append-log.ts';
import type { StateFile } from '../disk/block-file.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import { BucketSort, EvenStarts } from './bucket-sort.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { Geometry } from './geometry.ts';
import { type Kernel, MERGE } from './kernel.ts';

export const KEYS_FORMAT: Format = { type: 'key', version: 1, summed: true };
export const ANSWERS_FORMAT: Format = { type: 'ans', version: 1, summed: true };

export interface Repository {
  readonly file: StateFile;
  readonly count: number;
}

export class KeyMerge {
  readonly #kernel: Kernel;
  readonly #geometry: Geometry;
  readonly #pacer: Pacer;
  readonly #bucket: BucketSort;
  // Addresses after the sorted bucket; see `mergeBytes` for their sizes.
  readonly #cursorsAt: number;
  readonly #novel: number;
  readonly #windows: readonly [number, number];
  readonly #out: number;
  readonly #block: number;
  readonly #cursors: Uint32Array;

  constructor(kernel: Kernel, geometry: Geometry, arena: number, pacer: Pacer) {
    const { bucketKeys, window } = geometry;
    this.#kernel = kernel;
    this.#geometry = geometry;
    this.#pacer = pacer;
    this.#bucket = new BucketSort(kernel, pacer, arena, bucketKeys);
    this.#cursorsAt = this.#bucket.end;
    this.#novel = this.#cursorsAt + 24;
    const windows = this.#novel + alignTo8(bucketKeys / 8 + 8);
    this.#windows = [windows, windows + window];
    this.#out = windows + 2 * window;
    this.#block = windows + 3 * window;
    this.#cursors = kernel.u32(this.#cursorsAt, 6);
  }

  /** Merges; returns where the buckets should begin so that tuples like these fill them evenly. */
  async run(
    log: ChunkLog,
    repository: Repository | undefined,
    out: AppendLog,
    answers: AppendLog,
    tuples: number,
  ): Promise<number[]> {
    const { buckets, window } = this.#geometry;
    const seen = new SeenKeys(this.#kernel, repository, this.#windows, window);
    const starts = new EvenStarts(buckets, tuples);
    this.#cursors.set([0, 0, 0, 0, this.#out, this.#out + window]);
    for (let bucket = 0; bucket < buckets; bucket++) {
      const n = await this.#bucket.load(log, bucket);
      if (n === 0) continue;
      await this.#bucket.sort(n);
      starts.saw(this.#bucket, n);
      await this.#mergeBucket(n, seen, out);
      await this.#answer(log, bucket, answers);
    }
    await this.#copyRest(seen, out);
    return starts.result;
  }

  async #mergeBucket(n: number, seen: SeenKeys, out: AppendLog): Promise<void> {
    this.#kernel.bytes.fill(0, this.#novel, this.#novel + alignTo8(n / 8));
    this.#cursors[0] = this.#bucket.pairs;
    this.#cursors[1] = this.#bucket.pairs + n * 16;
    while (true) {
      const why = this.#kernel.run.merge(this.#cursorsAt, this.#novel, seen.isLast ? 1 : 0);
      if (why === MERGE.done) return;
      if (why === MERGE.needsRoom) await this.#flushOut(out);
      else await seen.advance(this.#cursors);
      await this.#pacer.pause();
    }
  }

  async #answer(log: ChunkLog, bucket: number, answers: AppendLog): Promise<void> {
    const counts = this.#kernel.u32(this.#block, 2);
    const bits = this.#block + 8;
    let from = 0;
    for (const { count } of log.chunks(bucket)) {
      const keys = bits + alignTo8(count / 8);
      this.#kernel.bytes.fill(0, bits, keys);
      const n = this.#kernel.run.pick(this.#bucket.keys, this.#novel, from, count, bits, keys);
      counts[0] = count;
      counts[1] = n;
      await answers.append(
        this.#kernel.view(this.#block, n === 0 ? 8 : keys - this.#block + n * 8),
      );
      from += count;
    }
  }

  async #flushOut(out: AppendLog): Promise<void> {
    const start = this.#out;
    await out.append(this.#kernel.view(start, this.#cursors[4] - start));
    this.#cursors[4] = start;
  }

  /** Copies the keys of the repository after the last bucket. */
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

/** The sorted keys of the repository, a window at a time; the next one is being read meanwhile. */
class SeenKeys {
  readonly #kernel: Kernel;
  readonly #file: StateFile | undefined;
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
    this.#coming.catch(() => undefined); // the next `advance` awaits it
    this.#position += bytes;
  }
}
