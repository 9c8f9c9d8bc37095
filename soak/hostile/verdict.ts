/**
 * What the figures of a long crawl say: pure functions, so that the tests can try them on figures
 * that are wrong.
 */
import type { Summary } from '../../src/crawl/crawl.ts';

/** A crawl at one moment. */
export interface Sample {
  readonly seconds: number;
  /** Bytes of memory, and open files and sockets. */
  readonly rss: number;
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
  /** By the limits of their hosts and domains, or because their domain is blocked. */
  readonly overLimit: number;
  readonly waiting: number;
  /** Of the unique ones those that are none of these: 0, or URLs were lost or counted twice. */
  readonly lost: number;
}

/** URLs that never met the sieve, and pages that came, though not as they should. */
const NOT_GIVEN_UP = /^too-many-redirects$|^status-/;

/**
 * Of what was refused, what had passed the sieve; the rest was kept out before it, or was fetched
 * (`content-type`).
 */
const ADMITTED = /-page-limit$|-later$|^blocked$|^trap$|^fetch-filter$/;

/**
 * Each URL that has passed the sieve, or that we made up to ask for it, was answered, was given up
 * by a fault, is kept from us by robots.txt, was beyond the limit of its host or domain or kept out
 * by what was decided since, or waits. For a crawl of one run: the counters are the run's, the URLs
 * the folder's.
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

/** Growth that is taken for noise. */
const MOST_GROWTH = 1.1;

/**
 * Whether the last quarter is no higher than the second, but for a tenth and `slack`: the first is
 * for filling up.
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

/** Requests a second at the good sites, from the second quarter on. */
export function steadyRate(samples: readonly Sample[]): number {
  const first = samples[Math.floor(samples.length / 4)];
  const last = samples.at(-1);
  if (!first || !last || last.seconds === first.seconds) return Number.NaN;
  return (last.goodRequests - first.goodRequests) / (last.seconds - first.seconds);
}
