/** A clock that advances only when a test moves it. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';

export interface VirtualClock extends Clock {
  advance(millis: number): void;
  /** Sets the wall clock without letting time pass. */
  jump(millis: number): void;
}

export function virtualClock(start = 1_000_000): VirtualClock {
  let now = start;
  let elapsed = 0;
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  return {
    now: () => now,
    after(delay, callback) {
      const timer = { due: elapsed + delay, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    jump: (millis) => {
      now += millis;
    },
    advance(millis) {
      const end = elapsed + millis;
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        now += next.due - elapsed;
        elapsed = next.due;
        timers.delete(next);
        next.callback();
      }
      now += end - elapsed;
      elapsed = end;
    },
  };
}

/** Lets I/O happen and time pass, in small steps of both, until the promise resolves or rejects. */
export async function settle<T>(promise: Promise<T>, clock: VirtualClock, step = 10): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  while (!settled) {
    await turn();
    clock.advance(step);
  }
  return promise;
}
