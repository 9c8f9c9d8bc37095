/** The system's clock, which leaps ahead when a test says so. */
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Millis } from '../../src/base/units.ts';

interface Timer {
  readonly due: Millis;
  readonly callback: () => void;
  cancel: () => void;
}

export class LeapingClock implements Clock {
  #ahead: Millis = 0;
  readonly #timers = new Set<Timer>();

  now(): Millis {
    return systemClock.now() + this.#ahead;
  }

  after(delay: Millis, callback: () => void): () => void {
    const timer: Timer = { due: this.now() + delay, callback, cancel: () => {} };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  /** Timers that are due by then fire in a moment. */
  leap(time: Millis): void {
    this.#ahead += time;
    for (const timer of this.#timers) {
      timer.cancel();
      this.#arm(timer);
    }
  }

  #arm(timer: Timer): void {
    timer.cancel = systemClock.after(Math.max(0, timer.due - this.now()), () => {
      this.#timers.delete(timer);
      timer.callback();
    });
  }
}
