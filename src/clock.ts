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

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delay, callback) {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};
