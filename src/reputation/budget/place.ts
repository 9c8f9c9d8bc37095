/**
 * Which round may a URL of a domain go in?
 *
 * Idea      IRLbot's BEAST: the first B URLs of a domain go into the next round, the following B into the one after, and so on.
 *           All that must be known of the past is which round is being filled and how much of its budget is used.
 *
 *           A domain that has risen far has most of its URLs in rounds far ahead, one or two in each. It comes back to the present, and
 *           fills those rounds a second time, up to its new budget: that they are not empty is all that is remembered of the first.
 *
 *             budget 1, round 3          4 ▪   5 ▪   6 ▪   7 ▪   8              filling 7
 *             budget 4, held 1 to 7      4 ▪▫▫▫  5 ▪▫▫▫  6 ▪▫     7 ▪    8       filling 6
 *
 * Requires  rounds that never go back: neither `round` nor, from one call to the next, `last`.
 * Ensures   no round gets more URLs of a domain than the largest budget that was in force while it was filled; no URL goes
 *           into the round being read, one before it, or one beyond `last`; later URLs never go into earlier rounds, unless
 *           the budget has doubled between. What does not fit leaves no trace.
 * Cost      constant, however large the budget and however long the domain was away.
 */

/** The round that is being read, and the last one that may be written. */
export interface Rounds {
  readonly round: number;
  readonly last: number;
}

/** What a domain has used up. A domain never met has nothing. */
export interface Allowance {
  /** The round being filled, and how many went into it since. */
  readonly nextRound: number;
  readonly used: number;
  /** The largest budget by which rounds were filled since the domain came back to the present last, but for its own. */
  readonly most: number;
  /** What rounds may hold from before that, */
  readonly held: number;
  /** up to this one. */
  readonly heldUntil: number;
}

export const UNUSED: Allowance = { nextRound: 0, used: 0, most: 0, held: 0, heldUntil: 0 };

/** Coming back pays only if there is much room: rounds with a little more each would be filled again and again. */
const FAR_ABOVE = 2;

/** The allowance after one more URL, which goes into its `nextRound`; undefined when it must wait for later rounds. */
export function place(
  allowance: Allowance,
  budget: number,
  { round, last }: Rounds,
): Allowance | undefined {
  if (budget < 1) return undefined;
  const { nextRound, used, held, heldUntil } = allowance;
  const room = (into: number) => (into <= heldUntil ? budget - held : budget);
  const passed = nextRound <= round;
  let filling = passed ? round + 1 : nextRound;
  let spent = passed ? 0 : used;
  if (spent >= room(filling)) {
    filling = room(filling + 1) > 0 ? filling + 1 : heldUntil + 1;
    spent = 0;
  }
  if (filling > last) return undefined;
  return {
    nextRound: filling,
    used: spent + 1,
    most: passed ? 0 : allowance.most,
    held,
    heldUntil,
  };
}

/** What is left of an allowance by one budget under another. */
export function repriced(allowance: Allowance, before: number, budget: number): Allowance {
  if (before === budget) return allowance;
  const { nextRound, held, heldUntil } = allowance;
  const most = Math.max(allowance.most, before);
  const full = Math.max(held, most);
  if (budget < FAR_ABOVE * full) return { ...allowance, most };
  return { nextRound: 0, used: 0, most: 0, held: full, heldUntil: Math.max(heldUntil, nextRound) };
}
