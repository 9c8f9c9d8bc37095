/**
 * When to look again at each page of a collection: `refresh/schedule.tsv`.
 *
 *   looks ─► change rates ─► visits within the budget ─► the time of the next look
 *
 * Cost      24 bytes a page, and the sort of the looks.
 */
import { join } from 'node:path';
import { collectionsOf } from '../../archive/index/archive.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import { writeText } from '../../disk/text-file.ts';
import { openGraph } from '../../graph/open-graph.ts';
import { Collection } from '../orders/collection.ts';
import { graphDir, refreshDir } from '../refresh-folder.ts';
import { changeRate } from './change-rate.ts';
import { DAY } from './history.ts';
import { type LookedAt, looksIn } from './looks.ts';
import { bestVisits, fairVisits, freshness } from './visits.ts';

const SCHEDULE_FILE = 'schedule.tsv';
const HEAD = 'url\tchanges a day\tvisits a day\tlast look\tnext look\n';
/** The time between looks at a page that was seen once, where nothing is known. */
const USUAL = 30;

interface ScheduleOptions {
  /** Looks a day. */
  readonly budget: number;
  /** Visit every page that changes, however often it does. */
  readonly starve: 'some' | 'none';
  /** Pages count by PageRank in the graph of the refresh, or all the same. */
  readonly weights: 'even' | 'pagerank';
}

export interface Scheduled {
  /** The file. */
  readonly path: string;
  readonly pages: number;
  readonly visited: number;
  readonly due: number;
  /** Expected shares of time in which a page is fresh: with this schedule, and with even visits. */
  readonly freshness: number;
  readonly even: number;
}

/** Makes the schedule of the last folder, from the looks in all and in what they came from. */
export async function makeSchedule(
  disk: Disk,
  folders: readonly string[],
  { budget, starve, weights }: ScheduleOptions,
  now: Millis,
): Promise<Scheduled> {
  const dir = folders[folders.length - 1];
  const all = new Set<string>();
  for (const folder of folders)
    for (const place of [folder, ...(await collectionsOf(disk, folder))]) all.add(place);
  await disk.makeFolder(refreshDir(dir));
  const pages: LookedAt[] = [];
  for await (const page of looksIn(disk, [...all], refreshDir(dir))) pages.push(page);
  if (pages.length === 0) throw nothingSeen(dir);
  const usual = usualTime(pages);
  const rates = Float64Array.from(pages, ({ looks }) => changeRate(looks, usual));
  const counts = await weightsOf(disk, dir, pages, weights);
  const visits = (starve === 'none' ? fairVisits : bestVisits)(rates, counts, budget);
  const path = join(refreshDir(dir), SCHEDULE_FILE);
  const due = await write(disk, path, pages, rates, visits, now);
  const total = counts.reduce((sum, weight) => sum + weight, 0);
  const fresh = (of: (i: number) => number) =>
    rates.reduce((sum, rate, i) => sum + counts[i] * freshness(rate, of(i)), 0) / total;
  return {
    ...{ path, due, pages: pages.length },
    visited: visits.filter((f) => f > 0).length,
    freshness: fresh((i) => visits[i]),
    even: fresh(() => budget / pages.length),
  };
}

/** The mean time between looks. */
function usualTime(pages: readonly LookedAt[]): number {
  let [sum, count] = [0, 0];
  for (const { looks } of pages) {
    for (const { time } of looks) sum += time;
    count += looks.length;
  }
  return count === 0 ? USUAL : sum / count;
}

async function weightsOf(
  disk: Disk,
  dir: string,
  pages: readonly LookedAt[],
  by: ScheduleOptions['weights'],
): Promise<Float64Array> {
  const weights = new Float64Array(pages.length).fill(1);
  if (by === 'even') return weights;
  const graph = await openGraph(graphDir(dir), disk);
  try {
    const scores = await new Collection(graph).pageRank();
    const least = scores.reduce((low, score) => Math.min(low, score), Number.POSITIVE_INFINITY);
    for (const [i, { url }] of pages.entries()) {
      const node = await graph.names.id(url);
      weights[i] = (node === undefined ? least : scores[node]) * graph.nodes;
    }
  } finally {
    await graph.close();
  }
  return weights;
}

async function write(
  disk: Disk,
  path: string,
  pages: readonly LookedAt[],
  rates: Float64Array,
  visits: Float64Array,
  now: Millis,
): Promise<number> {
  let due = 0;
  await writeText(disk, path, async (file) => {
    let text = HEAD;
    for (const [i, { url, last }] of pages.entries()) {
      const next = visits[i] === 0 ? Number.POSITIVE_INFINITY : last + DAY / visits[i];
      if (next <= now) due++;
      const columns = [
        url,
        rates[i].toPrecision(4),
        visits[i].toPrecision(4),
        iso(last),
        iso(next),
      ];
      text += `${columns.join('\t')}\n`;
      if (text.length < 2 ** 16 && i < pages.length - 1) continue;
      await file.write(Buffer.from(text));
      text = '';
    }
  });
  return due;
}

/** Latest date that can be written; `never` beyond it. */
const LAST: Millis = 8.64e15;
const iso = (time: Millis): string => (time <= LAST ? new Date(time).toISOString() : 'never');

/** The URLs that are due at a time, the longest overdue first. */
export async function dueIn(disk: Disk, dir: string, now: Millis): Promise<string[]> {
  const path = join(refreshDir(dir), SCHEDULE_FILE);
  const due: { url: string; next: Millis }[] = [];
  try {
    for await (const lines of readLines(disk, path)) {
      for (const line of lines) {
        const [url, , , , when] = line.split('\t');
        const next = Date.parse(when ?? '');
        if (next <= now) due.push({ url, next });
      }
    }
  } catch (error) {
    if (!(error instanceof DrumlinError && error.code === 'FILE_MISSING')) throw error;
    throw new DrumlinError(
      'NO_SCHEDULE',
      `${dir} has no schedule.`,
      `Make one first: drumlin refresh schedule ${dir} --budget 10k/day`,
    );
  }
  return due.sort((a, b) => a.next - b.next).map(({ url }) => url);
}

function nothingSeen(dir: string): DrumlinError {
  return new DrumlinError(
    'NOTHING_CAPTURED',
    `${dir} and the collections it came from hold no living page.`,
    'See what it holds with "drumlin archive list".',
    { exitCode: EXIT.damaged },
  );
}
