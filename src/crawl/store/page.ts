/** A fetched page as a user of the library sees it. */
import type { HeaderView } from '../../fetch/exchange.ts';
import type { LinkKind, Link as ParsedLink } from '../../parse/page.ts';

/** A link of a page, or the target of a redirect. */
export interface Link extends Omit<ParsedLink, 'kind'> {
  readonly kind: LinkKind | 'redirect' | 'sitemap' | 'feed';
  /** The date of the last change that a sitemap gives, in ISO 8601. */
  readonly changed?: string;
}

/**
 * A URL, or all queued URLs of a host, that failed after the last retry; or the first failure at
 * the host of a seed.
 */
export interface CrawlFailure {
  /** The URL; absent if all queued URLs of the host failed. */
  readonly url?: string;
  readonly host: string;
  /**
   * The name of the fault in the summary's `errors`: `connect-refused`, `dns-not-found`,
   * `robots-unreachable`, …
   */
  readonly fault: string;
  readonly message: string;
  /** The number of URLs that failed; 0 for an early report. */
  readonly urls: number;
  /**
   * The first failure at the host of a seed, reported at once. If it lasts, the failure of each URL
   * is reported later.
   */
  readonly early?: true;
  /** What to do about it; only with an early report. */
  readonly remedy?: string;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: HeaderView;
  /** The body with transfer and content codings removed. */
  readonly body: Uint8Array;
  /**
   * The links of an HTML page, canonical and in the order of the page; a redirect has its target as
   * the only link.
   */
  readonly links: readonly Link[];
  /** The number of links from a seed to this page. */
  readonly depth: number;
  /** True for an image, a style, …: part of how a page looks, and no page itself. */
  readonly requisite?: boolean;
}
