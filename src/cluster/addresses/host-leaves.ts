/**
 * The leaves that a worker gives others to ask hosts of its agents; see `ClusterHostTable`.
 *
 * Ensures   A leave holds the slot of the host in the table of this worker until the other has
 *           asked, or for longer than any request lasts. Shortly after a takeover none is given:
 *           nobody knows what the former owner asked, nor the Crawl-delay of hosts on disk.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { HostTable } from '../../frontier/workbench.ts';

/** No request lasts longer: with pauses of ours it has four minutes. */
const LONGEST: Millis = 300_000;

export class HostLeaves {
  readonly #table: Pick<HostTable, 'tryAsk' | 'asked'>;
  readonly #clock: Clock;
  readonly #given = new Map<string, () => void>();

  constructor(table: Pick<HostTable, 'tryAsk' | 'asked'>, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Whether another worker may ask the host now; not before `from`. */
  give(host: string, from: Millis): boolean {
    const now = this.#clock.now();
    if (now < from || this.#given.has(host) || this.#table.tryAsk(host, now) > 0) return false;
    this.#given.set(
      host,
      this.#clock.after(LONGEST, () => this.asked(host, 0)),
    );
    return true;
  }

  /** The other worker has asked; the host is to be left alone for `delay`. */
  asked(host: string, delay: Millis): void {
    const cancel = this.#given.get(host);
    if (!cancel) return;
    cancel();
    this.#given.delete(host);
    this.#table.asked(host, this.#clock.now(), delay);
  }

  /** Gives all hosts back: the worker ends. */
  close(): void {
    for (const cancel of this.#given.values()) cancel();
    this.#given.clear();
  }
}
