/**
 * Time is a parameter: politeness is tested without waiting, and the laboratory lives a month in a minute.
 * `now` is the time of the wall clock in milliseconds since 1970; whoever measures a duration
 * must bear a jump of it.
 */
import type { Millis } from './units.ts';

export interface Clock {
  now(): Millis;
  /** Calls back once, no sooner than `delay` from now; the returned function cancels it. */
  after(delay: Millis, callback: () => void): () => void;
}

/** The system's timers overflow beyond this and fire at once: a longer wait is made of several. */
const LONGEST_TIMER: Millis = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
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
