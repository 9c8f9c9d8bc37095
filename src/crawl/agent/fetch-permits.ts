/**
 * May the agent begin another fetch? Not when it is stopping or paused, when the limit of the whole
 * crawl is reached, or when all its fetchers are busy.
 *
 * Idea      Requisites belong to pages that were fetched, so the limit of pages does not apply to
 *           them. When it is reached, requisites are fetched until none is left, and then the crawl
 *           ends.
 * Ensures   once stopped it permits nothing more.
 */
import type { Bytes } from '../../base/units.ts';
import type { Fence } from '../../fetch/client-options.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { EndReason } from '../record/counters.ts';
import type { Allowance } from '../transport/allowance.ts';

interface PermitOptions {
  /** The number of turns that may be under way at once. */
  readonly fetches: number;
  /** Whether requisites are fetched. */
  readonly requisites?: boolean;
  /** Only in a cluster. */
  readonly fence?: Fence | undefined;
  /** Turns that wait for something else than a server. */
  readonly waiting?: (() => number) | undefined;
}

export class FetchPermits {
  readonly #fence: Fence | undefined;
  readonly #allowance: Allowance;
  readonly #frontier: Pick<Frontier, 'turnsOut'>;
  readonly #requisites: boolean;
  readonly #waiting: () => number;
  /** The number of turns that may be under way at once. */
  fetches: number;
  /** The operator has paused the crawl: nothing is begun, and the agent does not end. */
  paused = false;
  #end: EndReason | undefined;

  constructor(
    allowance: Allowance,
    frontier: Pick<Frontier, 'turnsOut'>,
    { fetches, requisites = false, fence, waiting = () => 0 }: PermitOptions,
  ) {
    this.#waiting = waiting;
    this.#requisites = requisites;
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
    return !this.allBusy && !this.#allClaimed;
  }

  /** No fetcher is free. */
  get allBusy(): boolean {
    return this.#frontier.turnsOut - this.#waiting() >= this.fetches;
  }

  /** No page is left to claim, but requisites may still be fetched. */
  get onlyRequisites(): boolean {
    return this.#requisites && !this.#allowance.available;
  }

  /**
   * All pages that the crawl may fetch are claimed, and one may come back: a claim can be closed.
   * Or a fence is closed, and may open again.
   */
  get mustLookAgain(): boolean {
    return this.#allClaimed || this.#fence?.open === false;
  }

  get #allClaimed(): boolean {
    return this.#requisites ? !this.#allowance.hasBytes : !this.#allowance.available;
  }

  /** The limit that ends the crawl, once no claim is open. */
  get limitReached(): EndReason | undefined {
    const limit = this.#allowance.exhausted;
    if (!this.#requisites || limit !== 'max-pages') return limit;
    // The crawl ends when its requisites are fetched: see `Agent`.
    return this.#allowance.hasBytes ? undefined : 'max-bytes';
  }

  /** Claims a requisite; false when the agent is stopping or paused, or no byte is left. */
  claimRequisite(): boolean {
    return this.#end === undefined && !this.paused && this.#allowance.claimRequisite();
  }

  /** Counts a requisite that turned out to be a page; false when no page is left. */
  takePage(): boolean {
    if (!this.claimPage()) return false;
    this.closeClaim(true);
    return true;
  }

  /** Claims one page of the crawl's limit; false when none is left, or it is stopping or paused. */
  claimPage(): boolean {
    return this.#end === undefined && !this.paused && this.#allowance.claim();
  }

  /** Closes a claim: with a page of `bytes`, or with nothing that counts. */
  closeClaim(gotPage: boolean, bytes?: Bytes): void {
    this.#allowance.closeClaim(gotPage, bytes);
  }
}
