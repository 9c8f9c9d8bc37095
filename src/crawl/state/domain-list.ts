/**
 * The domains of a crawl, read from its folder; the crawl may be running.
 *
 * Idea      Each agent's last checkpoint names the file of its records, which does not change until
 *           there is a newer checkpoint. To compute ranks, the scores of all domains are kept in
 *           memory, eight bytes each; of the records, only those to return.
 * Ensures   A running crawl is not disturbed. Data newer than the last merge of an agent's book is
 *           not seen.
 */

import { DrumlinError, EXIT } from '../../base/errors.ts';
import { resolveConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { readList } from '../../filter/list-file.ts';
import { storedRecords } from '../../reputation/budget/domain-book.ts';
import type { DomainRecord } from '../../reputation/budget/domain-record.ts';
import { type RankName, SCORES, type Score } from '../../reputation/budget/standing.ts';
import { listScore } from '../transport/list-score.ts';
import { bookOf } from './agent-folder.ts';
import { askedOf } from './crawl-folder.ts';

/** A domain as `drumlin domains` shows it. */
export interface DomainRow {
  /** Rank from 1 among all domains of the crawl; ties are ordered by name. */
  readonly rank: number;
  readonly domain: string;
  readonly inDegree: number;
  readonly supporters: number | undefined;
  readonly cash: number;
  readonly budget: number;
  readonly fetched: number;
  /** URLs that passed the sieve and were not fetched: queued, skipped by robots.txt, or failed. */
  readonly queued: number;
  /** The probability that it is spam, by the last verdict; absent without verdicts. */
  readonly spam?: number;
  readonly state: 'blocked' | 'trusted' | 'set' | '';
  readonly firstSeen: Date;
}

export const COLUMNS = [
  'rank',
  'in',
  'supporters',
  'budget',
  'fetched',
  'queued',
  'spam',
  'domain',
] as const;
export type Column = (typeof COLUMNS)[number];

export interface DomainList {
  readonly by: RankName;
  readonly domains: number;
  readonly rows: readonly DomainRow[];
}

/** The most tries: a running crawl may replace a checkpoint while it is read. */
const ATTEMPTS = 5;

/** The first `top` domains by a column: lowest rank, first name, or highest number first. */
export function listDomains(
  disk: Disk,
  dir: string,
  sort: Column,
  top: number,
): Promise<DomainList> {
  return repeatedly(() => listOnce(disk, dir, sort, top));
}

/**
 * The ranks of all domains with fetched pages; none if there is no crawl, or it does not rank
 * domains.
 */
export async function ranksOf(disk: Disk, dir: string): Promise<[domain: string, rank: number][]> {
  const asked = await askedOf(disk, dir).catch((error: unknown) => {
    if (error instanceof DrumlinError) return undefined;
    throw error;
  });
  if (asked === undefined) return [];
  const { order, rank } = resolveConfig(asked.settings);
  if (order !== 'budget' || rank === 'none') return [];
  return repeatedly(() => ranksOnce(disk, dir));
}

export async function repeatedly<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isGone = error instanceof DrumlinError && error.code === 'FILE_MISSING';
      if (!isGone || attempt === ATTEMPTS) throw error;
    }
  }
}

async function listOnce(disk: Disk, dir: string, sort: Column, top: number): Promise<DomainList> {
  const { agents, rank, scoreOf } = await scoringOf(disk, dir);
  const scores: number[] = [];
  let best: DomainRecord[] = [];
  const before = comparison(sort, scoreOf);
  for await (const record of recordsOf(disk, dir, agents)) {
    scores.push(scoreOf(record));
    best.push(record);
    if (best.length > 2 * top + 1024) best = best.sort(before).slice(0, top);
  }
  const better = betterThan(scores);
  best = best.sort(before).slice(0, top);
  return {
    by: rank,
    domains: scores.length,
    rows: best.map((record) => rowOf(record, better(scoreOf(record)) + 1)),
  };
}

async function ranksOnce(disk: Disk, dir: string): Promise<[domain: string, rank: number][]> {
  const { agents, scoreOf } = await scoringOf(disk, dir);
  const scores: number[] = [];
  const fetched: [domain: string, score: number][] = [];
  for await (const record of recordsOf(disk, dir, agents)) {
    const score = scoreOf(record);
    scores.push(score);
    if (record.pages > 0) fetched.push([record.name, score]);
  }
  const better = betterThan(scores);
  return fetched.map(([domain, score]) => [domain, better(score) + 1]);
}

/** How the domains of a crawl are ranked; throws if they are not. */
export async function scoringOf(disk: Disk, dir: string) {
  const { agents, settings } = await askedOf(disk, dir);
  const { order, rank, rankFile } = resolveConfig(settings);
  if (order !== 'budget') throw noBudgets(dir);
  const scoreOf = rank === 'list' ? listScore(await readList(disk, rankFile, true)) : SCORES[rank];
  return { agents, rank, scoreOf };
}

/** The records of all agents. */
export async function* recordsOf(
  disk: Disk,
  dir: string,
  agents: number,
): AsyncGenerator<DomainRecord> {
  for (let agent = 0; agent < agents; agent++) {
    const book = await bookOf(disk, dir, agent);
    if (!book) continue;
    for await (const { record } of storedRecords(disk, book.folder, book.frozen))
      if (record.name !== '') yield record;
  }
}

/** How many of the scores are better than one. */
function betterThan(scores: readonly number[]): (score: number) => number {
  const ascending = Float64Array.from(scores).sort();
  return (score) => ascending.length - firstAbove(ascending, score);
}

export function rowOf(record: DomainRecord, rank: number): DomainRow {
  const { name, inDegree, supporters, cash, budget, pages, urls, refused, override, firstSeen } =
    record;
  const { spam } = record;
  return {
    rank,
    domain: name,
    inDegree,
    supporters,
    cash,
    budget,
    fetched: pages,
    queued: Math.max(0, urls - refused - pages),
    ...(spam !== undefined && { spam }),
    state: typeof override === 'number' ? 'set' : (override ?? ''),
    firstSeen: new Date(firstSeen * 1000),
  };
}

type Compare = (a: DomainRecord, b: DomainRecord) => number;

function comparison(sort: Column, score: Score): Compare {
  const value: Readonly<Record<Exclude<Column, 'domain'>, (record: DomainRecord) => number>> = {
    rank: score,
    in: ({ inDegree }) => inDegree,
    supporters: ({ supporters }) => supporters ?? 0,
    budget: ({ budget }) => budget,
    fetched: ({ pages }) => pages,
    queued: ({ urls, refused, pages }) => urls - refused - pages,
    spam: ({ spam }) => spam ?? 0,
  };
  const byName: Compare = (a, b) => (a.name < b.name ? -1 : 1);
  if (sort === 'domain') return byName;
  const of = value[sort];
  return (a, b) => of(b) - of(a) || byName(a, b);
}

/** The index of the first of the ascending numbers that is above `bound`. */
function firstAbove(numbers: Float64Array, bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function noBudgets(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_BUDGETS',
    `The crawl in ${dir} keeps no records of domains: it is breadth first (--order bfs).`,
    'Crawl with --order budget, or build a graph: drumlin graph build.',
    { exitCode: EXIT.folder },
  );
}
