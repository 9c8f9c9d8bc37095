/**
 * The crawls of a book, one folder a day, and the plan of each:
 *
 *   days/0001/         the folder of the crawl
 *   days/0001.json     its plan: policy, when it began, round
 *   days/0001.seeds    its seeds
 *   days/0001.known    documents that it does not request
 *
 * Ensures   A plan appears whole, after its seeds. A day that was planned and not learned is
 *           resumed before the next one is planned. A day never gets the folder of another.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Policy } from './plan-day.ts';

const DAYS = 'days';
const FORMAT = 1;
const PLAN = /^(\d{4,})\.json$/;
/** A plan, or the folder of a crawl. */
const TAKEN = /^(\d{4,})(?:\.json)?$/;

interface StoredPlan {
  readonly policy: Policy;
  /** In seconds. */
  readonly started: number;
  readonly round: number;
  readonly listed: number;
  /** Whether documents are listed that are not requested. */
  readonly known: boolean;
  /** Crawls that hold documents which may be requested again: positions among the sources. */
  readonly due: readonly number[];
}

export interface PlannedDay extends StoredPlan {
  /** The folder of the crawl. */
  readonly dir: string;
  readonly seeds: readonly string[];
}

const base = (book: string, number: number): string =>
  join(book, DAYS, String(number).padStart(4, '0'));

/** The last planned day that is not among the learned folders. */
export async function pendingDay(
  disk: Disk,
  book: string,
  learned: ReadonlySet<string>,
): Promise<PlannedDay | undefined> {
  const number = await lastNumber(disk, book, PLAN);
  const path = base(book, number);
  if (number === 0 || learned.has(path)) return undefined;
  const plan = planIn(`${path}.json`, await disk.readText(`${path}.json`));
  const seeds = (await disk.readText(`${path}.seeds`)).split('\n').filter(Boolean);
  return { ...plan, dir: path, seeds };
}

/** Where the next day goes. */
export async function nextDay(disk: Disk, book: string): Promise<string> {
  await disk.makeFolder(join(book, DAYS));
  return base(book, (await lastNumber(disk, book, TAKEN)) + 1);
}

export async function storeDay(
  disk: Disk,
  dir: string,
  plan: StoredPlan,
  seeds: readonly string[],
) {
  const [folder, name] = [join(dir, '..'), dir.slice(dir.lastIndexOf('/') + 1)];
  await replaceFile(disk, folder, `${name}.seeds`, Buffer.from(`${seeds.join('\n')}\n`));
  const text = JSON.stringify({ drumlin: 'focus-day', format: FORMAT, ...plan });
  await replaceFile(disk, folder, `${name}.json`, Buffer.from(`${text}\n`));
}

/** Deletes a day that fetched nothing: it is planned anew. */
export async function forgetDay(disk: Disk, dir: string): Promise<void> {
  await disk.remove(`${dir}.json`);
  await disk.removeFolder(dir);
  for (const end of ['seeds', 'known']) await disk.remove(`${dir}.${end}`);
}

async function lastNumber(disk: Disk, book: string, pattern: RegExp): Promise<number> {
  const names = await disk.list(join(book, DAYS)).catch(() => [] as string[]);
  return names.reduce((most, name) => Math.max(most, Number(pattern.exec(name)?.[1] ?? 0)), 0);
}

function planIn(path: string, text: string): StoredPlan {
  try {
    const { drumlin, format, ...plan } = JSON.parse(text);
    if (drumlin === 'focus-day' && format === FORMAT)
      return { known: false, due: [], ...plan } as StoredPlan;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new DrumlinError(
    'FOCUS_DAY',
    `${path} is damaged, or of another version.`,
    'Remove it to plan the day again.',
    { exitCode: EXIT.folder },
  );
}
