/**
 * What is left of an old collection? Tests its pages, living ones first (LiveRank).
 *
 * @example
 * ```ts
 * import { crawl } from 'drumlin';
 * import { startLab } from 'drumlin/lab';
 * import { refresh } from 'drumlin/refresh';
 *
 * const lab = await startLab({ domains: 5, pages: 4 });
 * const local = { dns: [lab.dns], allowPrivate: true, delay: 0 };
 * for await (const _ of crawl({ seeds: lab.seeds, ...local, dir: 'old' }));
 * const { verdicts } = await refresh('old', { ...local, dir: 'new', z: '1', alpha: 1 });
 * console.log(`${verdicts.unchanged} pages are unchanged`); // see new/refresh/verdicts.tsv
 * await lab.close();
 * ```
 *
 * @module refresh
 */
import { type CrawlOptions, resolveConfig } from '../config/settings.ts';
import { startCrawl } from '../crawl/crawl.ts';
import { Disk } from '../disk/disk.ts';
import { openRefresh } from '../refresh/run/refresh.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';
export type { CrawlOptions } from '../config/settings.ts';

/** The order in which pages are tested. */
export type TestOrder = 'random' | 'in' | 'pagerank' | 'pa' | 'pa+-' | 'asf' | 'bfs' | 'ai';

/** How to refresh; the rest are the settings of a crawl. */
export interface RefreshOptions extends CrawlOptions {
  /** The folder of the refresh: new, or that of a refresh to resume. */
  readonly dir: string;
  /** The order of the tests. Default: `pa+-`. */
  readonly by?: TestOrder;
  /** Pages to test first: a number, or a share such as `1%`. */
  readonly z?: string;
  /** The share of the living pages to find: above 0, at most 1. */
  readonly alpha?: number;
  /** How to ask for pages. */
  readonly test?: 'conditional' | 'get' | 'head';
  /** Draws the sample. */
  readonly seed?: number;
}

/** An estimate of the number of living pages. */
export interface LivingPages {
  /** The most likely number. */
  readonly living: number;
  /** The lower end of the 95 % interval. */
  readonly low: number;
  /** The upper end of the 95 % interval. */
  readonly high: number;
}

/** What a refresh has found. */
export interface RefreshResult {
  /** Pages of the old collection. */
  readonly pages: number;
  /** Pages tested. */
  readonly tested: number;
  /** Pages found alive: unchanged, changed or moved. */
  readonly alive: number;
  /** Pages found dead. */
  readonly dead: number;
  /** Pages that could not be judged. */
  readonly unknown: number;
  /** Requests, with those for targets of redirects and made-up URLs. */
  readonly requests: number;
  /** Estimated from the sample; absent if the sample was not tested to its end. */
  readonly living?: LivingPages;
  /** Pages by verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

/**
 * Refreshes a collection, or resumes.
 *
 * @param old The folder of the old crawl.
 * @throws DrumlinError if there is nothing to refresh, or an option is wrong.
 */
export async function refresh(old: string, options: RefreshOptions): Promise<RefreshResult> {
  const { by, z, alpha, test, seed, ...settings } = options;
  const asked = {
    old,
    ...(by !== undefined && { by }),
    ...(z !== undefined && { z }),
    ...(alpha !== undefined && { alpha }),
    ...(test !== undefined && { test }),
    ...(seed !== undefined && { seed }),
  };
  const opened = await openRefresh(new Disk(), asked, resolveConfig(settings));
  await (await startCrawl([], opened.config, { asker: opened.asker })).finished;
  return opened.finish();
}
