/**
 * A log for what may happen on every page: the first so many events of a name are told, then that no more are, and from then on they are only
 * counted, by whoever counts.
 *
 * Ensures   at most `most` + 1 lines a name, whatever happens; the others' log is left as it is.
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
