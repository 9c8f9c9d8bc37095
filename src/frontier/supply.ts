/**
 * Where the frontier gets URLs that it has never had: behind the sieve, each URL once in the life of the crawl.
 *
 * Two kinds. `SieveSupply` hands on what the sieve lets through, in its order: a crawl breadth first. `BudgetedSupply`
 * (src/reputation) keeps URLs until the budgets of their domains allow them.
 *
 * Requires  one caller at a time; whoever offers something to the sieve says so with `offered`.
 * Ensures   every URL that the sieve lets through is handed out once, or counted as refused, or in `waiting`.
 */

import type { Millis } from '../base/units.ts';
import { entryBytes } from '../drum/keyed-batch.ts';
import type { Sieve } from '../sieve/sieve.ts';
import { type Discovery, decodeDiscovery } from './queue/discovery.ts';

export interface Supply {
  /** Offered to the sieve, which has not decided yet. */
  readonly undecided: number;
  /** Let through by the sieve and not handed out. */
  readonly waiting: number;
  /** Nothing is left to hand out, or to decide. */
  readonly idle: boolean;
  /** Before this time it hands out nothing more, unless it is told of something. */
  readonly nextAt: Millis;
  /** The sieve was offered something, and may have decided something by itself. */
  offered(): void;
  /** Makes the sieve decide everything that it was offered. */
  decide(): Promise<void>;
  /** The next URLs, or undefined when all that is decided was handed out. */
  take(): Promise<readonly Discovery[] | undefined>;
}

export class SieveSupply implements Supply {
  readonly nextAt = 0;
  readonly #sieve: Sieve;
  /** All that the sieve has decided was taken. */
  #drained: boolean;
  /** URLs taken from the sieve in the life of the crawl. */
  taken: number;

  /** `taken` is what was taken from the sieve in earlier runs. */
  constructor(sieve: Sieve, taken = 0) {
    this.#sieve = sieve;
    this.taken = taken;
    this.#drained = taken === sieve.size;
  }

  get undecided(): number {
    return this.#sieve.pending;
  }

  get waiting(): number {
    return this.#sieve.size - this.taken;
  }

  get idle(): boolean {
    return this.#sieve.pending === 0 && this.#drained;
  }

  offered(): void {
    this.#drained = false;
  }

  async decide(): Promise<void> {
    if (this.#sieve.pending === 0) return;
    await this.#sieve.flush();
    this.#drained = false;
  }

  async take(): Promise<readonly Discovery[] | undefined> {
    if (this.#drained) return undefined;
    const batch = await this.#sieve.take();
    this.#drained = batch === undefined;
    if (!batch) return undefined;
    this.taken += batch.length;
    return Array.from({ length: batch.length }, (_, i) => decodeDiscovery(entryBytes(batch, i)));
  }
}
