/**
 * How long to leave a server alone that answers slowly. A server in trouble is asked less often than its host's delay demands; one that
 * recovers is asked as before.
 *
 * Idea      A number for each host, the smoothed time of its answers. The pause before the next request is ten times what that is beyond half a
 *           second, up to half a minute; a host whose own delay is longer keeps it. Ten is Mercator's factor; half a second is what distance, and
 *           a busy crawler, may add to a healthy server's answer.
 * Ensures   answers of up to `allowance` never slow a host down. The pause grows with every slow answer and never falls below the host's delay.
 * Cost      a few multiplications; one number to keep.
 *
 *   smoothed   0.5 s   0.8 s   1 s    2 s     3.5 s and more
 *   pause      0       3 s     5 s    15 s    30 s
 */
import type { Millis } from '../base/units.ts';

export interface SlowDown {
  /** Answers that take no longer cost nothing. */
  readonly allowance: Millis;
  /** The pause for each millisecond beyond it. */
  readonly factor: number;
  readonly longest: Millis;
}

export const SLOW_DOWN: SlowDown = { allowance: 500, factor: 10, longest: 30_000 };

/** The share of a new time in the average. Slower counts more than faster: trouble is believed at once, recovery when it lasts. */
const WEIGHT = { slower: 1 / 2, faster: 1 / 8 } as const;

/** The average after one more answer; `before` is undefined at the first. A request that timed out counts with the time it took. */
export function smoothedTime(before: Millis | undefined, elapsed: Millis): Millis {
  const time = Math.max(0, elapsed);
  if (before === undefined) return time;
  return before + (time - before) * (time > before ? WEIGHT.slower : WEIGHT.faster);
}

/** The pause before the next request to a host whose own delay is `delay`. */
export function patientDelay(
  delay: Millis,
  smoothed: Millis | undefined,
  rule: SlowDown = SLOW_DOWN,
): Millis {
  const beyond = Math.max(0, (smoothed ?? 0) - rule.allowance);
  return Math.max(delay, Math.min(rule.longest, rule.factor * beyond));
}
