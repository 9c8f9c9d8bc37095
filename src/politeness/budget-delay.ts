/**
 * Delays follow budgets (IRLbot, 6.1). A domain with a hundred times the budget is fetched from a
 * hundred times as often, down to a floor. So every domain needs about the same time for the URLs
 * of one round, and none fills the memory with queued URLs.
 *
 * The same function serves hosts (40 s in the paper) and addresses (1 s).
 */
import type { Millis } from '../base/units.ts';

interface DelayRange {
  /** The delay of domains with the least budget, or less. */
  readonly slowest: Millis;
  /** The delay of domains with the largest budgets. A floor above `slowest` counts as `slowest`. */
  readonly floor: Millis;
  /** The budget of an unknown domain. */
  readonly least: number;
}

export function delayFor(budget: number, { slowest, floor, least }: DelayRange): Millis {
  if (budget <= least) return slowest;
  return Math.max(Math.min(floor, slowest), (slowest * least) / budget);
}
