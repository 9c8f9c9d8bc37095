/** Filters of a crawl, and what predicates of your own can ask. */
import type { HeaderView } from './crawl-pages.ts';

/**
 * A step in the life of a URL at which a filter decides. `schedule`: a link was discovered.
 * `fetch`: its turn has come. `parse`: the response has come. `follow` and `store`: the page was
 * parsed.
 */
export type Stage = 'schedule' | 'fetch' | 'parse' | 'render' | 'follow' | 'store';

/** Filters by stage, such as `{ store: 'Status == 200' }`. A stage without a filter accepts all. */
export interface Filters {
  /** Which links to queue. */
  readonly schedule?: string;
  /** Which URLs to fetch. */
  readonly fetch?: string;
  /** Which pages to parse for links. */
  readonly parse?: string;
  /** Which pages to render, of those that `render` selects. */
  readonly render?: string;
  /** Which pages have their links followed. */
  readonly follow?: string;
  /** Which pages to store and to pass to the program. */
  readonly store?: string;
  /** Your own predicates: functions by name, or the path of a module that exports them. */
  readonly predicates?: UserPredicates | string;
}

/**
 * A predicate of your own. A filter passes what is known, and the texts in parentheses. A number is
 * to be compared in the filter: `Words > 100`.
 */
export type UserFunction = (subject: Subject, ...values: string[]) => boolean | number;

/** A predicate of your own: for all stages, or from a stage on. */
export type UserPredicate = UserFunction | StagedPredicate;

/** A predicate of your own that needs what is known from a stage on. */
export interface StagedPredicate {
  /** The first stage at which a filter may use it. */
  readonly from: Stage;
  /** The predicate. */
  readonly value: UserFunction;
}

/** Predicates of your own by name. A name begins with a capital and has letters and digits. */
export type UserPredicates = Readonly<Record<string, UserPredicate>>;

/** What a filter is asked about. Parts that are not known at a stage are undefined. */
export interface Subject {
  /** The canonical URL. */
  readonly url: string;
  /** The number of links followed from a seed to the URL. */
  readonly depth: number;
  /** How domains rank. Known in a crawl in the order `budget`. */
  readonly standing: DomainStanding | undefined;
  /** Facts about the visit. Known from the stage `fetch` on. */
  readonly visit: VisitFacts | undefined;
  /** Facts about the response. Known from the stage `parse` on. */
  readonly response: ResponseFacts | undefined;
  /** Facts about the page. Known from the stage `follow` on. */
  readonly page: PageFacts | undefined;
}

/** How domains rank. A domain is named by the xxHash64 of its name: `keyOf` of `drumlin/drum`. */
export interface DomainStanding {
  /** The rank of a domain, from 1; Infinity below the best. */
  rankOf(domain: bigint): number;
  /** The score that a domain is ranked by; 0 below the best. */
  scoreOf(domain: bigint): number;
  /** The URLs that a domain may put into a round. */
  budgetOf(domain: bigint): number;
}

/** What is known when the turn of a URL has come. */
export interface VisitFacts {
  /** The number of redirects followed in a row to the URL. */
  readonly redirects: number;
  /** The number of failed attempts to fetch it. */
  readonly attempts: number;
  /** The number of pages fetched from its host so far. */
  readonly hostPages: number;
  /** The number of pages fetched from its domain so far. */
  readonly domainPages: number;
  /** The IP address to fetch it from. */
  readonly ip: string;
  /** The probability that its domain is spam, by the last verdict; NaN without `spam`. */
  readonly domainSpam: number;
}

/** What is known when a response has come. */
export interface ResponseFacts {
  /** The HTTP status. */
  readonly status: number;
  /** The HTTP headers. */
  readonly headers: HeaderView;
  /** The length of the body as received, in bytes. */
  readonly length: number;
  /** The time to fetch it, in milliseconds. */
  readonly elapsed: number;
  /** Whether the body was cut short. */
  readonly truncated: boolean;
  /** Whether the body is HTML. */
  readonly isHtml: () => boolean;
  /** Whether the same bytes came a short while before. */
  readonly isDuplicate: () => boolean;
}

/** What is known when a page was parsed. */
export interface PageFacts {
  /** The number of its links. */
  readonly links: number;
  /** The text of its title; undefined if it has none. */
  readonly title: () => string | undefined;
  /** Its charset. */
  readonly charset: string;
  /** Whether the page asks not to be indexed. */
  readonly noindex: boolean;
  /** Whether the page asks that its links are not followed. */
  readonly nofollow: boolean;
  /** Its main text, one block a line; empty if it is not HTML. */
  readonly text: () => string;
  /** The number of words in its main text. */
  readonly words: () => number;
}
