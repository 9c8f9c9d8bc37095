/**
 * Sets and maps as large as the disk in a fixed memory: DRUM, *Disk Repository with Update
 * Management*, from the IRLbot paper (WWW 2008).
 *
 * Nothing is looked up one by one. Keys are collected and merged with a sorted file in bulk, so a
 * key costs a few bytes of sequential transfer and never a seek. Answers come later, in batches.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { UniqueKeys } from 'drumlin/drum';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'unique-'));
 * const seen = await UniqueKeys.open(folder, { memory: 2 ** 20 });
 * for (const word of ['a', 'b', 'a', 'c', 'b']) await seen.add(word);
 * for await (const word of seen.novel()) console.log(word); // a, b and c, once each
 * await seen.close();
 * ```
 *
 * @module drum
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import { politePacer } from '../base/pacer.ts';
import { xxh64 } from '../base/xxh64.ts';
import { type CheckpointFormat, loadCheckpoint, saveCheckpoint } from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { FolderLock } from '../disk/folder-lock.ts';
import * as combining from '../drum/combine.ts';
import { Drum, type DrumState } from '../drum/drum.ts';
import { DrumBatch } from '../drum/drum-batch.ts';
import { BatchBuilder, entryBytes } from '../drum/keyed-batch.ts';
import { DrumSieve, MercatorSieve } from '../sieve/disk-sieve.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** A key: 64 bits, or a text of which {@link keyOf} makes 64 bits. */
export type Key = bigint | string;

/**
 * How an update combines the value of a key with the next one. It must not change its arguments.
 */
export type Combine = (old: Uint8Array, next: Uint8Array) => Uint8Array;

/** How to open {@link UniqueKeys}. */
export interface UniqueKeysOptions {
  /** The memory for everything, in bytes, at least 1 MiB. Default: 64 MiB. */
  readonly memory?: number;
  /**
   * The order of novel texts. `arrival`: as they were added, which needs a merge whenever the
   * memory is full. `any`: rare merges, for large sets. Default: `any`.
   */
  readonly order?: 'arrival' | 'any';
  /** The bytes that collected texts may take on disk before a merge. Default: 8 GiB. */
  readonly diskLimit?: number;
}

/** How to open a {@link DrumMap}. */
export interface DrumMapOptions {
  /** The memory for everything, in bytes, at least 1 MiB. Default: 64 MiB. */
  readonly memory?: number;
  /** The length of every value, in bytes. Default: each value has its own length. */
  readonly valueBytes?: number;
  /** What an update does to a value that is there. Default: {@link replace}. */
  readonly combine?: Combine;
  /** The bytes that collected operations may take on disk before a merge. Default: no limit. */
  readonly diskLimit?: number;
}

/** The answer to a check. */
export interface DrumAnswer {
  /** The key that was checked. */
  readonly key: bigint;
  /** The value that the key had at the check; undefined if it was unknown. */
  readonly value: Uint8Array | undefined;
  /** The bytes that were passed with the check. */
  readonly note: Uint8Array;
}

/** An entry of a {@link DrumMap}. */
export interface DrumEntry {
  /** The key. */
  readonly key: bigint;
  /** Its value. */
  readonly value: Uint8Array;
}

const MEMORY = 64 * 2 ** 20;
/** Operations are handed on in batches of this many, or of this many bytes. */
const BATCH_ENTRIES = 4096;
const BATCH_BYTES = 2 ** 18;
const MAP_CHECKPOINT: CheckpointFormat = { name: 'checkpoint.json', kind: 'drum', version: 1 };
const NONE = new Uint8Array(0);

/** The 64-bit key of a text: its xxHash64. Anybody can construct two texts with the same key. */
export function keyOf(text: string): bigint {
  return xxh64(text);
}

/** Combines by taking the next value. */
export const replace: Combine = combining.replace;

/** Combines by adding two unsigned 64-bit counters, see {@link from64}. The sum wraps around. */
export const add64: Combine = combining.add64;

/** Combines by taking the larger of two unsigned 64-bit counters, see {@link from64}. */
export const max64: Combine = combining.max64;

/** Combines by appending the next value: a list that grows. */
export const append: Combine = combining.append;

/** An unsigned 64-bit counter as a value of 8 bytes, little-endian. */
export function from64(value: bigint | number): Uint8Array {
  return combining.from64(value);
}

/** The counter in a value of 8 bytes. */
export function to64(bytes: Uint8Array): bigint {
  return combining.read64(bytes);
}

/**
 * A set of texts in a folder that hands each text out once in its whole life.
 *
 * Await each call before the next: there is one caller at a time. The folder is locked while it is
 * open. After a crash it is what it was at the last {@link UniqueKeys.checkpoint}: texts added
 * later must be added again, and texts handed out later are handed out again. Two texts with the
 * same {@link keyOf} count as one.
 */
export class UniqueKeys {
  readonly #sieve: DrumSieve | MercatorSieve;
  readonly #batch = new BatchBuilder();

  private constructor(sieve: DrumSieve | MercatorSieve) {
    this.#sieve = sieve;
  }

  /**
   * Opens the set in a folder, or makes a new one in an empty folder.
   *
   * @throws DrumlinError if another process has the folder open, or if it holds other files.
   */
  static async open(folder: string, options: UniqueKeysOptions = {}): Promise<UniqueKeys> {
    const { memory = MEMORY, order = 'any', diskLimit } = options;
    const form = order === 'arrival' ? MercatorSieve : DrumSieve;
    return new UniqueKeys(
      await form.open({ folder, memory, ...(diskLimit !== undefined && { diskLimit }) }),
    );
  }

  /** The number of distinct texts, without those added since the last merge. */
  get size(): number {
    return this.#sieve.size;
  }

  /** Adds a text. Waits while a merge makes room. */
  async add(text: string): Promise<void> {
    this.#batch.addText(xxh64(text), text);
    if (isFull(this.#batch)) await this.#offer();
  }

  /** Merges everything added, then hands out the texts that are new, each once. */
  async *novel(): AsyncGenerator<string, void, void> {
    await this.#offer();
    await this.#sieve.flush();
    for (let batch = await this.#sieve.take(); batch; batch = await this.#sieve.take()) {
      const { length } = batch;
      const texts = Array.from({ length }, (_, i) => Buffer.from(entryBytes(batch, i)).toString());
      yield* texts;
    }
  }

  /** Makes everything so far durable. */
  async checkpoint(): Promise<void> {
    await this.#offer();
    await this.#sieve.checkpoint();
  }

  /** Makes everything durable, closes the files and unlocks the folder. */
  async close(): Promise<void> {
    try {
      await this.checkpoint();
    } finally {
      await this.#sieve.close();
    }
  }

  async #offer(): Promise<void> {
    if (this.#batch.length === 0) return;
    await this.#sieve.offer(this.#batch);
    this.#batch.clear();
  }
}

/**
 * A map from 64-bit keys to values in a folder, changed and asked in bulk.
 *
 * Await each call before the next: there is one caller at a time. For each key the operations take
 * effect one by one, in the order of the calls. The folder is locked while it is open. After a
 * crash the map is what it was at the last {@link DrumMap.checkpoint}.
 */
export class DrumMap {
  readonly #drum: Drum;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #lock: FolderLock;
  readonly #batch = new DrumBatch();
  #sequence: number;

  private constructor(drum: Drum, disk: Disk, folder: string, lock: FolderLock, sequence: number) {
    this.#drum = drum;
    this.#disk = disk;
    this.#folder = folder;
    this.#lock = lock;
    this.#sequence = sequence;
  }

  /**
   * Opens the map in a folder, or makes a new one in an empty folder.
   *
   * @throws DrumlinError if another process has the folder open, or if it holds other files.
   */
  static async open(folder: string, options: DrumMapOptions = {}): Promise<DrumMap> {
    const disk = new Disk();
    await disk.makeFolder(folder);
    const lock = FolderLock.acquire(folder);
    try {
      const stored = await loadCheckpoint<DrumState | null>(disk, folder, MAP_CHECKPOINT);
      if (!stored) await claim(disk, folder);
      const at = stored?.state ? { files: stored.files, state: stored.state } : undefined;
      const { memory = MEMORY, ...others } = options;
      const drum = await Drum.open({ disk, folder, memory, pacer: politePacer(), at, ...others });
      return new DrumMap(drum, disk, folder, lock, stored?.sequence ?? 1);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The number of keys with a value, without those of operations since the last merge. */
  get size(): number {
    return this.#drum.size;
  }

  /** Sets the value of a key, or combines it with the value that is there. */
  async update(key: Key, value: Uint8Array): Promise<void> {
    this.#batch.update(bits(key), value);
    await this.#offerIfFull();
  }

  /**
   * Asks for the value of a key; {@link DrumMap.answers} gives the answer.
   *
   * @param note Bytes or text that come back with the answer.
   */
  async check(key: Key, note: Uint8Array | string = NONE): Promise<void> {
    this.#batch.check(bits(key), bytesOf(note));
    await this.#offerIfFull();
  }

  /** Checks and updates a key in one step: the answer has the value from before the update. */
  async checkUpdate(key: Key, value: Uint8Array, note: Uint8Array | string = NONE): Promise<void> {
    this.#batch.checkUpdate(bits(key), value, bytesOf(note));
    await this.#offerIfFull();
  }

  /** Merges everything, then gives the answers to all checks, each once. */
  async *answers(): AsyncGenerator<DrumAnswer, void, void> {
    await this.#merge();
    for (let some = await this.#drum.take(); some; some = await this.#drum.take()) {
      for (const { key, value, aux } of some) yield { key, value, note: aux };
    }
  }

  /** Merges everything, then gives all entries in the order of keys. Change nothing meanwhile. */
  async *entries(): AsyncGenerator<DrumEntry, void, void> {
    await this.#merge();
    for await (const { key, value } of this.#drum.records()) {
      yield { key, value: Uint8Array.from(value) };
    }
  }

  /** Makes everything so far durable. */
  async checkpoint(): Promise<void> {
    await this.#offer();
    const frozen = await this.#drum.freeze();
    const sequence = ++this.#sequence;
    await saveCheckpoint(this.#disk, this.#folder, MAP_CHECKPOINT, { sequence, ...frozen });
    await this.#drum.discardOlder(frozen);
  }

  /** Makes everything durable, closes the files and unlocks the folder. */
  async close(): Promise<void> {
    try {
      await this.checkpoint();
    } finally {
      try {
        await this.#drum.close();
      } finally {
        this.#lock.release();
      }
    }
  }

  async #merge(): Promise<void> {
    await this.#offer();
    await this.#drum.flush();
  }

  async #offerIfFull(): Promise<void> {
    if (isFull(this.#batch.tuples)) await this.#offer();
  }

  async #offer(): Promise<void> {
    if (this.#batch.length === 0) return;
    await this.#drum.offer(this.#batch);
    this.#batch.clear();
  }
}

const isFull = (batch: BatchBuilder): boolean =>
  batch.length >= BATCH_ENTRIES || batch.byteLength >= BATCH_BYTES;

const bits = (key: Key): bigint => (typeof key === 'string' ? xxh64(key) : BigInt.asUintN(64, key));

const bytesOf = (note: Uint8Array | string): Uint8Array =>
  typeof note === 'string' ? Buffer.from(note) : note;

/** An empty checkpoint marks the folder as ours; a folder with other files is refused. */
async function claim(disk: Disk, folder: string): Promise<void> {
  const stranger = (await disk.list(folder)).find((name) => !/^(LOCK|checkpoint\.json)/.test(name));
  if (stranger !== undefined) {
    throw new DrumlinError(
      'FOLDER_NOT_OURS',
      `${folder} is not empty and holds no DRUM (there is ${stranger}).`,
      'Choose another folder, or an empty one.',
      { exitCode: EXIT.folder },
    );
  }
  await saveCheckpoint(disk, folder, MAP_CHECKPOINT, { sequence: 1, files: {}, state: null });
}
