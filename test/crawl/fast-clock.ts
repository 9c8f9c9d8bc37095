/**
 * A clock that runs many times as fast, so that minutes of waiting for a server pass in a moment.
 *
 * Idea      Nobody waits for the network in these minutes: an answer over loopback takes as long as the processor has time for it. On a
 *           machine that is busy elsewhere a clock that simply ran fast would make of every such moment a server that is silent for
 *           a minute. So time that this process did not see pass is not counted: each look at the clock adds what has passed since
 *           the last, two milliseconds at most.
 * Ensures   whatever takes so many turns of the event loop takes no more of this clock's time on a slow machine than on a fast one.
 */
import { type Clock, systemClock } from '../../src/base/clock.ts';

/** What one look at the clock may add, in true milliseconds. */
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
