/** A cluster at a glance: what the book says and what its workers report, added up. */
import type { Bytes, Millis } from '../../base/units.ts';
import { settingsOf } from '../../cluster/create.ts';
import type { ClusterCrawl } from '../../cluster/members/keys.ts';
import type { WorkerReport } from '../../cluster/members/worker-report.ts';
import type { ClusterStatus } from '../../cluster/status.ts';
import { resolveConfig } from '../../config/settings.ts';
import type { Rate } from '../../crawl/monitor/rates.ts';
import {
  type AgentProgress,
  addUp,
  type CountersState,
  countersOf,
  NOTHING_YET,
} from '../../crawl/record/counters.ts';
import { mostPages, type TopDomain } from '../../crawl/record/top-domains.ts';
import { type LimitView, limitViews } from '../look/overview.ts';

/** The sums over all agents, as of one look. */
export interface Totals {
  /** Of the whole crawl, up to now where a worker answers, else committed. */
  readonly pages: number;
  readonly bytes: Bytes;
  /** Queues now; counts since the workers that answer have started. */
  readonly progress: AgentProgress;
}

export interface ClusterOverview {
  readonly kind: 'cluster';
  readonly state: 'running' | 'stopping' | 'silent' | 'ended' | 'new';
  readonly sentence: string;
  readonly trouble: boolean;
  readonly paused: boolean;
  readonly run: number;
  readonly startedAt: Millis | undefined;
  readonly objects: string;
  readonly counters: CountersState;
  readonly rate: Rate | undefined;
  readonly fetching: number;
  readonly front: number;
  readonly waiting: number;
  readonly onDisk: number;
  readonly urlsUnique: number;
  readonly hosts: number;
  readonly domains: number;
  readonly memory: Bytes;
  readonly cpuSeconds: number;
  readonly limits: readonly LimitView[];
  readonly committed: {
    readonly pages: number;
    readonly bytes: Bytes;
    /** The time of the oldest commit that counts; undefined if an agent has none. */
    readonly oldest: Millis | undefined;
  };
  readonly workers: readonly object[];
  readonly agents: readonly object[];
  readonly top: readonly TopDomain[];
}

export function totalsOf(
  { agents }: ClusterStatus,
  reports: ReadonlyMap<string, WorkerReport>,
  before: Totals | undefined,
): Totals {
  const live = new Map(
    [...reports.values()].flatMap((report) => report.agents.map((one) => [one.agent, one])),
  );
  const sum = (column: 'pages' | 'bytes') =>
    agents.reduce((all, one) => all + Math.max(one[column], live.get(one.agent)?.[column] ?? 0), 0);
  return {
    pages: Math.max(before?.pages ?? 0, sum('pages')),
    bytes: Math.max(before?.bytes ?? 0, sum('bytes')),
    progress: addUp([NOTHING_YET, ...[...reports.values()].map(({ progress }) => plain(progress))]),
  };
}

/** Only what adds up. */
function plain(told: AgentProgress): AgentProgress {
  const { fetching, queued, backlog, front, hosts, domains, urlsUnique, forgotten } = told;
  return {
    ...countersOf(told),
    ...{ fetching, queued, backlog, front, hosts, domains, urlsUnique, forgotten },
  };
}

interface Look {
  readonly status: ClusterStatus;
  readonly totals: Totals;
  readonly reports: ReadonlyMap<string, WorkerReport>;
  readonly now: Millis;
  readonly crawl: ClusterCrawl | undefined;
  readonly rate: Rate | undefined;
  /** Why the brokers do not answer; undefined if they do. */
  readonly silence: string | undefined;
}

/** Domains with the most pages that are shown. */
const TOP = 200;

export function overviewOf(look: Look): ClusterOverview {
  const { status, totals, reports, rate, silence } = look;
  const { paused, run, startedAt, objects } = status;
  const { progress, pages, bytes } = totals;
  const { fetching, front, queued, backlog, urlsUnique, hosts, domains } = progress;
  const all = [...reports.values()];
  const sum = (column: 'memory' | 'cpuSeconds') => all.reduce((n, one) => n + one[column], 0);
  return {
    kind: 'cluster',
    state: silence === undefined ? STATES[status.phase] : 'silent',
    sentence:
      silence === undefined
        ? status.sentence
        : `The brokers do not answer (${silence}). Workers fetch nothing either, after some seconds. Next, check that more than half of the brokers run.`,
    trouble: silence !== undefined || status.isTroubled,
    ...{ paused, run, startedAt, objects, rate, fetching, front, urlsUnique, hosts, domains },
    ...{ counters: { ...countersOf(progress), pages, bytes }, waiting: queued, onDisk: backlog },
    ...{ memory: sum('memory'), cpuSeconds: sum('cpuSeconds'), limits: limitsOf(look) },
    committed: { pages: status.pages, bytes: status.bytes, oldest: oldestCommit(status) },
    workers: status.workers.map((one) => workerRow(one, reports.get(one.worker))),
    agents: status.agents.map((one) => agentRow(one, reports.get(one.worker))),
    top: mostPages(
      all.map(({ progress: { vitals } }) => vitals.top),
      TOP,
    ),
  };
}

const STATES = {
  running: 'running',
  stopping: 'stopping',
  concluding: 'stopping',
  ended: 'ended',
  unknown: 'new',
} as const;

function limitsOf({ crawl, totals, rate, status, now }: Look): readonly LimitView[] {
  if (!crawl || status.phase !== 'running') return [];
  const { maxPages, maxBytes, maxTime } = resolveConfig(settingsOf(crawl));
  const elapsed = now - (status.startedAt ?? now);
  return limitViews({
    ...{ pages: totals.pages, bytes: totals.bytes, elapsed, maxPages, maxBytes, maxTime },
    rate: rate ?? { pages: 0, bytes: 0 },
  });
}

function oldestCommit({ agents }: ClusterStatus): Millis | undefined {
  const times = agents.map(({ committedAt }) => committedAt);
  return times.some((at) => at === undefined) || times.length === 0
    ? undefined
    : Math.min(...times.flatMap((at) => at ?? []));
}

function workerRow(worker: ClusterStatus['workers'][number], report: WorkerReport | undefined) {
  if (!report) return { ...worker, answers: false };
  const { progress, memory, cpuSeconds, agents } = report;
  return {
    ...{ ...worker, answers: true, memory, cpuSeconds, startedAt: progress.startedAt },
    ...{ fetching: progress.fetching, queued: progress.queued, front: progress.front },
    pages: progress.pages,
    agents: agents.length > 0 ? agents.map(({ agent }) => agent) : worker.agents,
  };
}

function agentRow(agent: ClusterStatus['agents'][number], report: WorkerReport | undefined) {
  const now = report?.agents.find((one) => one.agent === agent.agent);
  return { ...agent, now: now?.pages, queued: now?.queued, idle: now?.idle };
}
