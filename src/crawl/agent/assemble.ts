/** Puts the parts of an agent together, in the order of a URL's life. Nothing runs yet. */
import { paceOf } from '../../base/clock.ts';
import { politePacer } from '../../base/pacer.ts';
import type { Bytes } from '../../base/units.ts';
import { budgetIn, wantsLikeness } from '../../config/settings.ts';
import { Extractor } from '../../extract/extractor.ts';
import { typeFilter } from '../../filter/content-type.ts';
import { compileFilters, type StageFilters } from '../../filter/filter-set.ts';
import { Backlog } from '../../frontier/backlog/backlog.ts';
import { Distributor } from '../../frontier/distributor.ts';
import { Frontier } from '../../frontier/frontier.ts';
import type { Domain, Host } from '../../frontier/host.ts';
import { type Discovery, MOST_REDIRECTS } from '../../frontier/queue/discovered-url.ts';
import { SieveSupply, type Supply } from '../../frontier/supply.ts';
import { ByBudget } from '../../frontier/turn-order.ts';
import type { AddressTable, HostTable } from '../../frontier/workbench.ts';
import { AskedDelays } from '../../politeness/asked-delays.ts';
import { limitsOf } from '../../politeness/front-limits.ts';
import { type Budgets, Politeness } from '../../politeness/politeness.ts';
import { RetryPolicy } from '../../politeness/retries-and-pauses.ts';
import { SLOW_DOWN } from '../../politeness/slow-servers.ts';
import { parseBudget } from '../../reputation/budget/budget-policy.ts';
import { BudgetedSupply } from '../../reputation/budgeted-supply.ts';
import { EdgeGatherer } from '../../reputation/edges/edge-gatherer.ts';
import { domainsOfSeeds, Reputation } from '../../reputation/reputation.ts';
import type { ReputationFolder } from '../../reputation/reputation-folder.ts';
import { MemorySieve } from '../../sieve/memory-sieve.ts';
import { RecentCache } from '../../sieve/recent-cache.ts';
import type { Sieve } from '../../sieve/sieve.ts';
import { partitionOfFingerprint } from '../../url/fingerprint.ts';
import { hostOf } from '../../url/parts.ts';
import { HostResolver } from '../hosts/host-resolver.ts';
import { RobotsKeeper } from '../hosts/robots-keeper.ts';
import { RobotsMemory } from '../hosts/robots-memory.ts';
import { SeedTrouble } from '../hosts/seed-trouble.ts';
import type { Ask } from '../planned/ask.ts';
import { Asks } from '../planned/asks.ts';
import type { AgentOrders } from '../record/agent-orders.ts';
import { Counters } from '../record/counters.ts';
import { HostWaits } from '../record/host-waits.ts';
import { InternalErrors } from '../record/internal-errors.ts';
import { SparingLog } from '../record/sparing-log.ts';
import { openDesk } from '../render/open-desk.ts';
import type { RenderDesk } from '../render/render-desk.ts';
import { NOT_LISTED } from '../skipped/skip-log.ts';
import { SharedAddressTable } from '../transport/address-table.ts';
import { Allowance } from '../transport/allowance.ts';
import { SharedHostTable } from '../transport/host-table.ts';
import { listScore } from '../transport/list-score.ts';
import { agentOf } from '../transport/routing.ts';
import { PARCEL } from '../transport/transport.ts';
import { Agent, AgentSignals } from './agent.ts';
import { ProgressKeeper } from './agent-progress.ts';
import { AgentTuning } from './agent-tuning.ts';
import { Checkpointer } from './checkpointer.ts';
import { confirmedPage } from './confirmed-page.ts';
import { DomainDecisions } from './domain-decisions.ts';
import { FetchPermits } from './fetch-permits.ts';
import { Likeness } from './likeness.ts';
import { Admission } from './link-admission.ts';
import type { AgentStart, AgentSurroundings, OpenAgent } from './open-agent.ts';
import { Intake } from './page-intake.ts';
import { PageLines } from './page-lines.ts';
import { type factsOf, settlePage } from './planned-page.ts';
import { requestsWith } from './requests.ts';
import { createScope, MovedSeeds, type Scope } from './scope.ts';
import { SpamWatch } from './spam-watch.ts';
import { reasonToSkip } from './still-wanted.ts';
import { Turns } from './turn.ts';
import { TurnPolicy } from './turn-policy.ts';

/** For the cache of recent links: the menus and footers of a few thousand sites. */
const RECENT_LINKS: Bytes = 2 ** 20;
/** For the digests of recent payloads: half a million pages. */
const RECENT_PAYLOADS: Bytes = 2 ** 22;
/** For recent links between domains. */
const RECENT_EDGES: Bytes = 2 ** 19;

/** An agent that is ready to run, and the parts that its start and its end need. */
export interface Assembly {
  readonly agent: Agent;
  readonly admission: Admission;
  readonly frontier: Frontier;
  readonly politeness: Politeness;
  readonly reputation: Reputation | undefined;
  readonly decisions: DomainDecisions;
  readonly movedSeeds: MovedSeeds;
  /** Replaced in place when the user changes them. */
  readonly filters: StageFilters;
  readonly progress: ProgressKeeper;
  /** Applies what the operator has changed; to be called at a checkpoint. */
  readonly tune: (orders: AgentOrders) => void;
  /** Adds URLs to request; nothing outside a planned crawl. */
  readonly ask: (asks: readonly Ask[]) => void;
}

export function assemble(
  start: AgentStart,
  around: AgentSurroundings,
  opened: OpenAgent,
): Assembly {
  const { config } = start;
  const { folder, store, client, transport } = opened;
  const shared = sharedParts(start, around, opened);
  const { clock, wall, log, counters, internal, skips } = shared;
  const signals = new AgentSignals(clock);
  const notify = () => signals.links.notify();
  const robotsMemory = new RobotsMemory();
  const asked = new AskedDelays(config, opened.delays);

  // Where URLs are kept: seen in the sieve, queued in the supply and the frontier.
  const sieve = folder?.sieve ?? new MemorySieve();
  const asks = opened.outcomes && new Asks(wall, opened.outcomes, around.onOutcome);
  const budgetOf = (domain: Domain) => order.reputation?.turnBudgetOf(domain) ?? 1;
  const beside = { ...tablesOf(start, around), asked, robotsMemory, asks, budgetOf };
  const frontier = frontierOf(start, opened, shared, beside);
  const isShut = (url: string) => spam?.shutsDomainOf(hostOf(url), frontier.registry) ?? false;
  const isUrged = around.onResponse !== undefined;
  const order = orderOf(start, opened, { ...shared, isShut, isUrged }, sieve, frontier, asks);
  const { supply, reputation } = order;
  const permits = permitsOf(start, around, frontier, () => turns.desk?.turns ?? 0);
  const politeness = new Politeness(config, asked, budgetsOf(permits, reputation));

  // A link is admitted: scope, filter, recent cache, route, sieve.
  const scope = createScope(config, start.seeds);
  for (const move of start.moved) scope.admitSeedRedirect(...move);
  const movedSeeds = new MovedSeeds(scope, around.onSeedMoved);
  const filters = compileFilters(start.filters, around.predicates);
  const admission = new Admission({
    ...{ scope, filters, standing: reputation, sieve, transport, counters, clock, internal },
    recent: new RecentCache(RECENT_LINKS),
    skips,
  });

  // A new URL comes into the frontier, and its host gets an address.
  const distributor = new Distributor(supply, frontier, clock);
  const hostResolver = new HostResolver({ ...shared, frontier });

  // A host has its turn: robots, fetch, intake, commit.
  const isOurs = (domain: bigint) => ownerOf(domain, start.agents) === start.agent;
  const { disk } = around;
  const decisions = new DomainDecisions({ disk, dir: config.dir, log, isOurs, reputation });
  const spam = spamWatchOf(start, opened, shared, reputation, decisions);
  const turns = turnsOf(start, around, opened, shared, {
    ...{ spam, asks, frontier, politeness, permits, admission, reputation, filters, robotsMemory },
    ...{ scope, blocked: decisions.blocked },
    putOff: order.putOff,
    newScope: start.rescoped && !start.planned ? scope : undefined,
    onSeedRedirect: (from, to) => movedSeeds.redirected(from, to),
    onLinks: () => permits.mayBeginTurn && notify(),
  });

  // Everything is checkpointed.
  const queued = { frontier, supply, sieve };
  const progress = new ProgressKeeper({ ...opened, ...shared, ...queued, reputation, clock: wall });
  const tuning = new AgentTuning(start, { permits, politeness, reputation, scope, admission });
  const checkpointer = new Checkpointer({
    ...{ clock: wall, pace: clock, log, folder, decisions, reputation, transport, frontier },
    ...{ ...opened, admission, supply, store },
    ...{ progress, movedSeeds, agent: start.agent, seeds: () => tuning.seeds },
    ...{ every: config.checkpoint, keeper: around.cluster?.keeper, onKept: notify },
  });
  const agent = new Agent({
    ...{ clock, signals, permits, transport, admission, supply, reputation, distributor, frontier },
    ...{ hostResolver, turns: turns.turns, checkpointer, checkpointEvery: config.checkpoint },
    concludeSpam: async () => spam?.conclude(frontier, folder?.hosts),
    closeConnections: () => void Promise.all([client.close(), opened.browsers?.close()]),
    ...{ onIdle: around.onIdle, onLimit: around.onLimit },
  });
  const forStart = { admission, frontier, politeness, decisions };
  const ask = (wanted: readonly Ask[]) => {
    asks?.add(wanted);
    notify();
  };
  return { agent, ...forStart, reputation, movedSeeds, filters, progress, ask, tune: tuning.apply };
}

function permitsOf(
  { config, allowance, planned, paused }: AgentStart,
  { cluster }: AgentSurroundings,
  frontier: Frontier,
  waiting: () => number,
): FetchPermits {
  const permits = new FetchPermits(new Allowance(allowance), frontier, {
    fetches: config.fetches,
    requisites: config.requisites !== 'none' && !planned,
    fence: cluster?.fence,
    waiting,
  });
  permits.paused = paused;
  return permits;
}

/** What many parts use. */
type Shared = ReturnType<typeof sharedParts>;

function sharedParts(
  { agent, config, seeds }: AgentStart,
  { clock: wall, log, onError }: AgentSurroundings,
  { outage, resolver, guard, skipLog, lines: files }: OpenAgent,
) {
  const counters = new Counters();
  const sparing = new SparingLog(log);
  const waits = new HostWaits(wall, sparing);
  const internal = new InternalErrors(sparing);
  const retries = new RetryPolicy(config);
  const skips = skipLog ?? NOT_LISTED;
  const seedTrouble = new SeedTrouble({ seeds, log, onError });
  const lines = files && new PageLines({ files, agent, clock: wall, logs: config.crawlLog });
  const told = { log, onError, counters, sparing, waits, internal, skips, lines, seedTrouble };
  // Delays, and all that waits for them, go by the clock that never jumps.
  return { clock: paceOf(wall), wall, outage, resolver, guard, retries, ...told };
}

/** The tables that agents share: of this machine, or of a cluster. */
function tablesOf(
  { agent, addresses, hosts }: AgentStart,
  { cluster }: AgentSurroundings,
): Pick<FrontierWith, 'addresses' | 'hosts'> {
  return {
    addresses: cluster?.addresses ?? (addresses && new SharedAddressTable(addresses, agent)),
    hosts: cluster?.hosts ?? new SharedHostTable(hosts, agent),
  };
}

interface FrontierWith {
  /** Undefined for an agent that is alone. */
  readonly addresses: AddressTable | undefined;
  readonly hosts: HostTable;
  readonly asked: AskedDelays;
  readonly robotsMemory: RobotsMemory;
  /** Only in a planned crawl. */
  readonly asks: Asks | undefined;
  /** For turns in the order of budgets. */
  readonly budgetOf: (domain: Domain) => number;
}

function frontierOf(
  { config, heir }: AgentStart,
  { folder, hadRun, skipLog }: OpenAgent,
  { clock, counters, waits, retries, skips, lines }: Shared,
  { addresses, hosts, asked, robotsMemory, asks, budgetOf }: FrontierWith,
): Frontier {
  const limits = limitsOf(config);
  const startedAt = clock.now();
  // The process before may have learned a Crawl-delay that no checkpoint holds.
  const unknownDelay = config.maxCrawlDelay - (heir?.quiet ?? 0);
  return new Frontier({
    // Open asks are in memory, and limited by the coordinator.
    backlog: (asks ? undefined : folder?.backlog) ?? Backlog.inMemory(),
    store: folder?.hosts,
    clock,
    limits:
      folder && !asks
        ? limits
        : { ...limits, hosts: folder ? limits.hosts : Infinity, urls: Infinity },
    requisites: config.requisites !== 'none',
    ...(addresses && { addresses }),
    hosts,
    ...(config.order === 'budget' && !asks && { turnOrder: new ByBudget(budgetOf) }),
    // After an earlier run nothing is known of what it asked since its last checkpoint, and of
    // hosts that are not in memory not even the Crawl-delay.
    ...(hadRun && {
      askFrom: (name: string) => startedAt + Math.max(asked.ofHost(name), config.maxCrawlDelay),
      readyFrom: (ip: string) => startedAt + asked.ofAddress(ip),
      hostReadyFrom: ({ name, crawlDelay, robots, addresses: at }: Host) => {
        const unknown = heir && robots.size === 0 ? unknownDelay : 0;
        return startedAt + Math.max(asked.ofHost(name, at[0]?.ip), crawlDelay, unknown);
      },
    }),
    delayOf: ({ name, addresses: at, crawlDelay }) =>
      Math.max(asked.ofHost(name, at[0]?.ip), crawlDelay),
    longestPause: ({ name, crawlDelay }) =>
      Math.max(
        ...[asked.ofHost(name), crawlDelay, config.slowDelay],
        ...[SLOW_DOWN.longest, retries.longestPause],
      ),
    onEnter: (host) => robotsMemory.hostEntered(host),
    onLeave: (host) => {
      robotsMemory.hostLeft(host);
      waits.over(host);
    },
    onSkipped: (reason, urls, host) => {
      if (isLimit(reason)) counters.countSkipped(reason, urls);
      else counters.countError(reason, urls);
      asks?.settleHost(host.name, reason, host.underWay?.url);
    },
    ...((skipLog || lines?.logs) && {
      onSkippedUrl: (discovery, reason) => {
        skips.skipped(discovery.url, reason);
        if (!isLimit(reason)) lines?.ended(discovery, reason);
      },
    }),
  });
}

/** A host is at its limit of pages; otherwise the crawl gave up on it. */
const isLimit = (reason: string): boolean => reason.endsWith('-limit');

/** The order in which URLs come into the frontier. */
interface Order {
  readonly supply: Supply & { readonly taken: number };
  /** Only in the order of budgets. */
  readonly reputation: Reputation | undefined;
  /** Takes back a URL whose domain has lost its budget; only in the order of budgets. */
  readonly putOff?: (discovery: Discovery) => void;
}

function orderOf(
  start: AgentStart,
  { folder, restored, transport }: OpenAgent,
  shared: Shared & { readonly isShut: (url: string) => boolean; readonly isUrged: boolean },
  sieve: Sieve,
  frontier: Frontier,
  asks: Asks | undefined,
): Order {
  if (asks) return { supply: asks, reputation: undefined };
  const taken = restored?.state.taken;
  if (!folder?.reputation) return { supply: new SieveSupply(sieve, taken), reputation: undefined };
  const pacer = politePacer();
  const { book, rounds } = folder.reputation;
  const supply = new BudgetedSupply(
    {
      sieve,
      book,
      beast: rounds,
      now: () => shared.clock.now(),
      pacer,
      roundTime: start.config.delay,
      fewHosts: () => frontier.fewHosts,
      isShut: shared.isShut,
      hasty: start.config.requisites !== 'none' || shared.isUrged,
      onBlocked: (url) => {
        shared.counters.countSkipped('blocked');
        shared.skips.skipped(url, 'blocked');
      },
    },
    taken,
  );
  const onBudgets = () => {
    supply.budgetsChanged();
    frontier.budgetsChanged();
  };
  const parts = { transport, clock: shared.clock, pacer, onBudgets };
  const reputation = reputationOf(start, folder.reputation, parts);
  return { supply, reputation, putOff: (discovery) => supply.putOff(discovery) };
}

function reputationOf(
  { agent, agents, config, filters, seeds }: AgentStart,
  { book, edges, sample }: ReputationFolder,
  parts: Pick<OpenAgent, 'transport'> &
    Pick<ConstructorParameters<typeof Reputation>[0], 'clock' | 'pacer' | 'onBudgets'>,
): Reputation {
  const { transport, clock, pacer, onBudgets } = parts;
  return new Reputation({
    agent,
    agents,
    rank: filters.ranks ? listScore(filters.ranks) : config.rank,
    seeds: config.rank === 'trusted' ? domainsOfSeeds(seeds) : [],
    policy: parseBudget(budgetIn(config)),
    isOurs: (domain) => ownerOf(domain, agents) === agent,
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
    onBudgets,
  });
}

/** The agent that owns the domain with this hash. */
const ownerOf = (domain: bigint, agents: number): number =>
  agentOf(partitionOfFingerprint(domain), agents);

/** Delays follow budgets while all fetchers are busy. */
function budgetsOf(permits: FetchPermits, reputation: Reputation | undefined): Budgets | undefined {
  return (
    reputation && {
      crowded: () => permits.allBusy,
      budgetOf: (domain) => reputation.budgetOf(domain),
      leastBudget: () => reputation.leastBudget,
    }
  );
}

/** Only with verdicts on spam; a planned crawl judges no domains. */
function spamWatchOf(
  { planned }: AgentStart,
  { spamModel: model, likenessMemory }: OpenAgent,
  { counters, sparing: log }: Shared,
  reputation: Reputation | undefined,
  decisions: DomainDecisions,
): SpamWatch | undefined {
  if (!model || planned) return undefined;
  const trusts = (name: string) => decisions.trusts(name);
  const texts = likenessMemory?.texts;
  return new SpamWatch({ model, texts, reputation, counters, log, trusts });
}

/** What turns use beside what is open and shared. */
interface TurnsWith {
  /** Only in a planned crawl. */
  readonly asks: Asks | undefined;
  /** Only with verdicts on spam. */
  readonly spam: SpamWatch | undefined;
  readonly frontier: Frontier;
  readonly politeness: Politeness;
  readonly permits: FetchPermits;
  readonly admission: Admission;
  readonly reputation: Reputation | undefined;
  readonly filters: StageFilters;
  readonly robotsMemory: RobotsMemory;
  readonly scope: Scope;
  readonly blocked: ReadonlySet<string>;
  readonly putOff: Order['putOff'];
  readonly newScope: Scope | undefined;
  readonly onSeedRedirect: (from: string, to: string) => void;
  readonly onLinks: () => void;
}

function turnsOf(
  start: AgentStart,
  around: AgentSurroundings,
  opened: OpenAgent,
  shared: Shared,
  parts: TurnsWith,
): { readonly turns: Turns; readonly desk: RenderDesk | undefined } {
  const { config, planned } = start;
  const { client, bodies, store, identity, likenessMemory, earlierPages } = opened;
  const { outage, counters, sparing, waits } = shared;
  const { frontier, politeness, permits, admission, asks } = parts;
  const { maxCrawlDelay, sitemaps } = config;
  const { productToken } = identity;
  const likeness =
    likenessMemory && wantsLikeness(config) && !planned
      ? new Likeness({ config, memory: likenessMemory, counters, log: sparing })
      : undefined;
  const robots = new RobotsKeeper({
    ...{ ...shared, client, bodies, store, frontier, politeness, productToken, maxCrawlDelay },
    memory: parts.robotsMemory,
  });
  const desk = planned
    ? undefined
    : openDesk(config, start.agents, { ...opened, ...shared, ...parts, hooks: around }, robots);
  const intake = intakeOf(start, around, opened, shared, { ...parts, likeness, desk });
  const endings = endingsOf(shared, asks);
  const policy = turnPolicyOf(shared, { ...parts, likeness, desk }, robots, endings);
  const failures = { ...shared, ...endings };
  const requests = earlierPages && requestsWith(earlierPages, asks);
  const turns = new Turns({
    ...{ policy, robots, client, intake, admission, frontier, permits, outage, waits },
    ...{ failures, sitemaps: sitemaps && !planned, requests },
    beforeRequest: around.beforeRequest,
  });
  return { turns, desk };
}

/** How a URL ends that is not committed, in the step in which it is counted. */
type Endings = ReturnType<typeof endingsOf>;

function endingsOf({ counters, skips, lines }: Shared, asks: Asks | undefined) {
  return {
    /** It is not fetched on purpose. */
    onUrlSkipped: (url: string, reason: string) => {
      counters.countSkipped(reason);
      skips.skipped(url, reason);
      asks?.settle(url, { fault: reason });
    },
    /** It has failed, or robots.txt excludes it; the caller counts it. */
    onUrlFailed: (discovery: Discovery, fault: string) => {
      skips.skipped(discovery.url, fault);
      asks?.settle(discovery.url, { fault });
      lines?.ended(discovery, fault);
    },
  };
}

/** Which URL is next, what is skipped, what follows each outcome. */
function turnPolicyOf(
  { clock, counters, outage, retries }: Shared,
  parts: WithJudges,
  robots: RobotsKeeper,
  { onUrlSkipped, onUrlFailed }: Endings,
): TurnPolicy {
  const { frontier, politeness, permits, admission, reputation, filters, onLinks } = parts;
  const { spam, likeness, desk } = parts;
  const { blocked, newScope, putOff } = parts;
  const secondLook = { filters, standing: reputation, spam, blocked, newScope };
  return new TurnPolicy({
    ...{ clock, frontier, politeness, robots, counters, retries },
    stillWants: (turn, discovery) => {
      if (putOff && !discovery.isRequisite && spam?.shuts(turn.host.domain)) {
        putOff(discovery);
        return false;
      }
      const reason = reasonToSkip(turn, discovery, secondLook);
      if (reason !== undefined) onUrlSkipped(discovery.url, reason);
      return reason === undefined;
    },
    replaces: (discovery) => {
      const other = likeness?.instead(discovery);
      if (other === undefined) return false;
      onUrlSkipped(discovery.url, 'trap');
      admission.discover([other], discovery.depth, discovery.url);
      onLinks();
      return true;
    },
    onDisallowed: (discovery) => onUrlFailed(discovery, 'disallowed'),
    claimPage: () => permits.claimPage(),
    claimRequisite: () => permits.claimRequisite(),
    onlyRequisites: () => permits.onlyRequisites,
    ...(desk && {
      mustWait: (host: Host) => desk.mustWait(host.name),
      askedPause: (turn) => desk.askedPause(turn),
    }),
    stopping: () => permits.stopping,
    excuses: (fault, ip) => outage.excuses(fault, ip),
  });
}

/** What the policy and the intake use. */
interface WithJudges extends TurnsWith {
  readonly likeness: Likeness | undefined;
  readonly desk: RenderDesk | undefined;
}

function intakeOf(
  { config, planned, extracts }: AgentStart,
  { onPage, onResponse, disk }: AgentSurroundings,
  { store, identity, drop, bodies }: OpenAgent,
  { onError, counters, sparing, internal, wall, skips, lines }: Shared,
  parts: WithJudges,
): Intake {
  const { frontier, admission, reputation, filters, permits, onLinks, onSeedRedirect } = parts;
  const { asks, spam, likeness, desk } = parts;
  const counted = { frontier, reputation, spam, counters, log: sparing };
  const onCommitted = asks && ((...page: Parameters<typeof factsOf>) => settlePage(asks, ...page));
  const commit = { ...counted, store, admission, likeness, internal, onCommitted, lines, skips };
  const { nofollow, crawlLog: trails } = config;
  // The record of a discovery counts no further.
  const maxRedirects = Math.min(config.maxRedirects, MOST_REDIRECTS);
  return new Intake({
    ...{ config, filters, standing: reputation, likeness, spam, counters, onPage, onResponse },
    ...{ onError, onLinks, planned, bodies, desk },
    sitemaps: config.sitemaps || config.sitemap.length > 0,
    takePage: () => permits.takePage(),
    extractor: extracts.length > 0 ? new Extractor(extracts, wall) : undefined,
    earlierPage: (page) => confirmedPage(disk, page),
    wantsType: typeFilter(config.types),
    parseOptions: {
      agent: identity.productToken.toLowerCase(),
      maxLinks: config.maxLinks,
      origins: reputation !== undefined,
      ...(drop && { drop }),
    },
    log: sparing,
    payloads: new RecentCache(RECENT_PAYLOADS),
    commit: { ...commit, maxRedirects, nofollow, trails, onSeedRedirect },
  });
}
