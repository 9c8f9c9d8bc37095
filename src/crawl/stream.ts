/**
 * A crawl as a stream of pages: the entry point of the library.
 *
 *   for await (const page of crawl({ seeds: 'https://example.org/', contact: 'you@example.com' })) …
 *
 * Ensures   back-pressure: while the reader is busy, at most `AHEAD` pages are fetched ahead of it.
 *           Leaving the loop stops the crawl cleanly and waits for its end. A failure is thrown
 *           into the loop.
 */

import { agentCount, type CrawlOptions, resolveConfig } from '../config/settings.ts';
import type { FilterTexts } from '../filter/filter-set.ts';
import type { UserPredicates } from '../filter/predicates.ts';
import { type Summary, startCrawl } from './crawl.ts';
import { canonicalSeed } from './state/seeds.ts';
import type { RequestHooks } from './store/hooks.ts';
import type { CrawlFailure } from './store/page.ts';
import { type ReadablePage, readable } from './store/readable-page.ts';
import type { PageSink } from './store/store.ts';

const AHEAD = 16;

export interface StreamOptions extends Omit<CrawlOptions, 'store'> {
  /** URLs to start from. */
  readonly seeds: string | readonly string[];
  /** Called with every page before the loop gets it; fetching waits for the promise. */
  readonly onPage?: (page: ReadablePage) => void | Promise<void>;
  /** Called with every URL or host that failed; fetching from that host waits for the promise. */
  readonly onError?: (failure: CrawlFailure) => void | Promise<void>;
  /** Stops the crawl when it aborts, as leaving the loop does; the loop then throws its reason. */
  readonly signal?: AbortSignal;
  /** Headers to send with every request, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before every request; it may add headers, or skip the URL. */
  readonly beforeRequest?: RequestHooks['beforeRequest'];
  /** Called with every response before it is stored; it decides what becomes of it. */
  readonly onResponse?: (page: ReadablePage) => ReturnType<NonNullable<RequestHooks['onResponse']>>;
  /** Called with each page in the browser, before it loads and when it has loaded. */
  readonly beforeLoad?: RequestHooks['beforeLoad'];
  readonly afterLoad?: RequestHooks['afterLoad'];
  /** Where pages go: `warc`, `files`, `none`, or a sink of your own, for which fetching waits. */
  readonly store?: CrawlOptions['store'] | PageSink;
  /**
   * One expression for each stage. `predicates` adds your own: functions, or the path of a module
   * that exports them.
   */
  readonly filters?: FilterTexts & { readonly predicates?: UserPredicates | string };
}

export async function* crawl(options: StreamOptions): AsyncGenerator<ReadablePage, Summary, void> {
  const { seeds, onPage, onError, beforeRequest, onResponse, store, ...rest } = options;
  const { beforeLoad, afterLoad, ...others } = rest;
  const { signal, headers, filters = {}, ...settings } = others;
  signal?.throwIfAborted();
  const sink = typeof store === 'object' ? store : undefined;
  const { predicates, ...texts } = filters;
  const starts = [seeds ?? []].flat().map((seed) => canonicalSeed(seed));
  const pages = new Handover<ReadablePage>(AHEAD);
  const config = resolveConfig({
    ...settings,
    ...(store !== undefined && { store: typeof store === 'object' ? 'none' : store }),
    ...settingsFor(texts),
    ...(headers && { header: Object.entries(headers).map(([name, value]) => `${name}: ${value}`) }),
    ...(typeof predicates === 'string' && { predicates }),
  });
  // One agent needs no thread of its own. Functions cannot be sent to another thread.
  const isAsked = [beforeRequest, onResponse, beforeLoad, afterLoad].some(Boolean);
  const here = agentCount(config) === 1 || typeof predicates === 'object' || isAsked;
  const run = await startCrawl(starts, config, {
    onPage: async (fetched) => {
      const page = readable(fetched);
      await onPage?.(page);
      await sink?.write(page);
      await pages.give(page);
    },
    ...(onError && { onError }),
    ...(beforeRequest && { beforeRequest }),
    ...(onResponse && { onResponse: (fetched) => onResponse(readable(fetched)) }),
    ...{ beforeLoad, afterLoad },
    ...(typeof predicates === 'object' && { predicates }),
    here,
  });
  const finished = run.finished.finally(() => sink?.close?.()).finally(() => pages.end());
  finished.catch(() => {}); // thrown below, after the pages that were fetched before
  const abort = () => {
    run.stop();
    pages.end();
  };
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    for (let page = await pages.take(); page && !signal?.aborted; page = await pages.take())
      yield page;
    const summary = await finished;
    signal?.throwIfAborted();
    return summary;
  } finally {
    signal?.removeEventListener('abort', abort);
    run.stop();
    pages.end();
    await finished.catch(() => {});
  }
}

/** Filters as settings; an unknown stage is refused as an unknown setting. */
function settingsFor(texts: FilterTexts): CrawlOptions {
  return Object.fromEntries(Object.entries(texts).map(([stage, text]) => [`${stage}Filter`, text]));
}

/** A bounded queue between many givers and one taker; givers wait while it is full. */
class Handover<T> {
  readonly #limit: number;
  readonly #items: T[] = [];
  #wakeTaker: (() => void) | undefined;
  #waitingGivers: (() => void)[] = [];
  #ended = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async give(item: T): Promise<void> {
    while (this.#items.length >= this.#limit && !this.#ended) {
      await new Promise<void>((wake) => this.#waitingGivers.push(wake));
    }
    if (this.#ended) return;
    this.#items.push(item);
    this.#wakeTaker?.();
  }

  /** The next item, or undefined when there will be none. */
  async take(): Promise<T | undefined> {
    while (this.#items.length === 0 && !this.#ended) {
      await new Promise<void>((wake) => {
        this.#wakeTaker = wake;
      });
    }
    const item = this.#items.shift();
    this.#waitingGivers.shift()?.();
    return item;
  }

  /** No giver or taker waits any more; items that were given can still be taken. */
  end(): void {
    this.#ended = true;
    this.#wakeTaker?.();
    for (const wake of this.#waitingGivers.splice(0)) wake();
  }
}
