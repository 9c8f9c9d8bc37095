/**
 * Opens a day of a focused crawl: resumes the one that was planned, or plans the next.
 *
 * Requires  the book's folder, held by the caller until the day is learned: one crawl at a time.
 */
import { archiveDir, warcNames } from '../../archive/index/index-merge.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Book } from '../book/book.ts';
import { nextDay, type PlannedDay, pendingDay, storeDay } from './day-folder.ts';
import { daySettings } from './day-settings.ts';
import { type KnownDocuments, writeKnown } from './known.ts';
import { type Policy, planDay } from './plan-day.ts';

export interface DayOptions {
  readonly policy: Policy;
  readonly count: number;
  readonly isSpread: boolean;
  readonly broad: readonly string[];
  readonly top: number;
  readonly quality: string;
  readonly temporary: string;
  /** Documents seen less than this ago are not requested, in seconds. */
  readonly recheck: number;
  /** In seconds. */
  readonly now: number;
}

interface OpenDay {
  readonly day: PlannedDay;
  readonly isResumed: boolean;
  /** Adds the settings of its policy to those of the user. */
  readonly settings: (config: CrawlConfig) => CrawlConfig;
  /** What was listed when the day was planned just now. */
  readonly known: KnownDocuments | undefined;
  /** Crawls that hold documents which are due, and that are no longer there. */
  readonly gone: readonly string[];
}

export async function openDay(disk: Disk, book: Book, options: DayOptions): Promise<OpenDay> {
  const learned = new Set(book.sources.map(({ folder }) => folder));
  const pending = await pendingDay(disk, book.folder, learned);
  const { day, known } = pending ? { day: pending } : await planNext(disk, book, options);
  const earlier: string[] = [];
  const gone: string[] = [];
  for (const source of day.due) {
    const { folder } = book.sources[source];
    const isThere = (await warcNames(disk, archiveDir(folder))).length > 0;
    (isThere ? earlier : gone).push(folder);
  }
  const { dir, policy } = day;
  const list = day.known ? listOf(dir) : undefined;
  const settings = (config: CrawlConfig) =>
    daySettings({ ...config, dir }, { policy, known: list, earlier, gone });
  return { day, isResumed: pending !== undefined, settings, known, gone };
}

async function planNext(
  disk: Disk,
  book: Book,
  options: DayOptions,
): Promise<{ day: PlannedDay; known: KnownDocuments | undefined }> {
  const { seeds, listed, round } = await planDay(disk, book, options);
  if (seeds.length === 0)
    throw new DrumlinError(
      'FOCUS_DAY',
      'The book has no page to begin the day with.',
      'Learn a crawl with links to documents: drumlin focus learn BOOK CRAWL.',
    );
  const dir = await nextDay(disk, book.folder);
  const { policy, recheck, now } = options;
  const known = recheck > 0 ? await writeKnown(disk, book, listOf(dir), now - recheck) : undefined;
  const due = known?.sources ?? [];
  const plan = { policy, started: now, round, listed, known: known !== undefined, due };
  await storeDay(disk, dir, plan, seeds);
  return { day: { ...plan, dir, seeds }, known };
}

const listOf = (dir: string): string => `${dir}.known`;
