/**
 * DRUM for keys alone, the URLseen of the paper: each key comes out once, with the bytes that came with it first.
 *
 * Idea      keys and texts are spread over buckets on disk; when a bucket is full all of them are merged, in one pass, with
 *           the sorted file of all keys ever seen. So a key costs a few bytes of sequential transfer, never a seek.
 * Requires  one caller at a time, and the folder's lock held by whoever opened it.
 * Ensures   every key offered is answered once, by `take`, with the text of its first offer; answers of a bucket come in the order
 *           of arrival. Memory is that of the geometry, whatever the number of keys.
 * Crash     `freeze` returns what a checkpoint must store; the folder opened with it is exactly what it was then. So after a
 *           crash nothing offered before the freeze is lost, an answer not taken before it is given again, and only answers
 *           taken after it are given twice. A merge only writes new files, so killing it harms nothing.
 * Costs     Theorem 2 of the paper; docs/drum.md has the figures.
 */
import { AppendLog } from '../disk/append-log.ts';
import { recoverFolder } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { HEADER_BYTES, requireFormat } from '../disk/format.ts';
import type { KeyedBatch } from '../sieve/sieve.ts';
import { ChunkLog, type OpenChunk } from './chunk-log.ts';
import { Collector } from './collector.ts';
import { arenaBytes, fixedBytes, type Geometry } from './geometry.ts';
import { Kernel } from './kernel.ts';
import { type ChunkSize, KeyAnswers, TakeBuffers } from './key-answers.ts';
import { ANSWERS_FORMAT, KEYS_FORMAT, KeyMerge, type Repository } from './key-merge.ts';
import { flatOut, type Pacer } from './pacer.ts';
import { collectedBatches } from './reoffer.ts';
import { VersionedFiles } from './versioned-files.ts';

/** What a checkpoint stores: the lengths of the files that count, and the rest. */
export interface Frozen<State> {
  readonly files: Readonly<Record<string, number>>;
  readonly state: State;
}

/** The buckets of one generation. */
interface Shape extends ChunkSize {
  readonly generation: number;
  readonly buckets: number;
}

export interface KeyDrumState {
  /** Distinct keys, all in the file of this generation (0: there is none yet). */
  readonly size: number;
  readonly repository: number;
  readonly collecting: Shape & { readonly starts: readonly number[]; readonly open: readonly OpenChunk[] };
  /** Merged, and not yet all taken. */
  readonly decided: readonly (Shape & { readonly taken: number })[];
}

export interface KeyDrumOptions {
  readonly disk: Disk;
  /** Must exist; only files named `keys.N`, `offers.N` and `answers.N` in it are touched. */
  readonly folder: string;
  readonly geometry: Geometry;
  /** Merge when the offers take this many bytes on disk, even though no bucket is full. */
  readonly diskLimit?: number;
  readonly pacer?: Pacer;
  readonly at?: Frozen<KeyDrumState> | undefined;
}

interface Decided extends Shape {
  readonly log: ChunkLog;
  /** Known while its answers are being taken. */
  answers?: KeyAnswers;
  taken: number;
}

/** Boundaries from fewer tuples a bucket than this would follow chance. */
const TUPLES_PER_BUCKET_TO_LEARN = 64;
const OURS = /^(keys|offers|answers)\.\d+$/;

export class KeyDrum {
  readonly #disk: Disk;
  readonly #geometry: Geometry;
  readonly #diskLimit: number;
  readonly #files: VersionedFiles;
  readonly #collector: Collector;
  readonly #merge: KeyMerge;
  #generation = 1;
  #repository: Repository | undefined;
  #repositoryGeneration = 0;
  #decided: Decided[] = [];
  #buffers: TakeBuffers | undefined;
  #busy = false;
  #failure: unknown;

  private constructor(options: KeyDrumOptions) {
    const { disk, folder, geometry, pacer = flatOut } = options;
    this.#disk = disk;
    this.#geometry = geometry;
    this.#diskLimit = options.diskLimit ?? Number.POSITIVE_INFINITY;
    this.#files = new VersionedFiles(disk, folder, Object.keys(options.at?.files ?? {}));
    const kernel = new Kernel(arenaBytes(geometry) + fixedBytes(geometry));
    const arena = kernel.allocate(arenaBytes(geometry));
    this.#collector = new Collector(kernel, geometry, arena);
    this.#merge = new KeyMerge(kernel, geometry, arena, pacer);
  }

  /** Opens the folder as it was at `at`, or empty. */
  static async open(options: KeyDrumOptions): Promise<KeyDrum> {
    await recoverFolder(options.disk, options.folder, options.at?.files ?? {}, (name) => OURS.test(name));
    const drum = new KeyDrum(options);
    if (options.at) await drum.#resume(options.at);
    else await drum.#beginGeneration();
    return drum;
  }

  /** Offered and not yet decided. */
  get pending(): number {
    return this.#collector.total;
  }

  /** Distinct keys decided so far. */
  get size(): number {
    return this.#repository?.count ?? 0;
  }

  /** Entries with a zero in `keep` are left out. */
  offer(batch: KeyedBatch, keep?: Uint8Array): Promise<void> {
    return this.#alone(() => this.#offer(batch, keep));
  }

  /** Decides everything offered. */
  flush(): Promise<void> {
    return this.#alone(() => this.#decide());
  }

  /** The next novel keys with their texts, or undefined; valid until the next `take`. */
  take(): Promise<KeyedBatch | undefined> {
    return this.#alone(() => this.#take());
  }

  /** Makes everything so far durable and says how to find it again; nothing is given up until `settle`. */
  freeze(): Promise<Frozen<KeyDrumState>> {
    return this.#alone(() => this.#freeze());
  }

  /** `frozen` is stored safely: what it does not name may go. */
  settle(frozen: Frozen<KeyDrumState>): Promise<void> {
    return this.#alone(() => this.#files.settle(Object.keys(frozen.files)));
  }

  /** Closes the files and keeps nothing that was not frozen. */
  async close(): Promise<void> {
    await this.#collector.log.abandon();
    for (const { log, answers } of this.#decided) await (answers ?? log).abandon();
    await this.#repository?.file.close();
  }

  async #offer(batch: KeyedBatch, keep: Uint8Array | undefined): Promise<void> {
    for (let i = 0; i < batch.length; ) {
      i = await this.#collector.collect(batch, i, keep);
      if (i < batch.length) await this.#decide();
    }
    if (this.#collector.log.length >= this.#diskLimit) await this.#decide();
  }

  async #decide(): Promise<void> {
    const tuples = this.#collector.total;
    if (tuples === 0) return;
    const generation = this.#generation;
    const log = await this.#collector.finish();
    const out = await this.#createLog('keys', KEYS_FORMAT);
    const answers = await this.#createLog('answers', ANSWERS_FORMAT);
    const starts = await this.#merge.run(log, this.#repository, out, answers, tuples);
    await answers.close();

    const old = this.#repository;
    const file = await out.seal();
    this.#repository = { file, count: (out.length - HEADER_BYTES) / 8 };
    await old?.file.close();
    if (old) await this.#files.discard(`keys.${this.#repositoryGeneration}`);
    this.#repositoryGeneration = generation;
    this.#decided.push({ ...this.#shape(), log, taken: 0 });

    this.#generation++;
    if (tuples >= TUPLES_PER_BUCKET_TO_LEARN * this.#geometry.buckets) this.#collector.starts = starts;
    await this.#beginGeneration();
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
      await this.#files.discard(`answers.${head.generation}`);
      await this.#files.discard(`offers.${head.generation}`);
    }
  }

  async #freeze(): Promise<Frozen<KeyDrumState>> {
    const files: Record<string, number> = {};
    const { log, starts } = this.#collector;
    await this.#collector.writeOpen();
    await log.sync();
    files[`offers.${this.#generation}`] = log.length;
    if (this.#repository) {
      const name = `keys.${this.#repositoryGeneration}`;
      await this.#files.makeDurable(name, this.#repository.file);
      files[name] = HEADER_BYTES + this.#repository.count * 8;
    }
    for (const decided of this.#decided) {
      await this.#files.makeDurable(`offers.${decided.generation}`, decided.log);
      files[`offers.${decided.generation}`] = decided.log.length;
      const name = `answers.${decided.generation}`;
      const file = await this.#disk.open(this.#files.path(name), 'read');
      try {
        await this.#files.makeDurable(name, file);
        files[name] = await file.size();
      } finally {
        await file.close();
      }
    }
    return {
      files,
      state: {
        size: this.size,
        repository: this.#repositoryGeneration,
        collecting: { ...this.#shape(), starts, open: log.openChunks() },
        decided: this.#decided.map(({ generation, buckets, keyChunk, textChunk, taken }) => ({
          generation,
          buckets,
          keyChunk,
          textChunk,
          taken,
        })),
      },
    };
  }

  async #resume({ files, state }: Frozen<KeyDrumState>): Promise<void> {
    const { collecting } = state;
    if (state.repository > 0) {
      const file = await this.#disk.open(this.#files.path(`keys.${state.repository}`), 'read');
      await requireFormat(file, KEYS_FORMAT);
      this.#repository = { file, count: state.size };
      this.#repositoryGeneration = state.repository;
    }
    for (const decided of state.decided) {
      const log = await this.#openOffers(decided, files, []);
      await log.seal();
      this.#decided.push({ ...decided, log });
    }
    const log = await this.#openOffers(collecting, files, collecting.open);
    this.#generation = collecting.generation;
    if (sameShape(collecting, this.#shape())) {
      this.#collector.starts = collecting.starts;
      await this.#collector.begin(log);
      return;
    }
    // The memory given is another than before: what was collected then is collected anew.
    this.#generation++;
    await this.#beginGeneration();
    for await (const batch of collectedBatches(log, collecting.buckets)) await this.#offer(batch, undefined);
    await log.abandon();
    await this.#files.discard(`offers.${collecting.generation}`);
  }

  async #beginGeneration(): Promise<void> {
    const path = this.#files.path(`offers.${this.#generation}`);
    const { buckets, window } = this.#geometry;
    await this.#collector.begin(await ChunkLog.create(this.#disk, path, buckets, window));
  }

  #openOffers(
    shape: Shape,
    files: Readonly<Record<string, number>>,
    open: readonly OpenChunk[],
  ): Promise<ChunkLog> {
    const name = `offers.${shape.generation}`;
    const { window } = this.#geometry;
    return ChunkLog.open(this.#disk, this.#files.path(name), shape.buckets, window, files[name], open);
  }

  #openAnswers(decided: Decided): Promise<KeyAnswers> {
    const path = this.#files.path(`answers.${decided.generation}`);
    return KeyAnswers.open(this.#disk, path, decided, this.#geometry.window);
  }

  #createLog(name: string, format: typeof KEYS_FORMAT): Promise<AppendLog> {
    const path = this.#files.path(`${name}.${this.#generation}`);
    return AppendLog.create(this.#disk, path, format, this.#geometry.window);
  }

  #shape(): Shape {
    const { buckets, keyChunk, textChunk } = this.#geometry;
    return { generation: this.#generation, buckets, keyChunk, textChunk };
  }

  /** One call at a time; after a failure none at all, because only opening the folder again tells what the disk holds. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#busy) throw new Error('a call before the one before it has settled');
    this.#busy = true;
    try {
      return await work();
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#busy = false;
    }
  }
}

function sameShape(a: Shape, b: Shape): boolean {
  return a.buckets === b.buckets && a.keyChunk === b.keyChunk && a.textChunk === b.textChunk;
}
