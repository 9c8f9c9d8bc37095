/**
 * A file that only grows, by whole batches.
 *
 * Ensures   After a failed `append` the file ends where it ended before, as far as the disk still obeys; the
 *           same batch may be given again. `length` counts whole batches only.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AppendFile {
  /** Bytes of all batches that were wholly written. */
  readonly length: number;
  append(batch: readonly Uint8Array[]): Promise<void>;
  /** Returns when what was appended would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the file; an existing one is never touched (`EEXIST`). */
export async function createAppendFile(path: string): Promise<AppendFile> {
  return new AppendHandle(await open(path, 'wx'), dirname(path));
}

/** What is asked of a file handle. */
export type Handle = Pick<FileHandle, 'write' | 'truncate' | 'datasync' | 'close'>;

export class AppendHandle implements AppendFile {
  readonly #handle: Handle;
  readonly #folder: string;
  #length = 0;
  #nameIsSynced = false;

  constructor(handle: Handle, folder: string) {
    this.#handle = handle;
    this.#folder = folder;
  }

  get length(): number {
    return this.#length;
  }

  async append(batch: readonly Uint8Array[]): Promise<void> {
    // One piece in one call: the bytes of a whole batch are few enough to copy (a memcpy is cheaper than the
    // bookkeeping of a vector of hundreds of small ones), and a short write is easy to continue.
    const bytes = Buffer.concat(batch);
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await this.#handle.write(
          bytes,
          written,
          bytes.length - written,
          this.#length + written,
        );
        written += bytesWritten;
      }
    } catch (error) {
      // The next append writes at the same place, so a failing truncate costs nothing but a ragged end.
      await this.#handle.truncate(this.#length).catch(() => {});
      throw error;
    }
    this.#length += bytes.length;
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
    if (!this.#nameIsSynced) await syncFolder(this.#folder);
    this.#nameIsSynced = true;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** A new file's name is part of its folder: without this a power cut may lose the name and keep the bytes. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
