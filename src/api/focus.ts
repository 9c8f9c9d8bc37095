/**
 * Focused crawls: learn where the wanted documents are, and crawl there.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { crawl } from 'drumlin';
 * import { learn } from 'drumlin/focus';
 * import { startLab } from 'drumlin/lab';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'focus-'));
 * const dir = join(folder, 'crawl');
 * const lab = await startLab({ scenario: 'papers', domains: 10, pages: 20 });
 * const settings = { seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0, dir };
 * for await (const _ of crawl(settings));
 * await lab.close();
 * const [{ fetched, parents }] = await learn(join(folder, 'book'), [dir]);
 * console.log(`${fetched} documents, ${parents} pages with links to some`);
 * ```
 *
 * @module focus
 */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { type CrawlOptions, resolveConfig } from '../config/settings.ts';
import { startCrawl } from '../crawl/crawl.ts';
import { canonicalSeed } from '../crawl/state/seeds.ts';
import { Disk } from '../disk/disk.ts';
import { Book, BookFolder } from '../focus/book/book.ts';
import type { Day } from '../focus/book/day.ts';
import { learnDay } from '../focus/crawl/learn-day.ts';
import { openDay } from '../focus/crawl/open-day.ts';
import { learnCrawl } from '../focus/learn/learn-crawl.ts';
import { rankBook } from '../focus/rank/rank-book.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';
export type { CrawlOptions } from '../config/settings.ts';
export type { Day } from '../focus/book/day.ts';

/** What counts, as filters. A book keeps the ones that it was made with. */
export interface LearnOptions {
  /** What is a document. Default: complete PDF and PostScript files below 10 MB, also zipped. */
  readonly wanted?: string;
  /** Which are useful. Default: at least a thousand words, and a list of references. */
  readonly useful?: string;
  /** A module with predicates for the filters. Default: none. */
  readonly predicates?: string;
}

/** How domains are ranked. */
export interface RankOptions {
  /** The number of domains in the list by documents and in the list by quality. Default: 8000. */
  readonly top?: number;
  /** What quality counts: `references`, `useful`, or a file. Default: `references`. */
  readonly quality?: string;
}

/** A domain of the list. */
export interface RankedDomain {
  /** Its name. */
  readonly name: string;
  /** Its place, from 1. */
  readonly place: number;
  /** The harmonic mean of its shares of the documents and of the quality. */
  readonly f1: number;
  /** The number of its documents. */
  readonly documents: number;
  /** References to them, or what else was counted. */
  readonly quality: number;
  /** The number of its pages with links to documents. */
  readonly parents: number;
}

/** How a day is planned; the rest are the settings of its crawl. */
export interface DayOptions extends Omit<CrawlOptions, 'dir'>, RankOptions {
  /** How seeds are chosen and links are followed. Default: `whitelist`. */
  readonly policy?: 'whitelist' | 'blacklist' | 'hybrid' | 'adaptive';
  /** The number of seeds. Default: 15,000. */
  readonly seeds?: number;
  /** With the policy `blacklist`: the seeds of a broad crawl. */
  readonly broad?: readonly string[];
  /** At most a tenth of the seeds from one domain, or any number. Default: `even`. */
  readonly spread?: 'even' | 'none';
  /** Known documents are requested again after so many days; 0: always. Default: 90. */
  readonly recheckDays?: number;
}

/**
 * Learns crawls into a book, which is made if it is missing. Returns what each crawl has found.
 *
 * @param book The folder of the book.
 * @param crawls Folders of crawls or of imported archives.
 * @throws DrumlinError if a folder holds no crawl, or the book was made with other filters.
 */
export function learn(
  book: string,
  crawls: readonly string[],
  options: LearnOptions = {},
): Promise<Day[]> {
  const disk = new Disk();
  return withBook(disk, book, async (folder) => {
    const days: Day[] = [];
    for (const crawl of crawls) days.push(await learnCrawl(disk, folder, crawl, options));
    return days;
  });
}

/**
 * Ranks the domains of a book, the best first.
 *
 * @param book The folder of the book.
 * @throws DrumlinError if the book is empty, or no domain has both documents and quality.
 */
export async function rank(book: string, options: RankOptions = {}): Promise<RankedDomain[]> {
  const disk = new Disk();
  const { domains } = await rankBook(disk, await Book.open(disk, resolve(book)), {
    ...{ top: 8000, quality: 'references', temporary: tmpdir() },
    ...options,
  });
  return domains.map(({ name, place, f1, documents, quality, parents }) => ({
    ...{ name, place, f1, documents, quality, parents },
  }));
}

/**
 * Crawls a day from the pages of a book, learns it and adds it to the book; or resumes the day.
 *
 * @param book The folder of the book.
 * @throws DrumlinError if the book has no page to begin with, or the day fetched nothing.
 */
export async function crawlDay(book: string, options: DayOptions = {}): Promise<Day> {
  const { policy = 'whitelist', seeds = 15_000, broad = [], spread, recheckDays = 90 } = options;
  const { top = 8000, quality = 'references', ...rest } = options;
  const settings = resolveConfig(crawlSettings(rest));
  const disk = new Disk();
  await Book.open(disk, resolve(book)); // makes no folder where there is no book
  return withBook(disk, book, async (folder) => {
    const opened = folder.book ?? (await Book.open(disk, folder.folder));
    const { day, settings: withPolicy } = await openDay(disk, opened, {
      ...{ policy, top, quality, count: seeds, temporary: tmpdir() },
      isSpread: spread !== 'none',
      broad: broad.map((url) => canonicalSeed(url)),
      recheck: Math.floor(recheckDays * 86_400),
      now: Math.floor(Date.now() / 1000),
    });
    const config = withPolicy(settings);
    const { end } = await (await startCrawl(day.seeds, config)).finished;
    const { predicates } = config;
    return learnDay(disk, folder, day, { finished: end === 'finished', predicates });
  });
}

/**
 * The crawls that a book has learned, in the order of their times.
 *
 * @param book The folder of the book.
 */
export async function days(book: string): Promise<readonly Day[]> {
  return (await Book.open(new Disk(), resolve(book))).days;
}

async function withBook<T>(
  disk: Disk,
  book: string,
  work: (folder: BookFolder) => Promise<T>,
): Promise<T> {
  const folder = await BookFolder.open(disk, resolve(book));
  try {
    return await work(folder);
  } finally {
    folder.close();
  }
}

/** Without the options that are none of a crawl. */
function crawlSettings(options: DayOptions): CrawlOptions {
  const {
    policy: _,
    seeds: __,
    broad: ___,
    spread: ____,
    recheckDays: _____,
    ...settings
  } = options;
  return settings;
}
