/**
 * The offers of a DRUM, one generation after the other: collected in buckets until one is full,
 * merged, frozen for a checkpoint, restored after a crash.
 *
 * Ensures   what `freeze` describes is durable, and `resume` restores exactly that, also with
 *           buffers of another size.
 */
import type { Disk } from '../disk/disk.ts';
import type { VersionedFiles } from '../disk/versioned-files.ts';
import { ChunkLog, type OpenChunk } from './chunk-log.ts';
import { Collector } from './collector.ts';
import type { Geometry } from './geometry.ts';
import type { Kernel } from './kernel.ts';
import type { KeyedBatch } from './keyed-batch.ts';
import { collectedBatches } from './reoffer.ts';

/** The buckets of one generation. */
export interface Shape {
  readonly generation: number;
  readonly buckets: number;
  readonly keyChunk: number;
  readonly textChunk: number;
}

export interface OffersState extends Shape {
  readonly starts: readonly number[];
  readonly open: readonly OpenChunk[];
}

/** Boundaries learnt from fewer tuples a bucket would be random. */
const TUPLES_PER_BUCKET_TO_LEARN = 64;

export class Offers {
  readonly #disk: Disk;
  readonly #files: VersionedFiles;
  readonly #geometry: Geometry;
  readonly #diskLimit: number;
  readonly #collector: Collector;
  #generation = 1;

  constructor(
    disk: Disk,
    files: VersionedFiles,
    geometry: Geometry,
    kernel: Kernel,
    arena: number,
    diskLimit: number,
  ) {
    this.#disk = disk;
    this.#files = files;
    this.#geometry = geometry;
    this.#diskLimit = diskLimit;
    this.#collector = new Collector(kernel, geometry, arena);
  }

  get pending(): number {
    return this.#collector.total;
  }

  get shape(): Shape {
    const { buckets, keyChunk, textChunk } = this.#geometry;
    return { generation: this.#generation, buckets, keyChunk, textChunk };
  }

  /** `merge` is called whenever a bucket or the disk is full; it must end with `next`. */
  async add(
    batch: KeyedBatch,
    keep: Uint8Array | undefined,
    merge: () => Promise<void>,
  ): Promise<void> {
    for (let i = 0; i < batch.length; ) {
      i = await this.#collector.collect(batch, i, keep);
      if (i < batch.length) await merge();
    }
    if (this.#collector.log.length >= this.#diskLimit) await merge();
  }

  /** Writes everything collected to disk; the arena is free until `next`. */
  finish(): Promise<ChunkLog> {
    return this.#collector.finish();
  }

  /**
   * Begins an empty generation; `starts` is where buckets should begin, learnt from the last one.
   */
  async next(tuples: number, starts: readonly number[]): Promise<void> {
    if (tuples >= TUPLES_PER_BUCKET_TO_LEARN * this.#geometry.buckets)
      this.#collector.starts = starts;
    this.#generation++;
    await this.begin();
  }

  /** Begins with nothing collected, in the generation given or the present one. */
  async begin(generation = this.#generation): Promise<void> {
    this.#generation = generation;
    const path = this.#files.path(offersName(this.#generation));
    const { buckets, window } = this.#geometry;
    await this.#collector.begin(await ChunkLog.create(this.#disk, path, buckets, window));
  }

  async freeze(files: Record<string, number>): Promise<OffersState> {
    const { log, starts } = this.#collector;
    await this.#collector.writeOpen();
    await log.sync();
    files[offersName(this.#generation)] = log.length;
    return { ...this.shape, starts, open: log.openChunks() };
  }

  async resume(
    state: OffersState,
    files: Readonly<Record<string, number>>,
    merge: () => Promise<void>,
  ): Promise<void> {
    const log = await this.openLog(state, files, state.open);
    this.#generation = state.generation;
    this.#files.reopen(offersName(state.generation));
    if (log.canGrow && sameShape(state, this.shape) && this.#fits(log)) {
      this.#collector.starts = state.starts;
      await this.#collector.begin(log);
      return;
    }
    // The memory given has changed, or the log has no checksums: collect the old tuples again.
    this.#generation++;
    await this.begin();
    for await (const batch of collectedBatches(log, state.buckets))
      await this.add(batch, undefined, merge);
    await log.abandon();
    await this.#files.discard(offersName(state.generation));
  }

  /** With less memory than before a bucket may hold more than can be merged now. */
  #fits(log: ChunkLog): boolean {
    const { buckets, bucketKeys, bucketTexts } = this.#geometry;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const open = log.opened(bucket);
      const chunks = open ? [...log.chunks(bucket), open] : log.chunks(bucket);
      if (chunks.reduce((sum, { count }) => sum + count, 0) > bucketKeys) return false;
      if (chunks.reduce((sum, { textBytes }) => sum + textBytes, 0) > bucketTexts) return false;
    }
    return true;
  }

  openLog(
    shape: Shape,
    files: Readonly<Record<string, number>>,
    open: readonly OpenChunk[],
  ): Promise<ChunkLog> {
    const name = offersName(shape.generation);
    const { window } = this.#geometry;
    return ChunkLog.open(
      this.#disk,
      this.#files.path(name),
      shape.buckets,
      window,
      files[name],
      open,
    );
  }

  abandon(): Promise<void> {
    return this.#collector.log.abandon();
  }
}

export function offersName(generation: number): string {
  return `offers.${generation}`;
}

export function answersName(generation: number): string {
  return `answers.${generation}`;
}

function sameShape(a: Shape, b: Shape): boolean {
  return a.buckets === b.buckets && a.keyChunk === b.keyChunk && a.textChunk === b.textChunk;
}
