/**
 * A clock that stands still until it is moved. Callbacks run when the crawl reaches their time,
 * whatever the real time is.
 *
 * Requires  one owner that moves it; callbacks do not.
 * Ensures   callbacks run in the order of their times; for equal times the order depends only on
 *           the calls.
 * Cost      O(log n) an event.
 */
import FlatQueue from 'flatqueue';
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';

/** When every virtual crawl begins: 1 January 2026. */
const BEGINNING: Millis = 1_767_225_600_000;

interface Event {
  callback: (() => void) | undefined;
}

export class VirtualClock implements Clock {
  readonly #events = new FlatQueue<Event>();
  #now = BEGINNING;

  now(): Millis {
    return this.#now;
  }

  /** The time since the beginning. */
  get elapsed(): Millis {
    return this.#now - BEGINNING;
  }

  after(delay: Millis, callback: () => void): () => void {
    const event: Event = { callback };
    this.#events.push(event, this.#now + delay);
    return () => {
      event.callback = undefined;
    };
  }

  /** When the next callback is due; Infinity when none is. */
  get nextAt(): Millis {
    while (this.#events.length > 0 && this.#events.peek()?.callback === undefined)
      this.#events.pop();
    return this.#events.peekValue() ?? Infinity;
  }

  /**
   * Moves to a time and runs the first callback that is due then. Requires a time that is not past
   * and not later than `nextAt`.
   */
  moveTo(time: Millis): void {
    this.#now = Math.max(this.#now, time);
    if (this.nextAt <= this.#now) this.#events.pop()?.callback?.();
  }
}
