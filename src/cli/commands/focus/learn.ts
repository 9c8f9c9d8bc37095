/** `drumlin focus learn BOOK CRAWL…`: what did these crawls find? */
import { resolve } from 'node:path';
import { formatCount } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { BookFolder } from '../../../focus/book/book.ts';
import type { Day } from '../../../focus/book/day.ts';
import { ArchiveHarvest } from '../../../focus/learn/archive-harvest.ts';
import { learn } from '../../../focus/learn/learn.ts';
import { requestsOf } from '../../../focus/learn/requests.ts';
import { printable } from '../../screen/printable.ts';
import { openRules, type RuleFlags } from './rules.ts';

export interface LearnFlags extends RuleFlags {
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
    const { rules, wanted, usefulness } = await openRules(disk, place, folder.book?.rules, flags);
    try {
      for (const crawl of crawls) {
        const requests = await requestsOf(disk, crawl);
        const options = { wanted, usefulness, onWarning: warn };
        const harvest = await ArchiveHarvest.open(disk, resolve(crawl), options, { requests });
        const day = await learn(disk, folder, harvest, { rules });
        const object = () => `${JSON.stringify({ crawl, ...day })}\n`;
        process.stdout.write(flags.json ? object() : `${printable(crawl)}: ${dayText(day)}\n`);
      }
    } finally {
      await usefulness.close();
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
