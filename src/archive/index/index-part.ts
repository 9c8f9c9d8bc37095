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
 * Cost      The lines since the last batch, in memory; a system call per batch.
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

export class IndexPart {
  readonly #file: BatchFile;
  /** Lines that are not written yet; those of the batch in progress come first. */
  #pending = '';
  #held = 0;
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
    return this.#file.length + this.#pending.length;
  }

  /** The CRC-32 of all lines up to `length`. */
  get sum(): number {
    return this.#sum;
  }

  get isWritten(): boolean {
    return this.#pending === '';
  }

  /** Adds a line in ASCII, with its end; returns its position. */
  add(line: string): number {
    const at = this.length;
    this.#pending += line;
    this.#sum = crc32(line, this.#sum);
    return at;
  }

  /**
   * The line at a position, written or not, without its end; undefined if it is longer than `most`.
   */
  async lineAt(offset: number, most: Bytes): Promise<string | undefined> {
    const written = this.#file.length;
    let text: string;
    if (offset >= written) text = this.#pending.slice(offset - written, offset - written + most);
    else {
      const bytes = Buffer.allocUnsafe(most);
      text = bytes.toString('latin1', 0, await this.#file.readUpTo(bytes, offset));
    }
    const end = text.indexOf('\n');
    return end < 0 ? undefined : text.slice(0, end);
  }

  hold(): void {
    this.#held = this.#pending.length;
  }

  async write(): Promise<void> {
    if (this.#held === 0) return;
    await this.#file.append([Buffer.from(this.#pending.slice(0, this.#held), 'latin1')]);
    this.#pending = this.#pending.slice(this.#held);
    this.#held = 0;
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
