/**
 * The first half of DRUM: tuples go to the buffers of their buckets, and full buffers to the disk.
 *
 * Idea      a bucket is a range of keys; ranges are made of slots (the first 16 bits of a key), so
 *           that finding the bucket is one table look-up. Where the ranges begin follows the keys
 *           that came before, not the key space: an agent that owns a few partitions still fills
 *           all its buckets.
 * Requires  the arena of the kernel while tuples are collected.
 * Ensures   the tuples of a bucket stay in the order of arrival; no bucket ever holds more than
 *           `bucketKeys` keys or, unless it holds a single tuple, more than `bucketTexts` bytes.
 */

import { varintSize, writeVarint } from '../base/varint.ts';
import type { ChunkLog, Parts } from './chunk-log.ts';
import { type Geometry, laneBytes } from './geometry.ts';
import { type Kernel, SLACK, SLOTS } from './kernel.ts';
import type { KeyedBatch } from './keyed-batch.ts';

export class Collector {
  readonly #kernel: Kernel;
  readonly #geometry: Geometry;
  readonly #arena: number;
  /**
   * Address of four u32 a bucket, as the kernel needs them: next key, end of keys, next text, end
   * of texts.
   */
  readonly #lanesAt: number;
  readonly #lanes: Uint32Array;
  readonly #slotsAt: number;
  readonly #slots: Uint16Array;
  /** Addresses of the part of a batch that is being collected, in the kernel's memory. */
  readonly #staged: {
    readonly keys: number;
    readonly ends: number;
    readonly keep: number;
    readonly bytes: number;
  };
  readonly #stagedKeys: BigUint64Array;
  readonly #stagedEnds: Uint32Array;
  /** Keys of each bucket that are on disk. */
  readonly #spilledKeys: Uint32Array;
  /** Bytes of texts of each bucket that are on disk. */
  readonly #spilledTexts: Float64Array;
  #starts: readonly number[] = [];
  #log: ChunkLog | undefined;

  constructor(kernel: Kernel, geometry: Geometry, arena: number) {
    const { buckets, stagedEntries, stagedBytes } = geometry;
    this.#kernel = kernel;
    this.#geometry = geometry;
    this.#arena = arena;
    this.#lanesAt = kernel.allocate(buckets * 16);
    this.#lanes = kernel.u32(this.#lanesAt, buckets * 4);
    this.#slotsAt = kernel.allocate(SLOTS * 2);
    this.#slots = new Uint16Array(kernel.buffer, this.#slotsAt, SLOTS);
    this.#staged = {
      keys: kernel.allocate(stagedEntries * 8),
      ends: kernel.allocate(stagedEntries * 4),
      keep: kernel.allocate(stagedEntries),
      bytes: kernel.allocate(stagedBytes + SLACK),
    };
    this.#stagedKeys = kernel.u64(this.#staged.keys, stagedEntries);
    this.#stagedEnds = kernel.u32(this.#staged.ends, stagedEntries);
    this.#spilledKeys = new Uint32Array(buckets);
    this.#spilledTexts = new Float64Array(buckets);
    this.starts = Array.from({ length: buckets }, (_, i) => Math.floor((i * SLOTS) / buckets));
  }

  /**
   * The slot where each bucket begins, not decreasing, the first 0. Set it only between two
   * generations.
   */
  get starts(): readonly number[] {
    return this.#starts;
  }

  set starts(starts: readonly number[]) {
    this.#starts = starts;
    for (let bucket = 0; bucket < starts.length; bucket++) {
      this.#slots.fill(bucket, starts[bucket], starts[bucket + 1] ?? SLOTS);
    }
  }

  /** Tuples collected since `begin`. */
  get total(): number {
    let total = 0;
    for (let bucket = 0; bucket < this.#geometry.buckets; bucket++) total += this.#count(bucket);
    return total;
  }

  get log(): ChunkLog {
    if (!this.#log) throw new Error('Nothing is being collected.');
    return this.#log;
  }

  /** Starts with the buckets of `log`: empty, or as a checkpoint left them. */
  async begin(log: ChunkLog): Promise<void> {
    this.#log = log;
    for (let bucket = 0; bucket < this.#geometry.buckets; bucket++) {
      const chunks = log.chunks(bucket);
      this.#spilledKeys[bucket] = chunks.reduce((sum, chunk) => sum + chunk.count, 0);
      this.#spilledTexts[bucket] = chunks.reduce((sum, chunk) => sum + chunk.textBytes, 0);
      this.#resetLane(bucket);
      const open = log.opened(bucket);
      if (!open) continue;
      await log.read(this.#kernel.view(this.#keysAt(bucket), open.count * 8), open.keysAt);
      await log.read(this.#kernel.view(this.#textsAt(bucket), open.textBytes), open.textsAt);
      this.#lanes[bucket * 4] += open.count * 8;
      this.#lanes[bucket * 4 + 2] += open.textBytes;
    }
  }

  /**
   * Collects the entries of `batch` from `from` on, except those with a zero in `keep`; returns the
   * first entry whose bucket is full, or the length.
   */
  async collect(batch: KeyedBatch, from: number, keep?: Uint8Array): Promise<number> {
    const { keys, ends, bytes, keep: kept } = this.#staged;
    const { distribute } = this.#kernel.run;
    while (from < batch.length) {
      const n = this.#stage(batch, from, keep);
      let i = 0;
      while (true) {
        if (n > 0) i = distribute(keys, ends, bytes, kept, i, n, this.#slotsAt, this.#lanesAt);
        if (n > 0 && i === n) break;
        const alone = await this.#makeRoom(batch, from + i, keep);
        if (alone === undefined) return from + i;
        if (alone) i++;
        if (n === 0 && alone) break;
      }
      from += Math.max(n, i);
    }
    return from;
  }

  /** Moves every buffer to the disk, so that the arena is free and the log complete. */
  async finish(): Promise<ChunkLog> {
    for (let bucket = 0; bucket < this.#geometry.buckets; bucket++) {
      if (this.#laneCount(bucket) > 0) await this.#closeChunk(bucket);
    }
    await this.log.seal();
    return this.log;
  }

  /** Writes what the buffers hold, for a checkpoint; collecting continues. */
  async writeOpen(): Promise<void> {
    const room = { keys: this.#geometry.keyChunk, texts: this.#geometry.textChunk };
    const chunks = new Map<number, Parts>();
    for (let bucket = 0; bucket < this.#geometry.buckets; bucket++) {
      if (this.#laneCount(bucket) > 0) chunks.set(bucket, this.#parts(bucket));
    }
    await this.log.writeOpen(chunks, room);
  }

  /**
   * Copies as many entries as fit to the kernel's memory; none when the first is larger than all of
   * it.
   */
  #stage(batch: KeyedBatch, from: number, keep: Uint8Array | undefined): number {
    const { stagedEntries, stagedBytes } = this.#geometry;
    const start = from === 0 ? 0 : batch.ends[from - 1];
    const most = Math.min(batch.length, from + stagedEntries);
    let to = most;
    if (batch.ends[most - 1] - start > stagedBytes) {
      to = from;
      while (batch.ends[to] - start <= stagedBytes) to++;
    }
    const n = to - from;
    if (n === 0) return 0;
    this.#stagedKeys.set(batch.keys.subarray(from, to));
    for (let i = 0; i < n; i++) this.#stagedEnds[i] = batch.ends[from + i] - start;
    this.#kernel.bytes.set(batch.bytes.subarray(start, batch.ends[to - 1]), this.#staged.bytes);
    if (keep) this.#kernel.bytes.set(keep.subarray(from, to), this.#staged.keep);
    else this.#kernel.bytes.fill(1, this.#staged.keep, this.#staged.keep + n);
    return n;
  }

  /**
   * Makes room for entry `i`, which found none: true when it became a chunk of its own, undefined
   * when its bucket is full.
   */
  async #makeRoom(
    batch: KeyedBatch,
    i: number,
    keep: Uint8Array | undefined,
  ): Promise<boolean | undefined> {
    if (keep?.[i] === 0) return true;
    const key = batch.keys[i];
    const bucket = this.#slots[Number(key >> 48n)];
    const text = batch.bytes.subarray(i === 0 ? 0 : batch.ends[i - 1], batch.ends[i]);
    const stored = varintSize(text.length) + text.length;
    const count = this.#count(bucket);
    if (count >= this.#geometry.bucketKeys) return undefined;
    if (count > 0 && this.#texts(bucket) + stored > this.#geometry.bucketTexts) return undefined;
    if (this.#laneCount(bucket) > 0) await this.#closeChunk(bucket);
    if (stored <= this.#geometry.textChunk && text.length <= this.#geometry.stagedBytes)
      return false;

    const texts = new Uint8Array(stored);
    texts.set(text, writeVarint(texts, 0, text.length));
    const keys = new Uint8Array(BigUint64Array.of(key).buffer);
    await this.#close(bucket, { keys, texts });
    return true;
  }

  async #closeChunk(bucket: number): Promise<void> {
    await this.#close(bucket, this.#parts(bucket));
  }

  async #close(bucket: number, parts: Parts): Promise<void> {
    await this.log.close(bucket, parts);
    this.#spilledKeys[bucket] += parts.keys.length / 8;
    this.#spilledTexts[bucket] += parts.texts.length;
    this.#resetLane(bucket);
  }

  #resetLane(bucket: number): void {
    const { keyChunk, textChunk, bucketKeys, bucketTexts } = this.#geometry;
    const keys = this.#keysAt(bucket);
    const texts = this.#textsAt(bucket);
    const lane = bucket * 4;
    this.#lanes[lane] = keys;
    this.#lanes[lane + 1] = keys + Math.min(keyChunk, (bucketKeys - this.#spilledKeys[bucket]) * 8);
    this.#lanes[lane + 2] = texts;
    this.#lanes[lane + 3] =
      texts + Math.max(0, Math.min(textChunk, bucketTexts - this.#spilledTexts[bucket]));
  }

  #parts(bucket: number): Parts {
    const keys = this.#keysAt(bucket);
    const texts = this.#textsAt(bucket);
    return {
      keys: this.#kernel.view(keys, this.#lanes[bucket * 4] - keys),
      texts: this.#kernel.view(texts, this.#lanes[bucket * 4 + 2] - texts),
    };
  }

  #keysAt(bucket: number): number {
    return this.#arena + bucket * laneBytes(this.#geometry);
  }

  #textsAt(bucket: number): number {
    return this.#keysAt(bucket) + this.#geometry.keyChunk;
  }

  #laneCount(bucket: number): number {
    return (this.#lanes[bucket * 4] - this.#keysAt(bucket)) / 8;
  }

  #count(bucket: number): number {
    return this.#spilledKeys[bucket] + this.#laneCount(bucket);
  }

  #texts(bucket: number): number {
    return this.#spilledTexts[bucket] + this.#lanes[bucket * 4 + 2] - this.#textsAt(bucket);
  }
}
