/**
 * Delays follow budgets (IRLbot, 6.1): a domain that may have a hundred times as many pages a round is asked a hundred times as
 * often, down to a floor. So every domain needs about the same time for what one round brings, and none of them fills the
 * memory with URLs that wait for it.
 *
 * The same function serves hosts (40 s in the paper) and addresses (1 s), the latter with the mean budget of the domains there.
 */
import type { Millis } from '../base/units.ts';

export interface DelayRange {
  /** For domains with the least budget, or less. */
  readonly slowest: Millis;
  /** For domains with the largest budgets. A floor above `slowest` counts as that. */
  readonly floor: Millis;
  /** The budget of a domain that nothing is known of. */
  readonly least: number;
}

export function delayFor(budget: number, { slowest, floor, least }: DelayRange): Millis {
  if (budget <= least) return slowest;
  return Math.max(Math.min(floor, slowest), (slowest * least) / budget);
}
