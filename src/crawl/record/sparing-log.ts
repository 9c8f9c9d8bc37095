/**
 * A log for events that may happen on every page. It logs the first `most` events of a name, then
 * one `told-enough`, then no more; the counters still count them.
 *
 * Ensures   At most `most` + 1 lines per name. Other users of the underlying log are not affected.
 */
import type { EventLog } from './log.ts';
import type { EventName, Facts } from './log-events.ts';

const MOST_LINES = 1000;

export class SparingLog implements EventLog {
  readonly #log: EventLog;
  readonly #most: number;
  readonly #told = new Map<EventName, number>();

  constructor(log: EventLog, most = MOST_LINES) {
    this.#log = log;
    this.#most = most;
  }

  event<Name extends EventName>(name: Name, facts: Facts<Name>): void {
    const lines = (this.#told.get(name) ?? 0) + 1;
    if (lines > this.#most + 1) return;
    this.#told.set(name, lines);
    if (lines <= this.#most) this.#log.event(name, facts);
    else this.#log.event('told-enough', { of: name, lines: this.#most });
  }
}
