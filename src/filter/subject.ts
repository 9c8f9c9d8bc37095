/**
 * What a filter decides about, and what is known at each stage of a URL's life.
 *
 *   schedule   a link was discovered: its URL, its depth and the standing of its domain
 *   fetch      before the fetch: pages fetched from the host and the domain, and the address
 *   parse      the response was received
 *   render     the page was parsed: render it, so that its scripts run?
 *   follow     the page was parsed: follow its links?
 *   store      the page was parsed: store it and pass it to `onPage`?
 */

import type { Bytes, Millis } from '../base/units.ts';
import type { HeaderView } from '../fetch/exchange.ts';

export const STAGES = ['schedule', 'fetch', 'parse', 'render', 'follow', 'store'] as const;
export type Stage = (typeof STAGES)[number];

/** How much is known; the last three stages know the same. */
const KNOWLEDGE: Readonly<Record<Stage, number>> = {
  schedule: 0,
  fetch: 1,
  parse: 2,
  render: 3,
  follow: 3,
  store: 3,
};

/** When each stage happens, for error messages. */
export const MOMENT: Readonly<Record<Stage, string>> = {
  schedule: 'when a link is discovered',
  fetch: 'before a URL is fetched',
  parse: 'before a page is parsed',
  render: 'before a page is rendered',
  follow: 'after a page was parsed',
  store: 'after a page was parsed',
};

/** Whether a fact that is known from the stage `from` is known at the stage `at`. */
export const isKnown = (from: Stage, at: Stage): boolean => KNOWLEDGE[from] <= KNOWLEDGE[at];

/** The stages at which a fact of the stage `from` is known. */
export const stagesFrom = (from: Stage): Stage[] => STAGES.filter((stage) => isKnown(from, stage));

/** The standing of domains. It exists only in a crawl with `--order budget`. */
export interface DomainStanding {
  /**
   * The rank of a domain, from 1, by the hash of its name; Infinity if it is not in the standing.
   */
  rankOf(domain: bigint): number;
  /** The score by which a domain is ranked; 0 if it is not in the standing. */
  scoreOf(domain: bigint): number;
  /** The URLs that a domain may put into a round. */
  budgetOf(domain: bigint): number;
}

export interface VisitFacts {
  /** Redirects followed in a row to reach the URL. */
  readonly redirects: number;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** Pages fetched from the host so far. */
  readonly hostPages: number;
  /** Pages fetched from the domain so far. */
  readonly domainPages: number;
  readonly ip: string;
  /** The probability that the domain is spam, by its last verdict; NaN without `--spam`. */
  readonly domainSpam: number;
}

export interface ResponseFacts {
  readonly status: number;
  readonly headers: HeaderView;
  /** Bytes of the body as received. */
  readonly length: Bytes;
  readonly elapsed: Millis;
  readonly truncated: boolean;
  readonly isHtml: () => boolean;
  /** Whether a recent response had the same bytes. */
  readonly isDuplicate: () => boolean;
}

export interface PageFacts {
  readonly links: number;
  readonly title: () => string | undefined;
  readonly charset: string;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Its text, one block or line a line; read when asked for. */
  readonly text: () => string;
  /** The number of words in its text. */
  readonly words: () => number;
}

/**
 * The known facts; others are undefined. A filter parsed for a stage uses only the facts of that
 * stage.
 */
export interface Subject {
  /** In canonical form. */
  readonly url: string;
  /** Links followed from a seed to the URL. */
  readonly depth: number;
  /** Only in a crawl with `--order budget`. */
  readonly standing: DomainStanding | undefined;
  readonly visit: VisitFacts | undefined;
  readonly response: ResponseFacts | undefined;
  readonly page: PageFacts | undefined;
}

export type Accepts = (subject: Subject) => boolean;
