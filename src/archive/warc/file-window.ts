/**
 * A file seen from anywhere in it, as it is read through: the bytes from an offset on.
 *
 * Requires  Offsets that mostly grow.
 * Cost      A system call for four times what is asked for; one piece of memory that long.
 */
import type { DiskFile } from '../../disk/disk.ts';

/** Two pages of 25 KB and their requests, compressed: most members fit the first try. */
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

  /** Fewer than `width` bytes only at the end of the file. */
  async at(offset: number, width: number): Promise<Buffer> {
    const wanted = Math.min(width, this.fileLength - offset);
    const from = offset - this.#start;
    if (from >= 0 && from + wanted <= this.#bytes.length)
      return this.#bytes.subarray(from, from + wanted);
    // Read ahead, so that many small members cost one system call together.
    const bytes = Buffer.allocUnsafe(Math.min(wanted * 4, this.fileLength - offset));
    const filled = await this.#file.readUpTo(bytes, offset);
    this.#start = offset;
    this.#bytes = bytes.subarray(0, filled);
    return this.#bytes.subarray(0, Math.min(wanted, filled));
  }
}
