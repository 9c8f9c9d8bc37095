/**
 * The verdicts on the figures of a long crawl: pure functions, so that tests can try them on wrong
 * figures.
 */
import type { Summary } from '../../src/crawl/crawl.ts';

/** A crawl at one moment. */
export interface Sample {
  readonly seconds: number;
  /** Bytes of memory. */
  readonly rss: number;
  /** Open files and sockets. */
  readonly handles: number;
  /** Requests that the good sites have answered. */
  readonly goodRequests: number;
  readonly pages: number;
  readonly waiting: number;
  readonly known: number;
  readonly fetching: number;
}

export interface Account {
  readonly unique: number;
  readonly fetched: number;
  readonly givenUp: number;
  readonly disallowed: number;
  /** Skipped by the limits of their hosts and domains, or because their domain is blocked. */
  readonly overLimit: number;
  readonly waiting: number;
  /** Unique URLs that are none of these: not 0 if URLs were lost or counted twice. */
  readonly lost: number;
}

/** Faults of URLs that never reached the sieve, and of pages that came with an error status. */
const NOT_GIVEN_UP = /^too-many-redirects$|^status-/;

/**
 * Refusals of URLs that had passed the sieve; others were refused before it, or were fetched
 * (`content-type`).
 */
const ADMITTED = /-page-limit$|-later$|^blocked$|^trap$|^fetch-filter$/;

/**
 * Accounts for each URL that has passed the sieve, or that we made up to ask for it. It was
 * answered, it failed, robots.txt forbids it, it was over the limit of its host or domain or
 * refused by a later decision, or it is queued. For a crawl of one run: the counters are the run's,
 * the URLs the folder's.
 */
export function accountOf(summary: Summary): Account {
  const sum = (tally: Readonly<Record<string, number>>, counts: (name: string) => boolean) =>
    Object.entries(tally).reduce((total, [name, n]) => total + (counts(name) ? n : 0), 0);
  const { urlsUnique: unique, pages: fetched, disallowed, urlsQueued: waiting } = summary;
  const givenUp = sum(summary.errors, (fault) => !NOT_GIVEN_UP.test(fault));
  const overLimit = sum(summary.refused, (reason) => ADMITTED.test(reason));
  const made = summary.alike['soft-404-question'] ?? 0;
  const lost = unique + made - fetched - givenUp - disallowed - overLimit - waiting;
  return { unique, fetched, givenUp, disallowed, overLimit, waiting, lost };
}

/** Growth that counts as noise. */
const MOST_GROWTH = 1.1;

/**
 * Whether the last quarter is no higher than the second, except for a tenth and `slack`: in the
 * first, memory fills up.
 */
export function isFlat(values: readonly number[], slack = 0): boolean {
  const quarter = Math.floor(values.length / 4);
  const early = values.slice(quarter, 2 * quarter);
  const late = values.slice(-quarter);
  if (quarter === 0) return true;
  return median(late) <= MOST_GROWTH * median(early) + slack;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Requests a second to the good sites, from the second quarter on. */
export function steadyRate(samples: readonly Sample[]): number {
  const first = samples[Math.floor(samples.length / 4)];
  const last = samples.at(-1);
  if (!first || !last || last.seconds === first.seconds) return Number.NaN;
  return (last.goodRequests - first.goodRequests) / (last.seconds - first.seconds);
}
