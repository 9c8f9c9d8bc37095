/**
 * The state of a cluster, from its book alone: workers, agents, what is committed, and a sentence
 * that says how it is and what to do. `drumlin cluster status` and the console print it.
 *
 * Ensures   An agent counts as without a worker if it is free, or if its owner has not renewed its
 *           lease for the time of a takeover; a worker counts as silent after the same time.
 */
import { type Bytes, counted, formatCount, formatDuration, type Millis } from '../base/units.ts';
import { ENDINGS } from '../crawl/monitor/status-words.ts';
import type { Book } from './lease/book.ts';
import { leaseTimes } from './lease/lease-times.ts';
import {
  type ClusterCrawl,
  type ClusterTuning,
  KEYS,
  type Phase,
  workerKey,
} from './members/keys.ts';
import { View } from './members/view.ts';

interface AgentStatus {
  readonly agent: number;
  /** '' if no worker runs it. */
  readonly worker: string;
  readonly epoch: number;
  /** At its committed checkpoint. */
  readonly pages: number;
  readonly bytes: Bytes;
  readonly commits: number;
  readonly committedAt: Millis | undefined;
  /** It has concluded this run of the crawl: it needs no worker. */
  readonly isDone: boolean;
}

interface WorkerStatus {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  readonly weight: number;
  readonly draining: boolean;
  readonly leads: boolean;
  /** It has not renewed its entry for the time of a takeover. */
  readonly silent: boolean;
  readonly agents: readonly number[];
}

export interface ClusterStatus {
  readonly name: string;
  readonly phase: Phase | 'unknown';
  readonly paused: boolean;
  readonly run: number;
  readonly startedAt: Millis | undefined;
  readonly objects: string;
  /** Committed, of all agents. */
  readonly pages: number;
  readonly bytes: Bytes;
  readonly workers: readonly WorkerStatus[];
  readonly agents: readonly AgentStatus[];
  /** How it is, what is wrong, and what to do. */
  readonly sentence: string;
  readonly isTroubled: boolean;
}

/** How often an entry would have been renewed, before it counts as that of a dead worker. */
const BEATS = 2.5;

/**
 * The book after a look of some seconds, and the time at which to judge it. Entries have no time
 * of their own: who lives renews them meanwhile. What was not renewed is as old as a takeover.
 */
export async function lookAtCluster(
  book: Book,
  even: () => Millis,
  wait: (time: Millis) => Promise<void>,
): Promise<{ readonly view: View; readonly now: Millis }> {
  let ahead = 0;
  const now = () => even() + ahead;
  const { view, stop } = await View.open(book, now, () => {});
  const { renew, takeOver } = leaseTimes(view.get<ClusterCrawl>(KEYS.crawl)?.value.pace ?? 1);
  try {
    if (view.state && view.state.phase !== 'ended') {
      await wait(BEATS * renew);
      ahead = takeOver - BEATS * renew;
    }
  } finally {
    stop();
  }
  return { view, now: now() };
}

/** `now` is of the clock of the view; `brokers` is for the commands in the sentence. */
export function clusterStatus(
  view: View,
  name: string,
  now: Millis,
  brokers: string,
): ClusterStatus {
  const crawl = view.get<ClusterCrawl>(KEYS.crawl)?.value;
  const state = view.state;
  const { takeOver } = leaseTimes(crawl?.pace ?? 1);
  const living = view.workers(takeOver);
  const agents = agentsOf(view, crawl?.agents ?? 0, takeOver, now);
  const workers = [...view.workers(Infinity)].map(([worker, entry]) => ({
    ...{ worker, host: entry.host, pid: entry.pid, weight: entry.weight, draining: entry.draining },
    leads: view.leader?.value.worker === worker,
    silent: !living.has(worker),
    agents: agents.filter((one) => one.worker === worker).map(({ agent }) => agent),
  }));
  const paused = view.get<ClusterTuning>(KEYS.tuning)?.value.paused ?? false;
  const facts = {
    ...{ name, paused, workers, agents, phase: state?.phase ?? ('unknown' as const) },
    ...{ run: state?.run ?? 0, startedAt: state?.startedAt, objects: crawl?.objects ?? '' },
    pages: agents.reduce((sum, { pages }) => sum + pages, 0),
    bytes: agents.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  const said = words(facts, ENDINGS[state?.reason ?? 'finished'], takeOver, brokers);
  return { ...facts, sentence: said.text, isTroubled: said.isTrouble };
}

function agentsOf(view: View, count: number, takeOver: Millis, now: Millis): AgentStatus[] {
  return Array.from({ length: count }, (_, agent) => {
    const seen = view.agent(agent);
    const { worker = '', epoch = 0, pages = 0, bytes = 0, commits = 0 } = seen?.value ?? {};
    const isHeld = worker !== '' && seen !== undefined && now - seen.at < takeOver;
    const owner = isHeld && view.get(workerKey(worker)) ? worker : '';
    const isDone = seen !== undefined && seen.value.done === view.state?.run;
    const committedAt = seen?.value.committedAt;
    return { agent, worker: owner, epoch, pages, bytes, commits, committedAt, isDone };
  });
}

type Facts = Omit<ClusterStatus, 'sentence' | 'isTroubled'>;

function words(
  { name, phase, paused, workers, agents, pages }: Facts,
  ending: string,
  takeOver: Millis,
  brokers: string,
): { readonly text: string; readonly isTrouble: boolean } {
  const on = `${name} --brokers ${brokers}`;
  const living = workers.filter(({ silent }) => !silent).length;
  const free = agents.filter(isFree).map(({ agent }) => agent);
  const committed = `${counted(pages, 'page')} committed`;
  const said = (text: string, why: string, command: string, isTrouble = false) => ({
    text: `${text} Next, ${why}: drumlin cluster ${command}`,
    isTrouble,
  });
  if (phase === 'unknown') return { text: 'The cluster is being created.', isTrouble: false };
  if (phase === 'ended')
    return said(`Not running: ${ending}; ${committed}.`, 'to run it again', `resume ${on}`);
  if (living === 0)
    return said(
      `${phase === 'running' ? 'Running' : 'Stopping'}, but no worker is there; ${committed}.`,
      'to continue',
      `join ${on} --dir FOLDER`,
      true,
    );
  const by = `${counted(living, 'worker')}, ${committed}`;
  if (phase !== 'running')
    return said(
      `Stopping, ${ending}: ${by}.${lost(free, takeOver)}`,
      'to see when it has ended',
      `status ${on}`,
      free.length > 0,
    );
  if (paused)
    return said(
      `Paused by the operator: ${by}.${lost(free, takeOver)}`,
      'to continue',
      `set ${on} paused=no`,
      free.length > 0,
    );
  return said(
    `Running: ${by}.${lost(free, takeOver)}`,
    'to stop it',
    `stop ${on}`,
    free.length > 0,
  );
}

const isFree = ({ worker, isDone }: AgentStatus): boolean => worker === '' && !isDone;

/** What is said of agents that no worker runs. */
function lost(free: readonly number[], takeOver: Millis): string {
  if (free.length === 0) return '';
  const named = free.length > 8 ? formatCount(free.length) : free.join(', ');
  const subject =
    free.length > 8
      ? `${named} agents have`
      : `Agent${free.length > 1 ? 's' : ''} ${named} ${free.length > 1 ? 'have' : 'has'}`;
  return ` ${subject} no worker: others take over within ${formatDuration(takeOver)}.`;
}
