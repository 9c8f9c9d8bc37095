/**
 * A window over a file that is read sequentially: the bytes from an offset on.
 *
 * Requires  Offsets that mostly grow.
 * Cost      A system call reads four times what is requested, into one piece of memory of that
 *           length.
 */
import type { DiskFile } from '../../disk/disk.ts';

/** Two pages of 25 KB and their requests, compressed: most members fit at the first try. */
export const INITIAL_WIDTH = 64 * 1024;

export class FileWindow {
  readonly #file: DiskFile;
  readonly fileLength: number;
  #start = 0;
  #bytes = Buffer.alloc(0);

  constructor(file: DiskFile, fileLength: number) {
    this.#file = file;
    this.fileLength = fileLength;
  }

  /** Returns fewer than `width` bytes only at the end of the file, and none behind it. */
  async at(offset: number, width: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(width, this.fileLength - offset));
    const from = offset - this.#start;
    if (wanted === 0 || (from >= 0 && from + wanted <= this.#bytes.length))
      return this.#bytes.subarray(from, from + wanted);
    // Read ahead, so that many small members share one system call.
    const bytes = Buffer.allocUnsafe(Math.min(wanted * 4, this.fileLength - offset));
    const filled = await this.#file.readUpTo(bytes, offset);
    this.#start = offset;
    this.#bytes = bytes.subarray(0, filled);
    return this.#bytes.subarray(0, Math.min(wanted, filled));
  }
}
