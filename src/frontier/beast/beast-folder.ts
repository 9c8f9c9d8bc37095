/** The folder of a Beast: what its files share, their numbers, and what makes them durable. */

import { together } from '../../base/together.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';

/** All that is ours in it. */
export const BEAST_FILES = /^(rounds|later|journal)\.\d+$/;

export interface BeastLimits {
  /** Bytes read at once, about, and so the size of a batch. */
  readonly window: Bytes;
  /** What waits for later is deleted in pieces at least as large, as it is read. */
  readonly piece: Bytes;
  /** A journal that has more that no longer counts than what does, and this, is begun anew. */
  readonly journalSlack: Bytes;
}

const LIMITS: BeastLimits = { window: 64 * 1024, piece: 2 ** 26, journalSlack: 2 ** 20 };

/** Files that are made durable side by side; after hours without a checkpoint there may be hundreds. */
const AT_ONCE = 16;

export class BeastFolder {
  readonly disk: Disk;
  readonly files: VersionedFiles;
  readonly limits: BeastLimits;
  readonly #path: string;
  #nextNumber: number;
  #durableNames: ReadonlySet<string>;

  /** `names` are the files that the last checkpoint names. */
  constructor(
    disk: Disk,
    path: string,
    names: readonly string[],
    nextNumber: number,
    limits: Partial<BeastLimits>,
  ) {
    this.disk = disk;
    this.files = new VersionedFiles(disk, path, names);
    this.limits = { ...LIMITS, ...limits };
    this.#path = path;
    this.#nextNumber = nextNumber;
    this.#durableNames = new Set(names);
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** For a new file. */
  number(): number {
    return this.#nextNumber++;
  }

  /** A state that names these files is going to be stored: they and their names survive a loss of power from now on. */
  async freeze(names: readonly string[]): Promise<void> {
    for (let i = 0; i < names.length; i += AT_ONCE) {
      const some = names.slice(i, i + AT_ONCE);
      await together(
        some.map((name) => this.files.makeDurable(name, { sync: () => this.#sync(name) })),
      );
    }
    if (names.some((name) => !this.#durableNames.has(name))) await this.disk.syncFolder(this.#path);
    this.#durableNames = new Set(names);
    this.files.freeze(names);
  }

  async #sync(name: string): Promise<void> {
    const file = await this.disk.open(this.files.path(name), 'update');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
