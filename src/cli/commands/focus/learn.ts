/** `drumlin focus learn BOOK CRAWL…`: what did these crawls find? */
import { resolve } from 'node:path';
import { formatCount } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { BookFolder } from '../../../focus/book/book.ts';
import type { Day } from '../../../focus/book/day.ts';
import { learnCrawl } from '../../../focus/learn/learn-crawl.ts';
import type { RuleTexts } from '../../../focus/learn/open-rules.ts';
import { printable } from '../../screen/printable.ts';

export interface LearnFlags extends RuleTexts {
  readonly json?: true;
}

export async function learnCrawls(
  place: string,
  crawls: readonly string[],
  flags: LearnFlags,
): Promise<void> {
  const disk = new Disk();
  const folder = await BookFolder.open(disk, resolve(place));
  try {
    for (const crawl of crawls) {
      const day = await learnCrawl(disk, folder, crawl, { ...flags, onWarning: warn });
      const object = () => `${JSON.stringify({ crawl, ...day })}\n`;
      process.stdout.write(flags.json ? object() : `${printable(crawl)}: ${dayText(day)}\n`);
    }
  } finally {
    folder.close();
  }
}

export const warn = (text: string): void => {
  process.stderr.write(`drumlin: ${printable(text)}\n`);
};

export function dayText(day: Day): string {
  const { requests, fetched, fresh, useful, parents, unread } = day;
  const counts = [
    `${formatCount(requests)} requests`,
    `${formatCount(fetched)} documents`,
    `${formatCount(fresh)} new`,
    `${formatCount(useful)} of these useful`,
    `${formatCount(parents)} parents`,
  ];
  const failed = Object.entries(unread).map(([why, count]) => `${formatCount(count)} ${why}`);
  return `${counts.join(', ')}${failed.length > 0 ? `; text not read: ${failed.join(', ')}` : ''}`;
}
