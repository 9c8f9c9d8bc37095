/**
 * The machine's clock is set forward and back while a crawl runs, or was wrong in an earlier run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, steady, systemClock } from '../../src/base/clock.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const HOUR = 3600_000;
const PATHS = ['/', ...Array.from({ length: 14 }, (_, i) => `/${i}`)];
const DELAY = 30;

let site: SmallSite;
let dir: string;

beforeEach(async () => {
  site = await startSmallSite(Object.fromEntries(PATHS.map((path) => [path, linking(...PATHS)])));
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-jumps-')), 'crawl');
});
afterEach(async () => {
  await site.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

/** The system's clock, over a wall clock that a test sets. */
function clockOver(wall: () => number): Clock {
  return { ...systemClock, now: steady(wall, () => performance.now()) };
}

const options: CrawlOptions = { allowPrivate: true, delay: DELAY, agents: 1 };

describe('a clock', () => {
  test('that is set back continues from where it was; set forward, it follows', () => {
    let [wall, elapsed] = [1000, 0];
    const now = steady(
      () => wall,
      () => elapsed,
    );
    expect(now()).toBe(1000);
    wall -= 500;
    elapsed += 10;
    expect(now()).toBe(1010);
    wall += 505;
    expect(now()).toBe(1010);
    wall += 1000;
    elapsed += 1;
    expect(now()).toBe(2005);
  });
});

describe('a timer', () => {
  test('for longer than the system can count is made of several, and can be cancelled in any of them', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const armed = vi.spyOn(globalThis, 'setTimeout');
    let calls = 0;
    systemClock.after(90 * 24 * HOUR, () => calls++);
    const cancel = systemClock.after(90 * 24 * HOUR, () => calls++);
    vi.advanceTimersByTime(50 * 24 * HOUR);
    expect(calls).toBe(0);
    cancel();
    vi.advanceTimersByTime(41 * 24 * HOUR);
    expect(calls).toBe(1);
    expect(Math.max(...armed.mock.calls.map(([, delay]) => Number(delay)))).toBeLessThan(2 ** 31);
  });
});

describe('a crawl', () => {
  test('whose clock is set back by an hour, again and again, neither stops nor forgets a delay', async () => {
    let back = 0;
    const clock = clockOver(() => Date.now() - back);
    const setBack = setInterval(() => {
      back += HOUR;
    }, DELAY / 4);
    const run = await startCrawl([`${site.origin}/`], resolveConfig(options), { clock });
    expect(await run.finished).toMatchObject({ pages: PATHS.length });
    clearInterval(setBack);
    const gaps = site.times.slice(1).map((time, i) => time - site.times[i]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(DELAY - 1);
  });

  test('whose clock jumps a week ahead and back continues', async () => {
    let leap = 0;
    const clock = clockOver(() => Date.now() + leap);
    const leaping = setInterval(() => {
      leap = leap === 0 ? 7 * 24 * HOUR : 0;
    }, DELAY / 4);
    const run = await startCrawl([`${site.origin}/`], resolveConfig(options), { clock });
    expect(await run.finished).toMatchObject({ pages: PATHS.length, errors: {} });
    clearInterval(leaping);
  });

  test('whose clock jumps a day ahead, again and again, keeps all delays', async () => {
    let leap = 0;
    const clock = clockOver(() => Date.now() + leap);
    const leaping = setInterval(() => {
      leap += 24 * HOUR;
    }, DELAY / 4);
    const run = await startCrawl([`${site.origin}/`], resolveConfig(options), { clock });
    expect(await run.finished).toMatchObject({ pages: PATHS.length, errors: {} });
    clearInterval(leaping);
    const gaps = site.times.slice(1).map((time, i) => time - site.times[i]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(DELAY - 1);
  });

  test('that is started again before its first checkpoint keeps the delay', async () => {
    const SPEED = 10;
    const delay = 5000;
    const disk = new FaultyFileSystem({ skipSync: true });
    const asked: number[] = [];
    const again = await startSmallSite({
      '/robots.txt': (_, response) => {
        asked.push(performance.now());
        if (asked.length === 1) disk.faults.operations = 0;
        response.writeHead(404).end();
      },
      '/': linking(),
    });
    const config = resolveConfig({ ...options, delay, dir });
    const first = await startCrawl([`${again.origin}/`], config, {
      clock: fastClock(SPEED),
      disk: new Disk(disk),
    });
    await expect(first.finished).rejects.toMatchObject({ code: 'DISK_FAILED' });
    const run = await startCrawl([], config, { clock: fastClock(SPEED) });
    expect(await run.finished).toMatchObject({ pages: 1 });
    expect(asked).toHaveLength(2);
    expect(asked[1] - asked[0]).toBeGreaterThanOrEqual(delay / SPEED - 2);
    await again.close();
  });

  test('that takes days fetches addresses and robots.txt again, and continues', async () => {
    const config = resolveConfig({ ...options, delay: '2h' });
    const run = await startCrawl([`${site.origin}/`], config, { clock: fastClock(360_000) });
    expect(await run.finished).toMatchObject({ pages: PATHS.length, errors: {} });
    expect(site.asked.filter((path) => path === '/robots.txt').length).toBeGreaterThan(1);
  });

  const ON_DISK = { frontHosts: 1, frontUrls: 16, hostMemory: 2 ** 20, backlogMemory: 65_536 };
  test.each([
    ['years ahead', 'in memory', 3 * 365 * 24 * HOUR, {}],
    ['a day ahead', 'in memory', 24 * HOUR, {}],
    ['20 minutes ahead', 'in memory', HOUR / 3, {}],
    ['years ahead', 'on disk', 3 * 365 * 24 * HOUR, ON_DISK],
    ['a day ahead', 'on disk', 24 * HOUR, ON_DISK],
  ])('does not wait for times that a clock %s has recorded for hosts %s', async (_, __, by, more) => {
    const second = await startSmallSite({ '/': linking(...PATHS) }, '127.0.0.2');
    const seeds = [`${site.origin}/`, `${second.origin}/`];
    const config = resolveConfig({ ...options, ...more, dir, maxPages: 6 });
    const ahead: Clock = { after: systemClock.after, now: () => Date.now() + by };
    await (await startCrawl(seeds, config, { clock: ahead })).finished;
    const run = await startCrawl([], resolveConfig({ ...options, ...more, dir }));
    expect(await run.finished).toMatchObject({ urlsQueued: 0, end: 'finished' });
    await second.close();
  });
});
