/**
 * How one loop of the agent wakes another: `notify` sets a flag and `wait` clears it, so that a
 * call between a check and a wait is not lost.
 */
import type { Clock } from './clock.ts';
import type { Millis } from './units.ts';

export class Signal {
  readonly #clock: Clock;
  #notified = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** Returns after a `notify` since the last wait, or at the time `until`. One waiter at a time. */
  async wait(until: Millis = Infinity): Promise<void> {
    if (!this.#notified) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
        if (until === Infinity) return;
        const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), wake);
        this.#wake = () => {
          cancel();
          wake();
        };
      });
      this.#wake = undefined;
    }
    this.#notified = false;
  }
}
