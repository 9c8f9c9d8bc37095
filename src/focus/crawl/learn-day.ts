/** Learns the crawl of a day. A day that fetched nothing is deleted, and planned anew. */
import { archiveDir, warcNames } from '../../archive/index/index-merge.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { counted } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import type { BookFolder } from '../book/book.ts';
import type { Day } from '../book/day.ts';
import { learnCrawl } from '../learn/learn-crawl.ts';
import { forgetDay, type PlannedDay } from './day-folder.ts';

interface LearnDayOptions {
  /** Whether the crawl came to its end, and not to a limit. */
  readonly finished: boolean;
  /** The module with the user's predicates. */
  readonly predicates: string;
  readonly onWarning?: (text: string) => void;
}

export async function learnDay(
  disk: Disk,
  folder: BookFolder,
  { dir, policy, listed, round, seeds, started }: PlannedDay,
  { finished, predicates, onWarning }: LearnDayOptions,
): Promise<Day> {
  if ((await warcNames(disk, archiveDir(dir))).length === 0) {
    await forgetDay(disk, dir);
    throw nothingFetched(seeds.length);
  }
  const tried = { urls: seeds, time: started * 1000, finished };
  const day = { policy, listed, round, tried };
  return learnCrawl(disk, folder, dir, { predicates, day, ...(onWarning && { onWarning }) });
}

const nothingFetched = (seeds: number) =>
  new DrumlinError(
    'FOCUS_DAY',
    `The day fetched nothing from its ${counted(seeds, 'seed')}, so it was deleted.`,
    'Check the network and the limits, then run the command again: the day is planned anew.',
    { exitCode: EXIT.nothingCrawled },
  );
