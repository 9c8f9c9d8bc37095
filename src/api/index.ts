/**
 * A crawl from code: pages as a stream.
 *
 * Leaving the loop stops the crawl. While the loop is busy, at most a few pages are fetched ahead.
 * Errors are thrown into the loop as {@link DrumlinError}.
 *
 * @example
 * ```ts
 * import { crawl } from 'drumlin';
 * import { startLab } from 'drumlin/lab';
 *
 * const lab = await startLab({ scenario: 'site', pages: 10 }); // a web to crawl, on this machine
 * const local = { dns: [lab.dns], allowPrivate: true, delay: 0 }; // not needed for a real site
 * for await (const { url, status, links } of crawl({ seeds: lab.seeds, maxPages: 5, ...local })) {
 *   console.log(status, url, links.length);
 * }
 * await lab.close();
 * ```
 *
 * @module drumlin
 */
import type { CrawlOptions } from '../config/crawl-options.ts';
import { crawl as stream } from '../crawl/stream.ts';
import type { Filters } from './crawl-filters.ts';
import type {
  Answer,
  BrowserPage,
  CrawlFailure,
  OutgoingRequest,
  Page,
  PageSink,
  RequestChange,
  ResponseDecision,
} from './crawl-pages.ts';
import type { Summary } from './crawl-summary.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';
export type { CrawlOptions } from '../config/crawl-options.ts';
export type {
  DomainStanding,
  Filters,
  PageFacts,
  ResponseFacts,
  Stage,
  StagedPredicate,
  Subject,
  UserFunction,
  UserPredicate,
  UserPredicates,
  VisitFacts,
} from './crawl-filters.ts';
export type {
  Answer,
  BrowserPage,
  CrawlFailure,
  HeaderView,
  Link,
  LinkKind,
  OutgoingRequest,
  Page,
  PageElement,
  PageLanguage,
  PageSink,
  RequestChange,
  ResponseDecision,
} from './crawl-pages.ts';
export type { Counts, EndReason, Summary } from './crawl-summary.ts';

/** What to crawl and how: the seeds, the settings of a crawl, and functions of your own. */
export interface StreamOptions extends Omit<CrawlOptions, 'store'> {
  /** The URLs to start from. */
  readonly seeds: string | readonly string[];
  /** Called with each page before the loop gets it. Fetching waits for its promise. */
  readonly onPage?: (page: Page) => void | Promise<void>;
  /** Called with URLs that failed. Fetching from their host waits for its promise. */
  readonly onError?: (failure: CrawlFailure) => void | Promise<void>;
  /**
   * Stops the crawl when it aborts. The crawl ends cleanly, as when you leave the loop; then the
   * loop throws the reason of the signal.
   */
  readonly signal?: AbortSignal;
  /**
   * Headers to send with every request, by name, such as `{ 'Accept-Language': 'de' }`. They are
   * stored in the folder of the crawl, so secrets are refused here: see `auth` and `cookies`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Called before each request of a URL. It may add headers, or skip the URL. The host's turn waits
   * for its promise. Agents then run in the caller's thread.
   */
  readonly beforeRequest?: (request: OutgoingRequest) => Answer<RequestChange>;
  /**
   * Called with each response before it is stored, after the filters. It decides whether the
   * response is kept and whether its links are followed, and may put these first. The host's turn
   * waits for its promise. Agents then run in the caller's thread.
   */
  readonly onResponse?: (page: Page) => Answer<ResponseDecision>;
  /**
   * Called with each page that is rendered, empty yet, before it loads anything: to set up the
   * browser for it. It counts for the time of the page (`renderTime`); if it throws, the page is
   * kept as it was fetched. Agents then run in the caller's thread.
   */
  readonly beforeLoad?: (page: BrowserPage) => void | Promise<void>;
  /**
   * Called with each page that is rendered when it has loaded and is quiet, before its links and
   * its HTML are taken: to close a banner, to fill a field. Time and errors as with `beforeLoad`.
   */
  readonly afterLoad?: (page: BrowserPage) => void | Promise<void>;
  /**
   * Where to put pages: `warc` (an archive), `files` (a folder of files), `none`, or a place of
   * your own, for which fetching waits.
   *
   * Default: `warc` if there is a `dir`, otherwise nowhere.
   */
  readonly store?: 'warc' | 'files' | 'none' | PageSink;
  /** A filter for each stage, and your own predicates. Default: none. */
  readonly filters?: Filters;
}

/**
 * Crawls from the seeds and yields each page as it is fetched.
 *
 * The crawl begins with the first step of the loop. Leaving the loop stops it and waits until it
 * has stopped. Without a `dir` nothing is kept on disk; with one, the next call with the same `dir`
 * resumes the crawl.
 *
 * @returns A stream of pages; its return value is the summary.
 * @throws DrumlinError into the loop: a wrong option at once, other failures after the pages
 * before.
 */
export function crawl(options: StreamOptions): AsyncGenerator<Page, Summary, void> {
  return stream(options);
}
