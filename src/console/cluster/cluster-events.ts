/**
 * What has happened in a cluster since its console was opened, as lines of a log: read off the
 * changes of the book. The log of each worker has more; it is in the folder of the worker.
 *
 * Ensures   Lines are numbered from 0 without gaps; the last thousand are kept.
 */
import type { Clock } from '../../base/clock.ts';
import type { AgentEntry } from '../../cluster/lease/agent-lease.ts';
import {
  type ClusterState,
  type ClusterTuning,
  KEYS,
  type LeaderEntry,
  type SteeredText,
  type WorkerEntry,
} from '../../cluster/members/keys.ts';

interface EventLine {
  readonly time: string;
  readonly event: string;
  readonly [fact: string]: unknown;
}

interface EventQuery {
  readonly event?: string | undefined;
  readonly contains?: string | undefined;
  readonly before?: number | undefined;
  readonly count: number;
}

type News = readonly [event: string, facts: Readonly<Record<string, unknown>>];

const KEPT = 1000;

export class ClusterEvents {
  readonly #clock: Clock;
  readonly #known = new Map<string, unknown>();
  readonly #lines: EventLine[] = [];
  #isBegun = false;
  /** The number of the first line that is kept. */
  #from = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the book holds is known: from now on, changes are events. */
  begin(): void {
    this.#isBegun = true;
  }

  get end(): number {
    return this.#from + this.#lines.length;
  }

  changed(key: string, value: unknown): void {
    const before = this.#known.get(key);
    if (value === undefined) this.#known.delete(key);
    else this.#known.set(key, value);
    if (!this.#isBegun) return;
    for (const [event, facts] of newsOf(key, before, value)) {
      this.#lines.push({ time: new Date(this.#clock.now()).toISOString(), event, ...facts });
      if (this.#lines.length > KEPT) {
        this.#lines.shift();
        this.#from++;
      }
    }
  }

  after(from: number): { readonly lines: readonly EventLine[]; readonly end: number } {
    return { lines: this.#lines.slice(Math.max(0, from - this.#from)), end: this.end };
  }

  /** Newest first. */
  page({ event, contains = '', before = this.end, count }: EventQuery) {
    const lines: EventLine[] = [];
    let at = Math.min(before, this.end);
    while (at > this.#from && lines.length < count) {
      const line = this.#lines[--at - this.#from];
      const isOne = event === undefined || line.event === event;
      if (isOne && JSON.stringify(line).includes(contains)) lines.push(line);
    }
    return { lines, before: at > this.#from ? at : 0, end: this.end };
  }
}

function newsOf(key: string, before: unknown, after: unknown): News[] {
  const [, agent] = /^agent\.(\d+)$/.exec(key) ?? [];
  if (agent !== undefined)
    return agentNews(Number(agent), before as AgentEntry, after as AgentEntry);
  const [, worker] = /^worker\.(.+)$/.exec(key) ?? [];
  if (worker !== undefined) return workerNews(worker, before as WorkerEntry, after as WorkerEntry);
  if (after === undefined) return [];
  if (key === KEYS.leader) {
    const { worker: leader, term } = after as LeaderEntry;
    return (before as LeaderEntry | undefined)?.term === term
      ? []
      : [['cluster-leader', { worker: leader, term }]];
  }
  if (key === KEYS.state) {
    const { phase, reason } = after as ClusterState;
    return [['cluster-phase', { phase, reason }]];
  }
  return steeringNews(key, after);
}

function agentNews(agent: number, before: AgentEntry | undefined, after: AgentEntry): News[] {
  if (!before || !after) return [];
  const { epoch, worker, commits, pages } = after;
  const news: News[] = [];
  if (epoch !== before.epoch)
    news.push(['agent-taken', { agent, epoch, worker, before: before.worker }]);
  if (commits !== before.commits) news.push(['agent-committed', { agent, epoch, pages }]);
  if (worker === '' && before.worker !== '')
    news.push(['agent-left', { agent, epoch, worker: before.worker }]);
  return news;
}

function workerNews(
  worker: string,
  before: WorkerEntry | undefined,
  after: WorkerEntry | undefined,
): News[] {
  if (!after) return [['worker-left', { worker }]];
  if (!before) return [['worker-joined', { worker, host: after.host }]];
  if (before.pid !== after.pid) return [['worker-joined', { worker, host: after.host }]];
  return after.draining && !before.draining ? [['worker-draining', { worker }]] : [];
}

function steeringNews(key: string, value: unknown): News[] {
  if (key === KEYS.filters) {
    const { text, by } = value as SteeredText;
    return [['filters-changed', { by, filters: text }]];
  }
  if (key === KEYS.domains) return [['domains-changed', { by: (value as SteeredText).by }]];
  if (key !== KEYS.tuning) return [];
  const { by, settings, paused } = value as ClusterTuning;
  return [['settings-changed', { by, changes: { ...settings, paused } }]];
}
