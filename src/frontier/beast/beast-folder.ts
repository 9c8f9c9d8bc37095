/** The folder of a Beast: the limits and numbers of its files, and how they become durable. */

import { together } from '../../base/together.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';

/** The files in it that belong to the Beast. */
export const BEAST_FILES = /^(rounds|later|journal)\.\d+$/;

export interface BeastLimits {
  /** Approximate bytes read at once, and so the size of a batch. */
  readonly window: Bytes;
  /** The entries for later are in files of at least this size, each deleted when it is read. */
  readonly piece: Bytes;
  /**
   * A new journal is begun when the bytes that no longer count are more than those that do, and
   * more than this.
   */
  readonly journalSlack: Bytes;
}

const LIMITS: BeastLimits = { window: 64 * 1024, piece: 2 ** 26, journalSlack: 2 ** 20 };

/** Files made durable side by side; after hours without a checkpoint there may be hundreds. */
const AT_ONCE = 16;

export class BeastFolder {
  readonly disk: Disk;
  readonly files: VersionedFiles;
  readonly limits: BeastLimits;
  readonly #path: string;
  #nextNumber: number;
  #durableNames: ReadonlySet<string>;

  /** `names` are the files of the last checkpoint. */
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

  /** The number of a new file. */
  number(): number {
    return this.#nextNumber++;
  }

  /**
   * A state that names these files is about to be stored: makes them and their names survive a loss
   * of power.
   */
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
