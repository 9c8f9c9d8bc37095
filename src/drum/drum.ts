/**
 * DRUM: a map from 64-bit keys to values, as large as the disk, with queries and updates in bulk.
 *
 * Idea      tuples <operation, key, value, aux> are spread over buckets on disk; when one bucket is
 *           full, all are merged in one pass with the sorted file of records. Answers come later,
 *           in batches, with the auxiliary bytes of the tuple: whatever the caller needs to
 *           continue.
 * Requires  one caller at a time, which holds the folder's lock.
 * Ensures   for each key, the effect of the tuples one by one in the order they were offered: a
 *           check is answered with the value just before it, an update combines with the value
 *           there. Answers of a bucket come in the order of arrival. Memory is as given, whatever
 *           the number of keys.
 * Crash     as KeyDrum: opened at what `freeze` returned, it is exactly what it was then.
 * Non-goals single look-ups, deletion, ranges.
 */

import { DrumlinError } from '../base/errors.ts';
import { flatOut, type Pacer } from '../base/pacer.ts';
import { VarintReader, varintSize } from '../base/varint.ts';
import { AppendLog, closeOnFailure } from '../disk/append-log.ts';
import { openStateFile, type StateFile } from '../disk/block-file.ts';
import { type Frozen, recoverFolder } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { HEADER_BYTES } from '../disk/format.ts';
import { VersionedFiles } from '../disk/versioned-files.ts';
import { type Combine, replace } from './combine.ts';
import type { DrumBatch } from './drum-batch.ts';
import { arenaBytes, fixedBytes, type Geometry, valueGeometry } from './geometry.ts';
import { Kernel } from './kernel.ts';
import { answersName, Offers, type OffersState, offersName } from './offers.ts';
import {
  openRecords,
  type RecordFile,
  RecordReader,
  RecordWriter,
  type ValueBytes,
} from './records.ts';
import { SingleCaller } from './single-caller.ts';
import { valueTooLarge } from './value-limit.ts';
import { VALUE_ANSWERS_FORMAT, ValueMerge } from './value-merge.ts';

export interface DrumAnswer {
  readonly key: bigint;
  /** The key's value when it was checked; undefined when the key was unknown. */
  readonly value: Uint8Array | undefined;
  readonly aux: Uint8Array;
}

export interface DrumState {
  readonly size: number;
  /** The generation of the file of records; 0 when there is none yet. */
  readonly repository: number;
  readonly collecting: OffersState;
  /**
   * Merged generations whose answers are not all taken; `position` is where in the file the next
   * block begins.
   */
  readonly decided: readonly { readonly generation: number; readonly position: number }[];
}

export interface DrumOptions {
  readonly disk: Disk;
  /** Must exist; only files named `records.N`, `offers.N` and `answers.N` in it are touched. */
  readonly folder: string;
  readonly memory: number;
  /** The length of every value; by default each value has its own. */
  readonly valueBytes?: number;
  /** What an update does to the value of its key; by default it replaces it. */
  readonly combine?: Combine;
  readonly diskLimit?: number;
  readonly pacer?: Pacer;
  readonly at?: Frozen<DrumState> | undefined;
  /** Replaces the geometry derived from `memory`, for tests. */
  readonly geometry?: Geometry;
}

interface Decided {
  readonly generation: number;
  readonly file: StateFile;
  readonly length: number;
  position: number;
}

const OURS = /^(records|offers|answers)\.\d+$/;

export class Drum {
  readonly #disk: Disk;
  readonly #geometry: Geometry;
  readonly #valueBytes: ValueBytes;
  readonly #files: VersionedFiles;
  readonly #offers: Offers;
  readonly #merge: ValueMerge;
  readonly #caller = new SingleCaller();
  #repository: (RecordFile & { readonly generation: number }) | undefined;
  #decided: Decided[] = [];

  private constructor(options: DrumOptions) {
    const { disk, folder, pacer = flatOut, diskLimit = Number.POSITIVE_INFINITY } = options;
    const geometry = options.geometry ?? valueGeometry(options.memory);
    this.#disk = disk;
    this.#geometry = geometry;
    this.#valueBytes = options.valueBytes;
    this.#files = new VersionedFiles(disk, folder, Object.keys(options.at?.files ?? {}));
    const kernel = new Kernel(arenaBytes(geometry) + fixedBytes(geometry));
    const arena = kernel.allocate(arenaBytes(geometry));
    this.#offers = new Offers(disk, this.#files, geometry, kernel, arena, diskLimit);
    this.#merge = new ValueMerge(kernel, geometry, arena, pacer, options.combine ?? replace);
  }

  static async open(options: DrumOptions): Promise<Drum> {
    await recoverFolder(options.disk, options.folder, options.at?.files ?? {}, (name) =>
      OURS.test(name),
    );
    const drum = new Drum(options);
    if (options.at) await drum.#resume(options.at);
    else await drum.#offers.begin();
    return drum;
  }

  /** Tuples offered and not yet merged. */
  get pending(): number {
    return this.#offers.pending;
  }

  /** Most bytes of a tuple, with its value and auxiliary bytes. */
  get longestTuple(): number {
    return this.#geometry.bucketTexts;
  }

  /** Counts the merges: after another merge, call `records` again. */
  get generation(): number {
    return this.#repository?.generation ?? 0;
  }

  /** Keys with a value. */
  get size(): number {
    return this.#repository?.count ?? 0;
  }

  /** Copies the tuples; the batch may be reused afterwards. */
  async offer(batch: DrumBatch): Promise<void> {
    this.#requireFit(batch);
    await this.#caller.run(() => this.#offers.add(batch.tuples, undefined, () => this.#decide()));
  }

  /** Merges everything offered. */
  flush(): Promise<void> {
    return this.#caller.run(() => this.#decide());
  }

  /** The next answers, or undefined when all answers of merged tuples were taken. */
  take(): Promise<DrumAnswer[] | undefined> {
    return this.#caller.run(() => this.#take());
  }

  freeze(): Promise<Frozen<DrumState>> {
    return this.#caller.run(async () => {
      const frozen = await this.#freeze();
      this.#files.freeze(Object.keys(frozen.files));
      return frozen;
    });
  }

  discardOlder(frozen: Frozen<DrumState>): Promise<void> {
    return this.#caller.run(() => this.#files.discardOlder(Object.keys(frozen.files)));
  }

  /** All records in the order of keys, as of the last merge. */
  async *records(): AsyncGenerator<{ readonly key: bigint; readonly value: Uint8Array }> {
    const reader = new RecordReader(this.#repository, this.#valueBytes, this.#geometry.window);
    await reader.next();
    while (reader.ready) {
      yield { key: reader.key, value: reader.value };
      const wait = reader.next();
      if (wait) await wait;
    }
  }

  /** Closes the files; anything since the last `freeze` is lost. */
  async close(): Promise<void> {
    await this.#offers.abandon();
    for (const { file } of this.#decided) await file.close();
    await this.#repository?.file.close();
  }

  async #decide(): Promise<void> {
    const tuples = this.#offers.pending;
    if (tuples === 0) return;
    const { generation } = this.#offers.shape;
    const { window } = this.#geometry;
    const log = await this.#offers.finish();
    const path = this.#files.path(recordsName(generation));
    const out = await RecordWriter.create(this.#disk, path, this.#valueBytes, window);
    const answersPath = this.#files.path(answersName(generation));
    const answers = await AppendLog.create(this.#disk, answersPath, VALUE_ANSWERS_FORMAT, window);
    const old = new RecordReader(this.#repository, this.#valueBytes, window);
    const { starts, records } = await closeOnFailure([out.log, answers], async () => {
      const learnt = await this.#merge.run(log, old, out, answers, tuples);
      await answers.seal();
      return { starts: learnt, records: await out.seal() };
    });

    await this.#repository?.file.close();
    if (this.#repository) await this.#files.discard(recordsName(this.#repository.generation));
    this.#repository = { ...records, generation };
    this.#decided.push({
      generation,
      file: answers.file,
      length: answers.length,
      position: HEADER_BYTES,
    });
    await log.abandon();
    await this.#files.discard(offersName(generation));
    await this.#offers.next(tuples, starts);
  }

  async #take(): Promise<DrumAnswer[] | undefined> {
    for (let head = this.#decided[0]; head; head = this.#decided[0]) {
      if (head.position < head.length) return readBlock(head);
      this.#decided.shift();
      await head.file.close();
      await this.#files.discard(answersName(head.generation));
    }
    return undefined;
  }

  async #freeze(): Promise<Frozen<DrumState>> {
    const files: Record<string, number> = {};
    const collecting = await this.#offers.freeze(files);
    if (this.#repository) {
      const name = recordsName(this.#repository.generation);
      await this.#files.makeDurable(name, this.#repository.file);
      files[name] = this.#repository.length;
    }
    for (const { generation, file, length } of this.#decided) {
      await this.#files.makeDurable(answersName(generation), file);
      files[answersName(generation)] = length;
    }
    const decided = this.#decided.map(({ generation, position }) => ({ generation, position }));
    const repository = this.#repository?.generation ?? 0;
    return { files, state: { size: this.size, repository, collecting, decided } };
  }

  async #resume({ files, state }: Frozen<DrumState>): Promise<void> {
    const { repository: generation, size } = state;
    if (generation > 0) {
      const name = recordsName(generation);
      const path = this.#files.path(name);
      const records = await openRecords(this.#disk, path, this.#valueBytes, files[name], size);
      this.#repository = { ...records, generation };
    }
    for (const { generation, position } of state.decided) {
      const name = answersName(generation);
      const path = this.#files.path(name);
      const file = await openStateFile(this.#disk, path, VALUE_ANSWERS_FORMAT);
      this.#decided.push({ generation, file, length: files[name], position });
    }
    await this.#offers.resume(state.collecting, files, () => this.#decide());
  }

  #requireFit(batch: DrumBatch): void {
    const limit = this.#geometry.bucketTexts;
    const stored = batch.longestTuple + varintSize(batch.longestTuple);
    if (stored > limit) throw valueTooLarge(batch.longestTuple, limit);
    const fixed = this.#valueBytes;
    if (fixed === undefined || batch.shortestValue === Number.POSITIVE_INFINITY) return;
    if (batch.shortestValue === fixed && batch.longestValue === fixed) return;
    throw new DrumlinError(
      'VALUE_LENGTH',
      `A value of ${batch.longestValue} bytes was offered, but all values have ${fixed}.`,
      'Offer values of that length, or create the repository for values of any length.',
    );
  }
}

async function readBlock(decided: Decided): Promise<DrumAnswer[]> {
  const header = new Uint8Array(8);
  await decided.file.readAll(header, decided.position);
  const [bytes, count] = new Uint32Array(header.buffer);
  const block = new Uint8Array(bytes);
  await decided.file.readAll(block, decided.position + 8);
  decided.position += 8 + bytes;
  const view = new DataView(block.buffer);
  const reader = new VarintReader(block);
  return Array.from({ length: count }, () => {
    const key = view.getBigUint64(reader.at, true);
    reader.skip(8);
    const lengthCode = reader.next();
    const value = lengthCode === 0 ? undefined : reader.take(lengthCode - 1);
    return { key, value, aux: reader.take(reader.next()) };
  });
}

const recordsName = (generation: number) => `records.${generation}`;
