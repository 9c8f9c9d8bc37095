/**
 * What the operator changes while a crawl runs: applied at a checkpoint, kept on a resume, logged.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { changeCrawl } from '../../src/console/control/change.ts';
import { statusOf } from '../../src/crawl/monitor/status.ts';
import { settingsIn } from '../../src/crawl/state/crawl-folder.ts';
import { readTuning } from '../../src/crawl/state/tuning-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const disk = new Disk();
let site: SmallSite | undefined;
afterEach(() => site?.close());

/** A site without end: each page links to the next. */
async function endlessSite(): Promise<SmallSite> {
  const next = (path: string) => linking(`/p/${Number(path.slice(3)) + 1}`);
  const pages = new Proxy<Record<string, string>>(
    {},
    { get: (_, path) => (String(path).startsWith('/p/') ? next(String(path)) : undefined) },
  );
  return startSmallSite(pages as Record<string, string>);
}

const configFor = (dir: string) =>
  resolveConfig({
    dir,
    allowPrivate: true,
    agents: 1,
    delay: '100ms',
    addressDelay: 0,
    order: 'bfs',
  });

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turn();
}

const logOf = (dir: string): { event: string; changes?: object; by?: string }[] =>
  readFileSync(join(dir, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const changesIn = (dir: string) =>
  logOf(dir)
    .filter(({ event }) => event === 'settings-changed')
    .map(({ changes }) => changes);

describe('a running crawl', () => {
  test('is paused, changed, given seeds and resumed; a pause survives a resume', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    site = await endlessSite();
    const { origin, asked } = site;
    const hooks = () => ({ clock: fastClock(20) });
    const run = await startCrawl([`${origin}/p/0`], configFor(dir), hooks());
    await until(() => asked.length > 5);
    await changeCrawl(disk, dir, 'test', { paused: true });
    await until(() => changesIn(dir).length === 1);
    expect(run.progress().paused).toBe(true);
    const paused = asked.length;
    // Another change is applied meanwhile: the pause holds.
    const settings = { delay: '50ms', 'max-pages': '100k' };
    await changeCrawl(disk, dir, 'test', { settings, seeds: [`${origin}/p/100000`] });
    await until(() => changesIn(dir).length === 2);
    expect(asked.length).toBe(paused);
    run.stop();
    await run.finished;

    expect(await settingsIn(dir)).toMatchObject({
      ...{ delay: '50ms', privateDelay: '50ms', maxPages: '100k' },
    });
    const again = resolveConfig({ ...(await settingsIn(dir)), dir });
    const warnings: string[] = [];
    const second = await startCrawl([], again, {
      ...hooks(),
      onWarning: (sentence) => warnings.push(sentence),
    });
    expect(warnings.join()).toContain('The crawl is paused.');
    expect((await readTuning(disk, dir)).settings).toEqual({});
    await changeCrawl(disk, dir, 'test', {});
    await until(() => changesIn(dir).length === 3);
    expect(asked.length).toBe(paused);
    await changeCrawl(disk, dir, 'test', { paused: false });
    await until(() => asked.includes('/p/100001') && asked.length > paused + 5);
    expect(second.progress().maxPages).toBe(100_000);
    await changeCrawl(disk, dir, 'test', { stop: true });
    const { end } = await second.finished;
    expect(end).toBe('interrupted');
    expect((await statusOf(disk, dir, Date.now())).paused).toBe(false);
    expect(changesIn(dir)).toEqual([
      { paused: true },
      { delay: '50ms', maxPages: '100k', seeds: [`${origin}/p/100000`] },
      { checkpoint: true },
      { paused: false },
      { stop: true },
    ]);
  });

  test('ends at a limit that is set while it runs', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    site = await endlessSite();
    const { origin, asked } = site;
    const run = await startCrawl([`${origin}/p/0`], configFor(dir), { clock: fastClock(20) });
    await until(() => asked.length > 3);
    await changeCrawl(disk, dir, 'test', { settings: { 'max-pages': '40' } });
    const { end, pages } = await run.finished;
    expect([end, pages]).toEqual(['max-pages', 40]);
  });

  test('refuses what cannot change, and changes nothing then', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    site = await endlessSite();
    const config = { ...configFor(dir), maxPages: 1 };
    await (await startCrawl([`${site.origin}/p/0`], config)).finished;
    const change = (settings: Record<string, string>) =>
      changeCrawl(disk, dir, 'test', { settings });
    await expect(change({ agents: '2' })).rejects.toThrow(
      'agents cannot change while a crawl runs.',
    );
    await expect(change({ dalay: '2s' })).rejects.toThrow('Did you mean "delay"?');
    await expect(change({ delay: '2s', fetches: 'many' })).rejects.toThrow('fetches');
    await expect(change({ 'fetch-filter': 'Nonsense(' })).rejects.toThrow();
    await expect(changeCrawl(disk, dir, 'test', { seeds: ['ftp://x/'] })).rejects.toThrow(
      'cannot be crawled',
    );
    expect((await readTuning(disk, dir)).number).toBe(0);
  });
});
