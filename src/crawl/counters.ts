/** What a crawl counts while it runs, and the summary that a user and a program read at its end. */
import type { Frontier } from '../frontier/frontier.ts';
import type { Bytes, Millis } from '../units.ts';
import type { Admission } from './admission.ts';
import type { CrawlConfig } from './settings.ts';

export class Counters {
  /** Responses received, robots.txt aside. */
  pages = 0;
  bytes: Bytes = 0;
  /** Links found, with repeats. */
  urlsSeen = 0;
  /** Pages whose payload had been seen before. */
  duplicates = 0;
  /** URLs that robots.txt keeps us from. */
  disallowed = 0;
  readonly statuses: Record<string, number> = {};
  /** Requests and look-ups that will be made again, by what went wrong. */
  readonly retries: Record<string, number> = {};
  /** URLs given up, by what went wrong. */
  readonly errors: Record<string, number> = {};

  countStatus(status: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  countError(fault: string, urls = 1): void {
    this.errors[fault] = (this.errors[fault] ?? 0) + urls;
  }

  countRetry(fault: string): void {
    this.retries[fault] = (this.retries[fault] ?? 0) + 1;
  }
}

/** Why a crawl came to its end. */
export type EndReason = 'finished' | 'max-pages' | 'max-time' | 'interrupted';

export interface Summary {
  readonly end: EndReason;
  readonly dir: string | null;
  readonly pages: number;
  readonly bytes: Bytes;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly pagesPerCpuSecond: number;
  readonly maxRssBytes: Bytes;
  readonly urlsSeen: number;
  readonly urlsUnique: number;
  readonly urlsQueued: number;
  readonly hosts: number;
  readonly domains: number;
  readonly duplicates: number;
  readonly disallowed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly retries: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** Time and processor time from here on. */
export class Stopwatch {
  readonly #startedAt = performance.now();
  readonly #cpuAtStart = process.cpuUsage();

  elapsed(): Millis {
    return performance.now() - this.#startedAt;
  }

  cpuSeconds(): number {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return (user + system) / 1e6;
  }
}

/** Whatever knows a number of the crawl. */
export interface CrawlState {
  readonly config: CrawlConfig;
  readonly counters: Counters;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly watch: Stopwatch;
}

export function summarise(
  end: EndReason,
  { config, counters, frontier, admission, watch }: CrawlState,
): Summary {
  const cpuSeconds = watch.cpuSeconds();
  return {
    end,
    dir: config.dir || null,
    pages: counters.pages,
    bytes: counters.bytes,
    seconds: watch.elapsed() / 1000,
    cpuSeconds,
    pagesPerCpuSecond: counters.pages / cpuSeconds,
    maxRssBytes: process.resourceUsage().maxRSS * 1024,
    urlsSeen: counters.urlsSeen,
    urlsUnique: admission.unique,
    urlsQueued: frontier.queued,
    hosts: frontier.hosts,
    domains: frontier.domains,
    duplicates: counters.duplicates,
    disallowed: counters.disallowed,
    statuses: counters.statuses,
    retries: counters.retries,
    errors: counters.errors,
  };
}
