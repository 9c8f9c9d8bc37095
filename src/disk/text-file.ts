/**
 * Writes a text file, compressed with gzip if its name ends in `.gz`.
 *
 * Ensures   `write` waits while the disk is behind; a file that failed is deleted.
 */
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createGzip, type Gzip } from 'node:zlib';
import type { Disk, DiskFile } from './disk.ts';

export interface TextFile {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes beside the file, makes it durable and renames it: the file is the old one or the new one,
 * whole.
 */
export async function writeText(
  disk: Disk,
  path: string,
  fill: (file: TextFile) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await disk.open(temporary, 'create');
    try {
      const text = path.endsWith('.gz') ? new GzipText(file) : new PlainText(file);
      await fill(text);
      await text.end();
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
    await disk.syncFolder(dirname(path));
  } catch (error) {
    await disk.remove(temporary).catch(() => {}); // the first failure is the one to report
    throw error;
  }
}

class PlainText implements TextFile {
  readonly #file: DiskFile;
  #position = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.writeAll(bytes, this.#position);
    this.#position += bytes.length;
  }

  async end(): Promise<void> {}
}

class GzipText implements TextFile {
  readonly #gzip: Gzip = createGzip();
  /** Resolves when everything is written; rejects when a write fails. */
  readonly #written: Promise<void>;

  constructor(file: DiskFile) {
    this.#written = this.#drainTo(new PlainText(file));
    this.#written.catch(() => {}); // thrown by `write` or `end`
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#gzip.write(bytes)) return;
    await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  async end(): Promise<void> {
    this.#gzip.end();
    await this.#written;
  }

  async #drainTo(file: PlainText): Promise<void> {
    for await (const bytes of this.#gzip) await file.write(bytes);
  }
}
