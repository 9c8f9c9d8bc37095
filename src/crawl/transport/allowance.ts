/**
 * How much the whole crawl may still fetch, shared by all agents: `--max-pages` gives exactly that
 * many pages, and `--max-bytes` ends the crawl when that much was received.
 *
 * Idea      An agent claims a page before it fetches, and closes the claim afterwards: as a page,
 *           or as nothing, which returns the claim. The pages left and the open claims share one
 *           64-bit word, because "none left and none claimed", read in two steps, may never have
 *           been true.
 *
 *             63                                  24 23                 0
 *             ┌─────────────────────────────────────┬────────────────────┐
 *             │ pages left                          │ open claims        │
 *             └─────────────────────────────────────┴────────────────────┘
 *
 * Requires  Each claim is closed once. A dead agent leaves its claims open: then the crawl cannot
 *           end by this limit.
 * Ensures   Claims closed as pages never exceed the limit; when the limit is exhausted they are
 *           exactly as many. Bytes exceed their limit by what the claims open at that moment bring.
 * Cost      Two atomic operations per page, a fraction of a microsecond.
 */
import type { Bytes } from '../../base/units.ts';

/** Plain data for every agent's thread: pages and claims, then bytes left. */
export type SharedAllowance = BigInt64Array;

interface Limits {
  readonly maxPages?: number;
  readonly maxBytes?: Bytes;
}

const PAGES = 0;
const BYTES = 1;
const ONE_PAGE = 1n << 24n;
const CLAIMS = ONE_PAGE - 1n;
/** Stands for "no limit": at 10,000 pages per second it lasts for a year and a half. */
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

/** Limits change while the crawl runs: what is left changes by the difference. */
export function changeAllowance(shared: SharedAllowance, before: Limits, after: Limits): void {
  const [old, young] = [shareAllowance(before), shareAllowance(after)];
  for (const word of [PAGES, BYTES]) Atomics.add(shared, word, young[word] - old[word]);
}

export class Allowance {
  readonly #shared: SharedAllowance;

  constructor(shared: SharedAllowance) {
    this.#shared = shared;
  }

  /** Whether a claim would be granted now. */
  get available(): boolean {
    return Atomics.load(this.#shared, PAGES) >= ONE_PAGE && Atomics.load(this.#shared, BYTES) > 0n;
  }

  /**
   * Claims one page; false if none is left. A claim that another agent closes may return a page:
   * try again later.
   */
  claim(): boolean {
    while (this.available) {
      const word = Atomics.load(this.#shared, PAGES);
      if (word < ONE_PAGE || !this.#swap(word, word - ONE_PAGE + 1n)) continue;
      // Bytes are read again now that the claim is visible: `exhausted` relies on it.
      if (Atomics.load(this.#shared, BYTES) > 0n) return true;
      this.closeClaim(false);
    }
    return false;
  }

  /** Whether the limit of bytes is not reached. */
  get hasBytes(): boolean {
    return Atomics.load(this.#shared, BYTES) > 0n;
  }

  /**
   * Claims a requisite, which is no page: only bytes limit it. The claim is closed as if it brought
   * a page, because it took none.
   */
  claimRequisite(): boolean {
    Atomics.add(this.#shared, PAGES, 1n);
    if (this.hasBytes) return true;
    this.closeClaim(true);
    return false;
  }

  /** Closes a claim, with a page or without one, and counts the bytes received. */
  closeClaim(gotPage: boolean, bytes: Bytes = 0): void {
    // Bytes first: when the last claim is closed, everything is counted.
    Atomics.sub(this.#shared, BYTES, BigInt(bytes));
    const word = Atomics.add(this.#shared, PAGES, gotPage ? -1n : ONE_PAGE - 1n);
    if ((word & CLAIMS) === 0n) throw new Error('A claim is closed that was never made.');
  }

  /** Pages left that nobody has claimed. */
  get left(): number {
    return Number(Atomics.load(this.#shared, PAGES) >> 24n);
  }

  /** Adds pages to those that are left. */
  grant(pages: number): void {
    Atomics.add(this.#shared, PAGES, BigInt(pages) * ONE_PAGE);
  }

  /** Takes back what nobody has claimed; returns how much it was. */
  withdraw(): number {
    for (;;) {
      const word = Atomics.load(this.#shared, PAGES);
      const left = word >> 24n;
      if (this.#swap(word, word - left * ONE_PAGE)) return Number(left);
    }
  }

  /** The limit that ended the crawl, once no claim is open: no agent will fetch another page. */
  get exhausted(): 'max-pages' | 'max-bytes' | undefined {
    // Bytes left never grow: if they are read first, no claim is granted between the two reads.
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
