/** A clock that runs many times as fast, so that minutes of waiting for a server pass in a moment. */
import { type Clock, systemClock } from '../../src/clock.ts';

export function fastClock(times: number): Clock {
  const startedAt = systemClock.now();
  return {
    now: () => startedAt + (performance.now() - origin) * times,
    after: (delay, callback) => systemClock.after(delay / times, callback),
  };
}

const origin = performance.now();
