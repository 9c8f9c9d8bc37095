/** Puts together what renders the pages of an agent. */
import type { Bytes } from '../../base/units.ts';
import { browserCount, type CrawlConfig } from '../../config/settings.ts';
import type { BrowserPool } from '../../render/browser-pool.ts';
import type { RenderHooks } from '../../render/hooks.ts';
import type { StorageState } from '../../render/storage-state.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { RobotsKeeper } from '../hosts/robots-keeper.ts';
import { RobotsMemory } from '../hosts/robots-memory.ts';
import type { Counters } from '../record/counters.ts';
import type { EventLog } from '../record/log.ts';
import type { SkipSink } from '../skipped/skip-log.ts';
import type { Store } from '../store/store.ts';
import { AnswerCache } from './answer-cache.ts';
import { placesFor, RenderDesk } from './render-desk.ts';
import { Subresources } from './subresources.ts';

/** For scripts and styles that rendered pages have in common. */
const RECENT_ANSWERS: Bytes = 32 * 2 ** 20;
/** For the robots.txt of hosts that only rendered pages ask. */
const RULES_OF_GUESTS: Bytes = 8 * 2 ** 20;

type RobotsParts = Omit<
  ConstructorParameters<typeof RobotsKeeper>[0],
  'memory' | 'productToken' | 'maxCrawlDelay'
>;

interface DeskWith extends RobotsParts {
  readonly browsers: BrowserPool | undefined;
  readonly storageState: StorageState | undefined;
  readonly hooks: RenderHooks;
  readonly identity: { readonly productToken: string };
  readonly frontier: RobotsParts['frontier'] &
    ConstructorParameters<typeof Subresources>[0]['frontier'];
  readonly store: Store;
  readonly counters: Counters;
  readonly sparing: EventLog;
  readonly skips: Pick<SkipSink, 'skipped'>;
  readonly permits: { readonly stopping: boolean };
  readonly scope: { requisiteRefusal(url: string): string | undefined };
  /** Domains that the user has blocked. */
  readonly blocked: ReadonlySet<string>;
}

/** Undefined where no pages are rendered. */
export function openDesk(
  config: CrawlConfig,
  agents: number,
  parts: DeskWith,
  robots: RobotsKeeper,
): RenderDesk | undefined {
  const { browsers: pool, storageState: state, identity, store, counters, clock, sparing } = parts;
  const { permits, scope, blocked, hooks } = parts;
  if (!pool) return undefined;
  const { maxCrawlDelay, maxBody, renderDelay: delay, renderRobots } = config;
  const { productToken } = identity;
  const memory = new RobotsMemory(RULES_OF_GUESTS);
  const guestRobots = new RobotsKeeper({ ...parts, productToken, maxCrawlDelay, memory });
  const subresources = new Subresources({
    ...{ ...parts, robots, guestRobots, delay, maxBody },
    cache: new AnswerCache(RECENT_ANSWERS),
    obeysRobots: renderRobots === 'obey',
    refusal: (url, host) =>
      blocked.size > 0 && blocked.has(payLevelDomain(host))
        ? 'blocked'
        : scope.requisiteRefusal(url),
    stopping: () => permits.stopping,
  });
  const places = placesFor(browserCount(config, agents), agents);
  return new RenderDesk({
    ...{ config, pool, subresources, store, state, hooks, counters, log: sparing, clock, places },
  });
}
