/**
 * The buckets of one generation on disk: one file of chunks, each holding tuples of one bucket.
 *
 * Idea      k bucket files would mean k open files, k fsyncs and scattered writes. One log is
 *           written in order and made durable by one fsync; a bucket is read back chunk by chunk,
 *           and chunks are large.
 * Layout    the file's header, then heads of six u32: bucket, count, bytes of texts, room for keys,
 *           room for texts, kind. After a head of kind 0 come the keys and the texts of a chunk
 *           that was written whole.
 * Open      a checkpoint in the middle of a chunk gives the chunk its place and full room, and
 *           writes what there is; the rest follows in place. The room begins at a block
 *           (`block-sums.ts`): a head of kind 1 in the first one, then blocks for the keys, then
 *           for the texts. So no block is shared by bytes that grow at different times. Until the
 *           chunk is closed, only the checkpoint holds how much of it counts; then a head of kind 2
 *           at the end of the log says so, with the block of the room in place of the rooms. A head
 *           of kind 3 means that the next one is at the next block.
 * Before    0.1.0 wrote logs without checksums: there an open chunk had a head of kind 0, which was
 *           written again when the chunk was closed. Such logs are only read.
 * Ensures   the order of the chunks of a bucket is the order of arrival.
 * Costs     a directory in memory of about 100 bytes a chunk, below 0.1 % of the file.
 */

import { together } from '../base/together.ts';
import type { Bytes } from '../base/units.ts';
import { AppendLog } from '../disk/append-log.ts';
import type { BlockFile } from '../disk/block-file.ts';
import { blocksOf, CONTENT_BYTES, TailSums } from '../disk/block-sums.ts';
import { damaged } from '../disk/damage.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';

const OFFERS_FORMAT: Format = { type: 'ofr', version: 1, summed: true };
const CHUNK_HEADER = 24;
const WHOLE = 0;
const ROOM = 1;
const CLOSED = 2;
const SKIP = 3;

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
  /** The sums of the last blocks of keys and of texts; undefined until something is written. */
  tails: { readonly keys: TailSums; readonly texts: TailSums } | undefined;
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
   * Reads the directory from the heads of the chunks; `open` is the checkpoint's list of open
   * chunks.
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
    try {
      await log.#readDirectory(length, new Map(open.map((chunk) => [chunk[1], chunk])));
    } catch (error) {
      await log.abandon();
      throw error;
    }
    return log;
  }

  /** It can be added to; a log without checksums cannot. */
  get canGrow(): boolean {
    return this.#log.file.isSummed;
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
    if (!open) return undefined;
    const place = this.canGrow ? inRoom : placed;
    return place(bucket, open.at, open.room, open.amount);
  }

  /**
   * Completes the bucket's chunk: `parts` is all of it, including what a checkpoint wrote already.
   */
  async close(bucket: number, parts: Parts): Promise<void> {
    const amount = amountOf(parts);
    const open = this.#open.get(bucket);
    if (open) {
      await this.#writeFurther(open, parts);
      const block = { keys: open.at / CONTENT_BYTES, texts: 0 };
      await this.#log.append(head(bucket, amount, block, CLOSED));
      this.#open.delete(bucket);
      this.#chunks[bucket].push(inRoom(bucket, open.at, open.room, amount));
      return;
    }
    const room = { keys: parts.keys.length, texts: parts.texts.length };
    this.#chunks[bucket].push(placed(bucket, this.#log.length, room, amount));
    await this.#log.append(head(bucket, amount, room, WHOLE));
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
    const writes: Promise<void>[] = [];
    if (begun.length > 0) {
      const size = blocksOfRoom(room);
      await this.#log.append(head(0, NOTHING, { keys: 0, texts: 0 }, SKIP));
      const first = await this.#log.reserve(begun.length * size);
      begun.forEach((bucket, i) => {
        const block = first + i * size;
        const at = block * CONTENT_BYTES;
        this.#open.set(bucket, { at, room, amount: NOTHING, tails: newTails() });
        const bytes = head(bucket, NOTHING, room, ROOM);
        writes.push(this.#blocks.writeGrown(bytes, 0, block, new TailSums()));
      });
    }
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

  async sync(): Promise<void> {
    await this.#log.sync();
    for (const { at, room, amount, tails } of this.#open.values()) {
      const { keysAt, textsAt } = inRoom(0, at, room, amount);
      nameEnd(tails?.keys, keysAt, amount.count * 8);
      nameEnd(tails?.texts, textsAt, amount.textBytes);
    }
  }

  abandon(): Promise<void> {
    return this.#log.abandon();
  }

  get #blocks(): BlockFile {
    return this.#log.file as BlockFile;
  }

  async #writeFurther(open: Opened, parts: Parts): Promise<void> {
    const { keysAt, textsAt } = inRoom(0, open.at, open.room, open.amount);
    const { count, textBytes } = open.amount;
    const written = count * 8;
    open.tails ??= {
      keys: await this.#tailAt(keysAt, written),
      texts: await this.#tailAt(textsAt, textBytes),
    };
    const { keys, texts } = open.tails;
    open.amount = amountOf(parts);
    if (parts.keys.length > written)
      await this.#blocks.writeGrown(parts.keys, written, keysAt / CONTENT_BYTES, keys);
    if (parts.texts.length > textBytes)
      await this.#blocks.writeGrown(parts.texts, textBytes, textsAt / CONTENT_BYTES, texts);
  }

  /** The sums of the last block of a content that begins at `at`. */
  async #tailAt(at: number, length: Bytes): Promise<TailSums> {
    const inBlock = length % CONTENT_BYTES;
    if (inBlock === 0) return new TailSums();
    return this.#blocks.readTail(Math.floor((at + length) / CONTENT_BYTES), inBlock, [inBlock]);
  }

  async #readDirectory(length: Bytes, opened: ReadonlyMap<number, OpenChunk>): Promise<void> {
    const words = new Uint32Array(CHUNK_HEADER / 4);
    const rooms = new Map<number, Room>();
    for (let at = HEADER_BYTES; at < length; ) {
      await this.#log.file.readAll(new Uint8Array(words.buffer), at);
      const [bucket, count, textBytes, keys, texts, kind] = words;
      const room = { keys, texts };
      if (bucket >= this.#chunks.length || kind > SKIP)
        throw damaged(this.#log.file.path, `has no head of a chunk at ${at}`);
      const known = opened.get(at);
      const amount = known ? { count: known[2], textBytes: known[3] } : { count, textBytes };
      if (known) this.#open.set(bucket, { at, room, amount, tails: undefined });
      if (kind === WHOLE && !known) this.#chunks[bucket].push(placed(bucket, at, room, amount));
      if (kind === ROOM) rooms.set(at / CONTENT_BYTES, room);
      if (kind === CLOSED) {
        const own = rooms.get(keys);
        if (!own) throw damaged(this.#log.file.path, `closes at ${at} a chunk that it has not`);
        this.#chunks[bucket].push(inRoom(bucket, keys * CONTENT_BYTES, own, amount));
      }
      if (kind === WHOLE) at += CHUNK_HEADER + keys + texts;
      else if (kind === ROOM) at += blocksOfRoom(room) * CONTENT_BYTES;
      else if (kind === CLOSED) at += CHUNK_HEADER;
      else at = blocksOf(at + CHUNK_HEADER) * CONTENT_BYTES;
    }
  }
}

const NOTHING: Amount = { count: 0, textBytes: 0 };
const newTails = () => ({ keys: new TailSums(), texts: new TailSums() });

function nameEnd(tail: TailSums | undefined, at: number, length: Bytes): void {
  const end = at + length;
  tail?.name(Math.floor(end / CONTENT_BYTES), end % CONTENT_BYTES);
}

function amountOf(parts: Parts): Amount {
  return { count: parts.keys.length / 8, textBytes: parts.texts.length };
}

/** A chunk that was written whole. */
function placed(bucket: number, at: number, room: Room, amount: Amount): Chunk {
  const keysAt = at + CHUNK_HEADER;
  return { bucket, keysAt, textsAt: keysAt + room.keys, ...amount };
}

/** A chunk in a room of its own. */
function inRoom(bucket: number, at: number, room: Room, amount: Amount): Chunk {
  const keysAt = at + CONTENT_BYTES;
  return { bucket, keysAt, textsAt: keysAt + blocksOf(room.keys) * CONTENT_BYTES, ...amount };
}

const blocksOfRoom = ({ keys, texts }: Room): number => 1 + blocksOf(keys) + blocksOf(texts);

function head(bucket: number, amount: Amount, room: Room, kind: number): Uint8Array {
  const words = [bucket, amount.count, amount.textBytes, room.keys, room.texts, kind];
  return new Uint8Array(Uint32Array.from(words).buffer);
}
