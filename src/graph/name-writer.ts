/** Writes names in the format of name-format.ts. Requires them in byte order, each once. */

import { writeVarint } from '../base/varint.ts';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import {
  BLOCK_NAMES,
  HOSTS_FORMAT,
  hostsPath,
  NAME_INDEX_FORMAT,
  NAMES_FORMAT,
  nameIndexPath,
  namesPath,
} from './name-format.ts';

const STAGED_BYTES = 64 * 1024;
/** Room for two varints before a name. */
const SLACK = 10;

export class NameWriter {
  readonly #names: AppendLog;
  readonly #index: AppendLog;
  #staged = new Uint8Array(STAGED_BYTES);
  #bytes = 0;
  #starts: number[] = [];
  #last = new Uint8Array(256);
  #lastLength = 0;
  #count = 0;

  private constructor(names: AppendLog, index: AppendLog) {
    this.#names = names;
    this.#index = index;
  }

  static async create(disk: Disk, folder: string, bufferBytes: number): Promise<NameWriter> {
    const names = await AppendLog.create(disk, namesPath(folder), NAMES_FORMAT, bufferBytes);
    try {
      const index = await AppendLog.create(
        disk,
        nameIndexPath(folder),
        NAME_INDEX_FORMAT,
        bufferBytes,
      );
      return new NameWriter(names, index);
    } catch (error) {
      await names.abandon();
      throw error;
    }
  }

  /** Adds a name. Returns true if `flush` is due. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (this.#bytes + length + SLACK > this.#staged.length) this.#enlarge(length);
    const staged = this.#staged;
    let shared = 0;
    if (this.#count % BLOCK_NAMES === 0) {
      this.#starts.push(this.#names.length + this.#bytes);
    } else {
      const most = Math.min(length, this.#lastLength);
      while (shared < most && this.#last[shared] === bytes[start + shared]) shared++;
      this.#bytes = writeVarint(staged, this.#bytes, shared);
    }
    this.#bytes = writeVarint(staged, this.#bytes, length - shared);
    staged.set(bytes.subarray(start + shared, end), this.#bytes);
    this.#bytes += length - shared;
    this.#remember(bytes, start, length, shared);
    this.#count++;
    return this.#bytes >= STAGED_BYTES / 2;
  }

  async flush(): Promise<void> {
    await this.#names.append(this.#staged.subarray(0, this.#bytes));
    await this.#index.append(new Uint8Array(Float64Array.from(this.#starts).buffer));
    this.#bytes = 0;
    this.#starts = [];
  }

  /** Writes everything and makes it durable. Returns the bytes of the files. */
  async finish(): Promise<number> {
    await this.flush();
    for (const log of [this.#names, this.#index]) await log.sync();
    for (const log of [this.#names, this.#index]) await log.close();
    return this.#names.length + this.#index.length;
  }

  /** Closes the files, finished or not. */
  async abandon(): Promise<void> {
    for (const log of [this.#names, this.#index]) await log.abandon();
  }

  #enlarge(length: number): void {
    const larger = new Uint8Array(2 * (this.#bytes + length + SLACK));
    larger.set(this.#staged.subarray(0, this.#bytes));
    this.#staged = larger;
  }

  #remember(bytes: Uint8Array, start: number, length: number, shared: number): void {
    if (length > this.#last.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#last.subarray(0, shared));
      this.#last = larger;
    }
    for (let i = shared; i < length; i++) this.#last[i] = bytes[start + i];
    this.#lastLength = length;
  }
}

const TAB = 9;

/**
 * Writes the numbers of hosts that come after the names of some graphs, `name⇥number`. A tab is
 * less than any byte of a name, so the number changes nothing in the order of names.
 */
export class HostWriter {
  readonly #disk: Disk;
  readonly #folder: string;
  #log: AppendLog | undefined;
  #counts: number[] = [];
  #last = new Uint8Array(0);

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** Whether there was a number. */
  get isUsed(): boolean {
    return this.#log !== undefined || this.#counts.length > 0;
  }

  /** Takes the number, if there is one. Returns where the name ends, or -1 if it came before. */
  take(bytes: Uint8Array, length: number): number {
    const end = bytes.indexOf(TAB);
    if (end < 0 || end >= length) return length;
    const isRepeated =
      this.#last.length === end && this.#last.every((byte, i) => byte === bytes[i]);
    if (isRepeated) return -1;
    this.#last = bytes.slice(0, end);
    let count = 0;
    for (let at = end + 1; at < length; at++) count = 10 * count + bytes[at] - 48;
    this.#counts.push(Math.min(count, 2 ** 32 - 1));
    return end;
  }

  async flush(): Promise<void> {
    if (this.#counts.length === 0) return;
    this.#log ??= await AppendLog.create(this.#disk, hostsPath(this.#folder), HOSTS_FORMAT);
    await this.#log.append(new Uint8Array(Uint32Array.from(this.#counts).buffer));
    this.#counts = [];
  }

  async finish(): Promise<void> {
    await this.flush();
    await this.#log?.sync();
    await this.#log?.close();
  }

  /** Closes the file, finished or not. */
  async abandon(): Promise<void> {
    await this.#log?.abandon();
  }
}
