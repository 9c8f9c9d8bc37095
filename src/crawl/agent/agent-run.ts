/**
 * An agent from its settings to its last word: puts the parts together, runs them, and takes them apart again. It does not
 * know in which thread it is.
 */
import type { Clock } from '../../base/clock.ts';
import { FieldWriter } from '../../base/fields.ts';
import { politePacer } from '../../base/pacer.ts';
import type { Bytes } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { wantsLikeness } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { LikenessMemory } from '../../duplicates/likeness-folder.ts';
import { typeFilter } from '../../filter/content-type.ts';
import { compileFilters, type FilterSet } from '../../filter/filter-set.ts';
import type { Predicates } from '../../filter/predicate.ts';
import { Backlog } from '../../frontier/backlog/backlog.ts';
import { Distributor } from '../../frontier/distributor.ts';
import { Frontier } from '../../frontier/frontier.ts';
import { restoreSnapshot, takeSnapshot } from '../../frontier/snapshot.ts';
import { SieveSupply } from '../../frontier/supply.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import { Politeness } from '../../politeness/politeness.ts';
import { parseBudget } from '../../reputation/budget/budget-policy.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { readOverrides } from '../../reputation/budget/overrides.ts';
import { BudgetedSupply } from '../../reputation/budgeted-supply.ts';
import { EdgeGatherer } from '../../reputation/edges/edge-gatherer.ts';
import { Reputation } from '../../reputation/reputation.ts';
import type { ReputationFolder } from '../../reputation/reputation-folder.ts';
import { MemorySieve } from '../../sieve/memory-sieve.ts';
import { RecentCache } from '../../sieve/recent-cache.ts';
import type { Sieve } from '../../sieve/sieve.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import {
  type AgentProgress,
  addUp,
  Counters,
  type CountersState,
  type EndReason,
  total,
} from '../record/counters.ts';
import { HostWaits } from '../record/host-waits.ts';
import type { EventLog } from '../record/log.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { Series } from '../record/series.ts';
import { SparingLog } from '../record/sparing-log.ts';
import { type Vitals, VitalsKeeper } from '../record/vitals.ts';
import { AgentFolder, type AgentState, agentDir } from '../state/agent-folder.ts';
import { decodeImage, encodeImage } from '../state/memory-image.ts';
import { openStore } from '../store/open-store.ts';
import type { CrawlFailure, Page } from '../store/page.ts';
import type { Store } from '../store/store.ts';
import { type SharedAddresses, SharedAddressTable } from '../transport/address-table.ts';
import { Allowance, type SharedAllowance } from '../transport/allowance.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import { agentOf } from '../transport/routing.ts';
import { PARCEL, type Transport, type TransportState } from '../transport/transport.ts';
import { Admission } from './admission.ts';
import { Agent } from './agent.ts';
import { BlockedDomains } from './blocked-domains.ts';
import { equip } from './client-setup.ts';
import { limitsOf } from './front-limits.ts';
import { Naming } from './host-resolver.ts';
import { Likeness } from './likeness.ts';
import { Outage } from './outage.ts';
import { RobotsKeeper } from './robots-keeper.ts';
import { createScope } from './scope.ts';

/** Plain data, so that it can be handed to a thread. */
export interface AgentStart {
  readonly agent: number;
  readonly agents: number;
  /** How often the crawl was begun before. */
  readonly incarnation: number;
  readonly config: CrawlConfig;
  /** All seeds of the crawl, and where they have moved to: the scope is made of them. */
  readonly seeds: readonly string[];
  readonly moved: readonly SeedMove[];
  /** What waits may have been scheduled by another scope. */
  readonly rescoped: boolean;
  readonly allowance: SharedAllowance;
  /** None for an agent that is alone. */
  readonly addresses: SharedAddresses | undefined;
  readonly filters: FilterSet;
}

/** What an agent needs and no message can carry. */
export interface AgentSurroundings {
  readonly clock: Clock;
  readonly disk: Disk;
  /** Connects the agent with the others. */
  readonly connect: (state: TransportState | undefined) => Transport;
  readonly log: EventLog;
  readonly onIdle: (report: ActivityReport) => void;
  readonly onLimit: (reason: EndReason) => void;
  readonly onSeedMoved: (move: SeedMove) => void;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  /** What filters may ask. */
  readonly predicates: Predicates;
}

export interface RunningAgent {
  stop(reason: EndReason): void;
  conclude(): void;
  activity(): ActivityReport;
  progress(): AgentProgress;
  /** How it is; asked a few times a second, it also keeps the account of how the crawl goes over time. */
  vitals(): Vitals;
  /** A seed has moved, another agent says. */
  seedMoved(move: SeedMove): void;
  /** From now on these decide. */
  filters(set: FilterSet): void;
  readonly result: Promise<AgentProgress>;
}

/** For the cache of recent links: the menus and footers of a few thousand sites. */
const RECENT_LINKS: Bytes = 2 ** 20;
/** For the digests of recent payloads: half a million pages. */
const RECENT_PAYLOADS: Bytes = 2 ** 22;
/** For links between domains that were found lately. */
const RECENT_EDGES: Bytes = 2 ** 19;

export async function runAgent(
  start: AgentStart,
  around: AgentSurroundings,
): Promise<RunningAgent> {
  const opened: Closable[] = [];
  try {
    return await beginAgent(start, around, opened);
  } catch (error) {
    for (const part of opened.reverse()) await part.close().catch(() => {}); // the first failure is the one to tell
    throw error;
  }
}

interface Closable {
  close(): Promise<void>;
}

/** What it opens it adds to `opened`, to be closed if it fails. */
async function beginAgent(
  start: AgentStart,
  around: AgentSurroundings,
  opened: Closable[],
): Promise<RunningAgent> {
  const { config } = start;
  const { clock, disk, log } = around;
  let pages: Store | undefined;
  let outage: Outage | undefined;
  const onAnswer = async (answer: DnsAnswer) => {
    outage?.resolved(answer.host);
    if (config.dnsRecords) await pages?.storeAnswer?.(answer);
  };
  const { identity, client, resolver, guard, delays, drop } = await equip(
    config,
    clock,
    undefined,
    onAnswer,
  );
  opened.push(client);
  const politeness = new Politeness(config, delays);
  const scope = createScope(config, start.seeds);
  for (const move of start.moved) scope.admitSeedRedirect(...move);
  const filters = compileFilters(start.filters, around.predicates);
  const counters = new Counters();
  const moved: SeedMove[] = [];
  const seedMoved = (move: SeedMove) => {
    moved.push(move);
    around.onSeedMoved(move);
  };

  const folder =
    config.dir === ''
      ? undefined
      : await AgentFolder.open(disk, agentDir(config.dir, start.agent), config, (p) =>
          log.event('rank-sample-halved', { p }),
        );
  if (folder) opened.push(folder);
  const before = folder?.restored;
  const startedAt = clock.now();
  // The memory of a checkpoint is used for the next.
  const [snapshot, discovered] = [new FieldWriter(), new FieldWriter()];
  const front = before && decodeImage(before.front, config.dir);
  pages = await openStore({
    ...{ disk, clock, config, agent: start.agent },
    userAgent: identity.userAgent,
    earlier: before?.state.archive,
  });
  const transport = around.connect(front?.transport);

  let robots: RobotsKeeper | undefined;
  const sparing = new SparingLog(log);
  const waits = new HostWaits(clock, sparing);
  const frontier = new Frontier({
    backlog: folder?.backlog ?? Backlog.inMemory(),
    store: folder?.hosts,
    clock,
    limits: folder ? limitsOf(config) : { ...limitsOf(config), hosts: Infinity, urls: Infinity },
    ...(start.addresses && { addresses: new SharedAddressTable(start.addresses, start.agent) }),
    // After a restart nobody knows when an address was asked last.
    ...(before && { readyFrom: (ip: string) => startedAt + politeness.addressDelay(ip) }),
    onEnter: (host) => robots?.remember(host),
    onLeave: (host) => {
      robots?.forget(host);
      waits.over(host);
    },
    onRefused: (reason, urls) =>
      reason.endsWith('-limit')
        ? counters.countRefused(reason, urls)
        : counters.countError(reason, urls),
  });
  const sieve = folder?.sieve ?? new MemorySieve();
  const admission = new Admission({
    scope,
    filters,
    standing: () => reputation,
    recent: new RecentCache(RECENT_LINKS),
    sieve,
    transport,
    counters,
    clock,
  });
  const budgeted =
    folder?.reputation &&
    underBudgets(
      folder.reputation,
      start,
      around,
      transport,
      sieve,
      frontier,
      before?.state.taken,
      counters,
    );
  const supply = budgeted?.supply ?? new SieveSupply(sieve, before?.state.taken);
  const reputation = budgeted?.reputation;
  const memory =
    folder?.likeness ??
    (wantsLikeness(config) ? new LikenessMemory(config.similarityMemory) : undefined);
  const forgottenBefore = memory?.pages.forgotten ?? 0;
  const likeness = memory && new Likeness({ config, memory, counters, log: sparing });
  if (reputation) {
    politeness.budgets = {
      crowded: () => frontier.turnsOut >= config.fetches,
      budgetOf: (domain) => reputation.budgetOf(domain),
      leastBudget: () => reputation.leastBudget,
    };
  }
  const distributor = new Distributor(supply, frontier, clock);
  outage = new Outage({ resolver, clock, log });
  const { onError } = around;
  const shared = {
    ...{
      clock,
      client,
      resolver,
      guard,
      frontier,
      counters,
      log,
      politeness,
      outage,
      waits,
      onError,
    },
  };
  robots = new RobotsKeeper({
    ...shared,
    productToken: identity.productToken,
    store: (exchange) => pages.store(exchange),
    maxCrawlDelay: config.maxCrawlDelay,
  });
  if (before && front) {
    frontier.restore(before.state.frontier);
    restoreSnapshot(front.frontier, frontier, (host) => clock.now() + politeness.hostDelay(host));
    for (const batch of front.discovered) admission.restore(batch);
  }

  // The crawl may have been cut off before it had noted down what the agent had.
  for (const move of before?.state.moved ?? []) {
    if (scope.admitSeedRedirect(...move)) around.onSeedMoved(move);
    moved.push(move);
  }

  const decided = (domain: string, decision: Override | undefined) =>
    log.event('domain-decided', { domain, decision: decision ?? 'policy' });
  const isOurs = (domain: bigint) =>
    agentOf(partitionOfFingerprint(domain), start.agents) === start.agent;
  const blocked = new BlockedDomains(isOurs);
  const obey = async (): Promise<void> => {
    if (!folder) return;
    const overrides = await readOverrides(disk, config.dir);
    // Where budgets are kept, they tell what is new.
    blocked.follow(overrides, reputation ? undefined : decided);
    reputation?.override(overrides, decided);
  };
  await obey();
  const progress = (): AgentProgress => ({
    ...plain(counters),
    fetching: frontier.turnsOut,
    queued: frontier.queued + supply.waiting,
    backlog: frontier.backlog.urls + supply.waiting,
    front: frontier.front,
    hosts: frontier.hostsSeen,
    domains: frontier.domainsSeen,
    urlsUnique: sieve.size,
    forgotten: {
      digests: pages.forgotten,
      pages: (memory?.pages.forgotten ?? 0) - forgottenBefore,
    },
  });
  const series = new Series(startedAt, before?.state.series);
  const sample = () => {
    const { errors, retries, ...rest } = progress();
    series.sample(clock.now(), { ...rest, errors: total(errors), retries: total(retries) });
  };
  const vitals = new VitalsKeeper({
    clock,
    pages: () => counters.pages,
    outage: () => outage.current,
    waiting: () => waits.current,
    look: (top) =>
      top.look(frontier.domainsInMemory(), reputation && ((key) => reputation.reputed(key))),
    top: before?.state.top,
    savedAt: before?.state.savedAt,
  });
  const save = async (): Promise<void> => {
    const begun = clock.now();
    await obey().catch((error) =>
      log.event('domains-file-refused', { why: String(error.message) }),
    );
    reputation?.carry(true);
    await reputation?.write();
    // And what came meanwhile, in the very step of the snapshots: the transport counts it as received, the frontier as fetched.
    reputation?.carry(true);
    reputation?.collect();
    const { received } = transport.state();
    if (folder) {
      const inMemory = {
        frontier: takeSnapshot(frontier, snapshot),
        transport: transport.state(),
        discovered: admission.snapshot(),
      };
      const front = encodeImage(inMemory, discovered);
      const counted = addUp<CountersState>(before ? [before.state.counters, counters] : [counters]);
      sample();
      const state: AgentState = {
        savedAt: clock.now(),
        waiting: frontier.queued + frontier.turnsOut + supply.waiting,
        counters: counted,
        frontier: frontier.state,
        taken: supply.taken,
        seeds: start.seeds.length,
        moved,
        archive: pages.cut(),
        series: series.state,
        top: vitals.topDomains(),
      };
      await folder.save(front, state, () => pages.makeDurable());
      vitals.saved(begun);
      const took = clock.now() - begun;
      if (took > config.checkpoint) log.event('checkpoint-slow', { agent: start.agent, took });
    }
    transport.acknowledge(received);
  };
  const agent = new Agent({
    clock,
    frontier,
    admission,
    supply,
    reputation,
    distributor,
    naming: new Naming(shared),
    transport,
    allowance: new Allowance(start.allowance),
    tools: {
      ...shared,
      config,
      robots,
      admission,
      reputation,
      likeness,
      pages,
      filters,
      blocked: blocked.names,
      newScope: start.rescoped ? scope : undefined,
      sparing,
      wantsType: typeFilter(config.types),
      payloads: new RecentCache(RECENT_PAYLOADS),
      parseOptions: { agent: identity.productToken.toLowerCase(), ...(drop && { drop }) },
      onPage: around.onPage,
      onSeedRedirect: (from, to) => {
        if (scope.admitSeedRedirect(from, to)) seedMoved([from, to]);
      },
    },
    checkpoint: save,
    checkpointEvery: config.checkpoint,
    onIdle: around.onIdle,
    onLimit: around.onLimit,
  });
  // Those that it was told of before its last checkpoint are in it; those of a run that was cut off before one are not.
  admission.discover(ownSeeds(start.seeds.slice(before?.state.seeds ?? 0), start), 0);

  const run = async (): Promise<AgentProgress> => {
    try {
      await agent.run();
      await pages.close();
      return progress();
    } catch (error) {
      await pages.close().catch(() => {}); // the first failure is the one to tell
      throw error;
    } finally {
      await client.close();
      await reputation?.end();
      await folder?.close();
    }
  };
  const result = run();
  result.catch(() => {}); // whoever is interested awaits it
  return {
    stop: (reason) => agent.stop(reason),
    conclude: () => agent.conclude(),
    activity: () => agent.activity(),
    progress,
    vitals: () => {
      sample();
      return vitals.now();
    },
    seedMoved: (move) => void scope.admitSeedRedirect(...move),
    filters: (set) => void Object.assign(filters, compileFilters(set, around.predicates)),
    result,
  };
}

/** The parts of a crawl in the order of budgets. */
function underBudgets(
  { book, edges, sample, rounds }: ReputationFolder,
  { config, agent, agents }: AgentStart,
  { clock }: AgentSurroundings,
  transport: Transport,
  sieve: Sieve,
  frontier: Frontier,
  taken: number | undefined,
  counters: Counters,
): { readonly reputation: Reputation; readonly supply: BudgetedSupply } {
  const pacer = politePacer();
  const supply = new BudgetedSupply(
    {
      sieve,
      book,
      beast: rounds,
      now: () => clock.now(),
      pacer,
      roundTime: config.delay,
      fewHosts: () => frontier.fewHosts,
      onBlocked: (urls) => counters.countRefused('blocked', urls),
    },
    taken,
  );
  const reputation = new Reputation({
    agent,
    agents,
    rank: config.rank,
    policy: parseBudget(config.budget),
    isOurs: (domain) => agentOf(partitionOfFingerprint(domain), agents) === agent,
    gatherer: new EdgeGatherer({
      owners: agents,
      ownerOf: (partition) => agentOf(partition, agents),
      cash: config.rank === 'opic',
      cache: RECENT_EDGES,
    }),
    edges,
    sample,
    book,
    clock,
    pacer,
    send: (to, message, bytes) => transport.send(to, PARCEL[message], bytes),
    onBudgets: () => supply.budgetsChanged(),
  });
  return { reputation, supply };
}

/** Each seed is discovered by the agent that owns it. */
function ownSeeds(seeds: readonly string[], { agent, agents }: AgentStart): string[] {
  return seeds.filter(
    (seed) => agentOf(partitionOfFingerprint(fingerprint(seed)), agents) === agent,
  );
}

function plain(counters: Counters): CountersState {
  return { ...counters };
}
