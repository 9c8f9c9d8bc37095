/**
 * The times of holds on addresses. A hold allows the *starts* of turns, so it must outlast the
 * connecting of the last one.
 */
import type { Millis } from '../../base/units.ts';

export interface HoldTimes {
  /** How long a hold lasts, from the moment before it was asked for. */
  readonly hold: Millis;
  /** A holder asks again below this. */
  readonly renew: Millis;
  /** A turn begins only with so much left: connecting, TLS, the request. */
  readonly reserve: Millis;
  /** Until another question about an address that another worker holds. */
  readonly retry: Millis;
  /** A holder keeps an address for so long, although others want it. */
  readonly keep: Millis;
}

const HOLD_TIMES: HoldTimes = {
  hold: 60_000,
  renew: 45_000,
  reserve: 25_000,
  retry: 500,
  keep: 2000,
};

/** As `leaseTimes`. */
export function holdTimes(pace: number): HoldTimes {
  const { hold, renew, reserve, retry, keep } = HOLD_TIMES;
  const [shortHold, shortRenew, shortReserve] = [hold, renew, reserve].map((time) => pace * time);
  return {
    ...{ hold: shortHold, renew: shortRenew, reserve: shortReserve },
    ...{ retry: pace * retry, keep: pace * keep },
  };
}
