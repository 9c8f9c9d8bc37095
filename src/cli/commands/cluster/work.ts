/** What the commands of `drumlin cluster` do. */
import { setTimeout as later } from 'node:timers/promises';
import { DrumlinError, EXIT } from '../../../base/errors.ts';
import { type Millis, parseCount } from '../../../base/units.ts';
import {
  type Brokers,
  connectBrokers,
  refuseLazyBrokers,
  silentBrokers,
} from '../../../cluster/broker/connect.ts';
import {
  clusterMissing,
  crawlOf,
  createCluster,
  resumeCluster,
  stopCluster,
} from '../../../cluster/create.ts';
import type { Book } from '../../../cluster/lease/book.ts';
import { KEYS } from '../../../cluster/members/keys.ts';
import { clusterStatus, lookAtCluster } from '../../../cluster/status.ts';
import { drainWorker, steerText, tuneCluster } from '../../../cluster/steer.ts';
import { Worker } from '../../../cluster/worker/worker.ts';
import { DEFAULT, type Layer } from '../../../config/configuration.ts';
import { agentCount, readSetting } from '../../../config/settings.ts';
import { Disk } from '../../../disk/disk.ts';
import { openObjects } from '../../../objects/open-objects.ts';
import { openClusterConsole } from '../../foreground/open-console.ts';
import { changesIn } from '../../input/changes.ts';
import { configure } from '../../input/configure.ts';
import { interruptible, STOP_SIGNALS } from '../../input/interrupt.ts';
import { readSeeds } from '../../input/seeds.ts';

export interface BrokerFlags {
  readonly brokers: string;
}

export interface CreateFlags extends BrokerFlags {
  readonly objects: string;
  readonly monitors?: string;
  readonly durableBrokers?: boolean;
  readonly replicas?: number;
  readonly addressDelayScope: 'cluster' | 'agent';
  readonly config?: string;
}

export interface JoinFlags extends BrokerFlags {
  readonly dir: string;
  readonly weight?: number;
  readonly commit: string;
  readonly metricsPort?: number;
  readonly quiet?: boolean;
}

export interface StatusFlags extends BrokerFlags {
  readonly json?: boolean;
}

export interface ConsoleFlags extends BrokerFlags {
  readonly port: string;
  readonly host?: string;
  readonly token?: string;
}

export interface SteerFlags extends BrokerFlags {
  readonly filters?: string;
  readonly domains?: string;
}

const AGENTS = 32;
const list = (text = ''): string[] => text.split(',').filter(Boolean);
const warn = (sentence: string) => void process.stderr.write(`drumlin: ${sentence}\n`);

/** Runs `work` with the book of a cluster. */
async function withBook<Result>(
  name: string,
  { brokers: servers }: BrokerFlags,
  work: (book: Book, brokers: Brokers) => Promise<Result>,
): Promise<Result> {
  const brokers = await connectBrokers(servers, process.env);
  try {
    const book = await brokers.book(name);
    if (!book) throw clusterMissing(name);
    return await work(book, brokers);
  } catch (error) {
    throw silentBrokers(error);
  } finally {
    await brokers.close();
  }
}

export async function create(
  name: string,
  words: readonly string[],
  flags: CreateFlags,
  layers: readonly Layer[],
): Promise<void> {
  const { config, sources } = await configure({ layers, file: flags.config }, () => '');
  const agents = sources.agents === DEFAULT ? AGENTS : agentCount(config);
  await refuseLazyBrokers(list(flags.monitors), flags.durableBrokers === true);
  const store = await openObjects(flags.objects, process.env, warn);
  const brokers = await connectBrokers(flags.brokers, process.env);
  try {
    const replicas = flags.replicas ?? Math.min(3, list(flags.brokers).length);
    const book = (await brokers.book(name)) ?? (await brokers.book(name, { replicas }));
    if (!book) throw clusterMissing(name);
    await createCluster({
      ...{ book, store, objects: flags.objects, name, agents, config },
      ...{ seeds: readSeeds(words), addressScope: flags.addressDelayScope },
      now: Date.now(),
    });
  } finally {
    await brokers.close();
  }
  process.stdout.write(
    `Cluster ${name} has ${agents} agents. Run on each machine:\n  drumlin cluster join ${name} --brokers ${flags.brokers} --dir FOLDER\n`,
  );
}

/** Before a worker asks brokers that are silent again. */
const ASK_AGAIN: Millis = 1000;

/** Brokers may need a while to elect a leader: a worker that starts meanwhile waits. */
export async function join(name: string, flags: JoinFlags): Promise<number> {
  let hasJoined = false;
  for (let isTold = false; ; isTold = true) {
    try {
      return await joinNow(name, flags, () => {
        hasJoined = true;
      });
    } catch (error) {
      const isSilence = error instanceof DrumlinError && error.code === 'BROKER_SILENT';
      if (!isSilence || hasJoined) throw error;
      if (!isTold) warn(`${error.fact} Waiting for it.`);
    }
    await later(ASK_AGAIN);
  }
}

function joinNow(name: string, flags: JoinFlags, onJoined: () => void): Promise<number> {
  return withBook(name, flags, async (book, brokers) => {
    const { objects } = await crawlOf(book, name);
    const store = await openObjects(objects, process.env, warn);
    const { dir, weight, quiet, metricsPort } = flags;
    const commitEvery = Number(readSetting('checkpoint', flags.commit));
    const worker = await Worker.join(
      {
        ...{ name, brokers, store, dir, commitEvery, ownsProcess: true },
        ...(weight !== undefined && { weight }),
        ...(metricsPort !== undefined && { local: { metricsPort } }),
      },
      book,
    );
    onJoined();
    if (!quiet) process.stderr.write(`worker ${worker.id} has joined ${name}\n`);
    const drainOnce = () => {
      if (!quiet) process.stderr.write('giving the agents back; a second signal ends at once\n');
      worker.drain();
      for (const signal of STOP_SIGNALS) process.removeListener(signal, drainOnce);
    };
    for (const signal of STOP_SIGNALS) process.once(signal, drainOnce);
    const end = await worker.finished;
    if (!quiet) process.stderr.write(`worker ${worker.id} has ended: ${end}\n`);
    if (end === 'finished' || end === 'drained') return EXIT.ok;
    return end === 'interrupted' ? EXIT.interrupted : EXIT.limitReached;
  });
}

export async function status(name: string, flags: StatusFlags): Promise<void> {
  await withBook(name, flags, async (book) => {
    const { view, now } = await lookAtCluster(book, () => performance.now(), later);
    const facts = clusterStatus(view, name, now, flags.brokers);
    const { agents, workers, sentence, paused } = facts;
    if (flags.json) {
      const entries = agents.map(({ agent }) => [agent, view.agent(agent)?.value]);
      const told = {
        ...{ sentence, paused, state: view.state },
        workers: Object.fromEntries(view.workers(Infinity)),
        agents: Object.fromEntries(entries),
      };
      process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
      return;
    }
    process.stdout.write(`${name}: ${sentence}\n`);
    for (const { worker, host, draining, leads, agents: own } of workers) {
      const notes = [leads && 'leads', draining && 'draining'].filter(Boolean).join(', ');
      const note = notes === '' ? '' : ` (${notes})`;
      process.stdout.write(`  ${worker} on ${host}${note}: agents ${own.join(' ') || 'none'}\n`);
    }
    const free = agents.filter(({ worker, isDone }) => worker === '' && !isDone);
    if (free.length > 0)
      process.stdout.write(`  without a worker: ${free.map(({ agent }) => agent).join(' ')}\n`);
  });
}

export async function drain(name: string, worker: string, flags: BrokerFlags): Promise<void> {
  await withBook(name, flags, (book) => drainWorker(book, worker));
}

/**
 * A filter with an unknown predicate is refused by each worker, and logged there; the old one
 * counts.
 */
export async function steer(name: string, flags: SteerFlags): Promise<void> {
  const disk = new Disk();
  const files = [
    [KEYS.filters, flags.filters],
    [KEYS.domains, flags.domains],
  ] as const;
  await withBook(name, flags, async (book) => {
    for (const [key, path] of files) {
      if (path === undefined) continue;
      const text = await disk.readText(path);
      await steerText(book, key, 'drumlin cluster steer', () => text);
    }
  });
}

export async function set(
  name: string,
  words: readonly string[],
  flags: BrokerFlags,
): Promise<void> {
  const { settings, seeds, paused } = changesIn(words);
  if (seeds.length > 0)
    throw new DrumlinError(
      'USAGE',
      'A cluster takes no further seeds.',
      'Create another cluster.',
      {
        exitCode: EXIT.usage,
      },
    );
  await withBook(name, flags, async (book) => {
    const change = { settings, ...(paused !== undefined && { paused }) };
    for (const line of await tuneCluster(book, 'drumlin cluster set', change))
      process.stdout.write(`${line}\n`);
  });
  process.stdout.write('Each agent applies it within a few seconds, at a checkpoint.\n');
}

/** Serves the console until the process is interrupted. */
export async function console(name: string, flags: ConsoleFlags): Promise<void> {
  await withBook(name, flags, async (book, brokers) => {
    const { port, host, token } = flags;
    const at = { port: parseCount(port), host, token };
    const served = await openClusterConsole({ name, book, brokers, named: flags.brokers }, at);
    process.stdout.write(`The console: ${served.url}\n(Ctrl-C ends it)\n`);
    await interruptible(
      (signal) => new Promise<void>((ended) => signal.addEventListener('abort', () => ended())),
    );
    await served.close();
  });
}

export async function stop(name: string, flags: BrokerFlags): Promise<void> {
  await withBook(name, flags, (book) => stopCluster(book));
}

export async function resume(name: string, flags: BrokerFlags): Promise<void> {
  await withBook(name, flags, async (book) => {
    if (!(await resumeCluster(book, Date.now()))) throw notEnded(name);
  });
}

const notEnded = (name: string) =>
  new DrumlinError(
    'CLUSTER_RUNS',
    `The crawl of cluster ${name} has not ended.`,
    'Stop it with "drumlin cluster stop", and wait until "drumlin cluster status" says that it has ended.',
  );
