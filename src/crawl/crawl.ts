/**
 * A crawl from its seeds to its summary, as the command line and the library start it.
 *
 *   plan (refuses what cannot work) ─► open the folder ─► start the crew of agents ─► watch ─► end
 */

import { resolve } from 'node:path';
import { removeIndex } from '../archive/index/index-file.ts';
import { indexDir, mergeIndex } from '../archive/index/index-merge.ts';
import { gatherEarlierPages } from '../archive/payloads/earlier-pages.ts';
import { earlierDir, gatherEarlier } from '../archive/payloads/earlier-payloads.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError } from '../base/errors.ts';
import type { Millis } from '../base/units.ts';
import { VERSION } from '../base/version.ts';
import {
  addressDelay,
  agentCount,
  asksWithConditions,
  browserCount,
  type CrawlConfig,
  filterSettings,
  filtersOf,
} from '../config/settings.ts';
import { withRepair } from '../disk/damage.ts';
import { Disk } from '../disk/disk.ts';
import { type Field, readFields } from '../extract/fields.ts';
import { type FilterSet, type FilterSurroundings, loadFilters } from '../filter/filter-set.ts';
import { loadPredicates, type UserPredicates, withUserPredicates } from '../filter/predicates.ts';
import { AskedDelays } from '../politeness/asked-delays.ts';
import type { DelayTable } from '../politeness/delays.ts';
import { Politeness } from '../politeness/politeness.ts';
import { shareRenderSlots } from '../render/browser-pool.ts';
import { checkedLiveModel } from '../spam/live/live-model.ts';
import { parseModel, type SpamModel } from '../spam/model.ts';
import { identityOf, type Network, setUpClient } from './agent/client-setup.ts';
import type { AgentStart } from './agent/open-agent.ts';
import { Crew } from './crew.ts';
import { FilterWatch } from './filter-watch.ts';
import { finishFiles } from './finish-files.ts';
import { Monitor } from './monitor/monitor.ts';
import type { Asker } from './planned/ask.ts';
import {
  type AgentProgress,
  addUp,
  type CountersState,
  countersOf,
  NOTHING_YET,
  Stopwatch,
  type Summary,
  summarise,
} from './record/counters.ts';
import { CrawlLog, type EventLog } from './record/log.ts';
import type { Facts } from './record/log-events.ts';
import type { Progress } from './record/progress.ts';
import { allVitals } from './record/vitals.ts';
import { RunTuning } from './run-tuning.ts';
import { type LastCheckpoint, partSums } from './state/agent-folder.ts';
import { CrawlFolder } from './state/crawl-folder.ts';
import { canonicalSeed } from './state/seeds.ts';
import type { RequestHooks } from './store/hooks.ts';
import type { CrawlFailure, Page } from './store/page.ts';
import { shareAddresses } from './transport/address-table.ts';
import { Allowance, type SharedAllowance, shareAllowance } from './transport/allowance.ts';
import { shareHosts } from './transport/host-table.ts';
import type { portMesh } from './transport/port-transport.ts';
import { requireAgents } from './transport/routing.ts';

export type { Summary } from './record/counters.ts';

export interface CrawlHooks extends RequestHooks {
  /** Called with every page; the host's turn ends only after the promise has resolved. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  /** Called with every URL or host that failed; the host's turn waits for the promise. */
  readonly onError?: (failure: CrawlFailure) => void | Promise<void>;
  /**
   * Predicates for filters, beside the built-in ones. Functions cannot be sent to another thread,
   * so agents then run in the caller's.
   */
  readonly predicates?: UserPredicates;
  /** Called before the crawl starts, when the folder holds a crawl to resume. */
  readonly onResume?: (from: LastCheckpoint) => void;
  /** Called with the first failure at the host of a seed, at once. */
  readonly onSeedTrouble?: (trouble: Facts<'seed-trouble'>) => void;
  /** Called with a sentence about a file that the settings name and that needs attention. */
  readonly onWarning?: (sentence: string) => void;
  /**
   * Begin the crawl in the folder again, from its seeds: pages that it holds are requested with
   * conditions, and stored only if they have changed.
   */
  readonly recrawl?: boolean;
  /** Decides what is requested: links are not followed, and there are no seeds. */
  readonly asker?: Asker;
  /** Run agents in the caller's thread, instead of in their own threads. */
  readonly here?: boolean;
  /** Nothing else runs in this process, so the crawl may change V8's settings for all of it. */
  readonly ownsProcess?: boolean;
  /** For delays and waits of agents in the caller's thread; sockets keep the system's time. */
  readonly clock?: Clock;
  /** For the files of agents in the caller's thread. */
  readonly disk?: Disk;
  /** How agents in the caller's thread reach servers. Default: the system's sockets. */
  readonly network?: Network;
  /** Connects agents in the caller's thread with each other. Default: message ports. */
  readonly mesh?: typeof portMesh;
}

export interface CrawlRun {
  progress(): Progress;
  /** Stops cleanly: nothing new is begun, and queued URLs are kept in the folder. */
  stop(): void;
  /** The summary at the end; rejects when the crawl fails. */
  readonly finished: Promise<Summary>;
}

export async function startCrawl(
  seeds: readonly string[],
  asked: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const plan = await planCrawl(seeds, asked, hooks);
  const opened = await openCrawl(plan).catch((error) => {
    throw withRepair(error, asked.dir);
  });
  const watch = new Stopwatch();
  try {
    const earlier = await resumeFrom(plan, opened);
    const crew = await startCrew(plan, opened);
    return runCrawl(plan, opened, earlier, crew, watch);
  } catch (thrown) {
    const error = withRepair(thrown, asked.dir);
    opened.log.event('crawl-failed', { error: (error as Error)?.message });
    await opened.monitor.close();
    await opened.folder?.close();
    throw error;
  }
}

/** What a crawl is to do, checked. */
export interface Plan {
  readonly seeds: readonly string[];
  readonly config: CrawlConfig;
  readonly hooks: CrawlHooks;
  readonly agents: number;
  /** Agents run in the caller's thread. */
  readonly here: boolean;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly filtering: FilterSurroundings;
  readonly filters: FilterSet;
  readonly delays: DelayTable | undefined;
  /** Only with verdicts on spam. */
  readonly spam: SpamModel | undefined;
  readonly extracts: readonly Field[];
  readonly warnings: readonly string[];
  /** How much may still be fetched. */
  readonly allowance: SharedAllowance;
}

/** Refuses what can be refused before a folder is touched. */
export async function planCrawl(
  seeds: readonly string[],
  asked: CrawlConfig,
  hooks: CrawlHooks,
): Promise<Plan> {
  const { clock = systemClock, disk = new Disk() } = hooks;
  const { beforeRequest, onResponse, beforeLoad, afterLoad } = hooks;
  const isAsked = [beforeRequest, onResponse, beforeLoad, afterLoad].some(Boolean);
  const here = hooks.here ?? (isAsked || hooks.predicates !== undefined);
  const agents = agentCount(asked);
  requireAgents(agents);
  const { network, mesh } = hooks;
  if ((hooks.clock || hooks.disk || hooks.predicates || network || mesh || isAsked) && !here)
    throw new Error(
      '`clock`, `disk`, `predicates`, `network`, `mesh`, `beforeRequest`, `onResponse`, `beforeLoad` and `afterLoad` require `here: true`.',
    );
  if (asked.dir === '' && seeds.length === 0) throw noSeeds();
  requirePlace(asked);
  const predicates = hooks.predicates
    ? withUserPredicates(hooks.predicates)
    : await loadPredicates(asked.predicates);
  const ranking = asked.order === 'budget' ? asked.rank : 'none';
  if (ranking === 'list' && asked.rankFile === '') throw noRankFile();
  const ranks = ranking === 'list' ? asked.rankFile : '';
  const judges = asked.spam !== '';
  const filtering = { disk, predicates, ranking, spam: judges, blacklist: asked.blacklist, ranks };
  const filters = await loadFilters(filtersOf(asked), filtering);
  const config = { ...asked, ...filterSettings(filters.texts), ...againstItself(asked, hooks) };
  const spam = await spamModelOf(disk, config);
  const warnings: string[] = spam?.about ? [`The spam model: ${spam.about}`] : [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const identity = identityOf(config);
  const { client, delays } = await setUpClient({
    ...{ config, identity, clock, warn, network: hooks.network },
  });
  await client.close();
  for (const sitemap of config.sitemap) canonicalSeed(sitemap);
  const extracts = config.extract === '' ? [] : await readFields(disk, config.extract);
  const allowance = shareAllowance(config);
  const rest = { clock, disk, filtering, filters, delays, spam, extracts, warnings, allowance };
  return { seeds, config, hooks, agents, here, ...rest };
}

/** Files that a crawl is to write need a folder, or a store of files. */
function requirePlace({ dir, store, convertLinks, extract, crawlLog }: CrawlConfig): void {
  if (dir === '' && (extract !== '' || crawlLog))
    throw new DrumlinError(
      'NO_FOLDER',
      `${extract !== '' ? '"extract"' : '"crawlLog"'} writes a file, but the crawl has no folder.`,
      'Give the crawl a folder with `dir`.',
    );
  if (convertLinks && store !== 'files')
    throw new DrumlinError(
      'CONVERT_LINKS',
      'Only pages that are stored as files can be converted to be browsed.',
      'Add --store files, or leave out --convert-links.',
    );
}

const noRankFile = () =>
  new DrumlinError(
    'RANK_FILE',
    'The ranking "list" needs a file.',
    'Name one with --rank-file: a domain and a number on each line, such as "drumlin focus rank --out" writes.',
  );

/** The model of `--spam`, checked. */
async function spamModelOf(disk: Disk, config: CrawlConfig): Promise<SpamModel | undefined> {
  if (config.spam === '') {
    if (config.order === 'budget' && /\bspam\b/.test(config.budget))
      throw noSpamModel(config.budget);
    return undefined;
  }
  const model = parseModel(await disk.readText(config.spam), config.spam);
  checkedLiveModel(model, config.spam);
  return model;
}

const noSpamModel = (budget: string) =>
  new DrumlinError(
    'SPAM_MODEL',
    `The budget "${budget}" needs verdicts on spam.`,
    'Give a model with --spam, or another --budget.',
  );

/** The settings with which a crawl asks only for what has changed in it. */
function againstItself(
  { dir, dedupAgainst }: CrawlConfig,
  { recrawl }: CrawlHooks,
): Partial<CrawlConfig> {
  if (!recrawl) return {};
  return { conditional: true, dedupAgainst: [...new Set([...dedupAgainst, resolve(dir)])] };
}

interface OpenCrawl {
  readonly monitor: Monitor;
  /** Undefined for a crawl that keeps nothing. */
  readonly folder: CrawlFolder | undefined;
  readonly log: CrawlLog;
}

async function openCrawl({ seeds, config, hooks, clock, disk }: Plan): Promise<OpenCrawl> {
  const { dir, metricsPort } = config;
  const monitor = await Monitor.open({ clock: systemClock, disk, dir, metricsPort });
  try {
    const folder =
      dir === ''
        ? undefined
        : await CrawlFolder.open(disk, config, hooks.asker ? undefined : seeds, clock);
    return { monitor, folder, log: folder?.log ?? new CrawlLog(clock) };
  } catch (error) {
    await monitor.close();
    throw error;
  }
}

/** What earlier runs of the crawl have done. */
interface EarlierRuns {
  readonly counted: CountersState;
  /** The progress to show until every agent has reported. */
  readonly progress: AgentProgress;
}

/** Prepares the folder for this run, and reads how far earlier runs have come. */
async function resumeFrom(plan: Plan, { folder, log }: OpenCrawl): Promise<EarlierRuns> {
  const { seeds, config, hooks, agents, clock, disk, delays, warnings } = plan;
  if (hooks.recrawl) await folder?.beginAnew(config, agents);
  const last = hooks.recrawl ? undefined : await folder?.lastCheckpoint();
  if (last) hooks.onResume?.(last);
  const politeness = new Politeness(config, new AskedDelays(config, delays), undefined);
  await folder?.changeAgents(config, agents, (host) => clock.now() + politeness.hostDelay(host));
  await folder?.begin(config, agents, seeds);
  if (folder) await prepareArchive(disk, config);
  log.event('crawl-started', {
    version: VERSION,
    pid: process.pid,
    seeds: seeds.length,
    agents,
    from: last && { savedAt: isoTime(last.savedAt), pages: last.pages, waiting: last.waiting },
  });
  for (const sentence of [...warnings, ...(folder?.warnings ?? [])]) {
    log.event('warning', { sentence });
    hooks.onWarning?.(sentence);
  }
  return last ? earlierRuns(last) : { counted: countersOf(NOTHING_YET), progress: NOTHING_YET };
}

function earlierRuns({ counters, waiting, urlsUnique, frontier }: LastCheckpoint): EarlierRuns {
  const { hostsSeen: hosts, domainsSeen: domains } = frontier;
  return {
    counted: counters,
    progress: { ...NOTHING_YET, queued: waiting, urlsUnique, hosts, domains },
  };
}

function startCrew(plan: Plan, { folder, log }: OpenCrawl): Promise<Crew> {
  const { config, hooks, here, clock, disk, filtering } = plan;
  const starts = startsFor(plan, folder);
  const allowance = new Allowance(starts[0].allowance);
  return Crew.start(starts, {
    // With requisites the crawl ends after the last of them, not at the limit.
    limitReached: () => (config.requisites === 'none' ? undefined : allowance.exhausted),
    ...{ beforeRequest: hooks.beforeRequest, onResponse: hooks.onResponse },
    ...{ beforeLoad: hooks.beforeLoad, afterLoad: hooks.afterLoad },
    clock,
    disk,
    log: watchingSeeds(log, hooks.onSeedTrouble),
    onPage: hooks.onPage,
    onError: hooks.onError,
    predicates: filtering.predicates,
    asker: hooks.asker,
    here,
    network: hooks.network,
    mesh: hooks.mesh,
    ownsProcess: hooks.ownsProcess ?? false,
    onSeedMoved: (move) => folder?.seedMoved(move),
  });
}

/** Agents of other threads send nothing but events, so these are where their troubles are heard. */
function watchingSeeds(log: EventLog, onSeedTrouble: CrawlHooks['onSeedTrouble']): EventLog {
  if (!onSeedTrouble) return log;
  return {
    event: (name, facts) => {
      log.event(name, facts);
      if (name === 'seed-trouble') onSeedTrouble(facts as Facts<'seed-trouble'>);
    },
  };
}

/** Watches a crawl whose agents run, until its end. */
function runCrawl(
  plan: Plan,
  opened: OpenCrawl,
  earlier: EarlierRuns,
  crew: Crew,
  watch: Stopwatch,
): CrawlRun {
  const { config, clock, disk, filtering, filters, allowance } = plan;
  const { monitor, folder, log } = opened;
  const { dir, checkpoint: every } = config;
  const onChange = (set: FilterSet) => crew.setFilters(set);
  const planned = plan.hooks.asker !== undefined;
  const tuning = new RunTuning({ config, clock, disk, log, crew, folder, allowance, planned });
  const filterWatch =
    folder && new FilterWatch({ ...filtering, dir, clock, log, every, onChange }, filters.texts);
  const startedAt = clock.now();
  const progress = () => ({
    ...progressOf(crew, tuning.config, watch, earlier, { at: clock.now(), startedAt }),
    diskFree: monitor.diskFree,
    paused: tuning.paused,
  });
  monitor.begin({ log, progress });
  const finished = runToEnd(plan, opened, crew, filterWatch, watch);
  return {
    progress,
    stop: () => crew.stop('interrupted'),
    finished: finished.finally(() => tuning.end()),
  };
}

function progressOf(
  crew: Crew,
  { dir, checkpoint, maxTime, maxPages, maxBytes }: CrawlConfig,
  watch: Stopwatch,
  earlier: EarlierRuns,
  times: Pick<Progress, 'at' | 'startedAt'>,
): Progress {
  const reports = crew.reports();
  return {
    ...(reports.length < crew.size
      ? earlier.progress
      : addUp(reports.map(({ progress }) => progress))),
    ...times,
    ...{ maxTime, maxPages, maxBytes },
    before: earlier.counted,
    elapsed: watch.elapsed(),
    agents: crew.size,
    checkpoint: dir === '' ? 0 : checkpoint,
    vitals: allVitals(
      reports.map(({ vitals }) => vitals),
      times.startedAt,
      crew.size,
    ),
    ending: crew.ending,
  };
}

/** An index that exists is complete, so the one of an earlier run is removed. */
async function prepareArchive(disk: Disk, config: CrawlConfig): Promise<void> {
  const { dir, duplicates, dedupAgainst } = config;
  await removeIndex(disk, indexDir(dir));
  if (dedupAgainst.length === 0) return;
  // The archive finds them there from any folder.
  const sources = dedupAgainst.map((source) => resolve(source));
  const asks = asksWithConditions(config);
  if (duplicates !== 'store' || asks) await gatherEarlier(disk, earlierDir(dir), sources);
  // An index has no validators.
  const crawls = sources.filter((source) => !source.endsWith('.cdxj'));
  if (asks) await gatherEarlierPages(disk, earlierDir(dir), crawls);
}

async function runToEnd(
  { config, extracts, disk }: Plan,
  { monitor, folder, log }: OpenCrawl,
  crew: Crew,
  filterWatch: FilterWatch | undefined,
  watch: Stopwatch,
): Promise<Summary> {
  const { dir, store } = config;
  try {
    const { end, agents } = await crew.finished();
    if (folder) await finishFiles(disk, config, extracts, agents.length);
    if (folder && store === 'warc') {
      const sums = await partSums(disk, dir, agents.length);
      await mergeIndex(disk, dir, { sums });
    }
    const summary = summarise(end, dir, agents, watch);
    const { pages, seconds } = summary;
    log.event('crawl-ended', { end, pages, seconds, summary });
    await monitor.end({ summary });
    return summary;
  } catch (thrown) {
    const error = withRepair(thrown, dir);
    const message = String((error as Error)?.message);
    log.event('crawl-failed', { error: message });
    await monitor.end({ error: message });
    throw error;
  } finally {
    await filterWatch?.end();
    await folder?.close();
  }
}

const isoTime = (time: Millis): string => new Date(time).toISOString();

/** What each agent is started with. Requires that the folder has counted this run. */
function startsFor(
  { seeds, config, hooks, filters, spam, extracts, agents, allowance }: Plan,
  folder: CrawlFolder | undefined,
): AgentStart[] {
  const shared = {
    agents,
    config,
    filters,
    spam,
    extracts,
    incarnation: (folder?.runs ?? 1) - 1,
    seeds: folder?.seeds ?? seeds,
    moved: folder?.moved ?? [],
    rescoped: folder?.rescoped ?? false,
    planned: hooks.asker !== undefined,
    allowance,
    paused: folder?.tuning.paused ?? false,
    addresses: agents > 1 ? shareAddresses({ retry: addressDelay(config) }) : undefined,
    hosts: shareHosts(),
    ...(config.render !== 'never' && {
      renderSlots: shareRenderSlots(browserCount(config, agents)),
    }),
  };
  return Array.from({ length: agents }, (_, agent) => ({ agent, ...shared }));
}

function noSeeds(): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    'There is no URL to start from.',
    'Give at least one in `seeds`.',
  );
}
