/**
 * A sorted file of records: a key and a value, both texts of one byte per character.
 *
 *   header | shared, suffix, value (lengths as varints) | suffix | value | …
 *
 * Idea      Neighbours in a sorted file begin alike. A record stores how many bytes of its key it
 *           shares with the key before, and the rest. A merge copies records that it does not
 *           change as they are, without looking at their values.
 * Requires  Keys strictly increasing, bytewise; keys and values of at most `LONGEST` bytes.
 * Ensures   A file of another type or version is refused. Blocks have checksums.
 * Cost      About 40 bytes per URL. The reader and the writer hold one window each.
 */
import { AppendLog } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { damaged } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';

const FORMAT: Format = { type: 'fcr', version: 1, summed: true };
/** The longest key, and the longest value. */
export const LONGEST = 8191;
/** Three lengths of at most two bytes each, key and value. */
const RECORD_MOST = 6 + 2 * LONGEST;
const WINDOW = 256 * 1024;

export class RecordWriter {
  readonly #log: AppendLog;
  readonly #buffer: Buffer;
  #filled = 0;
  readonly #last = new Uint8Array(LONGEST);
  #lastLength = 0;
  #records = 0;

  private constructor(log: AppendLog, bufferBytes: number) {
    this.#log = log;
    this.#buffer = Buffer.allocUnsafe(bufferBytes + RECORD_MOST);
  }

  static async create(disk: Disk, path: string, bufferBytes = WINDOW): Promise<RecordWriter> {
    return new RecordWriter(await AppendLog.create(disk, path, FORMAT), bufferBytes);
  }

  get records(): number {
    return this.#records;
  }

  /** `drain` must be awaited before the next `put`. */
  get isFull(): boolean {
    return this.#filled + RECORD_MOST > this.#buffer.length;
  }

  put(key: Uint8Array, keyLength: number, value: string): void {
    const shared = commonPrefix(this.#last, this.#lastLength, key, keyLength);
    const buffer = this.#buffer;
    let at = putLength(buffer, this.#filled, shared);
    at = putLength(buffer, at, keyLength - shared);
    at = putLength(buffer, at, value.length);
    for (let i = shared; i < keyLength; i++) buffer[at++] = key[i];
    at += buffer.write(value, at, 'latin1');
    this.#filled = at;
    this.follow(key, keyLength, 1);
  }

  async drain(): Promise<void> {
    await this.#log.append(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Appends encoded records; `follow` must be called before the next `put`. */
  async copy(encoded: Uint8Array): Promise<void> {
    if (this.#filled > 0) await this.drain();
    await this.#log.append(encoded);
  }

  /** The last of `records` records written has this key. */
  follow(key: Uint8Array, keyLength: number, records: number): void {
    for (let i = 0; i < keyLength; i++) this.#last[i] = key[i];
    this.#lastLength = keyLength;
    this.#records += records;
  }

  /** Makes the file durable and closes it; returns the length of its content. */
  async close(): Promise<number> {
    await this.drain();
    await this.#log.sync();
    await this.#log.close();
    return this.#log.length;
  }

  /** Closes a file that will not be read. */
  abandon(): Promise<void> {
    return this.#log.abandon();
  }
}

export class RecordReader {
  readonly #file: StateFile;
  readonly #ahead: ReadAhead;
  readonly #windowBytes: number;
  window: Uint8Array = new Uint8Array(0);
  /** Where the current record begins and ends in the window, and where its value begins. */
  start = 0;
  end = 0;
  #valueAt = 0;
  key = new Uint8Array(LONGEST);
  keyLength = 0;
  /** The key of the record before. */
  previous = new Uint8Array(LONGEST);
  previousLength = 0;
  /** How many bytes the two keys share. */
  shared = 0;

  private constructor(file: StateFile, length: number, windowBytes: number) {
    this.#file = file;
    this.#windowBytes = Math.max(windowBytes, RECORD_MOST);
    this.#ahead = new ReadAhead(file, HEADER_BYTES, length, this.#windowBytes);
  }

  static async open(disk: Disk, path: string, windowBytes = WINDOW): Promise<RecordReader> {
    const file = await openStateFile(disk, path, FORMAT);
    try {
      return new RecordReader(file, await file.size(), windowBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The value of the current record. */
  get value(): string {
    return latin1(this.window, this.#valueAt, this.end);
  }

  get keyText(): string {
    return latin1(this.key, 0, this.keyLength);
  }

  /** Moves to the next record; false if the window holds no more, and `more` must be awaited. */
  step(): boolean {
    const { window } = this;
    let at = this.end;
    if (at === window.length) return false;
    // Three varints of one or two bytes.
    let shared = window[at++];
    if (shared > 127) shared = (shared & 127) | (window[at++] << 7);
    let suffix = window[at++];
    if (suffix > 127) suffix = (suffix & 127) | (window[at++] << 7);
    let length = window[at++];
    if (length > 127) length = (length & 127) | (window[at++] << 7);
    const end = at + suffix + length;
    if (!(end <= window.length)) return false; // also if a varint is cut off
    [this.key, this.previous] = [this.previous, this.key];
    const { key, previous } = this;
    for (let i = 0; i < shared; i++) key[i] = previous[i];
    for (let i = shared; i < shared + suffix; i++) key[i] = window[at++];
    this.previousLength = this.keyLength;
    this.keyLength = shared + suffix;
    this.shared = shared;
    this.start = this.end;
    this.#valueAt = at;
    this.end = end;
    return true;
  }

  /** Reads on behind the current record, which is no longer in the window; false at the end. */
  async more(): Promise<boolean> {
    this.#ahead.skip(this.end);
    const held = this.window.length - this.end;
    this.window = await this.#ahead.peek(this.#windowBytes);
    this.start = 0;
    this.end = 0;
    this.#valueAt = 0;
    if (this.window.length > 0 && this.window.length === held)
      throw damaged(this.#file.path, 'ends in the middle of a record');
    return this.window.length > 0;
  }

  /** Moves to the next record; false at the end. */
  async next(): Promise<boolean> {
    return this.step() || ((await this.more()) && this.step());
  }

  async close(): Promise<void> {
    await this.#ahead.end();
    await this.#file.close();
  }
}

function putLength(buffer: Uint8Array, at: number, length: number): number {
  if (length < 128) {
    buffer[at] = length;
    return at + 1;
  }
  buffer[at] = (length & 127) | 128;
  buffer[at + 1] = length >> 7;
  return at + 2;
}

/** How many bytes two keys share, from their first. */
export function commonPrefix(
  a: Uint8Array,
  aLength: number,
  b: Uint8Array,
  bLength: number,
  from = 0,
): number {
  const end = Math.min(aLength, bLength);
  let at = from;
  while (at < end && a[at] === b[at]) at++;
  return at;
}

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
