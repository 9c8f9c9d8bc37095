/**
 * The files of a folder that live and die with generations, and the rule that makes checkpoints hold: a file that the last
 * settled checkpoint names, or one that is being stored, is kept until a later one no longer names it.
 */
import { join } from 'node:path';
import type { Disk, DiskFile } from './disk.ts';

export class VersionedFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  #named: ReadonlySet<string>;
  /** What a state names that was frozen and is not settled yet: it may be in the checkpoint by the time of a crash. */
  #frozen: ReadonlySet<string> = new Set();
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
    if (this.#named.has(name) || this.#frozen.has(name)) {
      this.#unwanted.add(name);
      return;
    }
    this.#durable.delete(name);
    await this.#disk.remove(this.path(name));
  }

  /** A state that names these files was handed out to be stored. */
  freeze(names: Iterable<string>): void {
    this.#frozen = new Set(names);
  }

  /** It will be written again: what was made durable of it is not all. */
  reopen(name: string): void {
    this.#durable.delete(name);
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
    this.#frozen = new Set();
    for (const name of this.#unwanted) {
      if (this.#named.has(name)) continue;
      this.#unwanted.delete(name);
      await this.discard(name);
    }
  }
}
