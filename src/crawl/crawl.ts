/**
 * A crawl from its seeds to its summary, as the command line and the library start it: refuses what cannot work, opens the
 * folder, and leaves the rest to a crew of agents.
 */

import { removeIndex } from '../archive/index-file.ts';
import { indexDir, mergeIndex } from '../archive/index-merge.ts';
import { type Clock, systemClock } from '../clock.ts';
import { Disk } from '../disk/disk.ts';
import { DrumlinError } from '../errors.ts';
import type { Millis } from '../units.ts';
import { VERSION } from '../version.ts';
import type { LastCheckpoint } from './agent-folder.ts';
import type { AgentStart } from './agent-run.ts';
import { shareAddresses } from './between/address-table.ts';
import { shareAllowance } from './between/allowance.ts';
import { requireAgents } from './between/routing.ts';
import { type AgentProgress, addUp, Counters, Stopwatch, type Summary, summarise } from './counters.ts';
import { Crew } from './crew.ts';
import { equip } from './equipment.ts';
import { CrawlFolder } from './folder.ts';
import { CrawlLog } from './log.ts';
import type { Page } from './page.ts';
import { Politeness } from './politeness.ts';
import { addressDelay, agentCount, type CrawlConfig } from './settings.ts';

export type { Summary } from './counters.ts';

export interface CrawlHooks {
  /** Called with every page; the host's turn is not given back before the promise settles. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  /** Called before anything is begun, when the folder holds a crawl to go on with. */
  readonly onGoOn?: (from: LastCheckpoint) => void;
  /** Agents run in the caller's thread, instead of in threads of their own. */
  readonly here?: boolean;
  /** For delays and waits of agents in the caller's thread; sockets keep the system's time. */
  readonly clock?: Clock;
  /** Where agents in the caller's thread keep their files. */
  readonly disk?: Disk;
}

/** The crawl as it stands, for whoever shows it. */
export interface Progress extends AgentProgress {
  readonly elapsed: Millis;
  readonly maxTime: Millis;
  readonly maxPages: number;
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
  ...{ fetching: 0, queued: 0, front: 0, hosts: 0, domains: 0, urlsUnique: 0 },
};

export async function startCrawl(
  seeds: readonly string[],
  config: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const { clock = systemClock, disk = new Disk() } = hooks;
  const agents = agentCount(config);
  // Whatever can be refused is refused before a folder is touched.
  requireAgents(agents);
  if ((hooks.clock || hooks.disk) && !hooks.here) {
    throw new Error('Only agents in the caller’s thread keep his clock and his disk.');
  }
  if (config.dir === '' && seeds.length === 0) throw noSeeds();
  const { client, delays } = await equip(config, clock, new CrawlLog(clock));
  await client.close();

  const folder = config.dir === '' ? undefined : await CrawlFolder.open(disk, config, seeds, clock);
  const log = folder?.log ?? new CrawlLog(clock);
  const watch = new Stopwatch();
  let crew: Crew;
  try {
    const last = await folder?.lastCheckpoint();
    if (last) hooks.onGoOn?.(last);
    const politeness = new Politeness(config, delays);
    await folder?.changeAgents(config, agents, (host) => clock.now() + politeness.hostDelay(host));
    await folder?.begin(config, agents, seeds);
    if (folder) await removeIndex(disk, indexDir(config.dir));
    log.event('crawl-started', { version: VERSION, seeds: seeds.length, agents });
    crew = await Crew.start(startsFor(seeds, config, agents, folder), {
      clock,
      disk,
      log,
      onPage: hooks.onPage,
      here: hooks.here ?? false,
      onSeedMoved: (move) => folder?.seedMoved(move),
    });
  } catch (error) {
    await folder?.close();
    throw error;
  }
  const { maxTime, maxPages } = config;
  const cancelTimer = maxTime === Infinity ? undefined : clock.after(maxTime, () => crew.stop('max-time'));
  return {
    progress: () => ({
      ...addUp([NOTHING_YET, ...crew.progress()]),
      elapsed: watch.elapsed(),
      maxTime,
      maxPages,
    }),
    stop: () => crew.stop('interrupted'),
    finished: runToEnd(crew, disk, config.dir, folder, log, watch).finally(() => cancelTimer?.()),
  };
}

async function runToEnd(
  crew: Crew,
  disk: Disk,
  dir: string,
  folder: CrawlFolder | undefined,
  log: CrawlLog,
  watch: Stopwatch,
): Promise<Summary> {
  try {
    const { end, agents } = await crew.finished();
    if (folder) await mergeIndex(disk, dir);
    const summary = summarise(end, dir, agents, watch);
    log.event('crawl-ended', { ...summary });
    return summary;
  } catch (error) {
    log.event('crawl-failed', { error: (error as Error)?.message });
    throw error;
  } finally {
    await folder?.close();
  }
}

/** What each agent is to begin with. */
function startsFor(
  seeds: readonly string[],
  config: CrawlConfig,
  agents: number,
  folder: CrawlFolder | undefined,
): AgentStart[] {
  const shared = {
    agents,
    config,
    // `begin` has counted this run.
    incarnation: (folder?.runs ?? 1) - 1,
    seeds: folder?.seeds ?? seeds,
    moved: folder?.moved ?? [],
    allowance: shareAllowance(config),
    addresses: agents > 1 ? shareAddresses({ retry: addressDelay(config) }) : undefined,
  };
  return Array.from({ length: agents }, (_, agent) => ({ agent, ...shared }));
}

function noSeeds(): DrumlinError {
  return new DrumlinError('NO_SEEDS', 'There is no URL to start from.', 'Give at least one in `seeds`.');
}
