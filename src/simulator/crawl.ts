/**
 * A crawl in virtual time: the real sieve, frontier, backlog, host store, admission, turn policy
 * and delays, with a web that is asked directly.
 *
 *   seeds ─► admission ─► sieve ─► distributor ─► frontier ─► names ─► turns (glimpses of pages)
 *                ▲                                                       │
 *                └──────────────────────── links ────────────────────────┘
 *
 * Idea      Time moves from event to event: an answer arrives, a pause of a host ends, the disk is
 *           free again. Nothing happens in between, so nothing waits: a month of polite crawling
 *           costs only what its pages cost. Files are real; while one is read or written, the clock
 *           stands still.
 * Requires  one `run` at a time.
 * Ensures   two runs with the same settings do the same, to the last URL: only one thing happens at
 *           a time, and nothing depends on the time of day.
 * Cost      tens of microseconds a page; the memory of a crawl plus the web's caches.
 */
import { join } from 'node:path';
import { flatOut } from '../base/pacer.ts';
import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import { Admission } from '../crawl/agent/link-admission.ts';
import { createScope } from '../crawl/agent/scope.ts';
import { Counters } from '../crawl/record/counters.ts';
import { InternalErrors } from '../crawl/record/internal-errors.ts';
import { NOT_LISTED } from '../crawl/skipped/skip-log.ts';
import { soloTransport } from '../crawl/transport/memory-transport.ts';
import { Backlog } from '../frontier/backlog/backlog.ts';
import { Distributor } from '../frontier/distributor.ts';
import { Frontier } from '../frontier/frontier.ts';
import { HostStore } from '../frontier/host-store.ts';
import { ByBudget } from '../frontier/turn-order.ts';
import type { KindName } from '../lab/kind.ts';
import type { Web } from '../lab/web.ts';
import { AskedDelays } from '../politeness/asked-delays.ts';
import { limitsOf } from '../politeness/front-limits.ts';
import { Politeness } from '../politeness/politeness.ts';
import { RetryPolicy } from '../politeness/retries-and-pauses.ts';
import { DrumSieve } from '../sieve/disk-sieve.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import type { LiveModel } from '../spam/live/live-model.ts';
import { VirtualClock } from './clock.ts';
import { DiskClock, type DiskMeter, meteredDisk, newMeter } from './metered-disk.ts';
import { VirtualNames } from './names.ts';
import { Network } from './network.ts';
import { type Order, POLICIES, type Policy } from './policies.ts';
import { VirtualRobots } from './robots.ts';
import { Takeover } from './takeover.ts';
import { Tally } from './tally.ts';
import { VirtualTurns } from './turns.ts';

/** Links are distributed after this many pages, or earlier when a fetcher is idle. */
const PAGES_TO_CARRY = 64;
/** The time until the next distribution, after one that achieved nothing. */
const DISTRIBUTE_AGAIN: Millis = 20;
const RECENT_LINKS = 2 ** 20;

interface VirtualCrawlOptions {
  readonly web: Web;
  readonly policy: Policy;
  readonly config: CrawlConfig;
  /** Required by policies with verdicts on spam. */
  readonly spamModel?: LiveModel | undefined;
  /** When domains of the kind `expired` are taken over, since the beginning; never by default. */
  readonly takeoverAt?: Millis | undefined;
  /** Must exist and be empty. */
  readonly folder: string;
}

interface Parts {
  readonly clock: VirtualClock;
  readonly diskClock: DiskClock;
  readonly meters: Meters;
  readonly frontier: Frontier;
  readonly sieve: DrumSieve;
  readonly admission: Admission;
  readonly names: VirtualNames;
  readonly turns: VirtualTurns;
  readonly order: Order;
  readonly distributor: Distributor;
  readonly tally: Tally;
  readonly fetches: number;
  close(): Promise<void>;
}

interface Meters {
  readonly sieve: DiskMeter;
  readonly backlog: DiskMeter;
  readonly hosts: DiskMeter;
  /** The records of domains, and URLs that are queued until their domain has budget. */
  readonly domains: DiskMeter;
}

export class VirtualCrawl {
  readonly #parts: Parts;
  #carriedAt = 0;
  /** When the distributor may work again: the disk is busy until then, or there was no work. */
  #nextStep: Millis = 0;
  /**
   * Turns that began while another host was ready and had to wait, and those of spam among them.
   */
  readonly contested = { turns: 0, spam: 0 };

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open(options: VirtualCrawlOptions): Promise<VirtualCrawl> {
    const crawl = new VirtualCrawl(await openParts(options));
    crawl.#parts.admission.discover(options.web.seeds(), 0, undefined);
    return crawl;
  }

  get tally(): Tally {
    return this.#parts.tally;
  }

  get frontier(): Frontier {
    return this.#parts.frontier;
  }

  get meters(): Meters {
    return this.#parts.meters;
  }

  /** URLs queued between the sieve and the frontier. */
  get waiting(): number {
    return this.#parts.order.supply.queued;
  }

  /** URLs that the sieve has let through. */
  get urlsUnique(): number {
    return this.#parts.sieve.size;
  }

  /** The virtual time since the beginning. */
  get elapsed(): Millis {
    return this.#parts.clock.elapsed;
  }

  /** The share of all budgets that domains of a kind have; 0 without budgets. */
  async budgetShare(kind: KindName): Promise<number> {
    const { order, tally } = this.#parts;
    let [all, theirs] = [0, 0];
    for await (const { record } of order.domains?.() ?? []) {
      all += record.budget;
      if (tally.kindOf(record.name) === kind) theirs += record.budget;
    }
    return all === 0 ? 0 : theirs / all;
  }

  /** Crawls until `pages` are fetched in all; false when there are no more. */
  async run(pages: number): Promise<boolean> {
    const { clock, tally } = this.#parts;
    while (tally.pages < pages) {
      this.#begin();
      if (this.#isDue()) await this.#distribute();
      else {
        const next = this.#nextAt();
        if (next === Infinity) return false;
        clock.moveTo(next);
      }
    }
    return true;
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  /** Begins every look-up and turn that may begin now. */
  #begin(): void {
    const { clock, frontier, names, turns, tally } = this.#parts;
    names.begin();
    const begun: string[] = [];
    while (this.#mayBeginTurn()) {
      const turn = frontier.acquire(clock.now());
      if (!turn) {
        frontier.starved();
        return;
      }
      begun.push(turn.host.domain.name);
      turns.begin(turn);
    }
    if (frontier.nextReadyAt() > clock.now()) return;
    this.contested.turns += begun.length;
    this.contested.spam += begun.filter((name) => tally.isSpam(name)).length;
  }

  #mayBeginTurn(): boolean {
    return this.#parts.frontier.turnsOut < this.#parts.fetches;
  }

  #isDue(): boolean {
    const { clock, tally } = this.#parts;
    if (clock.now() < this.#nextStep) return false;
    return tally.pages - this.#carriedAt >= PAGES_TO_CARRY || this.#isStarving();
  }

  /** A fetcher is idle, and undistributed links may have work for it. */
  #isStarving(): boolean {
    const { admission, distributor } = this.#parts;
    return this.#mayBeginTurn() && (admission.hasWork || distributor.hasWork);
  }

  async #distribute(): Promise<void> {
    const { clock, diskClock, admission, order, distributor, tally } = this.#parts;
    this.#carriedAt = tally.pages;
    if (await admission.carry()) order.supply.offered();
    const progressed = await distributor.step();
    await this.#rank();
    this.#nextStep = clock.now() + Math.max(diskClock.rest(), progressed ? 0 : DISTRIBUTE_AGAIN);
  }

  /** Carries links between domains to the graph, and ranks domains when that is due. */
  async #rank(): Promise<void> {
    const { reputation } = this.#parts.order;
    if (this.#parts.frontier.turnsOut === 0) reputation?.carry(true);
    while (await reputation?.step());
  }

  #nextAt(): Millis {
    const { clock, frontier, distributor } = this.#parts;
    let next = clock.nextAt;
    if (!this.#mayBeginTurn()) return next;
    next = Math.min(next, frontier.nextReadyAt());
    if (this.#isStarving()) return Math.min(next, this.#nextStep);
    const { wakeAt } = distributor;
    return wakeAt === Infinity
      ? next
      : Math.min(next, Math.max(wakeAt, clock.now() + DISTRIBUTE_AGAIN));
  }
}

/** The files of a crawl, each on a disk that is metered. */
async function openFiles({ config, folder }: VirtualCrawlOptions, meters: Meters) {
  const part = async (name: keyof Meters) => {
    const disk = meteredDisk(meters[name]);
    const path = join(folder, name);
    await disk.makeFolder(path);
    return { disk, folder: path };
  };
  const sieve = await DrumSieve.openAt(
    { ...(await part('sieve')), memory: config.sieveMemory, cache: 0, pacer: flatOut },
    undefined,
  );
  const store = await HostStore.open({ ...(await part('hosts')), memory: config.hostMemory });
  const backlog = await Backlog.open({ ...(await part('backlog')), memory: config.backlogMemory });
  return { sieve, store, backlog, domains: await part('domains') };
}

async function openParts(options: VirtualCrawlOptions): Promise<Parts> {
  const { web, policy, config, spamModel, takeoverAt = Infinity } = options;
  const clock = new VirtualClock();
  const meters: Meters = {
    sieve: newMeter(),
    backlog: newMeter(),
    hosts: newMeter(),
    domains: newMeter(),
  };
  const diskClock = new DiskClock(clock, Object.values(meters));
  const { sieve, store, backlog, domains } = await openFiles(options, meters);
  const limits = limitsOf({ ...config, order: policy === POLICIES.bfs ? 'bfs' : 'budget' });
  const turnOrder = new ByBudget((domain) => order.reputation?.turnBudgetOf(domain) ?? 1);
  const frontier = new Frontier({
    ...{ backlog, store, clock, limits, onSkipped: () => {} },
    delayOf: ({ crawlDelay }) => Math.max(config.delay, crawlDelay),
    ...(policy !== POLICIES.bfs && { turnOrder }),
  });
  const fewHosts = () => frontier.fewHosts;
  const hosts = frontier.registry;
  const seeds = web.seeds();
  const order = await policy({
    clock,
    sieve,
    config,
    seeds,
    fewHosts,
    onBudgets: () => frontier.budgetsChanged(),
    hosts,
    spamModel,
    ...domains,
  });
  const distributor = new Distributor(order.supply, frontier, diskClock);
  const admission = new Admission({
    filters: { schedule: undefined },
    standing: undefined,
    scope: createScope(config, seeds),
    recent: new RecentCache(RECENT_LINKS),
    sieve,
    transport: soloTransport(),
    counters: new Counters(),
    internal: new InternalErrors({ event: () => {} }),
    clock,
    skips: NOT_LISTED,
  });
  const tally = new Tally(web);
  const onLookUp = (name: string) => tally.lookUp(name);
  const network = new Network(web);
  const retries = new RetryPolicy(config);
  const names = new VirtualNames({ clock, network, frontier, retries, onLookUp });
  const { reputation, spam, putOff } = order;
  const turns = new VirtualTurns({
    ...{ web, clock, network, frontier, admission, config, retries, tally, reputation },
    ...{ spam, putOff, takeover: new Takeover(web, clock, clock.now() + takeoverAt) },
    politeness: politenessOf(config, frontier, order),
    robots: new VirtualRobots({ web, network, clock, retries }, config),
  });
  const close = async () => {
    await order.close();
    for (const opened of [backlog, store, sieve]) await opened.close();
  };
  const { fetches } = config;
  return {
    ...{ clock, diskClock, meters, frontier, sieve, admission, names, turns, order, distributor },
    ...{ tally, fetches, close },
  };
}

function politenessOf(config: CrawlConfig, frontier: Frontier, { reputation }: Order): Politeness {
  const budgets = reputation && {
    crowded: () => frontier.turnsOut >= config.fetches,
    budgetOf: (domain: bigint) => reputation.budgetOf(domain),
    leastBudget: () => reputation.leastBudget,
  };
  // The addresses of the lab are private, and stand for public ones.
  const asPublic = { ...config, privateDelay: config.delay };
  return new Politeness(config, new AskedDelays(asPublic, undefined), budgets);
}
