/** A crawl at a glance: its status as `drumlin status` has it, its limits, its history. */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { type CrawlStatus, StatusReader } from '../../crawl/monitor/status.ts';
import type { Status } from '../../crawl/monitor/status-file.ts';
import { statusSentence } from '../../crawl/monitor/status-words.ts';
import { type Stretch, stretches } from '../../crawl/record/series.ts';
import { lastCheckpoint } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import type { Disk } from '../../disk/disk.ts';

/** How far a crawl is from one of its limits. */
export interface LimitView {
  readonly of: 'pages' | 'bytes' | 'time';
  readonly done: number;
  readonly limit: number;
  /** Undefined while nothing moves. */
  readonly left: Millis | undefined;
}

interface Overview extends Omit<CrawlStatus, 'live'> {
  /** How it is, what is wrong, and what to do. */
  readonly sentence: string;
  readonly fetching: number | undefined;
  readonly limits: readonly LimitView[];
  /** Shares of the pages fetched. */
  readonly shares: { readonly duplicate: number; readonly spam: number | undefined };
  readonly memory: number | undefined;
  readonly cpuSeconds: number | undefined;
  readonly agents: number;
  readonly seeds: number;
  readonly pausedHosts: unknown;
  readonly top: readonly unknown[];
}

export function overviewOf(disk: Disk, dir: string, now: Millis): Promise<Overview> {
  return overviews(disk, dir)(now);
}

/** The overview of a crawl for watchers, who ask again and again. */
export function overviews(disk: Disk, dir: string): (now: Millis) => Promise<Overview> {
  const reader = new StatusReader(disk, dir);
  return async (now) => overviewFrom(await reader.read(now), now);
}

function overviewFrom(
  { live, asked, ...status }: Awaited<ReturnType<StatusReader['read']>>,
  now: Millis,
): Overview {
  const { agents, seeds } = asked;
  const { counters } = status;
  const share = (count: number) => (counters.pages === 0 ? 0 : count / counters.pages);
  return {
    ...status,
    sentence: statusSentence({ ...status, live }, now),
    fetching: live?.fetching,
    limits: live ? limitViews(live) : [],
    shares: {
      duplicate: share(counters.duplicates),
      spam: counters.spam && share(counters.spam.pages ?? 0),
    },
    memory: live?.memory,
    cpuSeconds: live?.cpuSeconds,
    agents,
    seeds: seeds.length,
    pausedHosts: live?.vitals.waiting,
    top: live?.vitals.top ?? [],
  };
}

/** A line of the list of crawls; one that cannot be read must not hide the others. */
export async function summaryOf(disk: Disk, dir: string, now: Millis) {
  try {
    const { state, counters, sentence, paused } = await overviewOf(disk, dir, now);
    return { state, paused, pages: counters.pages, sentence };
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    const sentence = `${error.fact} ${error.remedy}`;
    return { state: 'unreadable', paused: false, pages: 0, sentence };
  }
}

type Limited = Pick<
  Status,
  'pages' | 'bytes' | 'elapsed' | 'maxPages' | 'maxBytes' | 'maxTime' | 'rate'
>;

export function limitViews(live: Limited): LimitView[] {
  const { pages, bytes, elapsed, maxPages, maxBytes, maxTime, rate } = live;
  const rows: readonly (readonly [LimitView['of'], number, number, number])[] = [
    ['pages', pages, maxPages, rate.pages],
    ['bytes', bytes, maxBytes, rate.bytes],
    ['time', elapsed, maxTime, 1000],
  ];
  return rows
    .filter(([, , limit]) => Number.isFinite(limit))
    .map(([of, done, limit, perSecond]) => ({
      ...{ of, done, limit },
      left: perSecond > 0 ? (Math.max(0, limit - done) / perSecond) * 1000 : undefined,
    }));
}

/** The history of a crawl from its first second, in at most 360 stretches. */
export async function historyOf(disk: Disk, dir: string): Promise<readonly Stretch[]> {
  const { agents } = await askedOf(disk, dir);
  const saved = await lastCheckpoint(disk, dir, agents);
  return saved ? stretches(saved.series) : [];
}
