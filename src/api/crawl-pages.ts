/** Pages, links and failures of a crawl, as a program sees them. */
import type { LinkKind } from './links.ts';

/** A fetched page. */
export interface Page {
  /** The canonical URL. */
  readonly url: string;
  /** The HTTP status. */
  readonly status: number;
  /** The HTTP headers as received. */
  readonly headers: HeaderView;
  /** The body without transfer and content coding. */
  readonly body: Uint8Array;
  /** The links of an HTML page in their order; for a redirect only its target. */
  readonly links: readonly Link[];
  /** The number of links followed from a seed to this page. */
  readonly depth: number;
  /** True for an image, a style, …: part of how a page looks, and no page itself. */
  readonly requisite?: boolean;
  /**
   * The main text, without menus and footers, one paragraph a line; empty if the body is no text.
   * It is made when it is read.
   */
  readonly text: string;
  /** The language of the main text. It is detected when it is read. */
  readonly language: Promise<PageLanguage>;
  /**
   * The elements of an HTML page that match a CSS selector, in the order of the page. The page is
   * parsed at the first call, as a browser would parse it.
   *
   * @throws DrumlinError if the selector cannot be understood.
   */
  $(selector: string): Promise<PageElement[]>;
}

/** An element of a page. */
export interface PageElement {
  /** The name of its tag, in lower case. */
  readonly name: string;
  /** Its text with that of the elements in it, white space collapsed. */
  readonly text: string;
  /** Its HTML, with its own tag. */
  readonly html: string;
  /** The value of an attribute; undefined if it has none of this name. */
  attribute(name: string): string | undefined;
  /** The elements in it that match a CSS selector, in their order. */
  $(selector: string): PageElement[];
}

/** What a function of yours may return: a value, nothing, or a promise of either. */
// biome-ignore lint/suspicious/noConfusingVoidType: nothing may be returned.
export type Answer<T> = T | undefined | void | Promise<T | undefined | void>;

/** A request that is about to be made. */
export interface OutgoingRequest {
  /** The canonical URL. */
  readonly url: string;
  /** The number of links followed from a seed to the URL. */
  readonly depth: number;
  /** The number of redirects followed in a row to the URL. */
  readonly redirects: number;
  /** Whether it is part of how a page looks, and no page itself. */
  readonly isRequisite: boolean;
}

/** What to change about a request. */
export interface RequestChange {
  /** True: the request is not made. The URL counts as skipped, and no delay follows. */
  readonly skip?: boolean;
  /**
   * Header lines to send, too. The archive masks the values of `Authorization` and `Cookie`, and of
   * no other header.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What to do with a response. What is left out is as filters and settings decide. */
export interface ResponseDecision {
  /** False: the response is neither stored nor passed on. */
  readonly keep?: boolean;
  /** False: its links are not followed. */
  readonly follow?: boolean;
  /** `first`: its links come before all others of their hosts, and wait for no budget. */
  readonly priority?: 'first';
}

/** The language of a text. */
export interface PageLanguage {
  /** ISO 639-1, such as `en`; empty if there are too few letters to tell. */
  readonly code: string;
  /** ISO 639-3, such as `eng`; empty with `code`. */
  readonly code3: string;
  /** 0 to 1: how typical the text is of the language. */
  readonly score: number;
}

/** A link of a page, or the target of a redirect. */
export interface Link {
  /** The canonical URL that it leads to. */
  readonly url: string;
  /** What the link comes from. */
  readonly kind: LinkKind | 'redirect' | 'sitemap' | 'feed';
  /** Whether the link has `rel=nofollow`. */
  readonly nofollow: boolean;
  /** When the target was last changed, by a sitemap: a date of ISO 8601. */
  readonly changed?: string;
}

export type { LinkKind } from './links.ts';

/** The headers of a response. Names compare without regard to case. */
export interface HeaderView {
  /** The first value of a header, trimmed; undefined if there is none. */
  get(name: string): string | undefined;
  /** All values of a header, in the order of arrival. */
  all(name: string): string[];
  /** All headers in the order of arrival, names as the server wrote them. */
  entries(): Iterable<readonly [name: string, value: string]>;
}

/**
 * URLs that could not be fetched, after the last retry; or, with `early`, the first failure at the
 * host of a seed.
 */
export interface CrawlFailure {
  /** The URL; absent if all queued URLs of the host failed. */
  readonly url?: string;
  /** The host. */
  readonly host: string;
  /**
   * The name of the fault, such as `connect-refused` or `dns-not-found`, as in `Summary.errors`.
   */
  readonly fault: string;
  /** What went wrong, as a sentence. */
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

/** A place of your own for pages. After a crash, a resumed crawl may write its last pages again. */
export interface PageSink {
  /** Stores a page. The crawl waits for the promise, and ends if it rejects. */
  write(page: Page): void | Promise<void>;
  /** Called once at the end of the crawl, however it ends. */
  close?(): void | Promise<void>;
}

/** A page in the browser. Its calls reject when the page crashes or is out of time. */
export interface BrowserPage {
  /** The URL of the page, as it was fetched. */
  readonly url: string;
  /**
   * Runs an expression among the scripts of the page, and resolves with its value, which must be
   * plain data. A promise is awaited.
   */
  evaluate(expression: string): Promise<unknown>;
  /** Runs a script before any other in every document that the page loads from now on. */
  addScript(source: string): Promise<void>;
  /** Calls the DevTools protocol for the page, such as `Emulation.setDeviceMetricsOverride`. */
  send(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
}
