/**
 * A file of BEAST: segments, each the entries of one queue. The files of rounds, those of entries
 * for later, and the journal share this format.
 *
 * Format    the file's header; then for each segment its key (i48: a round, or minus the number of
 *           a rescan), its bytes (u48), its count (u48), and the entries, each a varint length and
 *           as many bytes.
 * Idea      A file of rounds has its segments in the order of rounds, so it is read from front to
 *           back like any queue, with pauses: one segment, then the head of the next one, which
 *           names the round in which to continue. Between them only that place is in memory, and
 *           the file is closed.
 * Ensures   entries in the order in which they were written. A file with contradictory numbers is
 *           refused with its path.
 */

import type { Bytes } from '../../base/units.ts';
import { AppendLog, closeOnFailure } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { damaged } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { type Entries, entryEnd, wholeEntries } from '../queue/path-queue.ts';

const FORMAT: Format = { type: 'bst', version: 1, summed: true };
const SEGMENT_HEAD: Bytes = 18;
const LOG_BUFFER: Bytes = 128 * 1024;

/** Entries of one queue, to be written. */
export interface Segment {
  readonly key: number;
  readonly count: number;
  readonly bytes: Bytes;
  /** The bytes, each piece with whole entries. */
  readonly pieces: readonly Uint8Array[];
}

/**
 * Appends segments to a file of `length` bytes, or creates it; returns its new length. `named` are
 * the lengths that a checkpoint may name.
 */
export async function writeSegments(
  disk: Disk,
  path: string,
  length: Bytes | undefined,
  segments: Iterable<Segment>,
  named?: readonly Bytes[],
): Promise<Bytes> {
  const log =
    length === undefined
      ? await AppendLog.create(disk, path, FORMAT, LOG_BUFFER)
      : await AppendLog.open(disk, path, FORMAT, length, LOG_BUFFER, named);
  await closeOnFailure([log], async () => {
    for (const { key, bytes, count, pieces } of segments) {
      await log.append(segmentHead(key, bytes, count));
      for (const piece of pieces) await log.append(piece);
    }
    await log.flush();
  });
  await log.close();
  return log.length;
}

/** The position in a file: in a segment, and how much of the segment is left. */
export interface ReadingState {
  readonly id: number;
  readonly at: Bytes;
  readonly key: number;
  readonly bytes: Bytes;
  readonly count: number;
}

export class SegmentReader {
  readonly id: number;
  readonly #disk: Disk;
  readonly #path: string;
  length: Bytes;
  /** The lengths that the last two checkpoints named, the older first. */
  named: readonly Bytes[];
  #at: Bytes;
  #key: number;
  #bytes: Bytes;
  #count: number;
  #file: StateFile | undefined;

  constructor(disk: Disk, path: string, length: Bytes, state: ReadingState) {
    this.#disk = disk;
    this.#path = path;
    this.length = length;
    this.named = [length];
    this.id = state.id;
    this.#at = state.at;
    this.#key = state.key;
    this.#bytes = state.bytes;
    this.#count = state.count;
  }

  /** Begins at the first segment of a file. */
  static async begin(disk: Disk, path: string, length: Bytes, id: number): Promise<SegmentReader> {
    const reader = new SegmentReader(disk, path, length, {
      id,
      at: HEADER_BYTES,
      key: 0,
      bytes: 0,
      count: 0,
    });
    try {
      await reader.#nextSegment(new Uint8Array(0));
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /** Key of the segment that comes next; meaningless at the end. */
  get key(): number {
    return this.#key;
  }

  get isAtEnd(): boolean {
    return this.#count === 0;
  }

  get state(): ReadingState {
    return { id: this.id, at: this.#at, key: this.#key, bytes: this.#bytes, count: this.#count };
  }

  /**
   * The next entries of the segment, about `window` bytes, at least one entry; not at the end of
   * the file.
   */
  async take(window: Bytes): Promise<Entries> {
    const { read, entries } = await this.#readEntries(window);
    const { length } = entries.bytes;
    this.#at += length;
    this.#bytes -= length;
    this.#count -= entries.count;
    if ((this.#count === 0) !== (this.#bytes === 0))
      throw damaged(this.#path, 'has a wrong number of entries');
    if (this.#count === 0) await this.#nextSegment(read.subarray(length));
    return entries;
  }

  /** Closes the file until the next `take`. */
  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Reads bytes; returns them and the whole entries at their head. */
  async #readEntries(window: Bytes): Promise<{ read: Uint8Array; entries: Entries }> {
    for (let size = window; ; ) {
      const read = await this.#read(Math.min(size, this.#bytes + SEGMENT_HEAD));
      const inSegment = read.subarray(0, this.#bytes);
      const entries = wholeEntries(inSegment, this.#count);
      if (entries.count > 0) return { read, entries };
      const end = entryEnd(inSegment, 0); // Infinity when even its length is truncated
      const isCut = inSegment.length < this.#bytes && (end <= this.#bytes || end === Infinity);
      if (!isCut) throw damaged(this.#path, `has no whole entry at ${this.#at}`);
      size = end === Infinity ? 2 * size : end;
    }
  }

  /** Reads the head of the next segment, which may be in the bytes already read. */
  async #nextSegment(read: Uint8Array): Promise<void> {
    if (this.#at === this.length) return;
    const bytes = read.length < SEGMENT_HEAD ? await this.#read(SEGMENT_HEAD) : read;
    if (bytes.length < SEGMENT_HEAD) throw damaged(this.#path, 'ends inside the head of a segment');
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, SEGMENT_HEAD);
    this.#at += SEGMENT_HEAD;
    this.#key = head.readIntLE(0, 6);
    this.#bytes = head.readUIntLE(6, 6);
    this.#count = head.readUIntLE(12, 6);
    if (this.#count === 0 || this.#at + this.#bytes > this.length) {
      throw damaged(this.#path, `has no whole segment at ${this.#at}`);
    }
  }

  /** Reads at most `most` bytes from the position. */
  async #read(most: Bytes): Promise<Uint8Array> {
    this.#file ??= await openStateFile(this.#disk, this.#path, FORMAT);
    const bytes = Buffer.allocUnsafeSlow(Math.min(most, this.length - this.#at));
    await this.#file.readAll(bytes, this.#at);
    return bytes;
  }
}

function segmentHead(key: number, bytes: Bytes, count: number): Uint8Array {
  const head = Buffer.allocUnsafe(SEGMENT_HEAD);
  head.writeIntLE(key, 0, 6);
  head.writeUIntLE(bytes, 6, 6);
  head.writeUIntLE(count, 12, 6);
  return head;
}
