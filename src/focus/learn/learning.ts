/** What the steps of learning share. */
import type { Disk } from '../../disk/disk.ts';
import type { LineSorter } from '../../disk/line-sort.ts';
import type { BookFile, BookFolder } from '../book/book.ts';
import type { Day } from '../book/day.ts';
import type { DomainChanges } from './domain-changes.ts';
import type { Harvest } from './harvest.ts';

export interface Learning {
  readonly disk: Disk;
  readonly folder: BookFolder;
  readonly harvest: Harvest;
  /** The position of the crawl among the sources. */
  readonly source: number;
  /** Whether the book has learned the crawl before. */
  readonly again: boolean;
  /** Seeds of the crawl without an answer. */
  readonly unanswered: Set<string>;
  readonly domains: DomainChanges;
  sorter(name: string): LineSorter;
  /** The day as far as it is known. */
  readonly day: { -readonly [K in keyof Day]: Day[K] };
  /** Files of the next generation that are complete. */
  readonly written: Partial<Record<BookFile, { records: number; bytes: number }>>;
}

/** Seconds with ten digits, so that texts sort by time. */
export const inSeconds = (millis: number): string =>
  String(Math.max(0, Math.floor(millis / 1000))).padStart(10, '0');
