/**
 * The domains of a crawl, read from its folder; the crawl may be running.
 *
 * Idea      Each agent's last checkpoint names the file of its records, which does not change until
 *           there is a newer checkpoint. To compute ranks, the scores and keys of all domains are
 *           kept in memory, 16 bytes each; of the records, only those to return.
 * Ensures   A rank is the one that the crawl itself uses, by the scores of the checkpoint. A
 *           running crawl is not disturbed. Data newer than the last merge of an agent's book is
 *           not seen.
 */

import { DrumlinError, EXIT } from '../../base/errors.ts';
import { flatOut, type Pacer } from '../../base/pacer.ts';
import { resolveConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { readList } from '../../filter/list-file.ts';
import { eachStored, type KeyedRecord } from '../../reputation/budget/domain-book.ts';
import type { DomainRecord } from '../../reputation/budget/domain-record.ts';
import { AllRanks, type RankName, SCORES, type Score } from '../../reputation/budget/standing.ts';
import { listScore } from '../transport/list-score.ts';
import { bookOf } from './agent-folder.ts';
import { askedOf } from './crawl-folder.ts';

/** A domain as `drumlin domains` shows it. */
export interface DomainRow {
  /** Rank from 1, each given once; absent for a domain with a score of 0. */
  readonly rank?: number;
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
  readonly state: 'blocked' | 'trusted' | 'set' | 'exchange' | '';
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
  const ranks = new AllRanks();
  let domains = 0;
  let best: KeyedRecord[] = [];
  const before = comparison(sort, scoreOf);
  await eachRecord(disk, dir, agents, (key, record) => {
    ranks.add(scoreOf(record), key);
    domains++;
    best.push({ key, record });
    if (best.length > 2 * top + 1024) best = best.sort(before).slice(0, top);
  });
  best = best.sort(before).slice(0, top);
  return {
    by: rank,
    domains,
    rows: best.map(({ key, record }) => rowOf(record, ranks.rankOf(scoreOf(record), key))),
  };
}

async function ranksOnce(disk: Disk, dir: string): Promise<[domain: string, rank: number][]> {
  const { agents, scoreOf } = await scoringOf(disk, dir);
  const ranks = new AllRanks();
  const fetched: { name: string; score: number; key: bigint }[] = [];
  await eachRecord(disk, dir, agents, (key, record) => {
    const score = scoreOf(record);
    ranks.add(score, key);
    if (record.pages > 0) fetched.push({ name: record.name, score, key });
  });
  return fetched.flatMap(({ name, score, key }) => {
    const rank = ranks.rankOf(score, key);
    return rank === undefined ? [] : [[name, rank] as [string, number]];
  });
}

/** How the domains of a crawl are ranked; throws if they are not. */
export async function scoringOf(disk: Disk, dir: string) {
  const { agents, settings } = await askedOf(disk, dir);
  const { order, rank, rankFile } = resolveConfig(settings);
  if (order !== 'budget') throw noBudgets(dir);
  const scoreOf = rank === 'list' ? listScore(await readList(disk, rankFile, true)) : SCORES[rank];
  return { agents, rank, scoreOf };
}

/** Calls back with the records of all agents that have a name. */
export async function eachRecord(
  disk: Disk,
  dir: string,
  agents: number,
  each: (key: bigint, record: DomainRecord) => void,
  pacer: Pacer = flatOut,
): Promise<void> {
  for (let agent = 0; agent < agents; agent++) {
    const book = await bookOf(disk, dir, agent);
    if (!book) continue;
    const eachNamed = (key: bigint, record: DomainRecord) => {
      if (record.name !== '') each(key, record);
    };
    await eachStored(disk, book.folder, book.frozen, eachNamed, pacer);
  }
}

/** What the operator decided, or that it exchanges links. */
export function stateOf({ override, exchangesLinks }: DomainRecord): DomainRow['state'] {
  if (override === undefined) return exchangesLinks ? 'exchange' : '';
  return typeof override === 'number' ? 'set' : override;
}

export function rowOf(record: DomainRecord, rank: number | undefined): DomainRow {
  const { name, inDegree, supporters, cash, budget, pages, urls, refused, firstSeen } = record;
  const { spam } = record;
  return {
    ...(rank !== undefined && { rank }),
    domain: name,
    inDegree,
    supporters,
    cash,
    budget,
    fetched: pages,
    queued: Math.max(0, urls - refused - pages),
    ...(spam !== undefined && { spam }),
    state: stateOf(record),
    firstSeen: new Date(firstSeen * 1000),
  };
}

type Compare = (a: KeyedRecord, b: KeyedRecord) => number;

function comparison(sort: Column, score: Score): Compare {
  const value: Readonly<Record<Exclude<Column, 'domain'>, (record: DomainRecord) => number>> = {
    rank: score,
    in: ({ inDegree }) => inDegree,
    supporters: ({ supporters }) => supporters ?? 0,
    budget: ({ budget }) => budget,
    fetched: ({ pages }) => pages,
    queued: ({ urls, refused, pages }) => Math.max(0, urls - refused - pages),
    spam: ({ spam }) => spam ?? 0,
  };
  const byName: Compare = (a, b) => (a.record.name < b.record.name ? -1 : 1);
  const byKey: Compare = (a, b) => (a.key < b.key ? -1 : 1);
  if (sort === 'domain') return byName;
  const of = value[sort];
  // As ranks are: domains with one score in the order of their keys, those without a rank by name.
  const ties: Compare = (a, b) =>
    sort === 'rank' && score(a.record) > 0 ? byKey(a, b) : byName(a, b);
  return (a, b) => of(b.record) - of(a.record) || ties(a, b);
}

function noBudgets(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_BUDGETS',
    `The crawl in ${dir} keeps no records of domains: it is breadth first (--order bfs).`,
    'Crawl with --order budget, or build a graph: drumlin graph build.',
    { exitCode: EXIT.folder },
  );
}
