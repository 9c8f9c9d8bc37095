/**
 * How many new useful documents a request to a domain is expected to find.
 *
 * Idea      A domain gives new useful documents at a rate of its own, as a Poisson process over
 *           requests. Rates of domains follow a Gamma distribution, whose mean and variance are
 *           estimated from all domains. The expected rate of a domain is then
 *           (found + a) / (requests + b): that of all domains as long as little is known of it.
 * Requires  counts that are not negative.
 * Ensures   a > 0 and b > 0, also if no domain has found anything.
 */
import type { DomainValue } from '../book/values.ts';

type Tried = Pick<DomainValue, 'requests' | 'gained'>;

/** The Gamma distribution of rates. */
export interface Prior {
  /** a */
  readonly found: number;
  /** b: a domain with fewer requests is hardly tried. */
  readonly requests: number;
}

/** Rates below this are not told apart. */
const LEAST_RATE = 1e-6;

/** Adds up what domains have found. */
export class PriorEstimate {
  #domains = 0;
  #requests = 0;
  #gained = 0;
  /** The sum of the squared rates, weighted by requests. */
  #squares = 0;

  add({ requests, gained }: Tried): void {
    if (!(requests > 0)) return;
    this.#domains++;
    this.#requests += requests;
    this.#gained += gained;
    this.#squares += gained ** 2 / requests;
  }

  prior(): Prior {
    const mean = Math.max(LEAST_RATE, this.#requests > 0 ? this.#gained / this.#requests : 0);
    // Without the variance that Poisson noise alone would give.
    const spread = this.#requests > 0 ? this.#squares / this.#requests - mean ** 2 : 0;
    const noise = this.#requests > 0 ? (mean * this.#domains) / this.#requests : 0;
    const variance = Math.max(spread - noise, mean ** 2 / 100);
    return { found: mean ** 2 / variance, requests: mean / variance };
  }
}

export const expectedRate = ({ requests, gained }: Tried, prior: Prior): number =>
  (gained + prior.found) / (requests + prior.requests);
