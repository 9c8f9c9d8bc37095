/**
 * The files of a folder that live and die with generations, and the rule that makes checkpoints hold: a file that the last
 * settled checkpoint names is kept until a later one no longer names it.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from '../disk/disk.ts';

export class VersionedFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  #named: ReadonlySet<string>;
  readonly #unwanted = new Set<string>();
  /** Files that will not change any more and were made durable. */
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
    if (this.#named.has(name)) {
      this.#unwanted.add(name);
      return;
    }
    this.#durable.delete(name);
    await this.#disk.remove(this.path(name));
  }

  /** For a file that is complete: one fsync in its life. */
  async makeDurable(name: string, file: Pick<DiskFile, 'sync'>): Promise<void> {
    if (this.#durable.has(name)) return;
    await file.sync();
    this.#durable.add(name);
  }

  /** The checkpoint that names these files is safely stored. */
  async settle(named: Iterable<string>): Promise<void> {
    this.#named = new Set(named);
    for (const name of this.#unwanted) {
      if (this.#named.has(name)) continue;
      this.#unwanted.delete(name);
      await this.discard(name);
    }
  }
}
