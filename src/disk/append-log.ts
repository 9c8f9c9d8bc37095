/**
 * A file that only grows at its end, written behind: one buffer fills while the other is being
 * written.
 *
 * Ensures   bytes in the order of the calls; `length` counts them all, written or not. After `sync`
 *           they survive a loss of power. Opened again at a length it had at a `sync`, the log is
 *           exactly what it was then: later bytes are truncated. After a write that fails, the next
 *           call throws, and every one after it.
 * Costs     a copy of the bytes, and two buffers; `append` waits only when both are full.
 */
import { BytesPool } from '../base/bytes-pool.ts';
import type { Disk, DiskFile } from './disk.ts';
import { type Format, formatHeader, requireFormat } from './format.ts';

const BUFFER_BYTES = 256 * 1024;
/** Logs come and go with every merge; their buffers stay, unless they are larger than usual. */
const buffers = new BytesPool(8 * BUFFER_BYTES);
const NONE = Buffer.alloc(0);

export class AppendLog {
  readonly file: DiskFile;
  #filling: Buffer;
  #other: Buffer;
  #filled = 0;
  /** Where in the file the buffer being filled will go. */
  #position: number;
  #inFlight: Promise<void> | undefined;
  #failure: unknown;

  private constructor(file: DiskFile, position: number, bufferBytes: number) {
    this.file = file;
    this.#position = position;
    this.#filling = buffers.take(bufferBytes);
    this.#other = buffers.take(bufferBytes);
  }

  /** The memory of the log is two buffers of `bufferBytes`, or of the next power of two. */
  static async create(
    disk: Disk,
    path: string,
    format: Format,
    bufferBytes = BUFFER_BYTES,
  ): Promise<AppendLog> {
    const log = new AppendLog(await disk.open(path, 'create'), 0, bufferBytes);
    await log.append(formatHeader(format));
    return log;
  }

  static async open(
    disk: Disk,
    path: string,
    format: Format,
    length: number,
    bufferBytes = BUFFER_BYTES,
  ): Promise<AppendLog> {
    const file = await disk.open(path, 'update');
    try {
      await requireFormat(file, format);
      await file.truncate(length);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new AppendLog(file, length, bufferBytes);
  }

  /** Length of the whole file, its header included. */
  get length(): number {
    return this.#position + this.#filled;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#filling.length === 0) throw new Error(`${this.file.path} is sealed`);
      const n = Math.min(bytes.length - done, this.#filling.length - this.#filled);
      this.#filling.set(n === bytes.length ? bytes : bytes.subarray(done, done + n), this.#filled);
      this.#filled += n;
      done += n;
      if (this.#filled === this.#filling.length) await this.#swap();
    }
  }

  /** Leaves room for `bytes` to be written in place later; returns where the room begins. */
  async reserve(bytes: number): Promise<number> {
    await this.flush();
    const start = this.#position;
    this.#position += bytes;
    await this.file.truncate(this.#position); // makes it longer: the room reads as zeros
    return start;
  }

  /**
   * Hands everything to the system: readers of the file see it, and it survives a crash of the
   * process.
   */
  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#swap();
    await this.#landed();
  }

  async sync(): Promise<void> {
    await this.flush();
    await this.file.sync();
  }

  /** Ends appending: gives the buffers back; the file stays open for reading. */
  async seal(): Promise<DiskFile> {
    await this.flush();
    this.#giveBack();
    return this.file;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#giveBack();
      await this.file.close();
    }
  }

  /** Closes without writing the buffered bytes: for a log that will not be read. */
  async abandon(): Promise<void> {
    await this.#inFlight;
    this.#giveBack();
    await this.file.close();
  }

  #giveBack(): void {
    for (const buffer of [this.#filling, this.#other]) buffers.give(buffer);
    this.#filling = NONE;
    this.#other = NONE;
  }

  async #swap(): Promise<void> {
    await this.#landed();
    const full = this.#filling.subarray(0, this.#filled);
    [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#inFlight = this.file.writeAll(full, this.#position).catch((error) => {
      this.#failure = error;
    });
    this.#position += this.#filled;
    this.#filled = 0;
  }

  async #landed(): Promise<void> {
    await this.#inFlight;
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** Does the work; if it fails, abandons the logs it was writing and rethrows. */
export async function closeOnFailure<T>(
  logs: readonly AppendLog[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const log of logs) await log.abandon();
    throw error;
  }
}
