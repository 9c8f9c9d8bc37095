/**
 * The orders in which a crawl may spend its fetches: what lies between the sieve and the frontier,
 * and what learns of links between domains.
 *
 * A policy is a function that assembles the real parts. To add one, add a line to `POLICIES`.
 */
import type { Clock } from '../base/clock.ts';
import { flatOut } from '../base/pacer.ts';
import type { CrawlConfig } from '../config/settings.ts';
import { openReputation } from '../crawl/state/agent-folder.ts';
import type { Disk } from '../disk/disk.ts';
import { SieveSupply, type Supply } from '../frontier/supply.ts';
import { parseBudget } from '../reputation/budget/budget-policy.ts';
import type { RankName } from '../reputation/budget/standing.ts';
import { BudgetedSupply } from '../reputation/budgeted-supply.ts';
import { EdgeGatherer } from '../reputation/edges/edge-gatherer.ts';
import { Reputation } from '../reputation/reputation.ts';
import type { Sieve } from '../sieve/sieve.ts';

interface PolicyParts {
  readonly clock: Clock;
  readonly sieve: Sieve;
  readonly disk: Disk;
  /** Must exist. */
  readonly folder: string;
  readonly config: CrawlConfig;
  /** See `BudgetedSupply`. */
  readonly fewHosts: () => boolean;
}

export interface Order {
  readonly supply: Supply;
  /** Learns of links, and knows the budgets of domains; undefined in breadth-first order. */
  readonly reputation: Reputation | undefined;
  close(): Promise<void>;
}

export type Policy = (parts: PolicyParts) => Promise<Order>;

export const POLICIES: Readonly<Record<string, Policy>> = {
  /** Breadth first: every URL in the order of its discovery, a fair share for every host. */
  bfs: async ({ sieve }) => ({
    supply: new SieveSupply(sieve),
    reputation: undefined,
    close: async () => {},
  }),
  /** Budgets for domains, by nothing, by in-degree, by OPIC, by the estimate of supporters. */
  none: budgetedBy('none'),
  in: budgetedBy('in'),
  opic: budgetedBy('opic'),
  tse: budgetedBy('tse'),
};

/** For recent links between domains. */
const RECENT_EDGES = 2 ** 19;

function budgetedBy(rank: RankName): Policy {
  return async ({ clock, sieve, disk, folder, config, fewHosts }) => {
    const stored = await openReputation(disk, folder, { ...config, rank }, () => {}, undefined);
    const { book, edges, sample, rounds } = stored;
    const now = () => clock.now();
    const onBlocked = () => {};
    const supply = new BudgetedSupply({
      ...{ sieve, book, beast: rounds, now, pacer: flatOut, onBlocked },
      ...{ roundTime: config.delay, fewHosts },
    });
    const cash = rank === 'opic';
    const reputation = new Reputation({
      agent: 0,
      agents: 1,
      rank,
      policy: parseBudget(config.budget),
      isOurs: () => true,
      gatherer: new EdgeGatherer({ owners: 1, ownerOf: () => 0, cash, cache: RECENT_EDGES }),
      edges,
      sample,
      book,
      clock,
      pacer: flatOut,
      send: () => {},
      onBudgets: () => supply.budgetsChanged(),
    });
    return { supply, reputation, close: () => stored.close() };
  };
}
