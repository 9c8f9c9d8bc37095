/**
 * May the agent begin another fetch? Not when it is stopping or paused, when the limit of the whole
 * crawl is reached, or when all its fetchers are busy.
 *
 * Ensures   once stopped it permits nothing more.
 */
import type { Bytes } from '../../base/units.ts';
import type { Fence } from '../../fetch/client-options.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { EndReason } from '../record/counters.ts';
import type { Allowance } from '../transport/allowance.ts';

export class FetchPermits {
  readonly #fence: Fence | undefined;
  readonly #allowance: Allowance;
  readonly #frontier: Pick<Frontier, 'turnsOut'>;
  /** The number of turns that may be under way at once. */
  fetches: number;
  /** The operator has paused the crawl: nothing is begun, and the agent does not end. */
  paused = false;
  #end: EndReason | undefined;

  constructor(
    allowance: Allowance,
    frontier: Pick<Frontier, 'turnsOut'>,
    fetches: number,
    fence?: Fence,
  ) {
    this.#fence = fence;
    this.#allowance = allowance;
    this.#frontier = frontier;
    this.fetches = fetches;
  }

  /** Permits nothing more, from now on. The first reason counts. */
  stop(reason: EndReason): void {
    this.#end ??= reason;
  }

  /** Why the agent is stopping; undefined while it is not. */
  get end(): EndReason | undefined {
    return this.#end;
  }

  get stopping(): boolean {
    return this.#end !== undefined;
  }

  /** A fetcher is free, and the crawl may fetch more pages. */
  get mayBeginTurn(): boolean {
    if (this.paused || this.#fence?.open === false) return false;
    return this.#frontier.turnsOut < this.fetches && this.#allowance.available;
  }

  /**
   * All pages that the crawl may fetch are claimed, and one may come back: a claim can be closed.
   * Or a fence is closed, and may open again.
   */
  get mustLookAgain(): boolean {
    return !this.#allowance.available || this.#fence?.open === false;
  }

  /** The limit that ends the crawl, once no claim is open. */
  get limitReached(): EndReason | undefined {
    return this.#allowance.exhausted;
  }

  /** Claims one page of the crawl's limit; false when none is left or the agent is stopping. */
  claimPage(): boolean {
    return this.#end === undefined && !this.paused && this.#allowance.claim();
  }

  /** Closes a claim: with a page of `bytes`, or with nothing that counts. */
  closeClaim(gotPage: boolean, bytes?: Bytes): void {
    this.#allowance.closeClaim(gotPage, bytes);
  }
}
