/**
 * The orders in which a crawl may spend its fetches: what lies between the sieve and the frontier,
 * and what learns of links between domains.
 *
 * A policy is a function that assembles the real parts. To add one, add a line to `POLICIES`.
 */
import type { Clock } from '../base/clock.ts';
import { flatOut } from '../base/pacer.ts';
import { budgetIn, type CrawlConfig } from '../config/settings.ts';
import { SpamWatch } from '../crawl/agent/spam-watch.ts';
import { Counters } from '../crawl/record/counters.ts';
import { openReputation } from '../crawl/state/agent-folder.ts';
import type { Disk } from '../disk/disk.ts';
import { FirstTexts } from '../duplicates/first-texts.ts';
import type { HostRegistry } from '../frontier/host-registry.ts';
import type { Discovery } from '../frontier/queue/discovered-url.ts';
import { SieveSupply, type Supply } from '../frontier/supply.ts';
import { parseBudget } from '../reputation/budget/budget-policy.ts';
import type { RankName } from '../reputation/budget/standing.ts';
import { BudgetedSupply } from '../reputation/budgeted-supply.ts';
import { EdgeGatherer } from '../reputation/edges/edge-gatherer.ts';
import { domainsOfSeeds, Reputation } from '../reputation/reputation.ts';
import type { ReputationFolder } from '../reputation/reputation-folder.ts';
import type { Sieve } from '../sieve/sieve.ts';
import type { LiveModel } from '../spam/live/live-model.ts';
import { hostOf } from '../url/parts.ts';

interface PolicyParts {
  readonly clock: Clock;
  readonly sieve: Sieve;
  readonly disk: Disk;
  /** Must exist. */
  readonly folder: string;
  readonly config: CrawlConfig;
  /** URLs where the crawl starts. */
  readonly seeds: readonly string[];
  /** See `BudgetedSupply`. */
  readonly fewHosts: () => boolean;
  /** Called when budgets have changed. */
  readonly onBudgets: () => void;
  /** Which domains are in memory. */
  readonly hosts: Pick<HostRegistry, 'domainOf'>;
  /** Judges domains; required by policies with verdicts on spam. */
  readonly spamModel: LiveModel | undefined;
}

/** Reads pages for verdicts on their domains. */
export type PageWatch = Pick<SpamWatch, 'wants' | 'measure' | 'committed' | 'shuts'>;

export interface Order {
  readonly supply: Supply;
  /** Learns of links, and knows the budgets of domains; undefined in breadth-first order. */
  readonly reputation: Reputation | undefined;
  /** Only with verdicts on spam. */
  readonly spam?: PageWatch | undefined;
  /** Takes back a URL of a domain that a verdict has shut out; only with verdicts. */
  readonly putOff?: (discovery: Discovery) => void;
  /** The records of domains; only in the order of budgets. */
  readonly domains?: () => ReturnType<ReputationFolder['book']['records']>;
  close(): Promise<void>;
}

export type Policy = (parts: PolicyParts) => Promise<Order>;

/** How the names of policies with verdicts on spam end. */
export const WITH_SPAM = '+spam';

export const POLICIES: Readonly<Record<string, Policy>> = {
  /** Breadth first: every URL in the order of its discovery, a fair share for every host. */
  bfs: async ({ sieve }) => ({
    supply: new SieveSupply(sieve),
    reputation: undefined,
    close: async () => {},
  }),
  /**
   * Budgets for domains, by nothing, by in-degree, by OPIC, by the estimate of supporters, of
   * trusted ones.
   */
  none: budgetedBy('none'),
  in: budgetedBy('in'),
  opic: budgetedBy('opic'),
  tse: budgetedBy('tse'),
  trusted: budgetedBy('trusted'),
  /** The same with verdicts on spam. */
  [`tse${WITH_SPAM}`]: budgetedBy('tse', true),
  [`trusted${WITH_SPAM}`]: budgetedBy('trusted', true),
};

/** For recent links between domains. */
const RECENT_EDGES = 2 ** 19;

function budgetedBy(rank: RankName, judges = false): Policy {
  return async (parts) => {
    const { clock, sieve, disk, folder, config: given, fewHosts, hosts, spamModel } = parts;
    const model = judges ? spamModel : undefined;
    const config = { ...given, rank, spam: model ? given.spam : '' };
    const spamByName = model && ((name: string) => model.byName(name));
    const around = { clock, ...(spamByName && { spamByName }) };
    const stored = await openReputation(disk, folder, config, around, undefined);
    const { book, edges, sample, rounds } = stored;
    const now = () => clock.now();
    const onBlocked = () => {};
    const supply = new BudgetedSupply({
      ...{ sieve, book, beast: rounds, now, pacer: flatOut, onBlocked },
      ...{ roundTime: config.delay, fewHosts },
      isShut: (url) => spam?.shutsDomainOf(hostOf(url), hosts) ?? false,
    });
    const cash = rank === 'opic';
    const reputation = new Reputation({
      agent: 0,
      agents: 1,
      rank,
      seeds: domainsOfSeeds(parts.seeds),
      policy: parseBudget(budgetIn(config)),
      isOurs: () => true,
      gatherer: new EdgeGatherer({ owners: 1, ownerOf: () => 0, cash, cache: RECENT_EDGES }),
      edges,
      sample,
      book,
      clock,
      pacer: flatOut,
      send: () => {},
      onBudgets: () => {
        supply.budgetsChanged();
        parts.onBudgets();
      },
    });
    const spam = model && spamWatch(model, reputation);
    const domains = () => book.records();
    const putOff = (discovery: Discovery) => supply.putOff(discovery);
    return { supply, reputation, spam, putOff, domains, close: () => stored.close() };
  };
}

function spamWatch(model: LiveModel, reputation: Reputation): SpamWatch {
  const texts = model.copies ? new FirstTexts() : undefined;
  const unused = { counters: new Counters(), log: { event: () => {} }, trusts: () => false };
  return new SpamWatch({ model, texts, reputation, ...unused });
}
