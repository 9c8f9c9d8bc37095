/**
 * A crawl from its seeds to its summary, as the command line and the library start it: refuses what cannot work, opens the
 * folder, and leaves the rest to a crew of agents.
 */

import { removeIndex } from '../archive/index/index-file.ts';
import { indexDir, mergeIndex } from '../archive/index/index-merge.ts';
import { earlierDir, gatherEarlier } from '../archive/payloads/earlier-payloads.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError } from '../base/errors.ts';
import type { Millis } from '../base/units.ts';
import { VERSION } from '../base/version.ts';
import {
  addressDelay,
  agentCount,
  type CrawlConfig,
  filterSettings,
  filtersOf,
} from '../config/settings.ts';
import { Disk } from '../disk/disk.ts';
import { type FilterSet, loadFilters } from '../filter/filter-set.ts';
import { loadPredicates, type UserPredicates, withUserPredicates } from '../filter/predicates.ts';
import { Politeness } from '../politeness/politeness.ts';
import type { AgentStart } from './agent/agent-run.ts';
import { equip } from './agent/client-setup.ts';
import { FilterWatch } from './agent/filter-watch.ts';
import { Crew } from './crew.ts';
import { Monitor } from './monitor/monitor.ts';
import {
  type AgentProgress,
  addUp,
  Counters,
  type CountersState,
  Stopwatch,
  type Summary,
  summarise,
} from './record/counters.ts';
import { CrawlLog } from './record/log.ts';
import type { Progress } from './record/progress.ts';
import { allVitals } from './record/vitals.ts';
import type { LastCheckpoint } from './state/agent-folder.ts';
import { CrawlFolder } from './state/crawl-folder.ts';
import type { CrawlFailure, Page } from './store/page.ts';
import { shareAddresses } from './transport/address-table.ts';
import { shareAllowance } from './transport/allowance.ts';
import { requireAgents } from './transport/routing.ts';

export type { Summary } from './record/counters.ts';

export interface CrawlHooks {
  /** Called with every page; the host's turn is not given back before the promise settles. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  /** Called with whatever could not be had, in the same way. */
  readonly onError?: (failure: CrawlFailure) => void | Promise<void>;
  /** What filters may ask beside what they always may. Functions stay in their thread, and so do agents that call them. */
  readonly predicates?: UserPredicates;
  /** Called before anything is begun, when the folder holds a crawl to go on with. */
  readonly onGoOn?: (from: LastCheckpoint) => void;
  /** Called with what wants attention about a file that the settings name. */
  readonly onWarning?: (sentence: string) => void;
  /** Agents run in the caller's thread, instead of in threads of their own. */
  readonly here?: boolean;
  /** Nothing else runs in this process, so that V8's settings for all of it may be ours. */
  readonly ownsProcess?: boolean;
  /** For delays and waits of agents in the caller's thread; sockets keep the system's time. */
  readonly clock?: Clock;
  /** Where agents in the caller's thread keep their files. */
  readonly disk?: Disk;
}

export interface CrawlRun {
  progress(): Progress;
  /** Stops cleanly: nothing new is begun, and what waits is kept in the folder. */
  stop(): void;
  /** The summary at the end; rejects when the crawl could not go on. */
  readonly finished: Promise<Summary>;
}

const NOTHING_YET: AgentProgress = {
  ...new Counters(),
  ...{
    fetching: 0,
    queued: 0,
    backlog: 0,
    front: 0,
    hosts: 0,
    domains: 0,
    urlsUnique: 0,
    forgotten: {},
  },
};

export async function startCrawl(
  seeds: readonly string[],
  asked: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const { clock = systemClock, disk = new Disk() } = hooks;
  const here = hooks.here ?? hooks.predicates !== undefined;
  const agents = agentCount(asked);
  // Whatever can be refused is refused before a folder is touched.
  requireAgents(agents);
  if ((hooks.clock || hooks.disk || hooks.predicates) && !here) {
    throw new Error(
      'Only agents in the caller’s thread have his clock, his disk and his functions.',
    );
  }
  if (asked.dir === '' && seeds.length === 0) throw noSeeds();
  const predicates = hooks.predicates
    ? withUserPredicates(hooks.predicates)
    : await loadPredicates(asked.predicates);
  const filtering = { disk, predicates, ranking: asked.order === 'budget' ? asked.rank : 'none' };
  const filters = await loadFilters(filtersOf(asked), filtering);
  const config = { ...asked, ...filterSettings(filters.texts) };
  const warnings: string[] = [];
  const { client, delays } = await equip(config, clock, (sentence) => void warnings.push(sentence));
  await client.close();

  const { dir, metricsPort } = config;
  const monitor = await Monitor.open({ clock: systemClock, disk, dir, metricsPort });
  const folder = await openFolder(disk, config, seeds, clock).catch(async (error) => {
    await monitor.close();
    throw error;
  });
  const log = folder?.log ?? new CrawlLog(clock);
  const watch = new Stopwatch();
  let crew: Crew;
  let before: CountersState = { ...new Counters() };
  let yet = NOTHING_YET;
  try {
    const last = await folder?.lastCheckpoint();
    if (last) {
      hooks.onGoOn?.(last);
      before = last.counters;
      const { waiting: queued, urlsUnique, frontier } = last;
      yet = {
        ...yet,
        queued,
        urlsUnique,
        hosts: frontier.hostsSeen,
        domains: frontier.domainsSeen,
      };
    }
    const politeness = new Politeness(config, delays);
    await folder?.changeAgents(config, agents, (host) => clock.now() + politeness.hostDelay(host));
    await folder?.begin(config, agents, seeds);
    if (folder) await prepareArchive(disk, config);
    const from = last && {
      savedAt: isoTime(last.savedAt),
      pages: last.pages,
      waiting: last.waiting,
    };
    log.event('crawl-started', {
      version: VERSION,
      pid: process.pid,
      seeds: seeds.length,
      agents,
      from,
    });
    for (const sentence of warnings) {
      log.event('warning', { sentence });
      hooks.onWarning?.(sentence);
    }
    crew = await Crew.start(startsFor(seeds, config, filters, agents, folder), {
      clock,
      disk,
      log,
      onPage: hooks.onPage,
      onError: hooks.onError,
      predicates,
      here,
      ownsProcess: hooks.ownsProcess ?? false,
      onSeedMoved: (move) => folder?.seedMoved(move),
    });
  } catch (error) {
    log.event('crawl-failed', { error: (error as Error)?.message });
    await monitor.close();
    await folder?.close();
    throw error;
  }
  const changes =
    folder &&
    new FilterWatch(
      {
        ...filtering,
        dir: config.dir,
        clock,
        log,
        every: config.checkpoint,
        onChange: (set) => crew.setFilters(set),
      },
      filters.texts,
    );
  const { maxTime } = config;
  const cancelTimer =
    maxTime === Infinity ? undefined : clock.after(maxTime, () => crew.stop('max-time'));
  const startedAt = clock.now();
  const progress = () => ({
    ...progressOf(crew, config, watch, yet, { at: clock.now(), startedAt, before }),
    diskFree: monitor.diskFree,
  });
  monitor.begin({ log, progress });
  return {
    progress,
    stop: () => crew.stop('interrupted'),
    finished: runToEnd(crew, disk, config, folder, changes, log, watch, monitor).finally(() =>
      cancelTimer?.(),
    ),
  };
}

async function openFolder(
  disk: Disk,
  config: CrawlConfig,
  seeds: readonly string[],
  clock: Clock,
): Promise<CrawlFolder | undefined> {
  return config.dir === '' ? undefined : CrawlFolder.open(disk, config, seeds, clock);
}

function progressOf(
  crew: Crew,
  { dir, checkpoint, maxTime, maxPages, maxBytes }: CrawlConfig,
  watch: Stopwatch,
  yet: AgentProgress,
  times: Pick<Progress, 'at' | 'startedAt' | 'before'>,
): Progress {
  const told = crew.told();
  return {
    // Until all have told something, what is known of the crawl is what its last checkpoint says.
    ...(told.length < crew.size ? yet : addUp(told.map(({ progress }) => progress))),
    ...times,
    ...{ maxTime, maxPages, maxBytes },
    elapsed: watch.elapsed(),
    agents: crew.size,
    checkpoint: dir === '' ? 0 : checkpoint,
    vitals: allVitals(
      told.map(({ vitals }) => vitals),
      times.startedAt,
    ),
    ending: crew.ending,
  };
}

/** An index that is there is true: this one will not be for long. */
async function prepareArchive(
  disk: Disk,
  { dir, duplicates, dedupAgainst }: CrawlConfig,
): Promise<void> {
  await removeIndex(disk, indexDir(dir));
  if (duplicates === 'store' || dedupAgainst.length === 0) return;
  await gatherEarlier(disk, earlierDir(dir), dedupAgainst);
}

async function runToEnd(
  crew: Crew,
  disk: Disk,
  { dir, store }: CrawlConfig,
  folder: CrawlFolder | undefined,
  changes: FilterWatch | undefined,
  log: CrawlLog,
  watch: Stopwatch,
  monitor: Monitor,
): Promise<Summary> {
  try {
    const { end, agents } = await crew.finished();
    if (folder && store === 'warc') await mergeIndex(disk, dir);
    const summary = summarise(end, dir, agents, watch);
    const { pages, seconds } = summary;
    log.event('crawl-ended', { end, pages, seconds, summary });
    await monitor.end({ summary });
    return summary;
  } catch (error) {
    const message = String((error as Error)?.message);
    log.event('crawl-failed', { error: message });
    await monitor.end({ error: message });
    throw error;
  } finally {
    await changes?.end();
    await folder?.close();
  }
}

const isoTime = (time: Millis): string => new Date(time).toISOString();

/** What each agent is to begin with. */
function startsFor(
  seeds: readonly string[],
  config: CrawlConfig,
  filters: FilterSet,
  agents: number,
  folder: CrawlFolder | undefined,
): AgentStart[] {
  const shared = {
    agents,
    config,
    filters,
    // `begin` has counted this run.
    incarnation: (folder?.runs ?? 1) - 1,
    seeds: folder?.seeds ?? seeds,
    moved: folder?.moved ?? [],
    rescoped: folder?.rescoped ?? false,
    allowance: shareAllowance(config),
    addresses: agents > 1 ? shareAddresses({ retry: addressDelay(config) }) : undefined,
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
