/**
 * tuning.json, what the operator wants of a crawl beside its settings: values changed while it
 * runs, a pause, a stop, further seeds. `drumlin set` and the console write it; the coordinator
 * reads it every second and hands each change to all agents, which apply it at a checkpoint.
 *
 * Idea      The file is the wish, not a queue of orders: whoever reads it late, or twice, comes to
 *           the same state. `number` grows with every write, so a write without any other change
 *           asks for a checkpoint.
 * Ensures   The file is complete at every moment, the old or the new one. A value is checked before
 *           it is written. A resume takes over the values (`settingsIn`) and the seeds; a pause
 *           lasts until it is ended.
 * Non-goal  Two commands at the same time: the last to write wins.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  readSetting,
  SETTING_ROWS,
} from '../../config/settings.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { parseBudget } from '../../reputation/budget/budget-policy.ts';

const TUNING_FILE = 'tuning.json';

/** The settings that may change while a crawl runs. */
export const TUNABLE = [
  'delay',
  'addressDelay',
  'slowDelay',
  'slowAddressDelay',
  'fetches',
  'maxPages',
  'maxBytes',
  'maxTime',
  'budget',
] as const satisfies readonly (keyof CrawlConfig)[];

type TunableKey = (typeof TUNABLE)[number];
export type TunedSettings = { readonly [key in TunableKey]?: CrawlConfig[key] };

export interface Tuning {
  /** Grows with every write. */
  readonly number: number;
  /** Who wrote it last: `console`, `drumlin set`. */
  readonly by: string;
  /** Values in place of those in crawl.json, as text. */
  readonly settings: { readonly [key in TunableKey]?: string };
  /** Nothing is fetched until this is false. */
  readonly paused: boolean;
  /** The run under way is to end. */
  readonly stop: boolean;
  /** Seeds that crawl.json does not have yet. */
  readonly seeds: readonly string[];
}

export const UNTUNED: Tuning = {
  ...{ number: 0, by: '', settings: {}, paused: false, stop: false, seeds: [] },
};

export async function readTuning(disk: Disk, dir: string): Promise<Tuning> {
  const path = join(dir, TUNING_FILE);
  try {
    const { drumlin, ...told } = JSON.parse(await disk.readText(path));
    if (drumlin !== 'tuning' || !Number.isSafeInteger(told.number)) throw damaged(path);
    const tuning: Tuning = { ...UNTUNED, ...told };
    tuned(tuning);
    return tuning;
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return UNTUNED;
    if (error instanceof SyntaxError || error instanceof TypeError) throw damaged(path);
    throw error;
  }
}

/** Changes the file; what is not given stays. Returns what it holds then. */
export async function tune(
  disk: Disk,
  dir: string,
  by: string,
  change: Partial<Omit<Tuning, 'number' | 'by'>>,
): Promise<Tuning> {
  const before = await readTuning(disk, dir);
  const settings = { ...before.settings, ...change.settings };
  const tuning: Tuning = { ...before, ...change, settings, by, number: before.number + 1 };
  tuned(tuning);
  await write(disk, dir, tuning);
  return tuning;
}

/** A run begins that has taken over the values and the seeds: only a pause lasts. */
export async function settleTuning(disk: Disk, dir: string): Promise<Tuning> {
  const { number, by, paused } = await readTuning(disk, dir);
  const settled = { ...UNTUNED, number, by, paused };
  if (number > 0) await write(disk, dir, settled);
  return settled;
}

/** The values of a tuning, checked. */
export function tuned({ settings }: Pick<Tuning, 'settings'>): TunedSettings {
  const values: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(settings)) {
    const known = requireTunable(key);
    values[known] = readSetting(known, text);
    if (known === 'budget' && text !== 'auto') parseBudget(String(text));
  }
  return values as TunedSettings;
}

/** The values as options of a resumed crawl. Who names a delay means it for private hosts, too. */
export function tunedOptions({ settings }: Tuning): CrawlOptions {
  const { delay } = settings;
  return delay === undefined ? settings : { ...settings, privateDelay: delay };
}

/** A key, or the flag of a setting, that may change while a crawl runs. */
export function requireTunable(word: string): TunableKey {
  const flags = new Map(SETTING_ROWS.map(([key, { flag }]) => [flag, key]));
  const key = TUNABLE.find((each) => each === word || each === flags.get(word));
  if (key !== undefined) return key;
  const isSetting = flags.has(word) || SETTING_ROWS.some(([each]) => each === word);
  throw new DrumlinError(
    'TUNING',
    isSetting
      ? `${word} cannot change while a crawl runs.`
      : `There is no setting ${JSON.stringify(word.slice(0, 80))}.`,
    isSetting
      ? 'Give it when you resume the crawl: drumlin crawl --dir FOLDER.'
      : `Did you mean "${nearest(word, TUNABLE)}"?`,
  );
}

function write(disk: Disk, dir: string, tuning: Tuning): Promise<void> {
  const text = JSON.stringify({ drumlin: 'tuning', ...tuning }, null, 2);
  return replaceFile(disk, dir, TUNING_FILE, Buffer.from(`${text}\n`));
}

function damaged(path: string): DrumlinError {
  return new DrumlinError(
    'TUNING',
    `${path} cannot be read.`,
    'Delete it: the settings in crawl.json hold then, and the crawl is not paused.',
  );
}
