/**
 * The times of a lease. They compare durations on different machines, never times of day.
 *
 *   holder      renews at 0 s                  starts no request    cuts its sockets
 *               ├── 3 ── 6 ── 9 ──────────────── 10 s ──────────────── 13 s
 *   challenger      └ sees the renewal, at 0 s or later ─────────────────────────── 22 s: may take
 *
 * Idea      The holder counts from the moment *before* a renewal was sent, the challenger from the
 *           moment at which it saw the renewal. So the challenger's 22 s begin later than the
 *           holder's 13 s. Nine seconds are left for clocks that run at different rates and for
 *           bytes on their way.
 */
import type { Millis } from '../../base/units.ts';

export interface LeaseTimes {
  /** From one renewal to the next. */
  readonly renew: Millis;
  /** Without a renewal for this long, the holder starts no request. */
  readonly send: Millis;
  /** Then it ends the requests under way. */
  readonly cut: Millis;
  /** A challenger must have seen no renewal for this long. */
  readonly takeOver: Millis;
}

const LEASE_TIMES: LeaseTimes = {
  renew: 3000,
  send: 10_000,
  cut: 13_000,
  takeOver: 22_000,
};

/** All times of a cluster shorter or longer: all its workers must agree. */
export function leaseTimes(pace: number): LeaseTimes {
  const { renew, send, cut, takeOver } = LEASE_TIMES;
  return { renew: pace * renew, send: pace * send, cut: pace * cut, takeOver: pace * takeOver };
}
