/**
 * Trusted supporters of a domain, from sums over its in-neighbours: the least of three numbers, so
 * that an attack has to raise all of them.
 *
 *   supporters   domains at distance two, each once: members of a dense group have few
 *   links        what its in-neighbours pass on, each at most `cap` supporters: a few links from
 *                famous domains bring little
 *   trust        that reaches it, in mean links (trust-walk.ts), each worth `worth` supporters: a
 *                group that trusted domains do not link to has none
 *
 * All are estimated from the share p of the sources. If no in-neighbour was drawn, nothing is known
 * of the trust, and it limits nothing. A `cap` or `worth` of 0 limits nothing either. In a sample of
 * less than `LEAST_SHARE` most walks end after a step or two: then supporters alone count, as in TSE.
 * Ensures   the same result for any order of the in-neighbours: all sums are of whole numbers.
 */
import type { Trust } from './trust-walk.ts';

/** The most supporters that one in-neighbour passes on. */
export const CAP = 30;
/** How many supporters the trust of a mean link is worth. */
export const WORTH = 15;

/** The least share of the sources on whose links trust can be walked. */
const LEAST_SHARE = 0.2;

interface TrustLimits extends Pick<Trust, 'unit'> {
  readonly p: number;
  readonly cap: number;
  readonly worth: number;
}

/** Sums over the in-neighbours of many domains, by number. */
export class PassedOn {
  /** In-neighbours that pass on as much as they may. */
  readonly #full: Uint32Array;
  /** What the others pass on. */
  readonly #rest: Float64Array;
  /** In-neighbours that were drawn, and the trust that they give. */
  readonly #drawn: Uint32Array;
  readonly #given: Float64Array;
  readonly #limits: TrustLimits;
  readonly #most: number;

  constructor(domains: number, limits: TrustLimits) {
    this.#full = new Uint32Array(domains);
    this.#rest = new Float64Array(domains);
    this.#drawn = new Uint32Array(domains);
    this.#given = new Float64Array(domains);
    this.#limits = limits;
    this.#most = limits.cap * limits.p;
  }

  clear(domain: number): void {
    this.#full[domain] = 0;
    this.#rest[domain] = 0;
    this.#drawn[domain] = 0;
    this.#given[domain] = 0;
  }

  /** Adds an in-neighbour to which so many drawn sources link; `given` is -1 if it is not drawn. */
  add(domain: number, sources: number, given: number): void {
    if (sources >= this.#most) this.#full[domain]++;
    else this.#rest[domain] += sources;
    if (given < 0) return;
    this.#drawn[domain]++;
    this.#given[domain] += given;
  }

  /** The score of a domain, given how many drawn sources support it. */
  score(domain: number, supporters: number): number {
    const { p, cap, worth, unit } = this.#limits;
    if (p < LEAST_SHARE) return supporters / p;
    const links = cap === 0 ? Infinity : this.#full[domain] * this.#most + this.#rest[domain];
    const isKnown = worth > 0 && this.#drawn[domain] > 0;
    const trust = isKnown ? (worth * this.#given[domain]) / unit : Infinity;
    return Math.min(supporters, links, trust) / p;
  }
}
