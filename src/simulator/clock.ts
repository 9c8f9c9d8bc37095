/**
 * A clock that stands still until it is moved: what is due at a time happens when the crawl has come to it, whatever the hour is outside.
 *
 * Requires  one owner who moves it; callbacks that do not.
 * Ensures   callbacks in the order of their times; among equal times always in the same order, given the same calls.
 * Cost      O(log n) an event.
 */
import FlatQueue from 'flatqueue';
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';

/** Where every virtual crawl begins: 1 January 2026. */
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

  /** Since the beginning. */
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

  /** When something is due next; Infinity when nothing is. */
  get nextAt(): Millis {
    while (this.#events.length > 0 && this.#events.peek()?.callback === undefined)
      this.#events.pop();
    return this.#events.peekValue() ?? Infinity;
  }

  /** Moves to a time that is not past and no later than what is due next, and lets the first of what is due then happen. */
  moveTo(time: Millis): void {
    this.#now = Math.max(this.#now, time);
    if (this.nextAt <= this.#now) this.#events.pop()?.callback?.();
  }
}
