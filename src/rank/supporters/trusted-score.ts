/**
 * Trusted supporters of a domain, from sums over its in-neighbours: the least of three numbers, so
 * that an attack has to raise all of them.
 *
 *   supporters   domains at distance two, each once: members of a dense group have few
 *   links        what its in-neighbours pass on, each at most `cap` supporters, and a k-th of that
 *                if it has k times as many links as the mean source: a few links from famous domains
 *                bring little, and comments on their many pages hardly anything
 *   trust        that reaches it, in mean links (trust-walk.ts), each worth `worth` supporters: a
 *                group that trusted domains do not link to has none
 *
 * All are estimated from the share p of the sources. If no in-neighbour was drawn, nothing is known
 * of links and trust, and they limit nothing. A `cap` or `worth` of 0 limits nothing either. In a
 * sample of less than `LEAST_SHARE` most walks end after a step or two: then supporters alone count,
 * as in TSE.
 * Ensures   the same result for any order of the in-neighbours: all sums are of whole numbers.
 */
import { type Trust, WHOLE } from './trust-walk.ts';

/** The most supporters that one in-neighbour passes on. */
export const CAP = 30;
/** How many supporters the trust of a mean link is worth. */
export const WORTH = 15;

/** The least share of the sources on whose links trust can be walked. */
const LEAST_SHARE = 0.2;

interface TrustLimits {
  readonly trust: Trust;
  readonly p: number;
  readonly cap: number;
  readonly worth: number;
}

/** Sums over the drawn in-neighbours of many domains, by number. */
export class PassedOn {
  /** In-neighbours that were drawn, what they pass on, in parts of `WHOLE`, and what they give. */
  readonly #drawn: Uint32Array;
  readonly #links: Float64Array;
  readonly #given: Float64Array;
  readonly #limits: TrustLimits;
  readonly #most: number;

  constructor(domains: number, limits: TrustLimits) {
    this.#drawn = new Uint32Array(domains);
    this.#links = new Float64Array(domains);
    this.#given = new Float64Array(domains);
    this.#limits = limits;
    this.#most = limits.cap * limits.p;
  }

  clear(domain: number): void {
    this.#drawn[domain] = 0;
    this.#links[domain] = 0;
    this.#given[domain] = 0;
  }

  /** Adds a drawn in-neighbour, the source with this number, to which `linked` drawn sources link. */
  add(domain: number, linked: number, source: number): void {
    const { given, share } = this.#limits.trust;
    this.#drawn[domain]++;
    this.#links[domain] += Math.floor(share[source] * Math.min(linked, this.#most));
    this.#given[domain] += given[source];
  }

  /** The score of a domain, given how many drawn sources support it. */
  score(domain: number, supporters: number): number {
    const { p, cap, worth, trust } = this.#limits;
    if (p < LEAST_SHARE || this.#drawn[domain] === 0) return supporters / p;
    // Of the in-neighbours the share p was drawn, and of the sources that link to them.
    const links = cap === 0 ? Infinity : this.#links[domain] / WHOLE / p;
    const trusted = worth === 0 ? Infinity : (worth * this.#given[domain]) / trust.unit;
    return Math.min(supporters, links, trusted) / p;
  }
}
