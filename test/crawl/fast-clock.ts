/**
 * A clock that runs many times as fast, so that minutes of waiting for a server pass in a moment.
 *
 * Idea      Over loopback an answer takes only processor time. On a busy machine a clock that
 *           simply ran fast would turn every stall of this process into a server that is silent for
 *           a minute. So time in which this process did not run is not counted: each look at the
 *           clock adds the time since the last look, two milliseconds at most.
 * Ensures   work of a given number of event loop turns takes no more of this clock's time on a slow
 *           machine than on a fast one.
 */
import { type Clock, systemClock } from '../../src/base/clock.ts';

/** The most that one look at the clock adds, in real milliseconds. */
const LONGEST_LOOK = 2;
const LOOK_EVERY = 1;

export function fastClock(times: number): Clock {
  const waiting = new Set<{ readonly due: number; readonly callback: () => void }>();
  let time = systemClock.now();
  let lookedAt = performance.now();
  let isLooking = false;

  const now = () => {
    const at = performance.now();
    time += Math.min(at - lookedAt, LONGEST_LOOK) * times;
    lookedAt = at;
    return time;
  };
  const look = () => {
    const reached = now();
    const due = [...waiting].filter((timer) => timer.due <= reached).sort((a, b) => a.due - b.due);
    for (const timer of due) if (waiting.delete(timer)) timer.callback();
    isLooking = waiting.size > 0;
    if (isLooking) setTimeout(look, LOOK_EVERY);
  };
  const after: Clock['after'] = (delay, callback) => {
    const timer = { due: now() + delay, callback };
    waiting.add(timer);
    if (!isLooking) setTimeout(look, LOOK_EVERY);
    isLooking = true;
    return () => void waiting.delete(timer);
  };
  return { now, after };
}
