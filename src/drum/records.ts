/**
 * The repository of a DRUM with values: a file of records sorted by key, read and written in order.
 *
 * Layout    the header, a u32 with the length of every value (VARIABLE when each has its own) and
 *           four zero bytes; then records: u64 key, the value's length as a varint where it is not
 *           fixed, the value.
 * Idea      no promise for each record: `next` and `put` return at once while the buffer lasts, and
 *           a promise only when it must be refilled or emptied.
 */

import { DrumlinError, EXIT } from '../base/errors.ts';
import { varintSize, writeVarint } from '../base/varint.ts';
import { AppendLog } from '../disk/append-log.ts';
import { openStateFile, type StateFile } from '../disk/block-file.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';

const RECORDS_FORMAT: Format = { type: 'rec', version: 1, summed: true };
const RECORDS_START = HEADER_BYTES + 8;
const VARIABLE = 0xffff_ffff;

/** The length of every value, or undefined when each has its own. */
export type ValueBytes = number | undefined;

/** A complete file of records. */
export interface RecordFile {
  readonly file: StateFile;
  readonly length: number;
  readonly count: number;
}

export class RecordReader {
  readonly #source: RecordFile | undefined;
  readonly #valueBytes: ValueBytes;
  #position = RECORDS_START;
  #buffer: Uint8Array;
  #view: DataView;
  #to = 0;
  /** Where the next record begins in the buffer. */
  #next = 0;
  #value = 0;
  /** There is a record: `key` and `value` are valid. False at the end. */
  ready = false;
  key = 0n;

  constructor(source: RecordFile | undefined, valueBytes: ValueBytes, bufferBytes: number) {
    this.#source = source;
    this.#valueBytes = valueBytes;
    this.#buffer = new Uint8Array(bufferBytes);
    this.#view = new DataView(this.#buffer.buffer);
  }

  /** The record's value: a view, valid until the next record. */
  get value(): Uint8Array {
    return this.#buffer.subarray(this.#value, this.#next);
  }

  /** Advances to the next record; a promise when it has to read, else undefined. */
  next(): Promise<void> | undefined {
    return this.#parse() ? undefined : this.#refill();
  }

  #parse(): boolean {
    this.ready = false;
    let at = this.#next + 8;
    if (at > this.#to) return false;
    let length = this.#valueBytes;
    if (length === undefined) {
      length = 0;
      for (let unit = 1; ; unit *= 128) {
        if (at >= this.#to) return false;
        const byte = this.#buffer[at++];
        length += (byte & 127) * unit;
        if (byte < 128) break;
      }
    }
    if (at + length > this.#to) return false;
    this.key = this.#view.getBigUint64(this.#next, true);
    this.#value = at;
    this.#next = at + length;
    this.ready = true;
    return true;
  }

  async #refill(): Promise<void> {
    while (this.#source && this.#position < this.#source.length) {
      const rest = this.#to - this.#next;
      if (rest === this.#buffer.length) {
        const larger = new Uint8Array(rest * 2);
        larger.set(this.#buffer);
        this.#buffer = larger;
        this.#view = new DataView(larger.buffer);
      } else {
        this.#buffer.copyWithin(0, this.#next, this.#to);
      }
      this.#next = 0;
      this.#to = rest;
      const room = Math.min(this.#buffer.length - rest, this.#source.length - this.#position);
      await this.#source.file.readAll(this.#buffer.subarray(rest, rest + room), this.#position);
      this.#position += room;
      this.#to += room;
      if (this.#parse()) return;
    }
  }
}

export class RecordWriter {
  readonly log: AppendLog;
  readonly #valueBytes: ValueBytes;
  readonly #buffer: Uint8Array;
  readonly #view: DataView;
  #filled = 0;
  count = 0;

  private constructor(log: AppendLog, valueBytes: ValueBytes, bufferBytes: number) {
    this.log = log;
    this.#valueBytes = valueBytes;
    this.#buffer = new Uint8Array(bufferBytes);
    this.#view = new DataView(this.#buffer.buffer);
  }

  static async create(
    disk: Disk,
    path: string,
    valueBytes: ValueBytes,
    bufferBytes: number,
  ): Promise<RecordWriter> {
    const log = await AppendLog.create(disk, path, RECORDS_FORMAT, bufferBytes);
    const size = new Uint8Array(8);
    new DataView(size.buffer).setUint32(0, valueBytes ?? VARIABLE, true);
    await log.append(size);
    return new RecordWriter(log, valueBytes, bufferBytes);
  }

  /**
   * Writes a record; keys must increase. A promise when the buffer has to be emptied, else
   * undefined.
   */
  put(key: bigint, value: Uint8Array): Promise<void> | undefined {
    if (this.#valueBytes !== undefined && value.length !== this.#valueBytes) {
      throw new RangeError(
        `A value has ${value.length} bytes, but all must have ${this.#valueBytes}.`,
      );
    }
    this.count++;
    const header = 8 + (this.#valueBytes === undefined ? varintSize(value.length) : 0);
    if (this.#filled + header + value.length > this.#buffer.length)
      return this.#putSlowly(key, value);
    this.#putHeader(key, value.length);
    this.#buffer.set(value, this.#filled);
    this.#filled += value.length;
    return undefined;
  }

  async seal(): Promise<RecordFile> {
    await this.#empty();
    return { file: await this.log.seal(), length: this.log.length, count: this.count };
  }

  async #putSlowly(key: bigint, value: Uint8Array): Promise<void> {
    await this.#empty();
    this.#putHeader(key, value.length);
    if (this.#filled + value.length <= this.#buffer.length) {
      this.#buffer.set(value, this.#filled);
      this.#filled += value.length;
      return;
    }
    await this.#empty();
    await this.log.append(value);
  }

  #putHeader(key: bigint, length: number): void {
    this.#view.setBigUint64(this.#filled, key, true);
    this.#filled += 8;
    if (this.#valueBytes === undefined)
      this.#filled = writeVarint(this.#buffer, this.#filled, length);
  }

  async #empty(): Promise<void> {
    await this.log.append(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

/** Opens a file of records; throws when its values have another length than expected. */
export async function openRecords(
  disk: Disk,
  path: string,
  valueBytes: ValueBytes,
  length: number,
  count: number,
): Promise<RecordFile> {
  const file = await openStateFile(disk, path, RECORDS_FORMAT);
  try {
    const size = new Uint8Array(4);
    await file.readAll(size, HEADER_BYTES);
    const found = new DataView(size.buffer).getUint32(0, true);
    if (found !== (valueBytes ?? VARIABLE)) {
      const lengths = (n: number) =>
        n === VARIABLE ? 'values of any length' : `values of ${n} bytes`;
      throw new DrumlinError(
        'VALUE_LENGTH',
        `${path} holds ${lengths(found)}, not ${lengths(valueBytes ?? VARIABLE)}.`,
        'Open it as it was created.',
        { exitCode: EXIT.folder },
      );
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return { file, length, count };
}
