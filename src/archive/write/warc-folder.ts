/**
 * The folder in which an agent starts its WARC files, one after the other, each with its part of
 * the index.
 *
 * Ensures   Existing files are never written to: after a restart within the same second the next
 *           serial is used. A folder that is not writable is refused before anything is fetched.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { systemCode } from '../../base/errors.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { IndexPart } from '../index/index-part.ts';
import { timestamp14 } from '../warc/digest.ts';

export interface NewWarc {
  readonly name: string;
  readonly file: BatchFile;
  readonly part: IndexPart | undefined;
}

interface WarcFolderOptions {
  readonly disk: Disk;
  readonly dir: string;
  /** Folder for the parts of the index; without it there are no parts. */
  readonly indexDir: string | undefined;
  readonly prefix: string;
  readonly agent: string;
  /** `.warc.gz` */
  readonly ending: string;
  readonly clock: Clock;
  /** The serial of the first file. */
  readonly firstSerial: number;
}

const SERIAL_DIGITS = 5;

export class WarcFolder {
  readonly #options: WarcFolderOptions;
  #serial: number;

  private constructor(options: WarcFolderOptions) {
    this.#options = options;
    this.#serial = options.firstSerial;
  }

  /** Creates missing folders. */
  static async open(options: WarcFolderOptions): Promise<WarcFolder> {
    const { disk, dir, indexDir, prefix, agent } = options;
    await disk.makeFolder(dir);
    if (indexDir !== undefined) await disk.makeFolder(indexDir);
    const probe = join(dir, `${prefix}-${agent}.probe`);
    await (await disk.open(probe, 'create')).close();
    await disk.remove(probe);
    return new WarcFolder(options);
  }

  async begin(): Promise<NewWarc> {
    for (;;) {
      const name = this.#nextName();
      const file = await this.#createUnlessTaken(name);
      if (file) return { name, file, part: await this.#createPart(file, name) };
    }
  }

  #nextName(): string {
    const { prefix, clock, agent, ending } = this.#options;
    const serial = String(this.#serial++).padStart(SERIAL_DIGITS, '0');
    return `${prefix}-${timestamp14(clock.now())}-${serial}-${agent}${ending}`;
  }

  async #createUnlessTaken(name: string): Promise<BatchFile | undefined> {
    try {
      return await BatchFile.create(this.#options.disk, join(this.#options.dir, name));
    } catch (error) {
      if (systemCode((error as Error).cause) === 'EEXIST') return undefined;
      throw error;
    }
  }

  async #createPart(file: BatchFile, name: string): Promise<IndexPart | undefined> {
    const { disk, indexDir } = this.#options;
    if (indexDir === undefined) return undefined;
    try {
      return await IndexPart.create(disk, indexDir, name);
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
