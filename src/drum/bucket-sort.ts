/**
 * One bucket in memory: its keys as they arrived, and (key, index) pairs sorted by key, then by
 * arrival.
 *
 * Idea      keys of a bucket are spread over its range, so one pass puts them into groups of about
 *           eight, and each group is sorted by insertion. Keys that are not fingerprints may crowd
 *           into few groups; a large group is sorted by heap.
 * Requires  SORT bytes a key of the arena from `at` on, at most `bucketKeys` keys.
 * Costs     about 15 ns a key; n log n at worst.
 */

import { alignTo8 } from '../base/align.ts';
import type { Pacer } from '../base/pacer.ts';
import type { ChunkLog } from './chunk-log.ts';
import { KEYS_PER_GROUP } from './geometry.ts';
import type { Kernel } from './kernel.ts';

/** Work between two pauses: a millisecond or two. */
const SLICE_KEYS = 65_536;

export class BucketSort {
  readonly #kernel: Kernel;
  readonly #pacer: Pacer;
  readonly #bounds: number;
  readonly #groups: number;
  /** Address of the u64 keys, in the order of arrival. */
  readonly keys: number;
  /** Address of the pairs of u64, sorted. */
  readonly pairs: number;
  /** Address where the memory used here ends. */
  readonly end: number;

  constructor(kernel: Kernel, pacer: Pacer, at: number, bucketKeys: number) {
    this.#kernel = kernel;
    this.#pacer = pacer;
    this.#bounds = at;
    this.keys = at + 16;
    this.pairs = this.keys + bucketKeys * 8;
    this.#groups = this.pairs + bucketKeys * 16;
    this.end = alignTo8(this.#groups + (bucketKeys * 8) / KEYS_PER_GROUP + 16);
  }

  /** Reads the bucket's keys; returns how many. */
  async load(log: ChunkLog, bucket: number): Promise<number> {
    let at = this.keys;
    // All at once: the system can then order the reads.
    const reads = log.chunks(bucket).map(({ count, keysAt }) => {
      const into = this.#kernel.view(at, count * 8);
      at += count * 8;
      return log.read(into, keysAt);
    });
    await Promise.all(reads);
    return (at - this.keys) / 8;
  }

  async sort(n: number): Promise<void> {
    const { run } = this.#kernel;
    run.bounds(this.keys, n, this.#bounds);
    const [low, high] = this.#kernel.u64(this.#bounds, 2);
    const bits = Math.max(1, Math.ceil(Math.log2(n / KEYS_PER_GROUP)));
    const shift = Math.max(0, (high - low).toString(2).length - bits);
    const count = Number((high - low) >> BigInt(shift)) + 1;
    this.#kernel.bytes.fill(0, this.#groups, this.#groups + count * 4);
    run.countGroups(this.keys, n, low, shift, this.#groups);
    run.startGroups(this.#groups, count);
    for (let from = 0; from < n; from += SLICE_KEYS) {
      const to = Math.min(n, from + SLICE_KEYS);
      run.scatter(this.keys, from, to, low, shift, this.#groups, this.pairs);
      await this.#pacer.pause();
    }
    const slice = Math.max(1, Math.floor((SLICE_KEYS * count) / n));
    for (let from = 0; from < count; from += slice) {
      run.sortGroups(this.#groups, from, Math.min(count, from + slice), this.pairs);
      await this.#pacer.pause();
    }
  }

  /** The slot (first 16 bits) of the i-th key in order. */
  slotAt(i: number): number {
    return this.#kernel.u32(this.pairs + i * 16 + 4, 1)[0] >>> 16;
  }
}

/** Notes, from the sorted buckets of a merge, where each k-th part of all tuples begins. */
export class EvenStarts {
  readonly result = [0];
  readonly #buckets: number;
  readonly #tuples: number;
  #passed = 0;

  constructor(buckets: number, tuples: number) {
    this.#buckets = buckets;
    this.#tuples = tuples;
  }

  saw(bucket: BucketSort, n: number): void {
    while (this.result.length < this.#buckets) {
      const target = Math.floor((this.result.length * this.#tuples) / this.#buckets);
      if (target >= this.#passed + n) break;
      this.result.push(bucket.slotAt(target - this.#passed));
    }
    this.#passed += n;
  }
}
