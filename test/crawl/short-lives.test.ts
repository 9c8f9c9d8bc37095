/** A crawl that is killed again and again, long before the time between two checkpoints is over. */
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { archivedPages } from './archived.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const PAGES = 24;
/** Of the crawl's clock. Checkpoints are due every ten seconds. */
const LIFE = 4000;
const MOST_LIVES = 20;

let site: SmallSite;
afterEach(() => site?.close());

test('lives shorter than the time between two checkpoints still make progress', async () => {
  const clock = fastClock(20);
  const paths = Array.from({ length: PAGES }, (_, i) => `/${i}`);
  site = await startSmallSite(
    Object.fromEntries(paths.map((path, i) => [path, linking(paths[i + 1] ?? '/0')])),
  );
  const dir = join(temporaryFolder(), 'crawl');
  const options = { dir, allowPrivate: true, delay: 300, agents: 1, order: 'bfs' } as const;

  let lives = 0;
  for (let ended = false; !ended && lives < MOST_LIVES; lives++) {
    const disk = new FaultyFileSystem({ skipSync: true });
    const seeds = lives === 0 ? [`${site.origin}/0`] : [];
    const run = await startCrawl(seeds, resolveConfig(options), { clock, disk: new Disk(disk) });
    // Nothing that it writes from now on reaches the disk: it is as good as killed.
    const cancel = clock.after(LIFE, () => {
      disk.faults.operations = 0;
    });
    ended = await run.finished.then(
      () => true,
      () => false,
    );
    cancel();
  }
  expect(lives).toBeGreaterThan(1);
  expect(lives).toBeLessThan(MOST_LIVES);
  expect(await archivedPages(dir)).toEqual(paths.map((path) => site.origin + path).sort());
});
