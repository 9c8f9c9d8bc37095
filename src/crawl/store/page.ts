/** A fetched page as a user of the library meets it. */
import type { HeaderView } from '../../fetch/exchange.ts';
import type { LinkKind, Link as ParsedLink } from '../../parse/page.ts';

/** A link of a page, or the target of a redirect. */
export interface Link extends Omit<ParsedLink, 'kind'> {
  readonly kind: LinkKind | 'redirect' | 'sitemap';
  /** What a sitemap says about when it was changed: a date of ISO 8601. */
  readonly changed?: string;
}

/** Something that could not be had, for good. */
export interface CrawlFailure {
  /** Absent when it is about all URLs of a host that wait. */
  readonly url?: string;
  readonly host: string;
  /** By its name in the summary's `errors`: `connect-refused`, `dns-not-found`, `robots-unreachable`, … */
  readonly fault: string;
  readonly message: string;
  /** How many URLs are lost. */
  readonly urls: number;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: HeaderView;
  /** The body with transfer and content codings removed. */
  readonly body: Uint8Array;
  /** Links of an HTML page, canonical, in the order of the page; a redirect's target is its only link. */
  readonly links: readonly Link[];
  /** Links followed from a seed to here. */
  readonly depth: number;
}
