/**
 * DRUM for keys alone, the URLseen of the paper: each key comes out once, with the bytes that came
 * with it first.
 *
 * Idea      keys and texts are spread over buckets on disk; when one bucket is full, all are merged
 *           in one pass with the sorted file of all keys ever seen. So a key costs a few bytes of
 *           sequential transfer, never a seek.
 * Requires  one caller at a time, which holds the folder's lock.
 * Ensures   every key offered is answered once, by `take`, with the text of its first offer;
 *           answers of a bucket come in the order of arrival. Memory is that of the geometry,
 *           whatever the number of keys.
 * Crash     `freeze` returns what a checkpoint must store; a folder opened with it is exactly what
 *           it was then. So after a crash nothing offered before the freeze is lost, an answer not
 *           taken before it is still to come, and only answers taken after it come twice. A merge
 *           only writes new files, so killing it does no harm.
 * Costs     Theorem 2 of the paper; docs/drum.md has the figures.
 */

import { flatOut, type Pacer } from '../base/pacer.ts';
import { AppendLog, closeOnFailure } from '../disk/append-log.ts';
import { openStateFile } from '../disk/block-file.ts';
import { type Frozen, recoverFolder } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import { VersionedFiles } from '../disk/versioned-files.ts';
import type { ChunkLog } from './chunk-log.ts';
import { arenaBytes, fixedBytes, type Geometry } from './geometry.ts';
import { Kernel } from './kernel.ts';
import { KeyAnswers, TakeBuffers } from './key-answers.ts';
import { ANSWERS_FORMAT, KEYS_FORMAT, KeyMerge, type Repository } from './key-merge.ts';
import type { KeyedBatch } from './keyed-batch.ts';
import { answersName, Offers, type OffersState, offersName, type Shape } from './offers.ts';
import { SingleCaller } from './single-caller.ts';

export interface KeyDrumState {
  /** Distinct keys, all in the file of the repository. */
  readonly size: number;
  /** The generation of the file of keys; 0 when there is none yet. */
  readonly repository: number;
  readonly collecting: OffersState;
  /** Merged generations whose answers are not all taken. */
  readonly decided: readonly (Shape & { readonly taken: number })[];
}

interface KeyDrumOptions {
  readonly disk: Disk;
  /** Must exist; only files named `keys.N`, `offers.N` and `answers.N` in it are touched. */
  readonly folder: string;
  readonly geometry: Geometry;
  /** Merge when the offers take this many bytes on disk, even if no bucket is full. */
  readonly diskLimit?: number;
  readonly pacer?: Pacer;
  readonly at?: Frozen<KeyDrumState> | undefined;
  /**
   * For a folder opened for the first time: how many keys `KnownKeys` wrote to it; they count as
   * taken.
   */
  readonly known?: number;
}

interface Decided extends Shape {
  readonly log: ChunkLog;
  /** Present while the answers are being taken. */
  answers?: KeyAnswers;
  taken: number;
}

const OURS = /^(keys|offers|answers)\.\d+$/;

export class KeyDrum {
  readonly #disk: Disk;
  readonly #geometry: Geometry;
  readonly #files: VersionedFiles;
  readonly #offers: Offers;
  readonly #merge: KeyMerge;
  readonly #caller = new SingleCaller();
  #repository: (Repository & { readonly generation: number }) | undefined;
  #decided: Decided[] = [];
  #buffers: TakeBuffers | undefined;

  private constructor(options: KeyDrumOptions) {
    const {
      disk,
      folder,
      geometry,
      pacer = flatOut,
      diskLimit = Number.POSITIVE_INFINITY,
    } = options;
    this.#disk = disk;
    this.#geometry = geometry;
    this.#files = new VersionedFiles(disk, folder, Object.keys(options.at?.files ?? {}));
    const kernel = new Kernel(arenaBytes(geometry) + fixedBytes(geometry));
    const arena = kernel.allocate(arenaBytes(geometry));
    this.#offers = new Offers(disk, this.#files, geometry, kernel, arena, diskLimit);
    this.#merge = new KeyMerge(kernel, geometry, arena, pacer);
  }

  /** Opens the folder as it was at `at`; empty without `at`. */
  static async open(options: KeyDrumOptions): Promise<KeyDrum> {
    const { disk, folder, at, known = 0 } = options;
    const files = known > 0 ? { [keysName(1)]: HEADER_BYTES + 8 * known } : {};
    await recoverFolder(disk, folder, at?.files ?? files, (name) => OURS.test(name));
    const drum = new KeyDrum(options);
    if (at) await drum.#resume(at);
    else await drum.#begin(known);
    return drum;
  }

  /** Keys offered and not yet decided. */
  get pending(): number {
    return this.#offers.pending;
  }

  /** Distinct keys decided so far. */
  get size(): number {
    return this.#repository?.count ?? 0;
  }

  /** Entries with a zero in `keep` are left out. */
  offer(batch: KeyedBatch, keep?: Uint8Array): Promise<void> {
    return this.#caller.run(() => this.#offers.add(batch, keep, () => this.#decide()));
  }

  /** Decides everything offered. */
  flush(): Promise<void> {
    return this.#caller.run(() => this.#decide());
  }

  /** The next novel keys with their texts, or undefined; valid until the next `take`. */
  take(): Promise<KeyedBatch | undefined> {
    return this.#caller.run(() => this.#take());
  }

  /**
   * Forgets every key: each that is offered again comes out again.
   * Requires  everything offered was decided and taken.
   */
  forget(): Promise<void> {
    return this.#caller.run(async () => {
      if (this.pending > 0 || this.#decided.length > 0)
        throw new Error('A DRUM cannot forget keys that were not taken.');
      const old = this.#repository;
      this.#repository = undefined;
      await old?.file.close();
      if (old) await this.#files.discard(keysName(old.generation));
    });
  }

  /** All keys decided, in increasing order, some at a time; nothing may be decided meanwhile. */
  async *keys(): AsyncGenerator<BigUint64Array> {
    if (!this.#repository) return;
    const { file, count } = this.#repository;
    const keys = new BigUint64Array(this.#geometry.window / 8);
    for (let done = 0; done < count; done += keys.length) {
      const some = keys.subarray(0, Math.min(keys.length, count - done));
      await file.readAll(new Uint8Array(some.buffer, 0, some.byteLength), HEADER_BYTES + 8 * done);
      yield some;
    }
  }

  /**
   * Makes everything so far durable and returns what a checkpoint stores of it; deletes no file
   * that the last checkpoint needs until `discardOlder`.
   */
  freeze(): Promise<Frozen<KeyDrumState>> {
    return this.#caller.run(async () => {
      const frozen = await this.#freeze();
      this.#files.freeze(Object.keys(frozen.files));
      return frozen;
    });
  }

  /** `frozen` is safely stored: deletes files that only older states name. */
  discardOlder(frozen: Frozen<KeyDrumState>): Promise<void> {
    return this.#caller.run(() => this.#files.discardOlder(Object.keys(frozen.files)));
  }

  /** Closes the files; anything since the last `freeze` is lost. */
  async close(): Promise<void> {
    await this.#offers.abandon();
    for (const { log, answers } of this.#decided) await (answers ?? log).abandon();
    await this.#repository?.file.close();
  }

  async #decide(): Promise<void> {
    const tuples = this.#offers.pending;
    if (tuples === 0) return;
    const shape = this.#offers.shape;
    const log = await this.#offers.finish();
    const out = await this.#createLog(keysName(shape.generation), KEYS_FORMAT);
    const answers = await this.#createLog(answersName(shape.generation), ANSWERS_FORMAT);
    const starts = await closeOnFailure([out, answers], async () => {
      const learnt = await this.#merge.run(log, this.#repository, out, answers, tuples);
      await answers.close();
      await out.seal();
      return learnt;
    });

    const old = this.#repository;
    const count = (out.length - HEADER_BYTES) / 8;
    this.#repository = { file: out.file, count, generation: shape.generation };
    await old?.file.close();
    if (old) await this.#files.discard(keysName(old.generation));
    this.#decided.push({ ...shape, log, taken: 0 });
    await this.#offers.next(tuples, starts);
  }

  async #take(): Promise<KeyedBatch | undefined> {
    while (true) {
      const head = this.#decided[0];
      if (!head) return undefined;
      head.answers ??= await this.#openAnswers(head);
      if (!this.#buffers?.isFor(head)) this.#buffers = new TakeBuffers(head);
      const batch = await head.answers.take(this.#buffers);
      head.taken = head.answers.taken;
      if (batch) return batch;
      this.#decided.shift();
      await head.answers.abandon();
      await this.#files.discard(answersName(head.generation));
      await this.#files.discard(offersName(head.generation));
    }
  }

  async #freeze(): Promise<Frozen<KeyDrumState>> {
    const files: Record<string, number> = {};
    const collecting = await this.#offers.freeze(files);
    if (this.#repository) {
      const name = keysName(this.#repository.generation);
      await this.#files.makeDurable(name, this.#repository.file);
      files[name] = HEADER_BYTES + this.#repository.count * 8;
    }
    for (const { generation, log } of this.#decided) {
      await this.#files.makeDurable(offersName(generation), log);
      files[offersName(generation)] = log.length;
      files[answersName(generation)] = await this.#freezeAnswers(answersName(generation));
    }
    const decided = this.#decided.map(({ generation, buckets, keyChunk, textChunk, taken }) => {
      return { generation, buckets, keyChunk, textChunk, taken };
    });
    const repository = this.#repository?.generation ?? 0;
    return { files, state: { size: this.size, repository, collecting, decided } };
  }

  async #freezeAnswers(name: string): Promise<number> {
    const file = await openStateFile(this.#disk, this.#files.path(name), ANSWERS_FORMAT);
    try {
      await this.#files.makeDurable(name, file);
      return await file.size();
    } finally {
      await file.close();
    }
  }

  async #begin(known: number): Promise<void> {
    if (known > 0) await this.#openRepository(1, known);
    await this.#offers.begin(known > 0 ? 2 : 1);
  }

  async #openRepository(generation: number, count: number): Promise<void> {
    const path = this.#files.path(keysName(generation));
    const file = await openStateFile(this.#disk, path, KEYS_FORMAT);
    this.#repository = { file, count, generation };
  }

  async #resume({ files, state }: Frozen<KeyDrumState>): Promise<void> {
    if (state.repository > 0) await this.#openRepository(state.repository, state.size);
    for (const decided of state.decided) {
      const log = await this.#offers.openLog(decided, files, []);
      await log.seal();
      this.#decided.push({ ...decided, log });
    }
    await this.#offers.resume(state.collecting, files, () => this.#decide());
  }

  #openAnswers(decided: Decided): Promise<KeyAnswers> {
    const path = this.#files.path(answersName(decided.generation));
    return KeyAnswers.open(this.#disk, path, decided, this.#geometry.window);
  }

  #createLog(name: string, format: Format): Promise<AppendLog> {
    return AppendLog.create(this.#disk, this.#files.path(name), format, this.#geometry.window);
  }
}

export const keysName = (generation: number) => `keys.${generation}`;
