/**
 * Time is a parameter: politeness is tested without waiting, and the laboratory lives a month in a minute.
 * `now` is the time of the wall clock in milliseconds since 1970. The system's never goes back (`steady`), but a machine that
 * slept, or whose clock was set forward, makes it jump ahead.
 */
import type { Millis } from './units.ts';

export interface Clock {
  now(): Millis;
  /** Calls back once, no sooner than `delay` from now; the returned function cancels it. */
  after(delay: Millis, callback: () => void): () => void;
}

/** The system's timers overflow beyond this and fire at once: a longer wait is made of several. */
const LONGEST_TIMER: Millis = 2 ** 31 - 1;

/**
 * A wall clock that is never behind what it said before plus the time that has passed: set back, it goes on as if it had
 * not been. A host that may be asked in a second would otherwise wait for an hour and a second.
 */
export function steady(wall: () => Millis, elapsed: () => Millis): () => Millis {
  let last = wall();
  let at = elapsed();
  return () => {
    // In this order: if this thread has to wait between the two, that time must not be counted twice. A clock that gains a little
    // each time is soon ahead of those of other threads, with whom it shares when addresses may be asked.
    const told = wall();
    const since = elapsed();
    last = Math.max(told, last + since - at);
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
