/**
 * Of the hosts that may be asked now, which one gets the next turn?
 *
 * Breadth first: the host that was ready first. In the order of budgets a domain with a larger
 * budget gets more turns:
 *
 * Idea      Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996), with domains in place of
 *           flows. A virtual time moves from turn to turn. A domain with weight w that had its last
 *           turn at time t may have the next at t + 1/w, and the domain whose time is first gets
 *           the turn. So domains that always have a host ready get turns in proportion to their
 *           weights, however many hosts and URLs each has. A domain without ready hosts saves
 *           nothing up. A new domain waits for a part of that time: turns at once for all new
 *           domains would go to those who register most.
 * Ensures   no turn is ever refused: this is an order, and every ready host gets its turn if
 *           fetchers are idle. While a host is queued its place moves back, by a turn or a smaller
 *           budget of its domain. It moves forward when budgets are new and that of its domain is
 *           several times as large as when it was queued; a little larger one counts from its next
 *           place on.
 * Cost      a number for each domain in memory. It is not stored: a domain that leaves memory and
 *           returns counts as new.
 */
import type { Millis } from '../base/units.ts';
import type { Domain, Host } from './host.ts';

export interface TurnOrder<H> {
  /** The host with the least place is next. */
  placeOf(host: H): number;
  /** A place behind other queued hosts, for one whose place has moved back while it was queued. */
  placeBehind(host: H): number;
  /** The place of an address whose first host has this place. */
  placeAt(place: number, addressReadyAt: Millis): number;
  /** The host gets a turn. */
  took(host: H): void;
  /** Whether the host may be queued far behind the place that it would get now. */
  isLate(host: H): boolean;
  /** All late hosts of its domain get new places: see `placeOf`. */
  renew(host: H): void;
}

/** The host that was ready first, it and its address, is next. */
export const byReadyTime: TurnOrder<{ readonly readyAt: Millis }> = {
  placeOf: ({ readyAt }) => readyAt,
  placeBehind: ({ readyAt }) => readyAt,
  placeAt: Math.max,
  took: () => {},
  isLate: () => false,
  renew: () => {},
};

/**
 * Weights grow with this power of the budget. In proportion to budgets, spam gets least, and so
 * many turns go to the best domains that fewer small honest ones are reached; see
 * docs/resistance.md.
 */
const POWER = 0.75;
/** A new domain waits for this part of the time between two of its turns. */
const FIRST_WAIT = 0.1;
/** Hosts get new places if the time between two turns is so many times shorter than it was. */
const FAR_SHORTER = 4;
/** The weight of a domain without a budget, whose URLs were queued when it had one. */
const LEAST_WEIGHT = 0.01;

export class ByBudget implements TurnOrder<Host> {
  readonly #budgetOf: (domain: Domain) => number;
  /** The virtual time: that of the last turn. */
  #time = 0;

  constructor(budgetOf: (domain: Domain) => number) {
    this.#budgetOf = budgetOf;
  }

  placeOf({ domain }: Host): number {
    const between = this.#between(domain);
    domain.turnAt ??= this.#time - (1 - FIRST_WAIT) * between;
    return domain.turnAt + between;
  }

  /** Hosts of one domain queue one behind the other: otherwise each turn of it would move all. */
  placeBehind(host: Host): number {
    const { domain } = host;
    const last = domain.queuedTo ?? -Infinity;
    domain.queuedTo = Math.max(this.placeOf(host), last + this.#between(domain));
    return domain.queuedTo;
  }

  placeAt(place: number): number {
    return place;
  }

  isLate({ domain }: Host): boolean {
    const { slowest } = domain;
    return FAR_SHORTER * this.#between(domain) < slowest;
  }

  renew({ domain }: Host): void {
    domain.slowest = 0;
    domain.queuedTo = undefined;
  }

  /** The virtual time between two turns of a domain that always has a ready host. */
  #between(domain: Domain): number {
    const between = 1 / Math.max(this.#budgetOf(domain) ** POWER, LEAST_WEIGHT);
    if (between > domain.slowest) domain.slowest = between;
    return between;
  }

  took(host: Host): void {
    this.#time = Math.max(this.#time, this.placeOf(host));
    host.domain.turnAt = this.#time;
  }
}
