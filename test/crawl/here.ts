/**
 * Crawls in the thread of the test: sources run there without a build, and by the test's clock.
 * Power never fails here unless the test brings such a disk, so fsync is skipped; but a witness
 * sees that what each checkpoint names would have been durable.
 */
import type { CrawlConfig } from '../../src/config/settings.ts';
import { type CrawlHooks, type CrawlRun, startCrawl as start } from '../../src/crawl/crawl.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { WitnessFileSystem } from '../disk/witness-file-system.ts';

export async function startCrawl(
  seeds: readonly string[],
  config: CrawlConfig,
  hooks: CrawlHooks = {},
): Promise<CrawlRun> {
  const witness = new WitnessFileSystem(new FaultyFileSystem({ skipSync: true }));
  const run = await start(seeds, config, { here: true, disk: new Disk(witness), ...hooks });
  const finished = run.finished.then((summary) => {
    if (witness.broken.length > 0) throw new Error(witness.broken.join('\n'));
    return summary;
  });
  return { progress: () => run.progress(), stop: () => run.stop(), finished };
}
