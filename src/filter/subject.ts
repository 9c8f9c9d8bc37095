/**
 * What a filter is asked about, and what is known of it at each stage of a URL's life.
 *
 *   schedule   a link was found: its URL and depth, and where its domain stands
 *   fetch      its turn has come: what was fetched of its host and domain, and the address
 *   parse      a response has come
 *   follow     the page was read: shall its links be followed?
 *   store      the page was read: shall it be kept, and shown to `onPage`?
 */

import type { Bytes, Millis } from '../base/units.ts';
import type { HeaderView } from '../fetch/exchange.ts';

export const STAGES = ['schedule', 'fetch', 'parse', 'follow', 'store'] as const;
export type Stage = (typeof STAGES)[number];

/** How much is known: the last two stages know the same. */
const KNOWLEDGE: Readonly<Record<Stage, number>> = {
  schedule: 0,
  fetch: 1,
  parse: 2,
  follow: 3,
  store: 3,
};

/** What each stage comes after, in words for a refusal. */
export const MOMENT: Readonly<Record<Stage, string>> = {
  schedule: 'when a link is found',
  fetch: 'before a URL is fetched',
  parse: 'before a response is read',
  follow: 'when a page was read',
  store: 'when a page was read',
};

/** Whether what is known from one stage on is known at another. */
export const isKnown = (from: Stage, at: Stage): boolean => KNOWLEDGE[from] <= KNOWLEDGE[at];

/** Those at which it is known. */
export const stagesFrom = (from: Stage): Stage[] => STAGES.filter((stage) => isKnown(from, stage));

/** Where domains stand in a crawl in the order of budgets; others have no ranks. */
export interface DomainStanding {
  /** By the hash of the domain's name: from 1, Infinity below the top. */
  rankOf(domain: bigint): number;
  /** What it is ranked by; 0 below the top. */
  scoreOf(domain: bigint): number;
  /** URLs a round. */
  budgetOf(domain: bigint): number;
}

export interface VisitFacts {
  /** Redirects followed in a row to here. */
  readonly redirects: number;
  /** Times it was tried and failed. */
  readonly attempts: number;
  /** Pages fetched until now. */
  readonly hostPages: number;
  readonly domainPages: number;
  readonly ip: string;
}

export interface ResponseFacts {
  readonly status: number;
  readonly headers: HeaderView;
  /** Of the body, as it came. */
  readonly length: Bytes;
  readonly elapsed: Millis;
  readonly truncated: boolean;
  readonly isHtml: () => boolean;
  /** The same bytes came before, lately. */
  readonly isDuplicate: () => boolean;
}

export interface PageFacts {
  readonly links: number;
  readonly title: () => string | undefined;
  readonly charset: string;
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** What is not known yet is undefined; a filter that was read for a stage asks only for what is known there. */
export interface Subject {
  /** Canonical. */
  readonly url: string;
  /** Links followed from a seed to here. */
  readonly depth: number;
  /** Only in the order of budgets. */
  readonly standing: DomainStanding | undefined;
  readonly visit: VisitFacts | undefined;
  readonly response: ResponseFacts | undefined;
  readonly page: PageFacts | undefined;
}

export type Accepts = (subject: Subject) => boolean;
