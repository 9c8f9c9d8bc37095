/**
 * A crawl in virtual time: the real sieve, frontier, backlog, host store, admission and delays, against a web that is asked directly.
 *
 *   seeds ─► admission ─► sieve ─► distributor ─► frontier ─► names, visits (glimpses, in place of pages) ─► admission
 *
 * Idea      Time goes from event to event: an answer that arrives, a host whose delay is over, a disk that is free again. Nothing happens
 *           in between, so nobody waits: a month of politeness costs what its pages cost. Files are real, and waited
 *           for; meanwhile the clock stands still.
 * Requires  one `run`.
 * Ensures   two runs with the same settings do the same, to the last URL: only one thing happens at a time, and nothing depends on the
 *           time of day.
 * Cost      tens of microseconds a page; the memory of a crawl plus the web's caches.
 */
import { join } from 'node:path';
import { flatOut } from '../base/pacer.ts';
import type { Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import { Admission } from '../crawl/agent/admission.ts';
import { limitsOf } from '../crawl/agent/front-limits.ts';
import { createScope } from '../crawl/agent/scope.ts';
import { Counters } from '../crawl/record/counters.ts';
import { soloTransport } from '../crawl/transport/memory-transport.ts';
import { Backlog } from '../frontier/backlog/backlog.ts';
import { Distributor } from '../frontier/distributor.ts';
import { Frontier } from '../frontier/frontier.ts';
import { HostStore } from '../frontier/host-store.ts';
import type { Web } from '../lab/web.ts';
import { Politeness } from '../politeness/politeness.ts';
import { DrumSieve } from '../sieve/disk-sieve.ts';
import { RecentCache } from '../sieve/recent-cache.ts';
import { VirtualClock } from './clock.ts';
import { DiskClock, type DiskMeter, meteredDisk, newMeter } from './metered-disk.ts';
import { VirtualNames } from './names.ts';
import { Network } from './network.ts';
import { type Order, POLICIES, type Policy } from './policies.ts';
import { VirtualRobots } from './robots.ts';
import { Tally } from './tally.ts';
import { Visits } from './visits.ts';

/** Links gather over so many pages, unless a fetcher has nothing to do, */
const PAGES_TO_CARRY = 64;
/** and then for so long. */
const LOOK_AGAIN: Millis = 20;
const RECENT_LINKS = 2 ** 20;

export interface VirtualCrawlOptions {
  readonly web: Web;
  readonly policy: Policy;
  readonly config: CrawlConfig;
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
  readonly visits: Visits;
  readonly order: Order;
  readonly distributor: Distributor;
  readonly tally: Tally;
  readonly fetches: number;
  close(): Promise<void>;
}

export interface Meters {
  readonly sieve: DiskMeter;
  readonly backlog: DiskMeter;
  readonly hosts: DiskMeter;
  /** What is known of domains, and URLs that wait for budget. */
  readonly domains: DiskMeter;
}

export class VirtualCrawl {
  readonly #parts: Parts;
  #carriedAt = 0;
  /** When the distributor may work again: the disk is busy until then, or there was nothing to do. */
  #nextStep: Millis = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open(options: VirtualCrawlOptions): Promise<VirtualCrawl> {
    const crawl = new VirtualCrawl(await putTogether(options));
    crawl.#parts.admission.discover(options.web.seeds(), 0);
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

  /** URLs that wait between the sieve and the frontier. */
  get waiting(): number {
    return this.#parts.order.supply.waiting;
  }

  /** URLs let through by the sieve. */
  get urlsUnique(): number {
    return this.#parts.sieve.size;
  }

  /** Of virtual time. */
  get elapsed(): Millis {
    return this.#parts.clock.elapsed;
  }

  /** Goes on until so many pages were fetched in all; false when there are no more. */
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

  /** Begins whatever may begin now. */
  #begin(): void {
    const { clock, frontier, names, visits } = this.#parts;
    names.begin();
    while (this.#mayVisit()) {
      const turn = frontier.acquire(clock.now());
      if (!turn) {
        frontier.starved();
        return;
      }
      visits.begin(turn);
    }
  }

  #mayVisit(): boolean {
    return this.#parts.frontier.turnsOut < this.#parts.fetches;
  }

  #isDue(): boolean {
    const { clock, tally } = this.#parts;
    if (clock.now() < this.#nextStep) return false;
    return tally.pages - this.#carriedAt >= PAGES_TO_CARRY || this.#isStarving();
  }

  /** A fetcher has nothing to do, and links wait that may have something for it. */
  #isStarving(): boolean {
    const { admission, distributor } = this.#parts;
    return this.#mayVisit() && (admission.hasWork || distributor.hasWork);
  }

  async #distribute(): Promise<void> {
    const { clock, diskClock, admission, order, distributor, tally } = this.#parts;
    this.#carriedAt = tally.pages;
    if (await admission.carry()) order.supply.offered();
    const progressed = await distributor.step();
    await this.#rank();
    this.#nextStep = clock.now() + Math.max(diskClock.rest(), progressed ? 0 : LOOK_AGAIN);
  }

  /** Takes in the links between domains that have gathered, and ranks when that is due. */
  async #rank(): Promise<void> {
    const { reputation } = this.#parts.order;
    if (this.#parts.frontier.turnsOut === 0) reputation?.carry(true);
    while (await reputation?.step());
  }

  #nextAt(): Millis {
    const { clock, frontier, distributor } = this.#parts;
    let next = clock.nextAt;
    if (!this.#mayVisit()) return next;
    next = Math.min(next, frontier.nextReadyAt());
    if (this.#isStarving()) return Math.min(next, this.#nextStep);
    const { wakeAt } = distributor;
    return wakeAt === Infinity ? next : Math.min(next, Math.max(wakeAt, clock.now() + LOOK_AGAIN));
  }
}

async function putTogether({ web, policy, config, folder }: VirtualCrawlOptions): Promise<Parts> {
  const clock = new VirtualClock();
  const meters: Meters = {
    sieve: newMeter(),
    backlog: newMeter(),
    hosts: newMeter(),
    domains: newMeter(),
  };
  const diskClock = new DiskClock(clock, Object.values(meters));
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
  const frontier = new Frontier({
    backlog,
    store,
    clock,
    limits: limitsOf({ ...config, order: policy === POLICIES.bfs ? 'bfs' : 'budget' }),
    onRefused: () => {},
  });
  const fewHosts = () => frontier.fewHosts;
  const order = await policy({ clock, sieve, config, fewHosts, ...(await part('domains')) });
  const distributor = new Distributor(order.supply, frontier, diskClock);

  const politeness = new Politeness(config, undefined);
  const { reputation } = order;
  if (reputation) {
    politeness.budgets = {
      crowded: () => frontier.turnsOut >= config.fetches,
      budgetOf: (domain) => reputation.budgetOf(domain),
      leastBudget: () => reputation.leastBudget,
    };
  }

  const tally = new Tally(web);
  const network = new Network(web);
  const admission = new Admission({
    filters: { schedule: undefined },
    standing: () => undefined,
    scope: createScope(config, web.seeds()),
    recent: new RecentCache(RECENT_LINKS),
    sieve,
    transport: soloTransport(),
    counters: new Counters(),
    clock,
  });
  const names = new VirtualNames({
    clock,
    network,
    frontier,
    onLookUp: (name) => tally.lookUp(name),
  });
  const visits = new Visits({
    web,
    clock,
    network,
    frontier,
    admission,
    politeness,
    robots: new VirtualRobots(web, network, clock, config.maxCrawlDelay),
    config,
    tally,
    reputation: order.reputation,
  });
  const close = async () => {
    await order.close();
    for (const opened of [backlog, store, sieve]) await opened.close();
  };
  const { fetches } = config;
  return {
    ...{ clock, diskClock, meters, frontier, sieve, admission, names, visits, order, distributor },
    ...{ tally, fetches, close },
  };
}
