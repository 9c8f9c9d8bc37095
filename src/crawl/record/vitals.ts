/**
 * How an agent is, beside what it has counted: whether pages come, whether its checkpoints do, whom it fetches from.
 *
 * Ensures   whoever fetches a page does nothing for this: all of it is found out when somebody asks, a few times a second.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { allWaiting, type Waiting } from './host-waits.ts';
import { type DomainTold, mostPages, TopDomains } from './top-domains.ts';

/** Plain data. */
export interface Vitals {
  /** When a page came last; when the agent began, before the first. */
  readonly lastPageAt: Millis;
  /** When the last checkpoint was made, and how long that took; 0 for one of an earlier run. */
  readonly savedAt?: Millis | undefined;
  readonly saving: Millis;
  readonly outage?: Outage | undefined;
  /** Hosts that are left alone for a while, since they did not answer or asked for it. */
  readonly waiting?: Waiting | undefined;
  /** Domains of which most pages were fetched, in the life of the crawl. */
  readonly top: readonly DomainTold[];
}

/** Nobody is blamed for not answering, since nobody does. */
export interface Outage {
  readonly of: 'network' | 'names';
  readonly since: Millis;
}

/** How often the domains in memory are looked through. */
const LOOK_EVERY: Millis = 2000;
/** Shown of each list. */
const TOP = 16;

export interface VitalsParts {
  readonly clock: Clock;
  readonly pages: () => number;
  readonly outage: () => Outage | undefined;
  readonly waiting: () => Waiting | undefined;
  readonly look: (top: TopDomains) => void;
  /** Of earlier runs. */
  readonly top: readonly DomainTold[] | undefined;
  readonly savedAt?: Millis | undefined;
}

export class VitalsKeeper {
  readonly #parts: VitalsParts;
  readonly #top: TopDomains;
  #pages = 0;
  #lastPageAt: Millis;
  #lookAt: Millis = 0;
  #saved: { readonly at: Millis; readonly took: Millis } | undefined;

  constructor(parts: VitalsParts) {
    this.#parts = parts;
    this.#top = new TopDomains(parts.top);
    this.#lastPageAt = parts.clock.now();
    if (parts.savedAt !== undefined) this.#saved = { at: parts.savedAt, took: 0 };
  }

  /** A checkpoint that was begun then is made. */
  saved(begun: Millis): void {
    const at = this.#parts.clock.now();
    this.#saved = { at, took: at - begun };
  }

  /** All that are kept, for a checkpoint. */
  topDomains(): readonly DomainTold[] {
    this.#parts.look(this.#top);
    return this.#top.best;
  }

  now(): Vitals {
    const { clock, pages, outage, waiting, look } = this.#parts;
    const now = clock.now();
    if (pages() !== this.#pages) {
      this.#pages = pages();
      this.#lastPageAt = now;
    }
    if (now >= this.#lookAt) {
      look(this.#top);
      this.#lookAt = now + LOOK_EVERY;
    }
    return {
      lastPageAt: this.#lastPageAt,
      savedAt: this.#saved?.at,
      saving: this.#saved?.took ?? 0,
      outage: outage(),
      waiting: waiting(),
      top: this.#top.best.slice(0, TOP),
    };
  }
}

/** Of the whole crawl: a checkpoint is as old as that of the agent that made its own first. */
export function allVitals(agents: readonly Vitals[], startedAt: Millis): Vitals {
  const saved = agents.map(({ savedAt }) => savedAt);
  return {
    lastPageAt: Math.max(startedAt, ...agents.map(({ lastPageAt }) => lastPageAt)),
    savedAt:
      saved.some((at) => at === undefined) || saved.length === 0
        ? undefined
        : Math.min(...saved.flatMap((at) => at ?? [])),
    saving: Math.max(0, ...agents.map(({ saving }) => saving)),
    outage: agents.find(({ outage }) => outage)?.outage,
    waiting: allWaiting(agents.map(({ waiting }) => waiting)),
    top: mostPages(
      agents.map(({ top }) => top),
      TOP,
    ),
  };
}
