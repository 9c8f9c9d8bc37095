/** `drumlin refresh OLD --dir NEW`: which pages of an old collection are still there? */
import { DrumlinError } from '../../../base/errors.ts';
import { formatCount } from '../../../base/units.ts';
import type { RefreshSummary } from '../../../crawl/planned/refresh-summary.ts';
import { Disk } from '../../../disk/disk.ts';
import { openRefresh, type RefreshOptions } from '../../../refresh/run/refresh.ts';
import type { TestName } from '../../../refresh/verdict.ts';
import { exitCodeOf, freshFolder, runInForeground } from '../../foreground/run-crawl.ts';
import { configure, type Given } from '../../input/configure.ts';
import { printable } from '../../screen/printable.ts';

/** The flags of a refresh beside those of a crawl. */
export interface RefreshFlags {
  readonly by?: string;
  readonly z?: string;
  readonly alpha?: string;
  readonly test?: string;
  readonly seed?: string;
  /** Only pages that are due. */
  readonly due: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

export async function runRefresh(
  old: string | undefined,
  given: Given,
  flags: RefreshFlags,
): Promise<number> {
  const { json, quiet } = flags;
  const options = optionsOf(old, flags);
  const { config, changes } = await configure(given, () => freshFolder('refresh'));
  const note = (text: string) => void process.stderr.write(`drumlin: ${printable(text)}\n`);
  const refresh = await openRefresh(new Disk(), options, config, note);
  const finish = async () => foundText(await refresh.finish());
  const planned = { asker: refresh.asker, command: 'refresh', finish };
  return exitCodeOf(await runInForeground([], refresh.config, { json, quiet, changes, planned }));
}

function optionsOf(old: string | undefined, flags: RefreshFlags): RefreshOptions {
  const { by, z, alpha, test, seed, due } = flags;
  return {
    ...(old !== undefined && { old }),
    ...(by !== undefined && { by }),
    ...(z !== undefined && { z }),
    ...(alpha !== undefined && { alpha: shareOf(alpha) }),
    ...(test !== undefined && { test: testOf(test) }),
    ...(seed !== undefined && { seed: wholeOf(seed) }),
    ...(due && old !== undefined && { due: new Date().toISOString(), alpha: 1 }),
  };
}

const TESTS: readonly string[] = ['conditional', 'get', 'head'];

function testOf(text: string): TestName {
  if (TESTS.includes(text)) return text as TestName;
  throw new DrumlinError(
    'TEST',
    `There is no test "${text}".`,
    'Choose conditional, get or head with --test.',
  );
}

/** `75%` or `0.75`. */
function shareOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text);
  return match ? Number(match[1]) / (match[2] ? 100 : 1) : Number.NaN;
}

function wholeOf(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return seed;
  throw new DrumlinError('SEED', `"${text}" is no seed.`, 'Give a whole number, such as 1.');
}

/** What was found, before the summary of the crawl. */
function foundText(summary: RefreshSummary): string {
  const { pages, tested, alive, dead, unknown, living, wanted, requests, verdicts } = summary;
  const lines = [
    `  collection ${formatCount(pages)} pages, ${formatCount(tested)} tested with ${formatCount(requests)} requests`,
    `  found      ${formatCount(alive)} alive, ${formatCount(dead)} dead, ${formatCount(unknown)} unknown`,
    living &&
      `  estimate   ${formatCount(Math.round(living.living))} alive (95 %: ${formatCount(Math.round(living.low))} to ${formatCount(Math.round(living.high))}); ${formatCount(wanted ?? 0)} wanted`,
    `  verdicts   ${Object.entries(verdicts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name} ${formatCount(count)}`)
      .join(', ')}`,
  ];
  return `${lines.filter((line) => line !== undefined).join('\n')}\n\n`;
}
