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
 * A domain that links back to more than half of its in-neighbours loses links and trust: both are
 * multiplied by the square of twice the share that it does not link back to. Members of an exchange
 * link back to nearly all. Giants link back to many, but to less than half. `FEW` more count as not
 * linked back, so that a small site that links to the directory that lists it loses nothing. Which
 * links a domain returns is known if its own links were drawn.
 *
 * All are estimated from the share p of the sources. If no in-neighbour was drawn, nothing is known
 * of links and trust, and they limit nothing. A `cap` or `worth` of 0 limits nothing either. In a
 * sample of less than `LEAST_SHARE` most walks end after a step or two: then supporters alone count,
 * as in TSE.
 * Ensures   the same result for any order of the in-neighbours: all sums are of whole numbers.
 */
import { type Trust, type WalkedArcs, WHOLE } from './trust-walk.ts';

/** The most supporters that one in-neighbour passes on. */
export const CAP = 30;
/** How many supporters the trust of a mean link is worth. */
export const WORTH = 12;

/** So many in-neighbours more count as not linked back. */
const FEW = 3;

/** The least share of the sources on whose links trust can be walked. */
const LEAST_SHARE = 0.2;

interface TrustLimits {
  /** The links of the drawn sources. */
  readonly arcs: WalkedArcs;
  readonly trust: Trust;
  readonly p: number;
  readonly cap: number;
  readonly worth: number;
}

/** Sums over the drawn in-neighbours of many domains, by number. */
export class PassedOn {
  /** In-neighbours that were drawn, and how many of them the domain links to. */
  readonly #drawn: Uint32Array;
  readonly #returned: Uint32Array;
  /** What they pass on, in parts of `WHOLE`, and the trust that they give. */
  readonly #links: Float64Array;
  readonly #given: Float64Array;
  readonly #limits: TrustLimits;
  readonly #most: number;
  /** For each node, the last domain begun that links to it, counted from 1. */
  readonly #linkedFrom: Uint32Array;
  #begun = 0;

  constructor(domains: number, limits: TrustLimits) {
    this.#drawn = new Uint32Array(domains);
    this.#returned = new Uint32Array(domains);
    this.#links = new Float64Array(domains);
    this.#given = new Float64Array(domains);
    this.#limits = limits;
    this.#most = limits.cap * limits.p;
    this.#linkedFrom = new Uint32Array(limits.arcs.nodes);
  }

  /** The next in-neighbours are those of this domain, which is the source `own`, or -1. */
  begin(domain: number, own: number): void {
    this.#drawn[domain] = 0;
    this.#returned[domain] = 0;
    this.#links[domain] = 0;
    this.#given[domain] = 0;
    this.#begun++;
    if (own < 0) return;
    const { begins, ends, targets } = this.#limits.arcs;
    for (let at = begins[own]; at < ends[own]; at++) this.#linkedFrom[targets[at]] = this.#begun;
  }

  /** Adds a drawn in-neighbour, the source with this number, to which `linked` drawn sources link. */
  add(domain: number, linked: number, source: number): void {
    const { arcs, trust } = this.#limits;
    this.#drawn[domain]++;
    if (this.#linkedFrom[arcs.sources[source]] === this.#begun) this.#returned[domain]++;
    this.#links[domain] += Math.floor(trust.share[source] * Math.min(linked, this.#most));
    this.#given[domain] += trust.given[source];
  }

  /** The score of a domain, given how many drawn sources support it. */
  score(domain: number, supporters: number): number {
    const { p, cap, worth, trust } = this.#limits;
    if (p < LEAST_SHARE || this.#drawn[domain] === 0) return supporters / p;
    const unreturned = 1 - this.#returned[domain] / (this.#drawn[domain] + FEW);
    const counted = Math.min(1, 2 * unreturned) ** 2;
    // Of the in-neighbours the share p was drawn, and of the sources that link to them.
    const links = cap === 0 ? Infinity : (counted * this.#links[domain]) / WHOLE / p;
    const given = counted * this.#given[domain];
    const trusted = worth === 0 ? Infinity : (worth * given) / trust.unit;
    return Math.min(supporters, links, trusted) / p;
  }
}
