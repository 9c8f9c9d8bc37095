/**
 * Crawls in the thread of the test: sources run there without a build, and by the test's clock.
 * Power never fails here unless the test brings such a disk, so fsync is skipped.
 */

import type { CrawlConfig } from '../../src/config/settings.ts';
import { type CrawlHooks, type CrawlRun, startCrawl as start } from '../../src/crawl/crawl.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';

export function startCrawl(
  seeds: readonly string[],
  config: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  return start(seeds, config, { here: true, disk, ...hooks });
}
