/**
 * The buckets of one generation on disk: one file of chunks, each holding tuples of one bucket.
 *
 * Idea      k bucket files would mean k open files, k fsyncs and scattered writes. One log is
 *           written in order and made durable by one fsync; a bucket is read back chunk by chunk,
 *           and chunks are large.
 * Layout    the file's header, then chunks: six u32 (bucket, count, bytes of texts, room for keys,
 *           room for texts, and one zero), the keys, the texts. The texts begin where the room for
 *           keys ends; a chunk that was written whole has no spare room.
 * Open      a checkpoint in the middle of a chunk gives the chunk its place and full room, and
 *           writes what there is; the rest follows in place. Until the chunk is closed, only the
 *           checkpoint holds how much of it counts.
 * Ensures   the order of the chunks of a bucket is the order of arrival.
 * Costs     a directory in memory of about 100 bytes a chunk, below 0.1 % of the file.
 */

import { together } from '../base/together.ts';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';

const OFFERS_FORMAT: Format = { type: 'ofr', version: 1 };
const CHUNK_HEADER = 24;

interface Amount {
  readonly count: number;
  readonly textBytes: number;
}

export interface Chunk extends Amount {
  readonly bucket: number;
  readonly keysAt: number;
  readonly textsAt: number;
}

interface Room {
  readonly keys: number;
  readonly texts: number;
}

/** The parts of a chunk in memory; keys are 8 bytes each. */
export interface Parts {
  readonly keys: Uint8Array;
  readonly texts: Uint8Array;
}

/** An open chunk as a checkpoint stores it: bucket, place, count, bytes of texts. */
export type OpenChunk = readonly [bucket: number, at: number, count: number, textBytes: number];

interface Opened {
  readonly at: number;
  readonly room: Room;
  amount: Amount;
}

export class ChunkLog {
  readonly #log: AppendLog;
  readonly #chunks: Chunk[][];
  readonly #open = new Map<number, Opened>();

  private constructor(log: AppendLog, buckets: number) {
    this.#log = log;
    this.#chunks = Array.from({ length: buckets }, () => []);
  }

  static async create(
    disk: Disk,
    path: string,
    buckets: number,
    bufferBytes: number,
  ): Promise<ChunkLog> {
    return new ChunkLog(await AppendLog.create(disk, path, OFFERS_FORMAT, bufferBytes), buckets);
  }

  /**
   * Reads the directory from the headers of the chunks; `open` is the checkpoint's list of open
   * chunks, whose headers are not final.
   */
  static async open(
    disk: Disk,
    path: string,
    buckets: number,
    bufferBytes: number,
    length: number,
    open: readonly OpenChunk[],
  ): Promise<ChunkLog> {
    const log = new ChunkLog(
      await AppendLog.open(disk, path, OFFERS_FORMAT, length, bufferBytes),
      buckets,
    );
    const opened = new Map(open.map((chunk) => [chunk[1], chunk]));
    const header = new Uint32Array(CHUNK_HEADER / 4);
    for (let at = HEADER_BYTES; at < length; ) {
      await log.#log.file.readAll(new Uint8Array(header.buffer), at);
      const [bucket, count, textBytes, keys, texts] = header;
      const room = { keys, texts };
      const known = opened.get(at);
      if (known) {
        log.#open.set(bucket, { at, room, amount: { count: known[2], textBytes: known[3] } });
      } else {
        log.#chunks[bucket].push(placed(bucket, at, room, { count, textBytes }));
      }
      at += CHUNK_HEADER + keys + texts;
    }
    return log;
  }

  get length(): number {
    return this.#log.length;
  }

  chunks(bucket: number): readonly Chunk[] {
    return this.#chunks[bucket];
  }

  /** The bucket's chunk that a checkpoint left open, and how much of it is written. */
  opened(bucket: number): Chunk | undefined {
    const open = this.#open.get(bucket);
    return open && placed(bucket, open.at, open.room, open.amount);
  }

  /**
   * Completes the bucket's chunk: `parts` is all of it, including what a checkpoint wrote already.
   */
  async close(bucket: number, parts: Parts): Promise<void> {
    const amount = amountOf(parts);
    const open = this.#open.get(bucket);
    if (open) {
      await this.#writeFurther(open, parts);
      await this.#log.file.writeAll(header(bucket, amount, open.room), open.at);
      this.#open.delete(bucket);
      this.#chunks[bucket].push(placed(bucket, open.at, open.room, amount));
      return;
    }
    const room = { keys: parts.keys.length, texts: parts.texts.length };
    this.#chunks[bucket].push(placed(bucket, this.#log.length, room, amount));
    await this.#log.append(header(bucket, amount, room));
    await this.#log.append(parts.keys);
    await this.#log.append(parts.texts);
  }

  /**
   * Writes what the buffers of some buckets hold so far, each at the place where the rest of its
   * chunk will follow. The writes run at once: one after the other would wait hundreds of times for
   * a busy event loop.
   */
  async writeOpen(chunks: ReadonlyMap<number, Parts>, room: Room): Promise<void> {
    const begun = [...chunks.keys()].filter((bucket) => !this.#open.has(bucket));
    const size = CHUNK_HEADER + room.keys + room.texts;
    const at = begun.length > 0 ? await this.#log.reserve(begun.length * size) : 0;
    const writes = begun.map((bucket, i) => {
      const open = { at: at + i * size, room, amount: { count: 0, textBytes: 0 } };
      this.#open.set(bucket, open);
      return this.#log.file.writeAll(header(bucket, open.amount, room), open.at);
    });
    for (const [bucket, parts] of chunks) {
      writes.push(this.#writeFurther(this.#open.get(bucket) as Opened, parts));
    }
    await together(writes);
  }

  openChunks(): OpenChunk[] {
    return [...this.#open].map(([bucket, { at, amount }]) => [
      bucket,
      at,
      amount.count,
      amount.textBytes,
    ]);
  }

  async read(into: Uint8Array, at: number): Promise<void> {
    await this.#log.file.readAll(into, at);
  }

  /** Ends adding: only the directory stays in memory. */
  async seal(): Promise<void> {
    await this.#log.seal();
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  abandon(): Promise<void> {
    return this.#log.abandon();
  }

  async #writeFurther(open: Opened, parts: Parts): Promise<void> {
    const file = this.#log.file;
    const chunk = placed(0, open.at, open.room, open.amount);
    const amount = amountOf(parts);
    const from = open.amount;
    await file.writeAll(parts.keys.subarray(from.count * 8), chunk.keysAt + from.count * 8);
    await file.writeAll(parts.texts.subarray(from.textBytes), chunk.textsAt + from.textBytes);
    open.amount = amount;
  }
}

function amountOf(parts: Parts): Amount {
  return { count: parts.keys.length / 8, textBytes: parts.texts.length };
}

function placed(bucket: number, at: number, room: Room, amount: Amount): Chunk {
  const keysAt = at + CHUNK_HEADER;
  return { bucket, keysAt, textsAt: keysAt + room.keys, ...amount };
}

function header(bucket: number, amount: Amount, room: Room): Uint8Array {
  const words = [bucket, amount.count, amount.textBytes, room.keys, room.texts, 0];
  return new Uint8Array(Uint32Array.from(words).buffer);
}
