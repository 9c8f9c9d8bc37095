/**
 * Which round may a URL of a domain go in?
 *
 * Idea      IRLbot's BEAST: the first B URLs of a domain go into the next round, the following B
 *           into the one after, and so on. To place a URL, only two facts of the past are needed:
 *           which round is being filled, and how much of its budget is used.
 *
 *           A domain whose budget has grown a lot has most of its URLs in rounds far ahead, one or
 *           two in each. It returns to the next round and fills those rounds a second time, up to
 *           its new budget. Of the first time only one number is remembered: the most
 *           URLs that one of these rounds holds.
 *
 *             budget 1, round 3          4 ▪   5 ▪   6 ▪   7 ▪   8              filling 7
 *             budget 4, held 1 to 7      4 ▪▫▫▫  5 ▪▫▫▫  6 ▪▫     7 ▪    8       filling 6
 *
 * Requires  neither `round` nor `last` decreases from one call to the next.
 * Ensures   no round gets more URLs of a domain than the largest budget in force while it was
 *           filled. No URL goes into the round being read, an earlier one, or one beyond `last`.
 *           Later URLs never go into earlier rounds, unless the budget has doubled between. A URL
 *           that does not fit changes nothing.
 * Cost      constant, however large the budget and however long the domain was away.
 */

/** The round that is being read, and the last one that may be written. */
export interface Rounds {
  readonly round: number;
  readonly last: number;
}

/** What a domain has used of its budget. A new domain has used nothing. */
export interface Allowance {
  /** The round being filled. */
  readonly nextRound: number;
  /** URLs put into that round since it is being filled. */
  readonly used: number;
  /**
   * The largest budget, before the present one, by which rounds were filled since the domain last
   * returned to the next round.
   */
  readonly most: number;
  /** The most URLs that a round up to `heldUntil` may hold from before that return. */
  readonly held: number;
  /** The last round filled before that return. */
  readonly heldUntil: number;
}

export const UNUSED: Allowance = { nextRound: 0, used: 0, most: 0, held: 0, heldUntil: 0 };

/**
 * A domain returns only if there is much room: otherwise rounds with a little more room each would
 * be filled again and again.
 */
const FAR_ABOVE = 2;

/**
 * The allowance after one more URL, which goes into its `nextRound`; undefined if no round up to
 * `last` has room.
 */
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

/** The part of an allowance under one budget that remains under another. */
export function repriced(allowance: Allowance, before: number, budget: number): Allowance {
  if (before === budget) return allowance;
  const { nextRound, held, heldUntil } = allowance;
  const most = Math.max(allowance.most, before);
  const full = Math.max(held, most);
  if (budget < FAR_ABOVE * full) return { ...allowance, most };
  return { nextRound: 0, used: 0, most: 0, held: full, heldUntil: Math.max(heldUntil, nextRound) };
}
