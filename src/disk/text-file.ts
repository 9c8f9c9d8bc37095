/**
 * A text file in the making, compressed with gzip if its name ends in `.gz`.
 *
 * Ensures   `write` waits while the disk is behind; nothing is left of a file that failed.
 */
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createGzip, type Gzip } from 'node:zlib';
import type { Disk, DiskFile } from './disk.ts';

export interface TextFile {
  write(bytes: Uint8Array): Promise<void>;
}

/** Written beside its place, made durable and renamed over it: the file is the old one or the new one, whole. */
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
    await disk.remove(temporary).catch(() => {}); // the first failure is the one to tell
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
  /** Ends when everything is written, or cannot be. */
  readonly #written: Promise<void>;

  constructor(file: DiskFile) {
    this.#written = this.#drainTo(new PlainText(file));
    this.#written.catch(() => {}); // told to whoever writes or ends
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
