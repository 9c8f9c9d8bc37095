/**
 * The second half of DRUM with values: the tuples of each bucket are applied, in the order of
 * arrival of each key, to the sorted records of the repository, in one pass over it.
 *
 * Requires  a finished log whose buckets fit the arena with their texts.
 * Ensures   the new repository is what a map would hold after the tuples one by one; a check is
 *           answered with what the map held at that moment. Answers of a bucket come in the order
 *           of arrival; if they outgrow their memory they come in parts, each a range of keys.
 *
 * Answers are blocks: u32 bytes that follow, u32 answers; then for each answer u64 key, a varint
 * (0: unknown, else 1 + the length of the value), the value, the length of the auxiliary bytes as a
 * varint, those bytes.
 */

import type { Pacer } from '../base/pacer.ts';
import { VarintReader, varintSize, writeVarint } from '../base/varint.ts';
import type { AppendLog } from '../disk/append-log.ts';
import type { Format } from '../disk/format.ts';
import { BucketSort, EvenStarts } from './bucket-sort.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { Combine } from './combine.ts';
import { CHECK, UPDATE } from './drum-batch.ts';
import type { Geometry } from './geometry.ts';
import type { Kernel } from './kernel.ts';
import type { RecordReader, RecordWriter } from './records.ts';
import { valueTooLarge } from './value-limit.ts';

export const VALUE_ANSWERS_FORMAT: Format = { type: 'avl', version: 1, summed: true };
const UNANSWERED = -2;
const UNKNOWN = -1;
const SLICE = 16_384;

export class ValueMerge {
  readonly #geometry: Geometry;
  readonly #pacer: Pacer;
  readonly #combine: Combine;
  readonly #bucket: BucketSort;
  readonly #keys: BigUint64Array;
  readonly #pairs: BigUint64Array;
  /** The texts of the bucket. */
  readonly #texts: Uint8Array;
  readonly #reader: VarintReader;
  /** Where each tuple's text begins. */
  readonly #starts: Uint32Array;
  /** Values that answers need, each once. */
  readonly #values: Uint8Array;
  #valuesFilled = 0;
  /** Where each tuple's answer is among the values. */
  readonly #answerAt: Uint32Array;
  /** How long each tuple's answer is, or `UNANSWERED`, or `UNKNOWN`. */
  readonly #answerLength: Int32Array;

  constructor(kernel: Kernel, geometry: Geometry, arena: number, pacer: Pacer, combine: Combine) {
    const { bucketKeys, bucketTexts } = geometry;
    this.#geometry = geometry;
    this.#pacer = pacer;
    this.#combine = combine;
    this.#bucket = new BucketSort(kernel, pacer, arena, bucketKeys);
    this.#keys = kernel.u64(this.#bucket.keys, bucketKeys);
    this.#pairs = kernel.u64(this.#bucket.pairs, bucketKeys * 2);
    const at = this.#bucket.end;
    this.#starts = kernel.u32(at, bucketKeys);
    this.#answerAt = kernel.u32(at + bucketKeys * 4, bucketKeys);
    this.#answerLength = new Int32Array(kernel.buffer, at + bucketKeys * 8, bucketKeys);
    this.#texts = kernel.view(at + bucketKeys * 12, bucketTexts);
    this.#values = kernel.view(at + bucketKeys * 12 + bucketTexts, bucketTexts);
    this.#reader = new VarintReader(this.#texts);
  }

  async run(
    log: ChunkLog,
    old: RecordReader,
    out: RecordWriter,
    answers: AppendLog,
    tuples: number,
  ): Promise<number[]> {
    const { buckets, window } = this.#geometry;
    const blocks = new AnswerBlocks(answers, window);
    const starts = new EvenStarts(buckets, tuples);
    await old.next();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const n = await this.#bucket.load(log, bucket);
      if (n === 0) continue;
      await this.#loadTexts(log, bucket, n);
      await this.#bucket.sort(n);
      starts.saw(this.#bucket, n);
      await this.#mergeBucket(n, old, out, blocks);
      await this.#answer(n, blocks);
    }
    for (let passed = 0; old.ready; ) {
      const wait = this.#pass(old, out);
      if (wait) await wait;
      if (++passed % SLICE === 0) await this.#pacer.pause();
    }
    await blocks.end();
    return starts.result;
  }

  async #loadTexts(log: ChunkLog, bucket: number, n: number): Promise<void> {
    let at = 0;
    for (const chunk of log.chunks(bucket)) {
      // The texts were collected with more memory than there is now.
      if (at + chunk.textBytes > this.#texts.length)
        throw valueTooLarge(chunk.textBytes, this.#texts.length);
      await log.read(this.#texts.subarray(at, at + chunk.textBytes), chunk.textsAt);
      at += chunk.textBytes;
    }
    this.#reader.at = 0;
    for (let i = 0; i < n; i++) {
      this.#starts[i] = this.#reader.at;
      this.#reader.skip(this.#reader.next());
    }
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over two sorted runs.
  async #mergeBucket(
    n: number,
    old: RecordReader,
    out: RecordWriter,
    blocks: AnswerBlocks,
  ): Promise<void> {
    this.#answerLength.fill(UNANSWERED, 0, n);
    for (let i = 0; i < n; ) {
      const key = this.#pairs[2 * i];
      while (old.ready && old.key < key) {
        const wait = this.#pass(old, out);
        if (wait) await wait;
      }
      const wasKnown = old.ready && old.key === key;
      let value = wasKnown ? old.value : undefined;
      let stored = UNANSWERED; // place of the value among the answers, once an answer needs it
      for (; i < n && this.#pairs[2 * i] === key; i++) {
        const index = Number(this.#pairs[2 * i + 1]);
        const operation = this.#open(index);
        if (operation & CHECK) {
          if (value && stored === UNANSWERED) {
            if (this.#valuesFilled + value.length > this.#values.length) {
              await this.#answer(n, blocks);
              this.#open(index); // `#answer` moved the reader
            }
            stored = this.#store(value);
          }
          this.#answerAt[index] = value ? stored : 0;
          this.#answerLength[index] = value ? value.length : UNKNOWN;
        }
        if (operation & UPDATE) {
          const next = this.#reader.take(this.#reader.next());
          value = value ? this.#combine(value, next) : next;
          stored = UNANSWERED;
        }
      }
      if (value) {
        const wait = out.put(key, value);
        if (wait) await wait;
      }
      if (wasKnown) await old.next();
      if (i % SLICE === 0) await this.#pacer.pause();
    }
  }

  /** Copies a record that no tuple changes. */
  #pass(old: RecordReader, out: RecordWriter): Promise<void> | undefined {
    const wait = out.put(old.key, old.value);
    return wait ? wait.then(() => old.next()) : old.next();
  }

  /** Moves the reader past the operation of the tuple, and returns the operation. */
  #open(index: number): number {
    this.#reader.at = this.#starts[index];
    this.#reader.next();
    return this.#texts[this.#reader.at++];
  }

  #store(value: Uint8Array): number {
    if (value.length > this.#values.length) throw valueTooLarge(value.length, this.#values.length);
    const at = this.#valuesFilled;
    this.#values.set(value, at);
    this.#valuesFilled += value.length;
    return at;
  }

  /** Writes the known answers, in the order of arrival, and makes room for more. */
  async #answer(n: number, blocks: AnswerBlocks): Promise<void> {
    for (let i = 0; i < n; i++) {
      const length = this.#answerLength[i];
      if (length === UNANSWERED) continue;
      this.#answerLength[i] = UNANSWERED;
      const at = this.#answerAt[i];
      const value = length === UNKNOWN ? undefined : this.#values.subarray(at, at + length);
      this.#reader.at = this.#starts[i];
      const bytes = this.#reader.next();
      const end = this.#reader.at + bytes;
      this.#reader.at++;
      this.#reader.skip(this.#reader.next());
      const wait = blocks.put(this.#keys[i], value, this.#texts.subarray(this.#reader.at, end));
      if (wait) await wait;
      if (i % SLICE === 0) await this.#pacer.pause();
    }
    this.#valuesFilled = 0;
  }
}

class AnswerBlocks {
  readonly #log: AppendLog;
  #buffer: Uint8Array;
  #view: DataView;
  #filled = 8;
  #count = 0;

  constructor(log: AppendLog, bytes: number) {
    this.#log = log;
    this.#buffer = new Uint8Array(bytes);
    this.#view = new DataView(this.#buffer.buffer);
  }

  put(key: bigint, value: Uint8Array | undefined, aux: Uint8Array): Promise<void> | undefined {
    const lengthCode = value ? value.length + 1 : 0;
    const bytes =
      8 + varintSize(lengthCode) + (value?.length ?? 0) + varintSize(aux.length) + aux.length;
    if (this.#filled + bytes > this.#buffer.length && (this.#count > 0 || this.#grow(bytes))) {
      return this.end().then(() => this.put(key, value, aux));
    }
    this.#view.setBigUint64(this.#filled, key, true);
    let at = writeVarint(this.#buffer, this.#filled + 8, lengthCode);
    if (value) {
      this.#buffer.set(value, at);
      at += value.length;
    }
    at = writeVarint(this.#buffer, at, aux.length);
    this.#buffer.set(aux, at);
    this.#filled = at + aux.length;
    this.#count++;
    return undefined;
  }

  /** Writes the block being filled. */
  async end(): Promise<void> {
    if (this.#count === 0) return;
    this.#view.setUint32(0, this.#filled - 8, true);
    this.#view.setUint32(4, this.#count, true);
    await this.#log.append(this.#buffer.subarray(0, this.#filled));
    this.#filled = 8;
    this.#count = 0;
  }

  /** An answer larger than the buffer is a block of its own. */
  #grow(bytes: number): false {
    this.#buffer = new Uint8Array(8 + bytes);
    this.#view = new DataView(this.#buffer.buffer);
    return false;
  }
}
