/**
 * The hosts of an agent in a cluster. A robots.txt may redirect to a host of an agent on another
 * machine: only the worker of that agent knows when the host may be asked.
 *
 * Idea      Turns of own hosts, and requests to hosts of agents on the same worker, go by the table
 *           that the worker's agents share. For a request to any other host, the worker of the
 *           host's owner takes the slot in its own table on our behalf, and gives it back when we
 *           say that we have asked.
 * Ensures   between two requests to a host, in turn or not, from any machine, its delay passes. A
 *           leave that is not used in time is void.
 */
import type { Millis } from '../../base/units.ts';
import type { HostTable } from '../../frontier/workbench.ts';

/** May we ask a host of another agent? `here`: by the table of this worker. */
export type HostLeave = 'here' | 'granted' | 'refused';

interface HostTableParts {
  /** The table that the agents of this worker share. */
  readonly local: HostTable;
  readonly isOurs: (host: string) => boolean;
  /** Asks for leave; the answer comes by `answered`. */
  readonly want: (host: string) => void;
  /** The host was asked with the leave of another worker, and is to be left alone for `delay`. */
  readonly asked: (host: string, delay: Millis) => void;
  readonly retry: Millis;
}

interface Leave {
  answer: HostLeave | undefined;
  at: Millis;
}

/** How long a leave may be used. Its giver keeps the host for much longer. */
const VALID: Millis = 5000;

export class ClusterHostTable implements HostTable {
  readonly #parts: HostTableParts;
  readonly #leaves = new Map<string, Leave>();
  /** Hosts that are being asked with the leave of another worker. */
  readonly #asking = new Set<string>();
  #now: Millis = 0;

  constructor(parts: HostTableParts) {
    this.#parts = parts;
  }

  entered(name: string, readyAt: Millis, crawlDelay: Millis): void {
    this.#parts.local.entered(name, readyAt, crawlDelay);
  }

  tryTake(name: string, now: Millis): Millis {
    return this.#parts.local.tryTake(name, now);
  }

  giveBack(name: string, readyAt: Millis, crawlDelay: Millis): void {
    // The address was not ready: the leave is kept for the next try.
    if (!this.#asking.delete(name)) this.#parts.local.giveBack(name, readyAt, crawlDelay);
  }

  tryAsk(name: string, now: Millis): Millis {
    const { local, isOurs, want, retry } = this.#parts;
    this.#now = now;
    if (isOurs(name)) return local.tryAsk(name, now);
    const leave = this.#leaves.get(name);
    if (leave && now - leave.at < VALID) {
      if (leave.answer === 'here') return local.tryAsk(name, now);
      if (leave.answer === 'granted') {
        this.#asking.add(name);
        return 0;
      }
      if (leave.answer === undefined && now - leave.at < retry) return now + retry;
    }
    if (leave?.answer === 'granted') this.#parts.asked(name, 0); // it came too late
    this.#leaves.set(name, { answer: undefined, at: now });
    want(name);
    return now + retry;
  }

  asked(name: string, now: Millis, delay: Millis): void {
    if (this.#asking.delete(name)) {
      this.#leaves.delete(name);
      this.#parts.asked(name, delay);
    } else this.#parts.local.asked(name, now, delay);
  }

  /** The answer to `want`. A leave counts from the question. */
  answered(name: string, answer: HostLeave): void {
    const leave = this.#leaves.get(name);
    if (!leave) return;
    // A second question may be refused because of the leave that the first one got.
    if (answer !== 'refused') leave.answer = answer;
    else if (leave.answer !== 'granted') this.#leaves.delete(name);
    for (const [other, { at }] of this.#leaves)
      if (this.#now - at > 2 * VALID) this.#leaves.delete(other);
  }
}
