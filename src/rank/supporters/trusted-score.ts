/**
 * Trusted supporters of a domain, from sums over its in-neighbours: the least of three numbers, so
 * that an attack has to raise all of them.
 *
 *   supporters   domains at distance two, each once: members of a dense group have few
 *   links        what its in-neighbours pass on, each at most `cap` supporters, and a k-th of that
 *                if it has k times as many links as the mean source: a few links from famous
 *                domains bring little, and comments on their many pages hardly anything
 *   trust        that reaches it, in mean links (trust-walk.ts), each worth `worth` supporters: a
 *                group that trusted domains do not link to has none
 *
 * A domain that links back to most of its in-neighbours is likely to exchange links with them. What
 * these pass on and give then counts for a part c = (2u)², at most 1; u is the share of all that is
 * passed on that comes from the others. What the others pass on counts for (1 + 2c) / 3: members of
 * an exchange do not all link back, but nobody may take more than two thirds of a domain's score by
 * links to it. Members of an exchange link back to nearly all, giants to less than half. With few
 * in-neighbours less counts as returned, by `FEW`: a small site may link to the directory that
 * lists it. Which links a domain returns is known only if its own links were drawn, so p must be
 * near 1.
 *
 * All are estimated from the share p of the sources. If no in-neighbour was drawn, nothing is known
 * of links and trust, and they limit nothing. A `cap` or `worth` of 0 limits nothing either. In a
 * sample of less than `LEAST_SHARE` most walks end after a step or two: then supporters alone
 * count, as in TSE.
 * Ensures   the same result for any order of the in-neighbours: all sums are of whole numbers.
 */
import { type Trust, type WalkedArcs, WHOLE } from './trust-walk.ts';

/** The most supporters that one in-neighbour passes on. */
export const CAP = 30;
/** How many supporters the trust of a mean link is worth. */
export const WORTH = 12;

/** Of n in-neighbours, n / (n + FEW) count as returned if all are. */
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
  /** How many in-neighbours were drawn. */
  readonly #drawn: Uint32Array;
  /** Of those that the domain does not link back to, and of the others. */
  readonly #unreturned: Sums;
  readonly #returned: Sums;
  readonly #limits: TrustLimits;
  readonly #most: number;
  /** For each node, the last domain begun that links to it, counted from 1. */
  readonly #linkedFrom: Uint32Array;
  #begun = 0;

  constructor(domains: number, limits: TrustLimits) {
    this.#drawn = new Uint32Array(domains);
    this.#unreturned = new Sums(domains);
    this.#returned = new Sums(domains);
    this.#limits = limits;
    // Without a limit on links, these still tell how much of them is returned.
    this.#most = (limits.cap || CAP) * limits.p;
    this.#linkedFrom = new Uint32Array(limits.arcs.nodes);
  }

  /**
   * The next in-neighbours are those of this domain. `own` is its number among the sources, or -1
   * if it was not drawn.
   */
  begin(domain: number, own: number): void {
    this.#drawn[domain] = 0;
    this.#unreturned.clear(domain);
    this.#returned.clear(domain);
    this.#begun++;
    if (own < 0) return;
    const { begins, ends, targets } = this.#limits.arcs;
    for (let at = begins[own]; at < ends[own]; at++) this.#linkedFrom[targets[at]] = this.#begun;
  }

  /** Adds a drawn in-neighbour, the source with this number. `linked` drawn sources link to it. */
  add(domain: number, linked: number, source: number): void {
    const { arcs, trust } = this.#limits;
    this.#drawn[domain]++;
    const isReturned = this.#linkedFrom[arcs.sources[source]] === this.#begun;
    const links = Math.floor(trust.share[source] * Math.min(linked, this.#most));
    (isReturned ? this.#returned : this.#unreturned).add(domain, links, trust.given[source]);
  }

  /** The score of a domain, given how many drawn sources support it. */
  score(domain: number, supporters: number): number {
    const { p, cap, worth, trust } = this.#limits;
    if (p < LEAST_SHARE || this.#drawn[domain] === 0) return supporters / p;
    const counted = this.#partOfReturned(domain);
    const { links, given } = this.#unreturned;
    const rest = (1 + 2 * counted) / 3;
    const allLinks = rest * links[domain] + counted * this.#returned.links[domain];
    const allGiven = rest * given[domain] + counted * this.#returned.given[domain];
    // Of the in-neighbours the share p was drawn, and of the sources that link to them.
    const passed = cap === 0 ? Infinity : allLinks / WHOLE / p;
    const trusted = worth === 0 ? Infinity : (worth * allGiven) / trust.unit;
    return Math.min(supporters, passed, trusted) / p;
  }

  /** The part for which the returned links of a domain count. */
  #partOfReturned(domain: number): number {
    const returned = this.#returned.links[domain];
    if (returned === 0) return 1;
    const drawn = this.#drawn[domain];
    const share = returned / (returned + this.#unreturned.links[domain]);
    const weight = drawn / (drawn + FEW * this.#limits.p);
    return Math.min(1, 2 * (1 - share * weight)) ** 2;
  }
}

/** What in-neighbours pass on, in parts of `WHOLE`, and the trust that they give. */
class Sums {
  readonly links: Float64Array;
  readonly given: Float64Array;

  constructor(domains: number) {
    this.links = new Float64Array(domains);
    this.given = new Float64Array(domains);
  }

  clear(domain: number): void {
    this.links[domain] = 0;
    this.given[domain] = 0;
  }

  add(domain: number, links: number, given: number): void {
    this.links[domain] += links;
    this.given[domain] += given;
  }
}
