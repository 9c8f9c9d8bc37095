/** The summary of a crawl. */

/** Why a crawl ended. */
export type EndReason = 'finished' | 'max-pages' | 'max-bytes' | 'max-time' | 'interrupted';

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

/** What a crawl did: the value that the generator of `crawl` returns. */
export interface Summary {
  /** Why the crawl ended. */
  readonly end: EndReason;
  /** The folder of the crawl; null if it kept nothing on disk. */
  readonly dir: string | null;
  /** The number of agents. */
  readonly agents: number;
  /** The time from start to end, in seconds. */
  readonly seconds: number;
  /** The processor time of all threads, in seconds. */
  readonly cpuSeconds: number;
  /** Pages fetched per second of processor time. */
  readonly pagesPerCpuSecond: number;
  /** The most memory that the process had, in bytes. */
  readonly maxRssBytes: number;
  /** The number of responses received, without those of robots.txt. */
  readonly pages: number;
  /** The number of requests for pages, with those that failed or were repeated. */
  readonly requests?: number;
  /** The number of bytes received. */
  readonly bytes: number;
  /** The number of links discovered, with repeats. */
  readonly urlsSeen: number;
  /** The number of distinct URLs discovered. */
  readonly urlsUnique: number;
  /** The number of URLs still queued at the end. */
  readonly urlsQueued: number;
  /** The number of hosts discovered. */
  readonly hosts: number;
  /** The number of pay-level domains discovered. */
  readonly domains: number;
  /** The number of pages whose payload was seen before. */
  readonly duplicates: number;
  /** The number of pages not stored again, because the archive has their payload. */
  readonly revisits: number;
  /** The number of URLs skipped because robots.txt forbids them. */
  readonly disallowed: number;
  /** Pages by HTTP status. */
  readonly statuses: Counts;
  /** Pages by content type. */
  readonly types: Counts;
  /** Retries of requests and look-ups, by fault. */
  readonly retries: Counts;
  /** URLs that failed after the last retry, by fault. */
  readonly errors: Counts;
  /**
   * What was skipped, by reason. Reasons that apply before a URL is queued (`out-of-scope`,
   * `nofollow`) count links, with repeats; later ones (`fetch-filter`) count URLs; the last ones
   * (`content-type`, `store-filter`) count pages.
   */
  readonly refused: Counts;
  /**
   * Pages like others (`near-duplicate`, `soft-404`) and links rewritten or made up because of
   * them.
   */
  readonly alike: Counts;
  /**
   * Pages whose body was cut, by cause: `length` (`--max-body`), `time`, `disconnect`, `decoding`
   * (stored whole, but too large when decoded).
   */
  readonly truncated: Counts;
  /**
   * With `spam`: `verdicts` given, `pages` of domains that were spam by their last verdict, `found`
   * and `cleared` domains.
   */
  readonly spam?: Counts;
  /**
   * With `render`: `pages` rendered, `gained` (links or text), `cut` (out of time), `requests` of
   * these pages, `cached` answers, and what failed or was refused, by reason.
   */
  readonly render?: Counts;
  /** Requisites received: images, styles, scripts, … Absent where none were. */
  readonly requisites?: number;
  /** Digests and pages dropped from memory to make room, by setting. */
  readonly forgotten: Counts;
}
