/**
 * Hands out what a merge decided: the novel tuples of one generation, chunk by chunk, in the order
 * of arrival within each bucket.
 *
 * Idea      the merge writes only bits and keys; the texts are still in the log, and are read here,
 *           in order, when they are taken. A chunk without an answer is not read.
 * Ensures   only whole chunks are handed out: `taken` counts them, and opening at that count
 *           continues with the next one.
 */

import { alignTo8 } from '../base/align.ts';
import { VarintReader } from '../base/varint.ts';
import { openStateFile, type StateFile } from '../disk/block-file.ts';
import type { Disk } from '../disk/disk.ts';
import { HEADER_BYTES } from '../disk/format.ts';
import { SequentialReader } from '../disk/sequential-reader.ts';
import type { Chunk, ChunkLog } from './chunk-log.ts';
import { takeBytes } from './geometry.ts';
import { Kernel, SLACK } from './kernel.ts';
import { ANSWERS_FORMAT } from './key-merge.ts';
import type { KeyedBatch } from './keyed-batch.ts';

/** The largest chunk that the buffers are made for. */
interface ChunkSize {
  readonly keyChunk: number;
  readonly textChunk: number;
}

/** Buffers for taking answers: one chunk that is read, and a batch that two full chunks fit in. */
export class TakeBuffers {
  readonly size: ChunkSize;
  readonly kernel: Kernel;
  readonly text: number;
  readonly bits: number;
  readonly keys: number;
  readonly ends: number;
  readonly bytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  length = 0;
  byteLength = 0;

  constructor(size: ChunkSize) {
    const entries = size.keyChunk / 8;
    this.size = size;
    this.maxEntries = 2 * entries;
    this.maxBytes = 2 * size.textChunk;
    this.kernel = new Kernel(takeBytes(size));
    this.text = this.kernel.allocate(size.textChunk + SLACK);
    this.bits = this.kernel.allocate(Math.ceil(entries / 8));
    this.keys = this.kernel.allocate(this.maxEntries * 8);
    this.ends = this.kernel.allocate(this.maxEntries * 4);
    this.bytes = this.kernel.allocate(this.maxBytes + SLACK);
  }

  isFor({ keyChunk, textChunk }: ChunkSize): boolean {
    return this.size.keyChunk === keyChunk && this.size.textChunk === textChunk;
  }

  clear(): void {
    this.length = 0;
    this.byteLength = 0;
  }

  fit(entries: number, textBytes: number): boolean {
    return (
      textBytes <= this.size.textChunk &&
      this.length + entries <= this.maxEntries &&
      this.byteLength + textBytes <= this.maxBytes
    );
  }

  batch(): KeyedBatch {
    return {
      length: this.length,
      keys: this.kernel.u64(this.keys, this.length),
      ends: this.kernel.u32(this.ends, this.length),
      bytes: this.kernel.view(this.bytes, this.byteLength),
    };
  }
}

interface Block {
  readonly chunk: Chunk;
  readonly answers: number;
  readonly bits: Uint8Array;
  readonly keys: Uint8Array;
}

/** A merged generation: its log, its shape, and how many of its chunks were already handed out. */
interface Answered extends ChunkSize {
  readonly log: ChunkLog;
  readonly buckets: number;
  readonly taken: number;
}

export class KeyAnswers {
  readonly #log: ChunkLog;
  readonly #file: StateFile;
  readonly #reader: SequentialReader;
  readonly #chunks: Iterator<Chunk, undefined>;
  #taken = 0;
  /** A block that was read but did not fit the last batch. */
  #waiting: Block | undefined;

  private constructor(answered: Answered, file: StateFile, reader: SequentialReader) {
    this.#log = answered.log;
    this.#file = file;
    this.#reader = reader;
    this.#chunks = chunksInOrder(answered.log, answered.buckets);
  }

  static async open(
    disk: Disk,
    path: string,
    answered: Answered,
    bufferBytes: number,
  ): Promise<KeyAnswers> {
    const file = await openStateFile(disk, path, ANSWERS_FORMAT);
    try {
      const reader = new SequentialReader(file, HEADER_BYTES, await file.size(), bufferBytes);
      const answers = new KeyAnswers(answered, file, reader);
      for (; answers.#taken < answered.taken; answers.#taken++) await answers.#nextBlock();
      return answers;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Chunks handed out, or skipped because nothing in them was new. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * The next answers, as many as the buffers hold; undefined at the end. Valid until the buffers
   * are used again.
   */
  async take(buffers: TakeBuffers): Promise<KeyedBatch | undefined> {
    buffers.clear();
    while (true) {
      const block = this.#waiting ?? (await this.#nextBlock());
      this.#waiting = undefined;
      if (!block) break;
      if (block.answers > 0 && !buffers.fit(block.answers, block.chunk.textBytes)) {
        if (buffers.length === 0) return this.#takeAlone(block);
        this.#waiting = block;
        break;
      }
      if (block.answers > 0) await this.#extract(block, buffers);
      this.#taken++;
    }
    return buffers.length > 0 ? buffers.batch() : undefined;
  }

  /** Closes the files of the generation. */
  async abandon(): Promise<void> {
    await this.#file.close();
    await this.#log.abandon();
  }

  async #nextBlock(): Promise<Block | undefined> {
    const header = await this.#reader.take(8);
    if (!header) return undefined;
    const [count, answers] = new Uint32Array(header.slice().buffer);
    const chunk = this.#chunks.next().value;
    if (!chunk) throw new RangeError('There are more blocks of answers than chunks.');
    if (answers === 0) return { chunk, answers, bits: NONE, keys: NONE };
    const bitBytes = alignTo8(Math.ceil(count / 8));
    const body = (await this.#reader.take(bitBytes + answers * 8)) ?? NONE;
    return { chunk, answers, bits: body.subarray(0, bitBytes), keys: body.subarray(bitBytes) };
  }

  async #extract({ chunk, answers, bits, keys }: Block, buffers: TakeBuffers): Promise<void> {
    const { kernel, text } = buffers;
    kernel.bytes.set(bits, buffers.bits);
    kernel.bytes.set(keys, buffers.keys + buffers.length * 8);
    await this.#log.read(kernel.view(text, chunk.textBytes), chunk.textsAt);
    buffers.byteLength = kernel.run.extract(
      text,
      chunk.count,
      buffers.bits,
      buffers.ends + buffers.length * 4,
      buffers.bytes,
      buffers.byteLength,
    );
    buffers.length += answers;
  }

  /** A text larger than the buffers is a chunk of its own, and an answer of its own. */
  async #takeAlone({ chunk, keys }: Block): Promise<KeyedBatch> {
    const stored = new Uint8Array(chunk.textBytes);
    await this.#log.read(stored, chunk.textsAt);
    const reader = new VarintReader(stored);
    const bytes = reader.take(reader.next());
    this.#taken++;
    const key = new BigUint64Array(keys.slice().buffer);
    return { length: 1, keys: key, ends: Uint32Array.of(bytes.length), bytes };
  }
}

const NONE = new Uint8Array(0);

function* chunksInOrder(log: ChunkLog, buckets: number): Generator<Chunk, undefined> {
  for (let bucket = 0; bucket < buckets; bucket++) yield* log.chunks(bucket);
  return undefined;
}
