/**
 * How much the whole crawl may still fetch, shared by all agents: `--max-pages` gives exactly that many pages, and
 * `--max-bytes` ends the crawl when that much was received.
 *
 * Idea      Whoever wants to fetch claims a page first and settles the claim afterwards: it was one, or it goes back. What is
 *           left and what is claimed share one 64-bit word, because "none left and none claimed" read in two steps may never
 *           have been true.
 *
 *             63                                  24 23                 0
 *             ┌─────────────────────────────────────┬────────────────────┐
 *             │ pages left                          │ open claims        │
 *             └─────────────────────────────────────┴────────────────────┘
 *
 * Requires  each claim is settled once. An agent that died leaves its claims open: the crawl cannot end by this limit.
 * Ensures   pages claimed and settled as pages never exceed the limit; when the limit is exhausted they are exactly as many.
 *           Bytes overshoot by what the claims open at that moment bring.
 * Cost      two atomic operations a page, a fraction of a microsecond.
 */
import type { Bytes } from '../../base/units.ts';

/** Plain data, to be handed to every agent's thread: pages and claims, then bytes left. */
export type SharedAllowance = BigInt64Array;

export interface Limits {
  readonly maxPages?: number;
  readonly maxBytes?: Bytes;
}

const PAGES = 0;
const BYTES = 1;
const ONE_PAGE = 1n << 24n;
const CLAIMS = ONE_PAGE - 1n;
/** Stands for "no limit": at 10,000 pages a second it lasts for a year and a half, and still counts claims. */
const MOST_PAGES = 2 ** 39 - 1;

export function shareAllowance({
  maxPages = Infinity,
  maxBytes = Infinity,
}: Limits): SharedAllowance {
  const shared = new BigInt64Array(new SharedArrayBuffer(16));
  shared[PAGES] = BigInt(Math.min(maxPages, MOST_PAGES)) * ONE_PAGE;
  shared[BYTES] = BigInt(Math.min(maxBytes, Number.MAX_SAFE_INTEGER));
  return shared;
}

export class Allowance {
  readonly #shared: SharedAllowance;

  constructor(shared: SharedAllowance) {
    this.#shared = shared;
  }

  /** A claim would be granted now. */
  get available(): boolean {
    return Atomics.load(this.#shared, PAGES) >= ONE_PAGE && Atomics.load(this.#shared, BYTES) > 0n;
  }

  /** Claims one page; false when none is left. A claim that another settles may bring one back: look again later. */
  claim(): boolean {
    while (this.available) {
      const word = Atomics.load(this.#shared, PAGES);
      if (word < ONE_PAGE || !this.#swap(word, word - ONE_PAGE + 1n)) continue;
      // Bytes are looked at again now that the claim can be seen: `exhausted` relies on it.
      if (Atomics.load(this.#shared, BYTES) > 0n) return true;
      this.settle(false);
    }
    return false;
  }

  /** Says what became of a claim: a page, or nothing that counts; and how many bytes it brought. */
  settle(gotPage: boolean, bytes: Bytes = 0): void {
    // Bytes first: when the last claim is settled, everything is counted.
    Atomics.sub(this.#shared, BYTES, BigInt(bytes));
    const word = Atomics.add(this.#shared, PAGES, gotPage ? -1n : ONE_PAGE - 1n);
    if ((word & CLAIMS) === 0n) throw new Error('A claim is settled that was never made.');
  }

  /** The limit that ended the crawl, once no claim is open: no agent will fetch another page. */
  get exhausted(): 'max-pages' | 'max-bytes' | undefined {
    // Bytes never come back: when they are read first, no claim is granted between the two readings.
    const outOfBytes = Atomics.load(this.#shared, BYTES) <= 0n;
    const word = Atomics.load(this.#shared, PAGES);
    if ((word & CLAIMS) !== 0n) return undefined;
    if (word < ONE_PAGE) return 'max-pages';
    return outOfBytes ? 'max-bytes' : undefined;
  }

  #swap(from: bigint, to: bigint): boolean {
    return Atomics.compareExchange(this.#shared, PAGES, from, to) === from;
  }
}
