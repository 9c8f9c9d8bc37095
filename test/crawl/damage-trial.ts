/**
 * A stopped crawl, one file of which is damaged: it is resumed correctly, or refused by name with
 * the remedy, and after the remedy it is resumed correctly. The records of the archive stay.
 */
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isWarcName } from '../../src/archive/warc/warc-names.ts';
import { readWarc } from '../../src/archive/warc/warc-reader.ts';
import { systemClock } from '../../src/base/clock.ts';
import { DrumlinError } from '../../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { repairCrawl } from '../../src/crawl/repair/repair.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { Lab } from '../../src/lab/server/lab.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { type Random, randomFrom } from '../fuzz/mutation.ts';
import { archivedPages } from './archived.ts';
import { startCrawl } from './here.ts';

export interface Damage {
  readonly file: string;
  readonly how: 'removed' | 'truncated' | 'flipped';
  /** The new length, or the bit that is flipped. */
  readonly at: number;
}

export const damageText = ({ file, how, at }: Damage): string =>
  how === 'removed' ? `${file} removed` : `${file} ${how} at ${at}`;

/** All files below a folder. */
export const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

const BLOCK = 4096;

/** Every file removed, emptied, truncated at several places, and a bit of every block flipped. */
export function everyDamage(made: string, random: Random = randomFrom(1)): Damage[] {
  return filesIn(made).flatMap((file) => {
    const { size } = statSync(join(made, file));
    const cuts = new Set([0, 1, Math.floor(size / 2), size - 1, size - (size % BLOCK || BLOCK)]);
    const blocks = Math.min(Math.ceil(size / BLOCK), 64);
    const flips = Array.from({ length: blocks }, (_, i) => {
      const block = Math.floor((i * Math.ceil(size / BLOCK)) / blocks);
      return 8 * (block * BLOCK + random(Math.min(BLOCK, size - block * BLOCK))) + random(8);
    });
    return [
      { file, how: 'removed', at: 0 } as const,
      ...[...cuts]
        .filter((at) => at >= 0 && at < size)
        .map((at) => ({ file, how: 'truncated', at }) as const),
      ...flips.map((at) => ({ file, how: 'flipped', at }) as const),
    ];
  });
}

export class DamageTrial {
  readonly #lab: Lab;
  readonly #pages: readonly string[];
  readonly #dir: string;
  readonly #made: string;
  readonly #options: CrawlOptions;

  constructor(lab: Lab, folder: string, options: CrawlOptions) {
    this.#lab = lab;
    this.#pages = [...lab.web.allUrls()].sort();
    this.#dir = join(folder, 'crawl');
    this.#made = join(folder, 'made');
    this.#options = options;
  }

  /** Crawls some pages; returns the folder to be damaged. */
  async make(maxPages: number): Promise<string> {
    await this.#crawl({ maxPages, checkpoint: 100 });
    rmSync(this.#made, { recursive: true, force: true });
    cpSync(this.#dir, this.#made, { recursive: true });
    return this.#made;
  }

  /** Returns what happened, or throws what must not happen. */
  async try(damage: Damage): Promise<'resumed' | 'repaired'> {
    rmSync(this.#dir, { recursive: true, force: true });
    cpSync(this.#made, this.#dir, { recursive: true });
    inflict(this.#dir, damage);
    const before = await this.#records();
    const error = await this.#crawl().then(
      () => undefined,
      (thrown) => thrown,
    );
    await this.#requireRecords(before);
    if (error) {
      requireRefusal(error, damage);
      await this.repair();
      await this.#requireRecords(before);
      await this.#crawl();
      await this.#requireRecords(before);
    }
    if (!/^(?:archive|indexes)\//.test(damage.file)) await this.#requirePages();
    return error ? 'repaired' : 'resumed';
  }

  repair(check = false) {
    const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
    return repairCrawl({ disk, dir: this.#dir, clock: systemClock, check });
  }

  async #crawl(options: CrawlOptions = {}): Promise<void> {
    const config = resolveConfig({
      ...{ dir: this.#dir, dns: [this.#lab.dns], allowPrivate: true, delay: 0 },
      ...{ backlogMemory: 65_536, hostMemory: 2 ** 20, sieveMemory: 2 ** 20 },
      ...{ domainMemory: 2 ** 23, dedupMemory: 65_536, frontHosts: 4, frontUrls: 20 },
      ...this.#options,
      ...options,
    });
    await (await startCrawl(this.#lab.seeds, config)).finished;
  }

  async #requirePages(): Promise<void> {
    const found = await archivedPages(this.#dir);
    const missing = this.#pages.filter((url) => !found.includes(url));
    const twice = found.filter((url, i) => url === found[i - 1]);
    if (missing.length > 0) throw new Error(`missing: ${missing.slice(0, 3).join(' ')}`);
    if (twice.length > 0) throw new Error(`twice: ${twice.slice(0, 3).join(' ')}`);
  }

  async #requireRecords(before: ReadonlySet<string>): Promise<void> {
    const after = await this.#records();
    const lost = [...before].filter((record) => !after.has(record));
    if (lost.length > 0) throw new Error(`records lost: ${lost.slice(0, 3).join(' ')}`);
  }

  /** Every response that can be read, in the archive and its orphans. */
  async #records(): Promise<Set<string>> {
    const found = new Set<string>();
    const archive = join(this.#dir, 'archive');
    for (const file of existsSync(archive) ? filesIn(archive) : []) {
      if (!isWarcName(file)) continue;
      for await (const { type, headers } of readWarc(join(archive, file))) {
        if (type === 'response' || type === 'revisit')
          found.add(`${headers.targetUri} ${headers.get('WARC-Payload-Digest')}`);
      }
    }
    return found;
  }
}

function inflict(dir: string, { file, how, at }: Damage): void {
  const path = join(dir, file);
  if (how === 'removed') rmSync(path);
  else if (how === 'truncated') truncateSync(path, at);
  else {
    const bytes = readFileSync(path);
    bytes[at >> 3] ^= 1 << (at & 7);
    writeFileSync(path, bytes);
  }
}

function requireRefusal(error: unknown, { file }: Damage): void {
  if (!(error instanceof DrumlinError)) throw error;
  if (!error.message.includes(basename(file)))
    throw new Error(`the file is not named: ${error.message}`);
  if (!/drumlin repair \//.test(error.remedy))
    throw new Error(`the remedy is not offered: ${error.message}`);
}
