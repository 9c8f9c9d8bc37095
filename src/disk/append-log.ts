/**
 * A file that only grows at its end, written behind: one buffer fills while the other is being
 * written. A file of a format with checksums is written in blocks (`block-sums.ts`); lengths and
 * positions are those of its content.
 *
 * Ensures   bytes in the order of the calls; `length` counts them all, written or not. After `sync`
 *           they survive a loss of power. Opened again at a length it had at a `sync`, the log is
 *           exactly what it was then: later bytes are truncated. After a write that fails, the next
 *           call throws, and every one after it.
 * Costs     a copy of the bytes, and two buffers; `append` waits only when both are full.
 */
import { BytesPool } from '../base/bytes-pool.ts';
import type { Bytes } from '../base/units.ts';
import { BlockFile, type StateFile, truncateContent } from './block-file.ts';
import { BLOCK_BYTES, blocksOf, CONTENT_BYTES, encodeBlocks, TailSums } from './block-sums.ts';
import type { Disk, DiskFile } from './disk.ts';
import { type Format, formatHeader, isSummed, requireFormat } from './format.ts';

const BUFFER_BYTES = 256 * 1024;
/** Logs come and go with every merge; their buffers stay, unless they are larger than usual. */
const buffers = new BytesPool(8 * BUFFER_BYTES);
const NONE = Buffer.alloc(0);

/** Where the bytes of a log go: to the file as they are, or in blocks. */
interface Target {
  readonly file: StateFile;
  /**
   * How many bytes a buffer of this size may hold, so that the other one can hold what is written.
   */
  roomIn(buffer: Bytes): Bytes;
  /** Writes content that begins at `position`; `spare` may be used until the write has landed. */
  write(content: Buffer, position: number, spare: Buffer): Promise<void>;
  /** Of `length` bytes written, how many must be written again with the bytes that follow. */
  again(length: Bytes): Bytes;
  /** The content is durable, and a checkpoint may name its length. */
  named(length: Bytes): void;
}

class PlainTarget implements Target {
  readonly file: DiskFile;

  constructor(file: DiskFile) {
    this.file = file;
  }

  roomIn(buffer: Bytes): Bytes {
    return buffer;
  }

  write(content: Buffer, position: number): Promise<void> {
    return this.file.writeAll(content, position);
  }

  again(): Bytes {
    return 0;
  }

  named(): void {}
}

class BlockTarget implements Target {
  readonly file: BlockFile;
  readonly #tail: TailSums;

  constructor(file: BlockFile, tail = new TailSums()) {
    this.file = file;
    this.#tail = tail;
  }

  roomIn(buffer: Bytes): Bytes {
    return Math.floor(buffer / BLOCK_BYTES) * CONTENT_BYTES;
  }

  write(content: Buffer, position: number, spare: Buffer): Promise<void> {
    const first = position / CONTENT_BYTES;
    const bytes = encodeBlocks(content, first, spare, this.#tail);
    return this.file.writeBlocks(spare.subarray(0, bytes), first);
  }

  again(length: Bytes): Bytes {
    return length % CONTENT_BYTES;
  }

  named(length: Bytes): void {
    this.#tail.name(Math.floor(length / CONTENT_BYTES), length % CONTENT_BYTES);
  }
}

export class AppendLog {
  readonly #target: Target;
  #filling: Buffer;
  #other: Buffer;
  /** How many bytes may be filled. */
  #room: Bytes;
  #filled = 0;
  /** Of the bytes filled, how many were written already. */
  #written = 0;
  /** Where in the content the buffer being filled will go. */
  #position: number;
  #inFlight: Promise<void> | undefined;
  #failure: unknown;

  private constructor(target: Target, position: number, bufferBytes: number) {
    this.#target = target;
    this.#position = position;
    const size = target.file.isSummed ? Math.max(BLOCK_BYTES, bufferBytes) : bufferBytes;
    this.#filling = buffers.take(size);
    this.#other = buffers.take(size);
    this.#room = target.roomIn(this.#filling.length);
  }

  /** The memory of the log is two buffers of `bufferBytes`, or of the next power of two. */
  static async create(
    disk: Disk,
    path: string,
    format: Format,
    bufferBytes = BUFFER_BYTES,
  ): Promise<AppendLog> {
    const file = await disk.open(path, 'create');
    const target = format.summed ? new BlockTarget(new BlockFile(file)) : new PlainTarget(file);
    const log = new AppendLog(target, 0, bufferBytes);
    await log.append(formatHeader(format));
    return log;
  }

  /**
   * Continues after `length` bytes. `named` are the lengths that a checkpoint may name, the older
   * first.
   */
  static async open(
    disk: Disk,
    path: string,
    format: Format,
    length: number,
    bufferBytes = BUFFER_BYTES,
    named: readonly Bytes[] = [length],
  ): Promise<AppendLog> {
    const file = await disk.open(path, 'update');
    try {
      await truncateContent(file, length);
      if (await isSummed(file)) {
        const blocks = new BlockFile(file);
        await requireFormat(blocks, format);
        return await AppendLog.#continue(blocks, length, bufferBytes, named);
      }
      await requireFormat(file, format);
      return new AppendLog(new PlainTarget(file), length, bufferBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Begins with the block that is not full. */
  static async #continue(
    file: BlockFile,
    length: Bytes,
    bufferBytes: Bytes,
    named: readonly Bytes[],
  ): Promise<AppendLog> {
    const block = Math.floor(length / CONTENT_BYTES);
    const start = block * CONTENT_BYTES;
    const rest = Buffer.alloc(length - start);
    await file.readAll(rest, start);
    const inBlock = named.filter((each) => each > start).map((each) => each - start);
    const tail = rest.length > 0 ? await file.readTail(block, rest.length, inBlock) : undefined;
    const log = new AppendLog(new BlockTarget(file, tail), start, bufferBytes);
    log.#filling.set(rest);
    log.#filled = rest.length;
    log.#written = rest.length;
    return log;
  }

  /** For reading: what was flushed. */
  get file(): StateFile {
    return this.#target.file;
  }

  /** Length of the whole file, its header included. */
  get length(): number {
    return this.#position + this.#filled;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#room === 0) throw new Error(`${this.file.path} is sealed`);
      const n = Math.min(bytes.length - done, this.#room - this.#filled);
      this.#filling.set(n === bytes.length ? bytes : bytes.subarray(done, done + n), this.#filled);
      this.#filled += n;
      done += n;
      if (this.#filled === this.#room) await this.#swap();
    }
  }

  /**
   * Leaves room for `blocks` blocks, to be written in place with `BlockFile.writeGrown`; what was
   * appended before ends at the end of a block. Returns the number of the first block. Only for a
   * format with checksums.
   */
  async reserve(blocks: number): Promise<number> {
    await this.flush();
    const first = blocksOf(this.length);
    this.#position = (first + blocks) * CONTENT_BYTES;
    this.#filled = 0;
    this.#written = 0;
    await (this.file as BlockFile).truncateBlocks(first + blocks); // the room reads as zeros
    return first;
  }

  /**
   * Hands everything to the system: readers of the file see it, and it survives a crash of the
   * process.
   */
  async flush(): Promise<void> {
    if (this.#filled > this.#written) await this.#swap();
    await this.#landed();
  }

  async sync(): Promise<void> {
    await this.flush();
    const { length } = this;
    await this.file.sync();
    this.#target.named(length);
  }

  /** Ends appending: gives the buffers back; the file stays open for reading. */
  async seal(): Promise<StateFile> {
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
    this.#room = 0;
  }

  async #swap(): Promise<void> {
    await this.#landed();
    const full = this.#filling.subarray(0, this.#filled);
    const again = this.#target.again(full.length);
    this.#inFlight = this.#target.write(full, this.#position, this.#other).catch((error) => {
      this.#failure = error;
    });
    // Blocks are encoded into the other buffer, so this one is free for the bytes that follow.
    if (this.file.isSummed) this.#filling.copyWithin(0, full.length - again, full.length);
    else [this.#filling, this.#other] = [this.#other, this.#filling];
    this.#position += full.length - again;
    this.#filled = again;
    this.#written = again;
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

/** Writes a whole state file, durably; returns the length of its content. */
export async function writeStateFile(
  disk: Disk,
  path: string,
  format: Format,
  pieces: readonly Uint8Array[],
): Promise<Bytes> {
  const log = await AppendLog.create(disk, path, format);
  await closeOnFailure([log], async () => {
    for (const piece of pieces) await log.append(piece);
    await log.sync();
  });
  await log.close();
  return log.length;
}
