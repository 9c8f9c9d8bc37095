/**
 * A file that only grows, by whole batches.
 *
 * Ensures   After a failed `append` the file ends where it ended before, if the disk can still
 *           truncate it; the same batch may be given again, and goes to the same place. `length`
 *           counts whole batches only. After `sync` they survive a power cut, and so does the
 *           file's name.
 * Cost      A system call for each piece of the batch.
 *
 * The archive needs this: an `AppendLog` refuses everything after a failed write.
 */
import { dirname } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import type { Bytes } from '../base/units.ts';
import type { Disk, DiskFile } from './disk.ts';

export class BatchFile {
  readonly #disk: Disk;
  readonly #file: DiskFile;
  #length = 0;
  #nameIsDurable = false;

  private constructor(disk: Disk, file: DiskFile) {
    this.#disk = disk;
    this.#file = file;
  }

  /** Throws when the file exists. */
  static async create(disk: Disk, path: string): Promise<BatchFile> {
    return new BatchFile(disk, await disk.open(path, 'exclusive'));
  }

  /**
   * Continues after the first `length` bytes; bytes after them are truncated. Refuses a shorter
   * file.
   */
  static async open(disk: Disk, path: string, length: Bytes): Promise<BatchFile> {
    const file = await disk.open(path, 'update');
    const batches = new BatchFile(disk, file);
    try {
      if ((await file.size()) < length) throw tooShort(path, length);
      await file.truncate(length);
    } catch (error) {
      await file.close();
      throw error;
    }
    batches.#length = length;
    return batches;
  }

  /** Bytes of all batches that were wholly written. */
  get length(): number {
    return this.#length;
  }

  async append(batch: readonly Uint8Array[]): Promise<void> {
    let end = this.#length;
    try {
      for (const piece of batch) {
        await this.#file.writeAll(piece, end);
        end += piece.length;
      }
    } catch (error) {
      // The next append writes at the same place, so a failed truncate leaves only a ragged end.
      await this.#file.truncate(this.#length).catch(() => {});
      throw error;
    }
    this.#length = end;
  }

  /**
   * Fills `into` from `position` and returns how many bytes there were: all of the whole batches,
   * or more.
   */
  readUpTo(into: Uint8Array, position: number): Promise<number> {
    return this.#file.readUpTo(into, position);
  }

  async sync(): Promise<void> {
    await this.#file.sync();
    // A new file's name is part of its folder: without this a power cut may lose the name and keep
    // the bytes.
    if (!this.#nameIsDurable) await this.#disk.syncFolder(dirname(this.#file.path));
    this.#nameIsDurable = true;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function tooShort(path: string, length: Bytes): DrumlinError {
  return new DrumlinError(
    'FILE_SHORT',
    `${path} is shorter than the ${length} bytes that the checkpoint requires.`,
    'Another program damaged it. Restore it from a copy.',
    { exitCode: EXIT.folder },
  );
}
