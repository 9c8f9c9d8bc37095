/** The crawls that a console shows: folders of crawls, and crawls in folders. */
import { basename, join, resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { requestError } from './fields/schema.ts';
import { CrawlArchive } from './look/crawl-archive.ts';
import { DomainLinks } from './look/domain-links.ts';
import { DomainTables } from './look/domain-table.ts';
import { FullText } from './look/full-text.ts';

export interface OneCrawl {
  /** Its name in URLs of the console. */
  readonly id: string;
  readonly dir: string;
  readonly tables: DomainTables;
  readonly links: DomainLinks;
  readonly archive: CrawlArchive;
  readonly fullText: FullText;
}

const CRAWL_FILE = 'crawl.json';
const MOST_CRAWLS = 1000;

export class Crawls {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #places: readonly string[];
  readonly #known = new Map<string, OneCrawl>();

  constructor(disk: Disk, clock: Clock, places: readonly string[]) {
    this.#disk = disk;
    this.#clock = clock;
    this.#places = places.map((place) => resolve(place));
  }

  /** Looks for crawls again; they keep their names. */
  async list(): Promise<OneCrawl[]> {
    const found: OneCrawl[] = [];
    for (const place of this.#places)
      for (const dir of await crawlsIn(this.#disk, place)) found.push(this.#named(dir));
    return found.slice(0, MOST_CRAWLS);
  }

  async get(id: string): Promise<OneCrawl> {
    const crawl = (await this.list()).find((one) => one.id === id);
    if (crawl) return crawl;
    throw requestError('There is no such crawl here.', 'GET /api/v1/crawls lists them.');
  }

  async close(): Promise<void> {
    for (const { fullText, archive } of this.#known.values()) {
      await fullText.close();
      await archive.close();
    }
  }

  #named(dir: string): OneCrawl {
    for (const one of this.#known.values()) if (one.dir === dir) return one;
    const name = basename(dir).replace(/[^\w.-]/g, '-') || 'crawl';
    let id = name;
    for (let i = 2; this.#known.has(id); i++) id = `${name}-${i}`;
    const tables = new DomainTables(this.#disk, dir, this.#clock);
    const links = new DomainLinks(this.#disk, dir, this.#clock);
    const archive = new CrawlArchive(this.#disk, dir, this.#clock);
    const fullText = new FullText(this.#disk, dir, this.#places);
    const crawl = { id, dir, tables, links, archive, fullText };
    this.#known.set(id, crawl);
    return crawl;
  }
}

/** The folder itself, or the crawls in it. */
async function crawlsIn(disk: Disk, place: string): Promise<string[]> {
  const names = await namesIn(disk, place);
  if (names.includes(CRAWL_FILE)) return [place];
  const found: string[] = [];
  for (const name of names.sort())
    if ((await namesIn(disk, join(place, name))).includes(CRAWL_FILE))
      found.push(join(place, name));
  return found;
}

/** Nothing for what is no folder. */
async function namesIn(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (error instanceof DrumlinError) return [];
    throw error;
  }
}
