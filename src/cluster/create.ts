/**
 * Creates the crawl of a cluster in the book, and asks for changes of its state.
 *
 * Ensures   A name is used once: a second cluster of the same name is refused. Nothing secret is in
 *           the book.
 */
import { createRequire } from 'node:module';
import { DrumlinError, EXIT } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import type { CrawlConfig, CrawlOptions } from '../config/settings.ts';
import type { EndReason } from '../crawl/record/counters.ts';
import { requireAgents } from '../crawl/transport/routing.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { agentKey, newAgent } from './lease/agent-lease.ts';
import { type Book, change } from './lease/book.ts';
import { type ClusterCrawl, type ClusterState, KEYS, type PageGrants } from './members/keys.ts';

const SEEDS = 'seeds.txt';

interface NewCrawl {
  readonly book: Book;
  readonly store: ObjectStore;
  /** The address of the store. */
  readonly objects: string;
  readonly name: string;
  readonly agents: number;
  readonly config: CrawlConfig;
  readonly seeds: readonly string[];
  readonly now: number;
  /** Default: the delay of an address counts for all workers together. */
  readonly addressScope?: 'cluster' | 'agent';
  /** Makes all times of leases shorter or longer. */
  readonly pace?: number;
}

/** The public suffixes by which domains are divided: all workers must have the same. */
const SUFFIXES: string = (
  createRequire(import.meta.url)('tldts/package.json') as { version: string }
).version;

export async function createCluster(asked: NewCrawl): Promise<void> {
  const { book, store, objects, name, agents, config, seeds, now, pace = 1 } = asked;
  requireAgents(agents);
  if (seeds.length === 0) throw noSeeds();
  refuseLocalFiles(config);
  if (await book.get(KEYS.crawl)) throw exists(name);
  await store.put(SEEDS, Buffer.from(`${seeds.join('\n')}\n`));
  for (let agent = 0; agent < agents; agent++) await book.create(agentKey(agent), newAgent(agents));
  if (config.maxPages !== Infinity) {
    const none: number[] = new Array(agents).fill(0);
    const grants: PageGrants = { left: config.maxPages, granted: none, epochs: none };
    await book.create(KEYS.pages, grants);
  }
  const state: ClusterState = { phase: 'running', reason: 'finished', run: 1, startedAt: now };
  await book.create(KEYS.state, state);
  const crawl: ClusterCrawl = {
    ...{ format: 1, version: VERSION, suffixes: SUFFIXES, agents, objects, pace, createdAt: now },
    addressScope: asked.addressScope ?? 'cluster',
    settings: plainSettings(config),
  };
  // Last: a cluster whose creation was interrupted can be created again.
  if ((await book.create(KEYS.crawl, crawl)) === undefined) throw exists(name);
}

/** Infinity, which JSON has not, is written as null and read back. */
export const settingsOf = ({ settings }: ClusterCrawl): CrawlOptions =>
  JSON.parse(JSON.stringify(settings), (_, value) => value ?? Infinity);

/** Without a folder, and without what may hold a secret. */
function plainSettings(config: CrawlConfig): CrawlOptions {
  const { dir: _, agents: __, proxy, ...settings } = config;
  return { ...settings, proxy: proxy.replace(/\/\/[^@/]*@/, '//') } as CrawlOptions;
}

export async function seedsOf(store: ObjectStore): Promise<string[]> {
  const text = (await store.get(SEEDS))?.toString() ?? '';
  return text.split('\n').filter(Boolean);
}

/** The crawl of a cluster; refuses a worker that would divide or parse URLs otherwise. */
export async function crawlOf(book: Book, name: string): Promise<ClusterCrawl> {
  const crawl = (await book.get<ClusterCrawl>(KEYS.crawl))?.value;
  if (!crawl) throw clusterMissing(name);
  refuseOther('drumlin', crawl.version, VERSION);
  refuseOther('the public suffix list', crawl.suffixes, SUFFIXES);
  return crawl;
}

/** Stops the crawl for all workers. */
export async function stopCluster(book: Book, reason: EndReason = 'interrupted'): Promise<void> {
  await change<ClusterState>(book, KEYS.state, (state) =>
    state?.phase === 'running' ? { ...state, phase: 'stopping', reason } : undefined,
  );
}

/** Lets a crawl that has ended run again. */
export async function resumeCluster(book: Book, now: number): Promise<boolean> {
  let resumed = false;
  await change<ClusterState>(book, KEYS.state, (state) => {
    resumed = state?.phase === 'ended';
    if (!state || !resumed) return undefined;
    return { phase: 'running', reason: 'finished', run: state.run + 1, startedAt: now };
  });
  return resumed;
}

function refuseOther(what: string, theirs: string, ours: string): void {
  if (theirs === ours) return;
  throw new DrumlinError(
    'CLUSTER_VERSION',
    `The cluster was created with version ${theirs} of ${what}; this worker has ${ours}.`,
    'Install the same version of drumlin on every machine of the cluster.',
    { exitCode: EXIT.unfit },
  );
}

/** Settings that name files of one machine, and that a worker elsewhere would not find. */
function refuseLocalFiles(config: CrawlConfig): void {
  if (config.dedupAgainst.length === 0) return;
  throw new DrumlinError(
    'CLUSTER_SETTING',
    '--dedup-against names folders of one machine.',
    'Leave it out of a cluster.',
  );
}

const exists = (name: string) =>
  new DrumlinError(
    'CLUSTER_EXISTS',
    `These brokers have a cluster named "${name}".`,
    'Choose another name, or join that cluster with "drumlin cluster join".',
    { exitCode: EXIT.folder },
  );

/** The brokers have no cluster of this name. */
export const clusterMissing = (name: string): DrumlinError =>
  new DrumlinError(
    'CLUSTER_MISSING',
    `These brokers have no cluster named "${name}".`,
    'Create it with "drumlin cluster create", or check --brokers.',
    { exitCode: EXIT.folder },
  );

const noSeeds = () =>
  new DrumlinError(
    'NO_SEEDS',
    'There is no URL to start from.',
    'Name one or more URLs, or a file with one URL per line.',
  );
