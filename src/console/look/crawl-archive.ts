/**
 * The archive of a crawl, to look up captures in: with the index of the crawl, if it has ended.
 *
 * Idea      A crawl that runs has no sorted index. Up to some thousand captures, a look-up reads
 *           the lines of all; beyond that, an index of the console's own is made and kept up to
 *           date.
 */
import { Archive } from '../../archive/index/archive.ts';
import { GrowingIndex, partsOf } from '../../archive/index/growing-index.ts';
import type { Clock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import { type Bytes, formatBytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { Kept } from './kept.ts';

/** Lines that are read for each look-up. */
const FEW: Bytes = 2 ** 20;

export class CrawlArchive {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #index: GrowingIndex;
  readonly #kept: Kept<GrowingIndex>;

  constructor(disk: Disk, dir: string, clock: Clock) {
    this.#disk = disk;
    this.#dir = dir;
    this.#index = new GrowingIndex(disk, dir);
    let read = 0;
    this.#kept = new Kept(clock, {
      version: async () => (await partsOf(disk, dir)).sizes.join(),
      read: async () => {
        read = 0;
        await this.#index.update((bytes) => {
          read += bytes;
        });
        return this.#index;
      },
      progress: () =>
        `The list of captures is being sorted: ${formatBytes(read)} were read so far.`,
    });
  }

  /** Undefined while there is nothing in it. */
  async open(): Promise<Archive | undefined> {
    try {
      const archive = await Archive.open(this.#disk, this.#dir);
      if (archive.index) return archive;
      const { isWhole, sizes } = await partsOf(this.#disk, this.#dir);
      const isSmall = sizes.reduce((sum, size) => sum + size, 0) < FEW;
      if (!isWhole || isSmall) return archive;
      return await Archive.open(this.#disk, this.#dir, await this.#kept.current());
    } catch (error) {
      const isEmpty =
        error instanceof DrumlinError && /^(ARCHIVE_MISSING|FILE_MISSING)$/.test(error.code);
      if (isEmpty) return undefined;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}
