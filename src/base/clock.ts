/**
 * Time is a parameter: tests of politeness do not wait, and the simulator runs a month in a minute.
 * `now` is wall-clock time in milliseconds since 1970. The system clock here never goes back
 * (`steady`), but it jumps ahead when the machine slept or its clock was set forward.
 *
 * Delays are counted by `pace`, which does neither. It is the wall clock of the moment at which the
 * process started, plus the time that has passed since, however the wall clock is set meanwhile. So
 * it can differ from the wall clock, and its times are not for users.
 */
import type { Millis } from './units.ts';

export interface Clock {
  now(): Millis;
  /** Calls back once, no sooner than `delay` from now; the returned function cancels it. */
  after(delay: Millis, callback: () => void): () => void;
  /** The clock for delays; absent where `now` never jumps. */
  readonly pace?: Clock | undefined;
}

/** The clock to count delays by. */
export const paceOf = (clock: Clock): Clock => clock.pace ?? clock;

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

function after(delay: Millis, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (left: Millis) => {
    const step = Math.min(left, LONGEST_TIMER);
    timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
  };
  arm(delay);
  return () => clearTimeout(timer);
}

/** Pairs of looks at two clocks. */
const LOOKS = 32;

/**
 * How far `first` is ahead of `second`, two clocks that pass evenly. A thread that is interrupted
 * between the two looks sees too little; one of many pairs is not. Otherwise a thread that started
 * on a busy machine would be some milliseconds behind the others for all its life, and would ask
 * addresses too soon.
 */
export function aheadOf(first: () => Millis, second: () => Millis): Millis {
  let ahead = -Infinity;
  for (let look = 0; look < LOOKS; look++) ahead = Math.max(ahead, first() - second());
  return ahead;
}

/** From `performance.now`, which begins anew in every thread, to a time that all threads share. */
const THREAD_START: Millis = aheadOf(
  () => Number(process.hrtime.bigint()) / 1e6,
  () => performance.now(),
);

/** Time that passes evenly, the same in all threads of the process. */
const evenTime = (): Millis => THREAD_START + performance.now();

/**
 * The system's clock. `origin` is the wall-clock time at which `evenTime` was 0: threads that share
 * ready times must be given one and the same.
 */
export function systemClockFrom(origin: Millis): Clock & { readonly pace: Clock } {
  const now = steady(
    () => Date.now(),
    () => performance.now(),
  );
  return { now, after, pace: { now: () => Math.floor(origin + evenTime()), after } };
}

/** The origin of this thread's `systemClock`. */
export const clockOrigin: Millis = Date.now() - evenTime();

export const systemClock = systemClockFrom(clockOrigin);
