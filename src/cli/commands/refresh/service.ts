/**
 * `drumlin refresh OLD --dir SERIES --every 1d --looks 10k/day`: a service that keeps a collection
 * fresh. Each round makes the schedule anew, tests what is due in `SERIES/<time>`, and becomes the
 * old collection of the next round.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrumlinError, EXIT } from '../../../base/errors.ts';
import { parseDuration } from '../../../base/units.ts';
import { REFRESH_SUMMARY, type RefreshSummary } from '../../../crawl/planned/refresh-summary.ts';
import { Disk } from '../../../disk/disk.ts';
import { refreshDir } from '../../../refresh/refresh-folder.ts';
import { makeSchedule } from '../../../refresh/schedule/schedule.ts';
import type { Given } from '../../input/configure.ts';
import { printableLines } from '../../screen/printable.ts';
import { type RefreshFlags, runRefresh } from './run.ts';
import { looksADay, scheduledText } from './schedule.ts';

interface ServiceFlags extends RefreshFlags {
  readonly every: string;
  readonly looks: string | undefined;
}

/** The folder of a round: the time at which it was begun. */
const ROUND = /^\d{8}-\d{6}$/;

export async function runEvery(
  old: string | undefined,
  given: Given,
  flags: ServiceFlags,
): Promise<number> {
  const every = parseDuration(flags.every);
  const budget = looksADay(flags.looks ?? '');
  const dir = given.layers.find(({ options }) => options.dir !== undefined)?.options.dir;
  if (dir === undefined) throw needs('--dir', 'the folder of the series');
  const rounds = existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => ROUND.test(name))
        .sort()
    : [];
  const first = rounds.length > 0 ? join(dir, rounds[rounds.length - 1]) : old && resolve(old);
  if (first === undefined) throw needs('OLD', 'a collection to begin with');
  const run = (from: string | undefined, into: string) => {
    const layer = { options: { dir: into }, place: () => '--every' };
    const round = { layers: [layer, ...given.layers], file: given.file };
    return runRefresh(from, round, { ...flags, due: from !== undefined });
  };
  // A round that was stopped or killed is resumed first.
  if (rounds.length > 0 && !isComplete(first)) {
    const code = await run(undefined, first);
    if (code === EXIT.interrupted) return code;
  }
  const options = { budget, starve: 'some', weights: 'even' } as const;
  for (let last = first; ; ) {
    const begun = Date.now();
    const made = await makeSchedule(new Disk(), [last], options, begun);
    if (!flags.quiet) process.stderr.write(printableLines(scheduledText(made)));
    if (made.due > 0) {
      const next = join(dir, roundName(begun));
      const code = await run(last, next);
      if (code === EXIT.interrupted) return code;
      last = next;
    }
    await sleep(Math.max(0, begun + every - Date.now()));
  }
}

/** Whether all pages that were due have been tested. */
function isComplete(round: string): boolean {
  const path = join(refreshDir(round), REFRESH_SUMMARY);
  if (!existsSync(path)) return false;
  const { pages, tested } = JSON.parse(readFileSync(path, 'utf8')) as RefreshSummary;
  return tested === pages;
}

const roundName = (time: number): string =>
  new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');

function needs(what: string, why: string): DrumlinError {
  return new DrumlinError('USAGE', `--every needs ${what}, ${why}.`, `Give ${what}.`);
}
