/**
 * An agent that comes to an end at any step of its start or of its first checkpoint, while the
 * other continues: the crawl is resumed. The short form of `npm run soak -- thread-death`, which
 * has every step of both agents, in threads.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import { startLab } from '../../src/lab/server/lab.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { archivedPages } from './archived.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';

const AGENT = 1;
const OWN = /\/agents\/1(\/|$)|\/checkpoints\/1\.|-1\.(warc|probe)/;

/** After so many operations on files of the agent, nothing that it does reaches the disk. */
function dyingAfter(operations: number): FileSystem {
  const others = new FaultyFileSystem({ skipSync: true });
  const own = new FaultyFileSystem({ skipSync: true, operations });
  const of = (path: string) => (OWN.test(path) ? own : others);
  return {
    open: (path, mode) => of(path).open(path, mode),
    rename: (from, to) => of(to).rename(from, to),
    remove: (path) => of(path).remove(path),
    removeFolder: (path) => of(path).removeFolder(path),
    makeFolder: (path) => of(path).makeFolder(path),
    list: (folder) => of(folder).list(folder),
    syncFolder: (path) => of(path).syncFolder(path),
    lock: (folder) => others.lock(folder),
  };
}

test('a crawl one of whose agents dies at any step up to its first checkpoint is resumed, and refused only if a checkpoint was lost', async () => {
  const lab = await startLab({ scenario: 'clean', domains: 4, pages: 2 });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-death-'));
  const pages = [...lab.web.allUrls()].sort();
  let [without, notNoted, guarded] = [0, 0, 0];
  try {
    for (let step = 0; guarded === 0; step += 2) {
      const dir = join(folder, String(step));
      const config = resolveConfig({
        ...{ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents: 2, checkpoint: 100 },
        ...{ order: 'bfs', maxCrawlDelay: 0 },
      });
      const clock = fastClock(500);
      const crawl = async (seeds: readonly string[], disk?: Disk) =>
        (await startCrawl(seeds, config, { clock, ...(disk && { disk }) })).finished;
      await expect(crawl(lab.seeds, new Disk(dyingAfter(step)))).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      const checkpoint = join(dir, `agents/${AGENT}/checkpoint.json`);
      if (!existsSync(checkpoint)) without++;
      else if (!existsSync(join(dir, `checkpoints/${AGENT}.json`))) notNoted++;
      else {
        guarded++;
        renameSync(checkpoint, `${dir}.json`);
        await expect(crawl([])).rejects.toMatchObject({ code: 'CHECKPOINT_MISSING' });
        renameSync(`${dir}.json`, checkpoint);
      }
      await crawl([]);
      expect(await archivedPages(dir), `step ${step}`).toEqual(pages);
    }
    expect(without).toBeGreaterThan(10);
    expect(notNoted).toBeGreaterThan(1);
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
