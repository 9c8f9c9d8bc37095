/** Hosts that were asked out of turn (a robots.txt redirected there), until their delay is over. */
import type { Millis } from '../base/units.ts';

export class OutOfTurn {
  readonly #readyAt = new Map<string, Millis>();

  /** When the host may be asked again; 0 when it was not asked recently. */
  readyAt(hostName: string): Millis {
    return this.#readyAt.get(hostName) ?? 0;
  }

  asked(hostName: string, readyAt: Millis, now: Millis): void {
    // Entries are in the order of requests, so each call removes about as many as it reads.
    for (const [name, over] of this.#readyAt) {
      if (over > now) break;
      this.#readyAt.delete(name);
    }
    this.#readyAt.set(hostName, readyAt);
  }
}
