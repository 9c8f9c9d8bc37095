/**
 * The files of a folder that are replaced by newer generations. A file is kept as long as a
 * checkpoint needs it: the last stored one, or one being stored.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';

export class VersionedFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  #named: ReadonlySet<string>;
  /**
   * Files named by a frozen state that is not stored yet: after a crash it may be the checkpoint.
   */
  #frozen: ReadonlySet<string> = new Set();
  readonly #unwanted = new Set<string>();
  /** Complete files that were made durable. */
  readonly #durable: Set<string>;

  constructor(disk: Disk, folder: string, named: Iterable<string>) {
    this.#disk = disk;
    this.#folder = folder;
    this.#named = new Set(named);
    this.#durable = new Set(named);
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Deletes the file, now or as soon as no checkpoint names it. */
  async discard(name: string): Promise<void> {
    if (this.#named.has(name) || this.#frozen.has(name)) {
      this.#unwanted.add(name);
      return;
    }
    this.#durable.delete(name);
    await this.#disk.remove(this.path(name));
  }

  /** A state that names these files is about to be stored. */
  freeze(names: Iterable<string>): void {
    this.#frozen = new Set(names);
  }

  /** The file will be written again: it is not durable any more. */
  reopen(name: string): void {
    this.#durable.delete(name);
  }

  /** Makes a complete file durable, with one fsync in its life. */
  async makeDurable(name: string, file: Pick<DiskFile, 'sync'>): Promise<void> {
    if (this.#durable.has(name)) return;
    await file.sync();
    this.#durable.add(name);
  }

  /** The checkpoint that names these files is safely stored: deletes what only older ones named. */
  async discardOlder(named: Iterable<string>): Promise<void> {
    this.#named = new Set(named);
    this.#frozen = new Set();
    for (const name of this.#unwanted) {
      if (this.#named.has(name)) continue;
      this.#unwanted.delete(name);
      await this.discard(name);
    }
  }
}
