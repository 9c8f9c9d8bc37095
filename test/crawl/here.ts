/** Crawls in the thread of the test: sources run there without a build, and by a clock of the test's own. */
import { type CrawlHooks, type CrawlRun, startCrawl as start } from '../../src/crawl/crawl.ts';
import type { CrawlConfig } from '../../src/crawl/settings.ts';

export function startCrawl(
  seeds: readonly string[],
  config: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  return start(seeds, config, { here: true, ...hooks });
}
