/**
 * How long to pause a server that answers slowly. A server in trouble gets fewer requests than its
 * delay allows; one that recovers gets as many as before.
 *
 * Idea      Each host has one number: the smoothed time of its answers. The pause before the next
 *           request is ten times the part of it beyond half a second, up to half a minute. A host
 *           whose own delay is longer keeps that delay. Ten is Mercator's factor. Distance and a
 *           busy crawler may add half a second to the answer of a healthy server.
 * Ensures   answers of up to `allowance` never slow a host down. The pause grows with every slow
 *           answer and is never shorter than the host's delay.
 * Cost      a few multiplications; one number to keep.
 *
 *   smoothed   0.5 s   0.8 s   1 s    2 s     3.5 s and more
 *   pause      0       3 s     5 s    15 s    30 s
 */
import type { Millis } from '../base/units.ts';

interface SlowDown {
  /** Answers that take up to this long cause no pause. */
  readonly allowance: Millis;
  /** The pause for each millisecond beyond `allowance`. */
  readonly factor: number;
  readonly longest: Millis;
}

export const SLOW_DOWN: SlowDown = { allowance: 500, factor: 10, longest: 30_000 };

/**
 * The share of a new time in the average. A slower answer counts more than a faster one: trouble is
 * believed at once, recovery only when it lasts.
 */
const WEIGHT = { slower: 1 / 2, faster: 1 / 8 } as const;

/** The average after one more answer; `before` is undefined at the first answer. */
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
