/**
 * A stopped crawl, one file of which is damaged: it is resumed correctly, or refused by name with
 * the remedy, and after the remedy it is resumed correctly. Records that were not damaged stay, and
 * the index finds them.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { DrumlinError } from '../../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { repairCrawl } from '../../src/crawl/repair/repair.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { Lab } from '../../src/lab/server/lab.ts';
import { type Faults, FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { type Random, randomFrom } from '../fuzz/mutation.ts';
import { archivedPages } from './archived.ts';
import { type FoundRecord, isOrphan, recordsIn } from './damaged-archive.ts';
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

  /**
   * Returns what happened, or throws what must not happen. A crawl that is refused is given to
   * `interrupted` before it is repaired: to a repair that is killed.
   */
  async try(
    damage: Damage,
    interrupted?: (dir: string) => Promise<void>,
  ): Promise<'resumed' | 'repaired'> {
    rmSync(this.#dir, { recursive: true, force: true });
    cpSync(this.#made, this.#dir, { recursive: true });
    inflict(this.#dir, damage);
    const before = recordsIn(this.#made);
    const whole = before.filter((record) => !isHit(record, damage));
    const error = await this.#resume();
    this.#requireRecords(whole);
    if (error) {
      requireRefusal(error, damage);
      await interrupted?.(this.#dir);
      this.#requireRecords(whole);
      // A repair that was killed when it was all but done needs no second one.
      if (!interrupted || (await this.#resume())) {
        await this.repair();
        this.#requireRecords(whole);
        await this.#crawl();
      }
      this.#requireRecords(whole);
    }
    if (damage.file.startsWith('archive/')) {
      const hit = before.filter((record) => isHit(record, damage)).map(({ url }) => url);
      this.#requireAllBut(new Set(hit), whole);
    } else await this.#requirePages();
    return error ? 'repaired' : 'resumed';
  }

  /** Resumes the crawl; returns why it was refused. */
  #resume(): Promise<unknown> {
    return this.#crawl().then(
      () => undefined,
      (thrown) => thrown,
    );
  }

  /** Returns how many operations of the disk it took. */
  async repair(faults: Faults = {}): Promise<number> {
    const system = new FaultyFileSystem({ skipSync: true, ...faults });
    await repairCrawl({ disk: new Disk(system), dir: this.#dir, clock: systemClock });
    return system.changes;
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
    requireNone('missing', missing);
    requireNone('twice', twice);
  }

  #requireRecords(whole: readonly FoundRecord[]): void {
    const after = new Set(recordsIn(this.#dir).map(({ id }) => id));
    const lost = whole.filter(({ id }) => !after.has(id));
    if (lost.length > 0) throw new Error(`records lost: ${lost.map(({ url }) => url).slice(0, 3)}`);
  }

  /** After damage of a WARC file: other pages are archived once, and the index finds them. */
  #requireAllBut(hit: ReadonlySet<string>, whole: readonly FoundRecord[]): void {
    const found = recordsIn(this.#dir).filter((record) => !isOrphan(record));
    const urls = found.map(({ url }) => url).sort();
    const missing = this.#pages.filter((url) => !urls.includes(url) && !hit.has(url));
    requireNone('missing', missing);
    requireNone(
      'twice',
      urls.filter((url, i) => url === urls[i - 1]),
    );
    const index = readFileSync(join(this.#dir, 'indexes/index.cdxj'), 'latin1');
    const listed = new Set(
      index
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line.slice(line.indexOf('{'))))
        .map(({ filename, offset, url }) => `${filename} ${offset} ${url}`),
    );
    const ids = new Set(whole.map(({ id }) => id));
    const known = found.filter(({ id }) => ids.has(id));
    const lacking = known.filter(
      ({ file, offset, url }) => !listed.has(`${file} ${offset} ${url}`),
    );
    requireNone(
      'not in the index',
      lacking.map(({ url }) => url),
    );
  }
}

function requireNone(what: string, urls: readonly string[]): void {
  if (urls.length > 0) throw new Error(`${what}: ${urls.slice(0, 3).join(' ')}`);
}

/** Whether the bytes of a record were damaged. */
function isHit({ file, offset, length }: FoundRecord, { file: damaged, how, at }: Damage): boolean {
  if (damaged !== `archive/${file}`) return false;
  if (how === 'removed') return true;
  if (how === 'truncated') return at < offset + length;
  return at >> 3 >= offset && at >> 3 < offset + length;
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
