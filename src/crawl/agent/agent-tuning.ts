/**
 * Applies to an agent what the operator has changed while the crawl runs.
 *
 * Requires  that `apply` is called at a checkpoint, between two steps of the agent.
 * Ensures   the checkpoint that follows holds the new seeds, or they come again on a resume.
 */
import { budgetIn } from '../../config/settings.ts';
import type { Politeness } from '../../politeness/politeness.ts';
import { parseBudget } from '../../reputation/budget/budget-policy.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import type { AgentOrders } from '../record/agent-orders.ts';
import { agentOf } from '../transport/routing.ts';
import type { FetchPermits } from './fetch-permits.ts';
import type { Admission } from './link-admission.ts';
import type { AgentStart } from './open-agent.ts';
import type { Scope } from './scope.ts';

interface TunedParts {
  readonly permits: FetchPermits;
  readonly politeness: Politeness;
  /** Only in the order of budgets. */
  readonly reputation: Reputation | undefined;
  readonly scope: Scope;
  readonly admission: Admission;
}

export class AgentTuning {
  readonly #start: AgentStart;
  readonly #parts: TunedParts;
  /** How many seeds of the crawl the agent knows. */
  seeds: number;

  constructor(start: AgentStart, parts: TunedParts) {
    this.#start = start;
    this.#parts = parts;
    this.seeds = start.seeds.length;
  }

  readonly apply = ({ settings, paused, seeds }: AgentOrders): void => {
    const { permits, politeness, reputation, scope, admission } = this.#parts;
    const config = { ...this.#start.config, ...settings };
    politeness.change(config);
    permits.fetches = config.fetches;
    permits.paused = paused;
    if (settings.budget !== undefined) reputation?.setPolicy(parseBudget(budgetIn(config)));
    if (seeds.length === 0) return;
    scope.addSeeds(seeds);
    this.seeds += seeds.length;
    admission.discover(ownSeeds(seeds, this.#start), 0, undefined);
  };
}

/** Each seed is discovered by the agent that owns it. */
export function ownSeeds(
  seeds: readonly string[],
  { agent, agents }: Pick<AgentStart, 'agent' | 'agents'>,
): string[] {
  return seeds.filter(
    (seed) => agentOf(partitionOfFingerprint(fingerprint(seed)), agents) === agent,
  );
}
