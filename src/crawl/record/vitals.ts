/**
 * The health of an agent beside its counters: its last page, its last checkpoint, outages, paused
 * hosts and top domains.
 *
 * Ensures   Fetching a page does no work for this: everything is computed on request, a few times
 *           a second.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { allWaiting, type Waiting } from './host-waits.ts';
import { mostPages, type TopDomain, TopDomains } from './top-domains.ts';

/** The health of an agent or a crawl, as plain data. */
export interface Vitals {
  /** The time of the last page; before the first page, the start of the agent. */
  readonly lastPageAt: Millis;
  /** The time of the last checkpoint; undefined before the first. */
  readonly savedAt?: Millis | undefined;
  /** How long the last checkpoint took; 0 for one of an earlier run. */
  readonly saving: Millis;
  readonly outage?: Outage | undefined;
  /** Hosts paused because they did not answer or asked for it. */
  readonly waiting?: Waiting | undefined;
  /** The domains with the most pages fetched, over the life of the crawl. */
  readonly top: readonly TopDomain[];
}

/** No server answers, or no name can be looked up: no host is blamed for it. */
export interface Outage {
  readonly of: 'network' | 'names';
  readonly since: Millis;
}

/** Time between two looks through the domains in memory. */
const LOOK_EVERY: Millis = 2000;
/** The most domains in a list that is shown. */
const TOP = 16;

interface VitalsParts {
  readonly clock: Clock;
  readonly pages: () => number;
  readonly outage: () => Outage | undefined;
  readonly waiting: () => Waiting | undefined;
  readonly look: (top: TopDomains) => void;
  /** The top domains of earlier runs. */
  readonly top: readonly TopDomain[] | undefined;
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

  /** Call it when a checkpoint that began at `begun` is complete. */
  saved(begun: Millis): void {
    const at = this.#parts.clock.now();
    this.#saved = { at, took: at - begun };
  }

  /** All kept domains, for a checkpoint. */
  topDomains(): readonly TopDomain[] {
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

/**
 * The health of the whole crawl; its checkpoint is as old as the oldest of the agents'. Of `size`
 * agents some may not have reported yet: then nothing is known of a checkpoint of all.
 */
export function allVitals(
  agents: readonly Vitals[],
  startedAt: Millis,
  size = agents.length,
): Vitals {
  const saved = agents.flatMap(({ savedAt }) => savedAt ?? []);
  return {
    lastPageAt: Math.max(startedAt, ...agents.map(({ lastPageAt }) => lastPageAt)),
    savedAt: saved.length === 0 || saved.length < size ? undefined : Math.min(...saved),
    saving: Math.max(0, ...agents.map(({ saving }) => saving)),
    outage: agents.find(({ outage }) => outage)?.outage,
    waiting: allWaiting(agents.map(({ waiting }) => waiting)),
    top: mostPages(
      agents.map(({ top }) => top),
      TOP,
    ),
  };
}
