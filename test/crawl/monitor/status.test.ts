/** The status of a crawl from its folder: running, ended, failed or killed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statusText } from '../../../src/cli/screen/show-status.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { Monitor } from '../../../src/crawl/monitor/monitor.ts';
import { StatusReader, statusOf } from '../../../src/crawl/monitor/status.ts';
import { readStatus } from '../../../src/crawl/monitor/status-file.ts';
import type { Progress } from '../../../src/crawl/record/progress.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';
import { startCrawl } from '../here.ts';
import { linking, type SmallSite, startSmallSite } from '../small-site.ts';

let site: SmallSite;
let dir: string;
const disk = new Disk();
const PATHS = Array.from({ length: 20 }, (_, i) => `/${i}`);

beforeEach(async () => {
  site = await startSmallSite({
    '/': linking(...PATHS),
    ...Object.fromEntries(PATHS.map((path) => [path, 'page'])),
  });
  dir = mkdtempSync(join(tmpdir(), 'drumlin-status-'));
});
afterEach(async () => {
  await site.close();
  rmSync(dir, { recursive: true, force: true });
});

const begin = (options: CrawlOptions = {}) =>
  startCrawl(
    [`${site.origin}/`],
    resolveConfig({ dir, delay: 0, allowPrivate: true, agents: 2, ...options }),
  );
const status = (at = Date.now()) => statusOf(disk, dir, at);

describe('the status of a crawl', () => {
  test('that is finished says so, and what to type next', async () => {
    await (await begin()).finished;
    const now = await status();
    expect(now).toMatchObject({
      state: 'ended',
      end: 'finished',
      pid: undefined,
      waiting: 0,
      urlsUnique: 21,
    });
    expect(now.counters).toMatchObject({
      pages: 21,
      statuses: { '200': 21 },
      types: { 'text/html': 21 },
    });
    expect(now.disk.archive).toBeGreaterThan(1000);
    expect(now.next.command).toBe(`drumlin report ${dir}`);
    expect(statusText(now, Date.now())).toMatch(
      /: not running: finished: nothing is left to fetch, \d+ s ago\n/,
    );
  });

  test('that reached a limit counts the pages of all its runs, and shows how to resume', async () => {
    for (let run = 0; run < 2; run++) await (await begin({ maxPages: 5 })).finished;
    const now = await status();
    expect(now).toMatchObject({
      state: 'ended',
      end: 'max-pages',
      counters: { pages: 10 },
      waiting: 11,
    });
    expect(now.next).toEqual({
      why: '11 URLs queued; to resume',
      command: `drumlin crawl --dir ${dir}`,
    });
  });

  test('that is running comes from its own status file, with the pages of earlier runs', async () => {
    await (await begin({ maxPages: 5 })).finished;
    const run = await begin({ delay: '1h' });
    const watching = new StatusReader(disk, dir);
    try {
      while (!(await watching.read(Date.now())).live);
      const now = await status();
      expect(now).toMatchObject({ state: 'running', pid: process.pid, counters: { pages: 5 } });
      expect(now.next.command).toBe(`kill ${process.pid}`);
      expect(statusText(now, Date.now())).toMatch(
        /running for \d+ s \(process \d+\)\n {2}pages +5 at 0\/s\n/,
      );
      expect(await status(Date.now() + 60_000)).toMatchObject({ state: 'silent' });
      // Who asks again and again gets the sizes and the checkpoint of the last ten seconds.
      const [reader, at] = [new StatusReader(disk, dir), Date.now()];
      const { archive } = (await reader.read(at)).disk;
      writeFileSync(join(dir, 'archive', 'more.warc'), Buffer.alloc(1000));
      expect((await reader.read(at + 9999)).disk.archive).toBe(archive);
      expect((await reader.read(at + 10_000)).disk.archive).toBe(archive + 1000);
      rmSync(join(dir, 'archive', 'more.warc'));
    } finally {
      run.stop();
      await run.finished;
    }
    // At its end everything is new at once. Free space is the machine's: other tests change it.
    const { disk: sizes, ...rest } = await status();
    expect(await watching.read(Date.now())).toMatchObject({
      ...rest,
      disk: { ...sizes, free: expect.any(Number) },
    });
  });

  test('that was killed comes from its last checkpoint', async () => {
    await (await begin({ maxPages: 5 })).finished;
    // A killed process leaves its lock and its last running status behind.
    const told = JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8'));
    const { pid } = spawn('true');
    writeFileSync(
      join(dir, 'status.json'),
      JSON.stringify({ ...told, state: 'running', pages: 999, pid }),
    );
    writeFileSync(join(dir, 'LOCK'), JSON.stringify({ pid, host: hostname(), started: 'another' }));
    const now = await status();
    expect(now).toMatchObject({ state: 'killed', pid: undefined, counters: { pages: 5 } });
    expect(now.next.command).toBe(`drumlin crawl --dir ${dir}`);
  });

  test('that failed holds the error', async () => {
    const run = await startCrawl(
      [`${site.origin}/`],
      resolveConfig({ dir, delay: 0, allowPrivate: true }),
      {
        onPage: () => {
          throw new Error('no more of this');
        },
      },
    );
    await expect(run.finished).rejects.toThrow('no more of this');
    expect(await status()).toMatchObject({ state: 'failed', error: 'no more of this' });
  });

  test('works without the status file, and with a damaged one', async () => {
    await (await begin({ maxPages: 5 })).finished;
    writeFileSync(join(dir, 'status.json'), '{"drumlin":"sta');
    expect(await status()).toMatchObject({ state: 'ended', counters: { pages: 5 } });
  });

  test('is an error where there is no crawl', async () => {
    await expect(statusOf(disk, join(dir, 'none'), 0)).rejects.toThrow('There is no crawl in');
  });
});

describe('the monitor', () => {
  const progressAtEnd = async (): Promise<Progress> => {
    const run = await begin();
    await run.finished;
    return run.progress();
  };

  test('writes the status every three seconds, and logs trouble and its end once each', async () => {
    const at = { ...(await progressAtEnd()), front: 1, queued: 7 };
    const clock = virtualClock();
    const events: string[] = [];
    const monitor = await Monitor.open({ clock, disk, dir, metricsPort: 0 });
    let silence = 0;
    monitor.begin({
      log: { event: (name, facts) => void events.push(`${name} ${Object.values(facts)[0]}`) },
      progress: () => ({ ...at, at: at.vitals.lastPageAt + silence }),
    });
    clock.advance(2999);
    silence = 6 * 60_000;
    clock.advance(6000);
    silence = 1000;
    clock.advance(6000);
    await monitor.end({ error: 'it was enough' });
    clock.advance(60_000);
    expect(events).toEqual(['trouble no-pages', 'trouble-over no-pages']);
    expect(await readStatus(disk, dir)).toMatchObject({
      state: 'failed',
      error: 'it was enough',
      queued: 7,
      maxPages: Infinity,
    });
  });

  test('logs once that the status cannot be written, and continues', async () => {
    const at = await progressAtEnd();
    const clock = virtualClock();
    const events: string[] = [];
    const monitor = await Monitor.open({ clock, disk, dir: join(dir, 'gone'), metricsPort: 0 });
    monitor.begin({ log: { event: (name) => void events.push(name) }, progress: () => at });
    clock.advance(30_000);
    await monitor.end({ error: '' });
    expect(events).toEqual(['status-refused']);
  });

  test('survives an exception of its own, in its timer and at the end', async () => {
    const clock = virtualClock();
    const events: string[] = [];
    const monitor = await Monitor.open({ clock, disk, dir, metricsPort: 0 });
    monitor.begin({
      log: { event: (name, facts) => void events.push(`${name} ${Object.values(facts)[0]}`) },
      progress: () => {
        throw new Error('no progress');
      },
    });
    clock.advance(30_000);
    await monitor.end({ error: '' });
    expect(events).toEqual(['status-refused no progress']);
  });
});
