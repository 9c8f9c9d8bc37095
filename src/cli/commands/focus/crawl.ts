/** `drumlin focus crawl BOOK`: a day of a focused crawl. */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { DrumlinError } from '../../../base/errors.ts';
import { formatCount, parseCount, parseDuration } from '../../../base/units.ts';
import { Disk } from '../../../disk/disk.ts';
import { Book, BookFolder } from '../../../focus/book/book.ts';
import type { PlannedDay } from '../../../focus/crawl/day-folder.ts';
import { learnDay } from '../../../focus/crawl/learn-day.ts';
import { type DayOptions, openDay } from '../../../focus/crawl/open-day.ts';
import { POLICIES, type Policy } from '../../../focus/crawl/plan-day.ts';
import { exitCodeOf, runInForeground } from '../../foreground/run-crawl.ts';
import { configure, type Given } from '../../input/configure.ts';
import { readSeeds } from '../../input/seeds.ts';
import { dayText, warn } from './learn.ts';

export interface CrawlFlags {
  readonly policy: string;
  readonly seeds: string;
  readonly spread: string;
  readonly top: string;
  readonly quality: string;
  readonly recheck: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

export async function crawlDay(
  place: string,
  words: readonly string[],
  given: Given,
  flags: CrawlFlags,
): Promise<number> {
  const options = optionsOf(flags, words.length > 0 ? readSeeds([...words]) : []);
  refuseFolder(given);
  const disk = new Disk();
  await Book.open(disk, place); // makes no folder where there is no book
  const folder = await BookFolder.open(disk, resolve(place));
  try {
    const book = folder.book ?? (await Book.open(disk, place));
    const { day, isResumed, settings, known, gone } = await openDay(disk, book, options);
    const note = (text: string) => {
      if (!flags.quiet) warn(text);
    };
    if (isResumed) note(`resuming the day in ${day.dir} (${day.policy})`);
    else note(planText(day, known));
    for (const place of gone)
      note(`${place} is gone: its documents that are due are requested without conditions`);
    const layer = { options: { dir: day.dir }, place: () => 'the book' };
    const { config, changes } = await configure(
      { ...given, layers: [...given.layers, layer] },
      () => day.dir,
    );
    const { json, quiet } = flags;
    const next = () => `  resume     drumlin focus crawl ${place}\n`;
    const summary = await runInForeground(
      day.seeds,
      settings(config),
      { json, quiet, changes },
      next,
    );
    if (summary.end === 'interrupted') return exitCodeOf(summary);
    const finished = summary.end === 'finished';
    const { predicates } = config;
    const learned = await learnDay(disk, folder, day, { finished, predicates, onWarning: warn });
    if (!quiet && !json) process.stdout.write(`learned: ${dayText(learned)}\n`);
    return exitCodeOf(summary);
  } finally {
    folder.close();
  }
}

function optionsOf(flags: CrawlFlags, broad: readonly string[]): DayOptions {
  const { policy, spread } = flags;
  if (!(POLICIES as readonly string[]).includes(policy)) {
    throw new DrumlinError(
      'POLICY',
      `There is no policy "${policy}".`,
      `Choose ${POLICIES.join(', ')} with --policy.`,
    );
  }
  return {
    policy: policy as Policy,
    count: parseCount(flags.seeds),
    isSpread: spread !== 'none',
    broad,
    top: parseCount(flags.top),
    quality: flags.quality,
    temporary: tmpdir(),
    recheck: Math.floor(parseDuration(flags.recheck) / 1000),
    now: Math.floor(Date.now() / 1000),
  };
}

function refuseFolder({ layers }: Given): void {
  if (!layers.some(({ options }) => options.dir !== undefined)) return;
  throw new DrumlinError('FOCUS_DIR', 'A day is stored in its book.', 'Leave --dir out.');
}

function planText({ seeds, listed, policy }: PlannedDay, known?: { listed: number; due: number }) {
  const rest = known
    ? `; ${formatCount(known.listed)} known documents are not requested, ${formatCount(known.due)} are due`
    : '';
  return `${policy}: ${formatCount(seeds.length)} seeds of ${formatCount(listed)} domains${rest}`;
}
