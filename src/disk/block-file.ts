/**
 * A file of blocks with checksums, read as if it held only its content; and the way to open a state
 * file, with checksums or, written by an earlier version, without.
 *
 * Ensures   bytes that a read returns are those that were written: every block is verified when it
 *           is read. Anything else throws, with the path and the place in the file.
 * Costs     a read of whole blocks, a copy of the bytes, and their checksums.
 */
import { BytesPool } from '../base/bytes-pool.ts';
import type { Bytes } from '../base/units.ts';
import {
  BLOCK_BYTES,
  blocksOf,
  CONTENT_BYTES,
  encodeBlocks,
  isWhole,
  storedLength,
  TailSums,
  wholeLength,
} from './block-sums.ts';
import { damaged, tooShort } from './damage.ts';
import type { Disk, DiskFile } from './disk.ts';
import type { OpenMode } from './file-system.ts';
import { type Format, isSummed, requireFormat } from './format.ts';

/** Blocks that are read or written at once. */
const BLOCKS_AT_ONCE = 64;
const scratch = new BytesPool(8 * BLOCKS_AT_ONCE * BLOCK_BYTES);

/** A file of a crawl's state: positions and lengths are those of its content. */
export type StateFile = Pick<
  DiskFile,
  'path' | 'readAll' | 'readUpTo' | 'size' | 'sync' | 'close'
> & { readonly isSummed: boolean };

/** Opens a state file; refuses one of another format. */
export async function openStateFile(
  disk: Disk,
  path: string,
  format: Format,
  mode: OpenMode = 'read',
): Promise<StateFile> {
  const file = await disk.open(path, mode);
  try {
    const opened = (await isSummed(file)) ? new BlockFile(file) : file;
    await requireFormat(opened, format);
    return opened;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Truncates a state file to the stored form of `length` bytes of content. */
export async function truncateContent(file: DiskFile, length: Bytes): Promise<void> {
  const needed = length > 0 && (await isSummed(file)) ? storedLength(length) : length;
  const size = await file.size();
  if (size < needed) throw tooShort(file.path, size, needed);
  if (size > needed) await file.truncate(needed);
}

/**
 * Reads a state file whose content has `length` bytes; throws at the first damage. Room that was
 * left and never written (`AppendLog.reserve`) is no damage. Of a file without checksums only the
 * beginning and the length are checked.
 */
export async function verifyStateFile(disk: Disk, path: string, length: Bytes): Promise<void> {
  const file = await disk.open(path, 'read');
  try {
    const summed = await isSummed(file);
    const needed = summed ? storedLength(length) : length;
    const size = await file.size();
    if (size < needed) throw tooShort(path, size, needed);
    if (summed) await new BlockFile(file).verify(length);
  } finally {
    await file.close();
  }
}

export class BlockFile implements StateFile {
  readonly #file: DiskFile;
  readonly isSummed = true;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  /** As `readAll`: the end of a file of blocks is known beforehand. */
  async readUpTo(into: Uint8Array, position: number): Promise<number> {
    await this.readAll(into, position);
    return into.length;
  }

  async readAll(into: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < into.length) {
      const first = Math.floor((position + done) / CONTENT_BYTES);
      const skipped = position + done - first * CONTENT_BYTES;
      const blocks = Math.min(BLOCKS_AT_ONCE, blocksOf(skipped + into.length - done));
      const bytes = await this.#readBlocks(first, blocks);
      try {
        done += this.#unpack(bytes, first, blocks, skipped, into.subarray(done));
      } finally {
        scratch.give(bytes);
      }
    }
  }

  /** Length of the content; the last block is verified. */
  async size(): Promise<Bytes> {
    const blocks = Math.ceil((await this.#file.size()) / BLOCK_BYTES);
    if (blocks === 0) return 0;
    const last = await this.#readBlocks(blocks - 1, 1);
    const length = wholeLength(last, 0, blocks - 1);
    scratch.give(last);
    if (length === 0) throw this.#damagedAt(blocks - 1);
    return (blocks - 1) * CONTENT_BYTES + length;
  }

  /**
   * Writes content that begins at the start of block `first`; the bytes before `from` are there
   * already. `tail` holds the sums of the last block written.
   */
  async writeGrown(
    content: Uint8Array,
    from: number,
    first: number,
    tail: TailSums,
  ): Promise<void> {
    const end = blocksOf(content.length);
    for (let block = Math.floor(from / CONTENT_BYTES); block < end; block += BLOCKS_AT_ONCE) {
      const start = block * CONTENT_BYTES;
      const some = content.subarray(start, start + BLOCKS_AT_ONCE * CONTENT_BYTES);
      const bytes = scratch.take(storedLength(some.length));
      try {
        const length = encodeBlocks(some, first + block, bytes, tail);
        await this.#file.writeAll(bytes.subarray(0, length), (first + block) * BLOCK_BYTES);
      } finally {
        scratch.give(bytes);
      }
    }
  }

  /** The sums of a block that holds `length` bytes of content; see `TailSums.read`. */
  async readTail(block: number, length: Bytes, named: readonly Bytes[]): Promise<TailSums> {
    const bytes = await this.#readBlocks(block, 1);
    const tail = TailSums.read(bytes, block, length, named);
    scratch.give(bytes);
    return tail;
  }

  /** Throws unless every block of the content is whole, or was never written. */
  async verify(length: Bytes): Promise<void> {
    const end = blocksOf(length);
    for (let first = 0; first < end; first += BLOCKS_AT_ONCE) {
      const blocks = Math.min(BLOCKS_AT_ONCE, end - first);
      const bytes = await this.#readBlocks(first, blocks);
      try {
        for (let i = 0; i < blocks; i++) {
          const at = i * BLOCK_BYTES;
          const isLast = first + i === end - 1;
          const need = isLast ? length - (end - 1) * CONTENT_BYTES : 1;
          if (isWhole(bytes, at, first + i, need)) continue;
          const isRoom = bytes.subarray(at, at + BLOCK_BYTES).every((byte) => byte === 0);
          if (!isRoom) throw this.#damagedAt(first + i);
        }
      } finally {
        scratch.give(bytes);
      }
    }
  }

  /** Writes encoded blocks. */
  writeBlocks(bytes: Uint8Array, first: number): Promise<void> {
    return this.#file.writeAll(bytes, first * BLOCK_BYTES);
  }

  /** Makes the file as long as `blocks` blocks. */
  truncateBlocks(blocks: number): Promise<void> {
    return this.#file.truncate(blocks * BLOCK_BYTES);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readBlocks(first: number, blocks: number): Promise<Buffer> {
    const bytes = scratch.take(blocks * BLOCK_BYTES);
    const wanted = bytes.subarray(0, blocks * BLOCK_BYTES);
    const read = await this.#file.readUpTo(wanted, first * BLOCK_BYTES);
    if (read === wanted.length) return bytes;
    scratch.give(bytes);
    throw tooShort(this.path, first * BLOCK_BYTES + read, (first + blocks) * BLOCK_BYTES);
  }

  /** Verifies blocks and copies their content after the first `skipped` bytes; returns how much. */
  #unpack(bytes: Buffer, first: number, blocks: number, skipped: number, into: Uint8Array): number {
    let done = 0;
    for (let i = 0; i < blocks; i++) {
      const from = i === 0 ? skipped : 0;
      const n = Math.min(CONTENT_BYTES - from, into.length - done);
      const at = i * BLOCK_BYTES;
      if (!isWhole(bytes, at, first + i, from + n)) throw this.#damagedAt(first + i);
      into.set(bytes.subarray(at + from, at + from + n), done);
      done += n;
    }
    return done;
  }

  #damagedAt(block: number): Error {
    const from = block * BLOCK_BYTES;
    return damaged(
      this.path,
      `is damaged at bytes ${from} to ${from + BLOCK_BYTES - 1}: the checksum of this block is wrong`,
    );
  }
}
