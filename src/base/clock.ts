/**
 * Time is a parameter: tests of politeness do not wait, and the simulator runs a month in a minute.
 * `now` is wall-clock time in milliseconds since 1970. The system clock here never goes back
 * (`steady`), but it jumps ahead when the machine slept or its clock was set forward.
 */
import type { Millis } from './units.ts';

export interface Clock {
  now(): Millis;
  /** Calls back once, no sooner than `delay` from now; the returned function cancels it. */
  after(delay: Millis, callback: () => void): () => void;
}

/** The system's timers overflow beyond this and fire at once: a longer wait uses several timers. */
const LONGEST_TIMER: Millis = 2 ** 31 - 1;

/**
 * A wall clock that never goes back: when the system's is set back, it continues as before.
 * Otherwise a host paused for a second would be paused for an hour and a second.
 */
export function steady(wall: () => Millis, elapsed: () => Millis): () => Millis {
  let last = wall();
  let at = elapsed();
  return () => {
    // The wall clock first: a pause of this thread between the two calls must not count twice. A
    // clock that gains a little each time is soon ahead of those of other threads, which share the
    // ready times of addresses with it.
    const wallTime = wall();
    const since = elapsed();
    last = Math.max(wallTime, last + since - at);
    at = since;
    return Math.floor(last);
  };
}

export const systemClock: Clock = {
  now: steady(
    () => Date.now(),
    () => performance.now(),
  ),
  after(delay, callback) {
    let timer: NodeJS.Timeout;
    const arm = (left: Millis) => {
      const step = Math.min(left, LONGEST_TIMER);
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
    };
    arm(delay);
    return () => clearTimeout(timer);
  },
};
