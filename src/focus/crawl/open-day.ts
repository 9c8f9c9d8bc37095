/**
 * Opens a day of a focused crawl: resumes the one that was planned, or plans the next.
 *
 * Requires  the book's folder, held by the caller until the day is learned: one crawl at a time.
 */
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
  /** Undefined if the day is resumed: its crawl has its settings. */
  readonly settings: ((config: CrawlConfig) => CrawlConfig) | undefined;
  readonly known: KnownDocuments | undefined;
}

export async function openDay(disk: Disk, book: Book, options: DayOptions): Promise<OpenDay> {
  const learned = new Set(book.sources.map(({ folder }) => folder));
  const pending = await pendingDay(disk, book.folder, learned);
  if (pending) return { day: pending, settings: undefined, known: undefined };
  const { seeds, listed, round } = await planDay(disk, book, options);
  if (seeds.length === 0)
    throw new DrumlinError(
      'FOCUS_DAY',
      'The book has no page to begin the day with.',
      'Learn a crawl with links to documents: drumlin focus learn BOOK CRAWL.',
    );
  const dir = await nextDay(disk, book.folder);
  const { policy, recheck, now } = options;
  const list = `${dir}.known`;
  const known = recheck > 0 ? await writeKnown(disk, book, list, now - recheck) : undefined;
  const plan = { policy, started: now, round, listed };
  await storeDay(disk, dir, plan, seeds);
  const earlier = (known?.sources ?? []).map((source) => book.sources[source].folder);
  const parts = { policy, known: known && list, earlier };
  return {
    day: { ...plan, dir, seeds },
    settings: (config) => daySettings({ ...config, dir }, parts),
    known,
  };
}
