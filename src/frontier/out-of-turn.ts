/** Hosts that were asked while it was not their turn (robots.txt files lead there), until they may be asked again. */
import type { Millis } from '../base/units.ts';

export class OutOfTurn {
  readonly #readyAt = new Map<string, Millis>();

  /** When the host may be asked again; 0 when it was not asked lately. */
  readyAt(hostName: string): Millis {
    return this.#readyAt.get(hostName) ?? 0;
  }

  asked(hostName: string, readyAt: Millis, now: Millis): void {
    // In the order in which they were asked, so that about as many are over as are looked at.
    for (const [name, over] of this.#readyAt) {
      if (over > now) break;
      this.#readyAt.delete(name);
    }
    this.#readyAt.set(hostName, readyAt);
  }
}
