/** Checkpoints and stops at the moments at which something could get lost. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { type FileSystem, nodeFileSystem } from '../../src/disk/file-system.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { archivedPages } from './archived.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const CHECKPOINT = 100;

let dir: string;
let sites: SmallSite[];

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-moments-')), 'crawl');
  sites = [];
});
afterEach(async () => {
  for (const site of sites) await site.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

const config = (more: CrawlOptions = {}) =>
  resolveConfig({
    dir,
    allowPrivate: true,
    delay: 0,
    agents: 1,
    order: 'bfs',
    checkpoint: CHECKPOINT,
    ...more,
  });

async function site(pages: Parameters<typeof startSmallSite>[0], ip?: string): Promise<SmallSite> {
  const started = await startSmallSite(pages, ip);
  sites.push(started);
  return started;
}

/** Files whose path contains `part` are made only when they are released; `made` are the others. */
function holding(part: string): {
  fileSystem: FileSystem;
  held(): boolean;
  readonly made: string[];
  hold(): void;
  letGo(): void;
} {
  let letGo = () => {};
  let gate: Promise<void> | undefined;
  let held = false;
  const made: string[] = [];
  return {
    made,
    fileSystem: {
      ...nodeFileSystem,
      async open(path, mode) {
        if (gate && path.includes(part) && mode !== 'read') {
          held = true;
          await gate;
        } else if (mode !== 'read') made.push(path);
        return nodeFileSystem.open(path, mode);
      },
    },
    held: () => held,
    hold() {
      gate = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo: () => letGo(),
  };
}

/** How many files were made. */
function checkpoints(): number {
  const path = join(dir, 'agents/0/checkpoint.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).sequence : 0;
}

describe('a checkpoint', () => {
  test('made while a page waits for the archive has its URL queued', async () => {
    const archive = holding('.warc.gz');
    const disk = new FaultyFileSystem({ skipSync: true }, archive.fileSystem);
    const { origin } = await site({
      '/': (_, response) => {
        archive.hold();
        response.end('page');
      },
    });
    // A file for every exchange: the page waits until its own is made.
    const run = await startCrawl([`${origin}/`], config({ warcSize: 1 }), { disk: new Disk(disk) });
    while (!archive.held()) await turn();
    // Until one is under way, which also waits for the archive.
    const images = () => archive.made.filter((path) => path.includes('/front.')).length;
    while (images() === checkpoints()) await turn();
    const before = checkpoints();
    archive.letGo();
    while (checkpoints() === before) await turn();
    disk.faults.operations = 0; // What comes after it never reaches the disk.
    await run.finished.catch(({ code }) => expect(code).toBe('DISK_FAILED'));
    await (await startCrawl([], config())).finished;
    expect(await archivedPages(dir)).toEqual([`${origin}/`]);
  });

  test('made just after the code that reads pages has failed has the URL of that page queued', async () => {
    const first = await site({ '/': linking('/next'), '/next': 'page' });
    const second = await site({ '/': 'page' }, '127.0.0.2');
    const seen = holding('/seen/');
    const pages = [`${first.origin}/`, `${first.origin}/next`, `${second.origin}/`].sort();
    const broken = new Error('reader broke');
    let [before, ahead] = [0, 0];
    const now = () => systemClock.now() + ahead;
    const run = await startCrawl([`${first.origin}/`, `${second.origin}/`], config(), {
      clock: { now, after: systemClock.after },
      disk: new Disk(seen.fileSystem),
      onPage: async ({ url }) => {
        if (url === `${first.origin}/`) seen.hold();
        if (url !== `${second.origin}/`) return;
        // While the sieve decides about the other's link: then a checkpoint is due and nothing else
        // runs.
        while (!seen.held()) await turn();
        ahead += 2 * CHECKPOINT;
        before = checkpoints();
        setImmediate(seen.letGo);
        throw broken;
      },
    });
    await expect(run.finished).rejects.toBe(broken);
    expect(checkpoints()).toBeGreaterThan(before);
    await (await startCrawl([], config())).finished;
    expect(await archivedPages(dir)).toEqual(pages);
  });
});

describe('a stop', () => {
  test('that interrupts a request does not count against the server, however often', async () => {
    const clock = fastClock(100);
    let answers = false;
    const { origin, asked } = await site({
      '/': (_, response) => void (answers && response.end('page')),
    });
    for (let stops = 1; stops <= 4; stops++) {
      const run = await startCrawl([`${origin}/`], config(), { clock });
      while (asked.filter((path) => path === '/').length < stops) await turn();
      run.stop();
      expect(await run.finished).toMatchObject({
        end: 'interrupted',
        errors: {},
        retries: {},
        urlsQueued: 1,
      });
    }
    answers = true;
    const run = await startCrawl([], config(), { clock });
    expect(await run.finished).toMatchObject({ end: 'finished', pages: 1, errors: {} });
  });
});
