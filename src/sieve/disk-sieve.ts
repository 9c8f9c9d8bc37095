/**
 * A sieve in a folder: a DRUM for the keys, behind a cache of recent keys.
 *
 * Two forms. DrumSieve has many buckets on disk and merges rarely; the order of arrival is kept
 * only within a bucket. MercatorSieve has one bucket, so that keys come out in the order of their
 * first offers (breadth first), and merges whenever its memory is full. Their folders have the same
 * format, and one may be opened as the other.
 *
 * Two ways to open. By itself (`open`) a sieve locks its folder and keeps its own checkpoint there,
 * written by `checkpoint`. As a part of a crawl (`openAt`) it does neither: the crawl stores what
 * `freeze` returns in its own checkpoint.
 *
 * Crash     see KeyDrum: opened again, the sieve is what it was at the last checkpoint. Keys
 *           offered later must be offered again; keys taken later come out again; nothing else is
 *           lost or repeated.
 */

import { DrumlinError, EXIT } from '../base/errors.ts';
import type { Pacer } from '../base/pacer.ts';
import { politePacer } from '../base/pacer.ts';
import {
  type CheckpointFormat,
  type Frozen,
  loadCheckpoint,
  saveCheckpoint,
} from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { FolderLock } from '../disk/folder-lock.ts';
import { drumGeometry, type Geometry, mercatorGeometry } from '../drum/geometry.ts';
import { KeyDrum, type KeyDrumState } from '../drum/key-drum.ts';
import type { KeyedBatch } from '../drum/keyed-batch.ts';
import { RecentCache } from './recent-cache.ts';
import type { DurableSieve } from './sieve.ts';

const CHECKPOINT: CheckpointFormat = { name: 'checkpoint.json', kind: 'sieve', version: 1 };
/** The share of the memory used for the cache. */
const CACHE_SHARE = 1 / 8;
const DISK_LIMIT = 8 * 2 ** 30;

export type SieveState = Frozen<KeyDrumState>;

interface SieveOptions {
  readonly folder: string;
  /** Bytes of memory for everything: buffers, sorting, the cache. */
  readonly memory: number;
  /** Bytes that offers may take on disk before they are merged; by default 8 GiB. */
  readonly diskLimit?: number;
  /** How a merge lets other work run; by default every few milliseconds. */
  readonly pacer?: Pacer;
  /** Bytes of the memory for the cache of recent keys; by default an eighth; 0 for no cache. */
  readonly cache?: number;
  readonly disk?: Disk;
  /**
   * For `openAt` without a state: how many keys `KnownKeys` wrote to the folder; they are not let
   * through again.
   */
  readonly known?: number;
  /** Replaces the geometry derived from `memory`: for tests, which reach the disk with few keys. */
  readonly geometry?: Geometry;
}

export class DiskSieve implements DurableSieve {
  readonly #drum: KeyDrum;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #cache: RecentCache | undefined;
  readonly #lock: FolderLock | undefined;
  #keep = new Uint8Array(1024);
  #checkpoints: number;

  protected constructor(
    drum: KeyDrum,
    disk: Disk,
    options: SieveOptions,
    lock: FolderLock | undefined,
    checkpoints: number,
  ) {
    this.#drum = drum;
    this.#disk = disk;
    this.#folder = options.folder;
    this.#lock = lock;
    this.#checkpoints = checkpoints;
    const cache = cacheBytes(options);
    this.#cache = cache > 0 ? new RecentCache(cache) : undefined;
  }

  get pending(): number {
    return this.#drum.pending;
  }

  get size(): number {
    return this.#drum.size;
  }

  /** Bytes moved between memory and files since the sieve was opened. */
  get traffic(): { readonly read: number; readonly written: number } {
    return this.#disk.traffic;
  }

  async offer(batch: KeyedBatch): Promise<void> {
    if (!this.#cache) return this.#drum.offer(batch);
    if (this.#keep.length < batch.length) this.#keep = new Uint8Array(batch.keys.length);
    const kept = this.#cache.admit(batch.keys, batch.length, this.#keep);
    if (kept > 0) await this.#drum.offer(batch, this.#keep);
  }

  flush(): Promise<void> {
    return this.#drum.flush();
  }

  take(): Promise<KeyedBatch | undefined> {
    return this.#drum.take();
  }

  /** All keys decided, in increasing order. */
  keys(): AsyncGenerator<BigUint64Array> {
    return this.#drum.keys();
  }

  freeze(): Promise<SieveState> {
    return this.#drum.freeze();
  }

  discardOlder(frozen: SieveState): Promise<void> {
    return this.#drum.discardOlder(frozen);
  }

  /**
   * Makes everything offered, decided and taken so far survive a crash. For a sieve opened by
   * itself.
   */
  async checkpoint(): Promise<void> {
    const frozen = await this.#drum.freeze();
    const sequence = ++this.#checkpoints;
    await saveCheckpoint(this.#disk, this.#folder, CHECKPOINT, { sequence, ...frozen });
    await this.#drum.discardOlder(frozen);
  }

  /** Closes the folder and releases its lock; anything since the last checkpoint is lost. */
  async close(): Promise<void> {
    try {
      await this.#drum.close();
    } finally {
      this.#lock?.release();
    }
  }

  /** The parts of a sieve opened by itself, for the constructors of the two forms. */
  protected static async openFolder(options: SieveOptions, plan: (memory: number) => Geometry) {
    const disk = options.disk ?? new Disk();
    await disk.makeFolder(options.folder);
    const lock = FolderLock.acquire(options.folder);
    try {
      const stored = await loadCheckpoint<KeyDrumState | null>(disk, options.folder, CHECKPOINT);
      if (!stored) await claimFolder(disk, options.folder);
      const at = stored?.state ? { files: stored.files, state: stored.state } : undefined;
      const drum = await openDrum(options, disk, plan, at);
      return { drum, disk, lock, checkpoints: stored?.sequence ?? 1 };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  protected static async openPart(
    options: SieveOptions,
    plan: (memory: number) => Geometry,
    at: SieveState | undefined,
  ) {
    const disk = options.disk ?? new Disk();
    await disk.makeFolder(options.folder);
    return { drum: await openDrum(options, disk, plan, at), disk };
  }
}

/** Many buckets on disk: for crawls of any size. */
export class DrumSieve extends DiskSieve {
  static async open(options: SieveOptions): Promise<DrumSieve> {
    const { drum, disk, lock, checkpoints } = await DiskSieve.openFolder(options, drumGeometry);
    return new DrumSieve(drum, disk, options, lock, checkpoints);
  }

  /**
   * As a part of a crawl, which locks the folder and stores the state; undefined starts an empty
   * sieve.
   */
  static async openAt(options: SieveOptions, at: SieveState | undefined): Promise<DrumSieve> {
    const { drum, disk } = await DiskSieve.openPart(options, drumGeometry, at);
    return new DrumSieve(drum, disk, options, undefined, 0);
  }
}

/** One bucket: keys come out in the order of their first offers. */
export class MercatorSieve extends DiskSieve {
  static async open(options: SieveOptions): Promise<MercatorSieve> {
    const { drum, disk, lock, checkpoints } = await DiskSieve.openFolder(options, mercatorGeometry);
    return new MercatorSieve(drum, disk, options, lock, checkpoints);
  }

  static async openAt(options: SieveOptions, at: SieveState | undefined): Promise<MercatorSieve> {
    const { drum, disk } = await DiskSieve.openPart(options, mercatorGeometry, at);
    return new MercatorSieve(drum, disk, options, undefined, 0);
  }
}

/**
 * Writes an empty checkpoint before any other file. So a folder with files and without a checkpoint
 * is not a sieve's: recovery, which deletes what no checkpoint names, must never touch it.
 */
async function claimFolder(disk: Disk, folder: string): Promise<void> {
  const strangers = (await disk.list(folder)).filter(
    (name) => !/^(LOCK.*|checkpoint\.json\.tmp)$/.test(name),
  );
  if (strangers.length > 0) {
    throw new DrumlinError(
      'FOLDER_NOT_OURS',
      `${folder} is not empty and holds no sieve (it has ${strangers[0]}).`,
      'Choose another --dir, or an empty one.',
      { exitCode: EXIT.folder },
    );
  }
  await saveCheckpoint(disk, folder, CHECKPOINT, { sequence: 1, files: {}, state: null });
}

function cacheBytes({ memory, cache }: SieveOptions): number {
  return cache ?? Math.floor(memory * CACHE_SHARE);
}

function openDrum(
  options: SieveOptions,
  disk: Disk,
  plan: (memory: number) => Geometry,
  at: SieveState | undefined,
): Promise<KeyDrum> {
  return KeyDrum.open({
    disk,
    folder: options.folder,
    geometry: options.geometry ?? plan(options.memory - cacheBytes(options)),
    diskLimit: options.diskLimit ?? DISK_LIMIT,
    pacer: options.pacer ?? politePacer(),
    ...(options.known !== undefined && { known: options.known }),
    at,
  });
}
