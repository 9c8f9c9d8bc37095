/** Learns the crawl, or the imported archives, in a folder. */
import { resolve } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import type { BookFolder } from '../book/book.ts';
import type { Day } from '../book/day.ts';
import { ArchiveHarvest } from './archive-harvest.ts';
import type { Harvest } from './harvest.ts';
import { learn } from './learn.ts';
import { openRules, type RuleTexts } from './open-rules.ts';
import { requestsOf } from './requests.ts';

interface LearnCrawlOptions extends RuleTexts {
  /** The day of the book that the crawl is. */
  readonly day?: Pick<Harvest, 'policy' | 'listed' | 'round' | 'tried'>;
  readonly onWarning?: (text: string) => void;
}

export async function learnCrawl(
  disk: Disk,
  folder: BookFolder,
  crawl: string,
  options: LearnCrawlOptions = {},
): Promise<Day> {
  const { onWarning, day } = options;
  const known = folder.book?.rules;
  const { rules, wanted, usefulness } = await openRules(disk, folder.folder, known, options);
  try {
    const place = resolve(crawl);
    const parts = { wanted, usefulness, ...(onWarning && { onWarning }) };
    const requests = await requestsOf(disk, place);
    const harvest = await ArchiveHarvest.open(disk, place, parts, { ...day, requests });
    return await learn(disk, folder, harvest, { rules });
  } finally {
    await usefulness.close();
  }
}
