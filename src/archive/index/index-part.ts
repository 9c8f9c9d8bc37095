/**
 * The captures of one WARC file, one line each, in the order in which they were stored. An index is
 * merged from these parts.
 *
 * Idea      A part has the lifetime of its WARC file. It grows with the file, is truncated to the
 *           length that a checkpoint names, and can be made again from the file if it is missing.
 *           So it need not be trusted: the checkpoint also has its checksum.
 * Ensures   In the file, no line precedes its record: call `hold` when a batch of records is taken
 *           for writing, and `write` when it is written. After a failed `write` the same lines go
 *           to the same position.
 * Cost      The lines since the last batch, in memory; a copy of each; a system call per batch.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';

export const partName = (warc: string): string => `${warc}.cdxj`;
/** The WARC file of a part; undefined if the name has another form. */
export const warcOfPart = (part: string): string | undefined =>
  /^(.*\.warc(?:\.gz|\.zst)?)\.cdxj$/.exec(part)?.[1];

/** As many bytes of lines as the records of a batch have, in most cases. */
const FIRST_ROOM: Bytes = 32 * 1024;

export class IndexPart {
  readonly #file: BatchFile;
  /** Counted here: the file counts a batch before `write` can drop its lines. */
  #written = 0;
  /** Lines that are not written yet; those of the batch in progress come first. */
  #lines = Buffer.allocUnsafeSlow(FIRST_ROOM);
  #filled = 0;
  #held = 0;
  /** The lines up to here are in the sum. */
  #summed = 0;
  #sum = 0;

  private constructor(file: BatchFile) {
    this.#file = file;
  }

  /** Replaces a part that a crash left behind. */
  static async create(disk: Disk, folder: string, warc: string): Promise<IndexPart> {
    const path = join(folder, partName(warc));
    await disk.remove(path);
    return new IndexPart(await BatchFile.create(disk, path));
  }

  /** Includes lines that are not written yet. */
  get length(): Bytes {
    return this.#written + this.#filled;
  }

  /** The CRC-32 of all lines up to `length`. */
  get sum(): number {
    // One call for many lines: a call per line would cost more than the lines.
    this.#sum = crc32(this.#lines.subarray(this.#summed, this.#filled), this.#sum);
    this.#summed = this.#filled;
    return this.#sum;
  }

  get isWritten(): boolean {
    return this.#filled === 0;
  }

  /** Adds a line in ASCII, with its end; returns its position. */
  add(line: string): number {
    const at = this.length;
    if (this.#filled + line.length > this.#lines.length) this.#grow(line.length);
    this.#lines.write(line, this.#filled, 'latin1');
    this.#filled += line.length;
    return at;
  }

  #grow(least: Bytes): void {
    const larger = Buffer.allocUnsafeSlow(2 * this.#lines.length + least);
    larger.set(this.#lines.subarray(0, this.#filled));
    this.#lines = larger;
  }

  /**
   * The line at a position, written or not, without its end; undefined if it is longer than `most`.
   */
  async lineAt(offset: number, most: Bytes): Promise<string | undefined> {
    const written = this.#written;
    let text: string;
    if (offset >= written) {
      const from = offset - written;
      text = this.#lines.toString('latin1', from, Math.min(from + most, this.#filled));
    } else {
      const bytes = Buffer.allocUnsafe(most);
      text = bytes.toString('latin1', 0, await this.#file.readUpTo(bytes, offset));
    }
    const end = text.indexOf('\n');
    return end < 0 ? undefined : text.slice(0, end);
  }

  hold(): void {
    this.#held = this.#filled;
  }

  async write(): Promise<void> {
    if (this.#held === 0) return;
    const held = this.#held;
    await this.#file.append([this.#lines.subarray(0, held)]);
    void this.sum; // of the lines that leave
    this.#lines.copyWithin(0, held, this.#filled);
    this.#written += held;
    this.#filled -= held;
    this.#summed -= held;
    this.#held = 0;
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
