/**
 * Which round may a URL of a domain go in?
 *
 * Idea      IRLbot's BEAST: the first B URLs of a domain go into the next round, the following B into the one after, and so on.
 *           All that must be known of the past is which round is being filled and how much of its budget is used.
 * Requires  rounds that never go back: neither `round` nor, from one call to the next, `last`.
 * Ensures   no round gets more URLs of a domain than the largest budget that was in force while it was filled; no URL goes
 *           into the round being read, one before it, or one beyond `last`; later URLs never go into earlier rounds.
 *           What does not fit leaves no trace.
 * Cost      constant, however large the budget and however long the domain was away.
 */

/** The round that is being read, and the last one that may be written. */
export interface Rounds {
  readonly round: number;
  readonly last: number;
}

/** What a domain has used up: `used` URLs of its budget for `nextRound`. A domain never met has neither. */
export interface Allowance {
  readonly nextRound: number;
  readonly used: number;
}

export const UNUSED: Allowance = { nextRound: 0, used: 0 };

/** The allowance after one more URL, which goes into its `nextRound`; undefined when it must wait for later rounds. */
export function place(
  { nextRound, used }: Allowance,
  budget: number,
  { round, last }: Rounds,
): Allowance | undefined {
  if (budget < 1) return undefined;
  const passed = nextRound <= round;
  const filling = passed ? round + 1 : nextRound;
  const spent = passed ? 0 : used;
  const next = spent < budget ? { nextRound: filling, used: spent + 1 } : { nextRound: filling + 1, used: 1 };
  return next.nextRound > last ? undefined : next;
}
