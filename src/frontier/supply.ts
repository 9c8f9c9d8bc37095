/**
 * Where the frontier gets new URLs: after the sieve, each URL once in the whole crawl.
 *
 * There are two kinds. `SieveSupply` passes on what the sieve lets through, in its order: a
 * breadth-first crawl. `BudgetedSupply` (src/reputation) keeps URLs until their domains have budget
 * for them.
 *
 * Requires  one caller at a time; code that offers URLs to the sieve then calls `offered`.
 * Ensures   every URL that the sieve lets through is handed out once, or counted as refused, or
 *           counted in `waiting`.
 */

import type { Millis } from '../base/units.ts';
import { entryBytes } from '../drum/keyed-batch.ts';
import type { Sieve } from '../sieve/sieve.ts';
import { type Discovery, decodeDiscovery } from './queue/discovered-url.ts';

export interface Supply {
  /** It chooses what to hand out next: URLs that are not decided are missing in the choice. */
  readonly chooses: boolean;
  /** URLs offered to the sieve and not yet decided. */
  readonly undecided: number;
  /** URLs let through by the sieve and not handed out. */
  readonly queued: number;
  /** Nothing is left to hand out or to decide. */
  readonly idle: boolean;
  /** It hands out nothing before this time, unless `offered` is called. */
  readonly nextAt: Millis;
  /** Call after an offer to the sieve, which may have merged by itself. */
  offered(): void;
  /** Makes the sieve decide everything offered. */
  decide(): Promise<void>;
  /** The next URLs, or undefined when all decided URLs were handed out. */
  take(): Promise<readonly Discovery[] | undefined>;
}

export class SieveSupply implements Supply {
  readonly chooses: boolean = false;
  readonly nextAt = 0;
  readonly #sieve: Sieve;
  /** All decided URLs were taken from the sieve. */
  #drained: boolean;
  /** URLs taken from the sieve in the whole crawl. */
  taken: number;

  /** `taken`: how many URLs earlier runs took from the sieve. */
  constructor(sieve: Sieve, taken = 0) {
    this.#sieve = sieve;
    this.taken = taken;
    this.#drained = taken === sieve.size;
  }

  get undecided(): number {
    return this.#sieve.pending;
  }

  get queued(): number {
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
