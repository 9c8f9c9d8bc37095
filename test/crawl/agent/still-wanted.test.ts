/**
 * Decisions made after a URL was queued apply at its turn: the scope of a resumed crawl, blocked
 * domains.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { setOverride } from '../../../src/reputation/budget/overrides.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { startCrawl } from '../here.ts';
import { linking, type Pages, type SmallSite, startSmallSite } from '../small-site.ts';

const LOCAL: CrawlOptions = { allowPrivate: true, delay: 0, agents: 1 };
const PRIVATE = Array.from({ length: 12 }, (_, i) => `/private/${i}`);
const PUBLIC = Array.from({ length: 4 }, (_, i) => `/public/${i}`);
const WEB: Pages = {
  '/robots.txt': (_, response) => response.end('Sitemap: /private.xml\nSitemap: /map.xml'),
  '/': linking(...PRIVATE, ...PUBLIC),
  ...Object.fromEntries([...PRIVATE, ...PUBLIC].map((path) => [path, linking('/')])),
  '/map.xml': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/xml' }).end('<urlset></urlset>'),
  '/private.xml': (_, response) =>
    response.writeHead(200, { 'content-type': 'text/xml' }).end('<urlset></urlset>'),
};

let site: SmallSite;
afterEach(() => site?.close());

async function run(seeds: readonly string[], options: CrawlOptions) {
  const begun = site.asked.length;
  const { finished } = await startCrawl(seeds, resolveConfig({ ...LOCAL, ...options }));
  const summary = await finished;
  return { summary, asked: site.asked.slice(begun).filter((path) => path !== '/robots.txt') };
}

/** A crawl with one page fetched and all other URLs queued. */
async function begun(options: CrawlOptions = {}): Promise<string> {
  const dir = join(temporaryFolder(), 'crawl');
  site = await startSmallSite(WEB);
  await run([`${site.origin}/`], { dir, maxPages: 1, ...options });
  return dir;
}

describe('a scope that is changed on resume', () => {
  test('applies to URLs already queued, and counts those it refuses', async () => {
    const dir = await begun();
    const { asked, summary } = await run([], { dir, exclude: ['*/private/*'] });
    expect(asked.sort()).toEqual(PUBLIC);
    expect(summary.refused['excluded-later']).toBe(PRIVATE.length);
    expect(summary.urlsQueued).toBe(0);
  });

  test('still applies to them when the crawl is resumed once more, without a change', async () => {
    const dir = await begun();
    const exclude = ['*/private/*'];
    expect((await run([], { dir, exclude, maxPages: 1 })).asked).toHaveLength(1);
    const { asked } = await run([], { dir, exclude });
    expect(asked).toHaveLength(PUBLIC.length - 1);
    expect(asked.every((path) => path.startsWith('/public/'))).toBe(true);
  });

  test.each([
    [{ include: ['*/public/*'] }, 'not-included-later'],
    [{ maxDepth: 0 }, 'too-deep-later'],
    [{ scope: 'prefix' as const }, undefined],
  ])('%j refuses queued URLs as it refuses links', async (options, reason) => {
    const dir = await begun();
    const { asked, summary } = await run([], { dir, ...options });
    if (reason === undefined) expect(asked).toHaveLength(PRIVATE.length + PUBLIC.length);
    else expect(summary.refused[reason]).toBeGreaterThanOrEqual(PRIVATE.length);
    if (reason === 'too-deep-later') expect(asked).toEqual([]);
  });

  test('lets sitemaps through, which need not be in scope, unless they are excluded', async () => {
    const dir = await begun({ sitemaps: true });
    const { asked } = await run([], {
      ...{ dir, sitemaps: true },
      include: ['*/public/*'],
      exclude: ['*/private*'],
    });
    expect(asked.sort()).toEqual(['/map.xml', ...PUBLIC]);
  });
});

describe('a domain that the user blocks', () => {
  test.each(['bfs', 'budget'] as const)('gets no more requests in the order %s', async (order) => {
    const dir = await begun({ order });
    await setOverride(new Disk(), dir, '127.0.0.1', 'blocked');
    const { asked, summary } = await run([], { dir, order });
    expect(asked).toEqual([]);
    expect(summary.refused).toEqual({ blocked: PRIVATE.length + PUBLIC.length });
    const log = readFileSync(join(dir, 'log.jsonl'), 'utf8');
    expect(
      log.match(/"event":"domain-decided","domain":"127.0.0.1","decision":"blocked"/g),
    ).toHaveLength(1);
  });

  test('while the crawl runs gets no more requests from the next checkpoint on', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    site = await startSmallSite(WEB);
    const decided = async () => {
      await setOverride(new Disk(), dir, '127.0.0.1', 'blocked');
      while (!readFileSync(join(dir, 'log.jsonl'), 'utf8').includes('domain-decided')) await turn();
    };
    const { finished } = await startCrawl(
      [`${site.origin}/`],
      resolveConfig({ ...LOCAL, dir, checkpoint: 100 }),
      { onPage: decided },
    );
    const summary = await finished;
    expect(site.asked).toEqual(['/robots.txt', '/']);
    expect(summary.refused.blocked).toBe(PRIVATE.length + PUBLIC.length);
  });

  test('gets requests again when it is no longer blocked', async () => {
    const dir = await begun();
    await setOverride(new Disk(), dir, '127.0.0.1', 'blocked');
    await setOverride(new Disk(), dir, '127.0.0.1', undefined);
    expect((await run([], { dir })).asked).toHaveLength(PRIVATE.length + PUBLIC.length);
  });
});
