/** What a page needs to look right is fetched with it, and counts as no page. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import type { Page } from '../../src/crawl/store/page.ts';
import { startCrawl } from './here.ts';
import { type Pages, type SmallSite, startSmallSite } from './small-site.ts';

const typed =
  (type: string, body: string) => (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(200, { 'content-type': type }).end(body);
const css = (body: string) => typed('text/css', body);
const png = typed('image/png', 'not really');

let sites: SmallSite[] = [];
let dir: string;
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-requisites-')), 'crawl');
});
afterEach(async () => {
  for (const site of sites) await site.close();
  sites = [];
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

async function serve(pages: Pages, ip?: string): Promise<SmallSite> {
  const site = await startSmallSite(pages, ip);
  sites.push(site);
  return site;
}

async function crawl(site: SmallSite, options: Record<string, unknown>, path = '/') {
  const config = resolveConfig({ allowPrivate: true, delay: 0, scope: 'host', ...options });
  const pages: Page[] = [];
  const onPage = (page: Page) => void pages.push(page);
  const run = await startCrawl([site.origin + path], config, { onPage });
  const summary = await run.finished;
  return { summary, pages };
}

const asked = (site: SmallSite) => [...site.asked].filter((path) => path !== '/robots.txt').sort();

describe('requisites', () => {
  const SITE: Pages = {
    '/': '<link rel=stylesheet href=/s/a.css><img src=/i/1.png srcset="/i/2.png 2x"><a href=/p>p</a>',
    '/p': '<img src=/i/1.png><script src=/x.js></script><a href=/i/3.png>3</a><img src=/i/3.png>',
    '/s/a.css': css('@import "b.css"; body { background: url(../i/4.png) }'),
    '/s/b.css': css('@font-face { src: url("f.woff2") format("woff2") }'),
    '/s/f.woff2': typed('font/woff2', 'f'),
    '/x.js': typed('text/javascript', 'fetch("/api")'),
    ...Object.fromEntries([1, 2, 3, 4].map((n) => [`/i/${n}.png`, png])),
  };
  const REQUISITES = [
    ...['/i/1.png', '/i/2.png', '/i/3.png', '/i/4.png'],
    ...['/s/a.css', '/s/b.css', '/s/f.woff2', '/x.js'],
  ];

  test.each([
    'bfs',
    'budget',
  ])('of all pages are fetched once, styles lead to more, and none is a page (order %s)', async (order) => {
    const site = await serve(SITE);
    const { summary, pages } = await crawl(site, { requisites: 'site', order, dir });
    expect(asked(site)).toEqual(['/', ...REQUISITES.slice(0, 4), '/p', ...REQUISITES.slice(4)]);
    expect(summary).toMatchObject({ pages: 2, requisites: 8, end: 'finished' });
    const shown = pages
      .filter(({ requisite }) => requisite)
      .map(({ url }) => new URL(url).pathname);
    expect(shown.sort()).toEqual(REQUISITES);
  });

  test('are not fetched unless asked for', async () => {
    const site = await serve(SITE);
    await crawl(site, {});
    expect(asked(site)).toEqual(['/', '/i/3.png', '/p']);
  });

  test.each([
    'bfs',
    'budget',
  ])('of the last page before a limit are still fetched, and the limit ends the crawl (order %s)', async (order) => {
    const site = await serve(SITE);
    const limited = { requisites: 'site', maxPages: 1, order, dir };
    const { summary } = await crawl(site, limited);
    expect(summary).toMatchObject({ pages: 1, requisites: 6, end: 'max-pages' });
    expect(summary.urlsQueued).toBe(1);
    const resumed = await crawl(site, { requisites: 'site', order, dir });
    expect(resumed.summary.end).toBe('finished');
    expect(asked(site)).toEqual(['/', ...REQUISITES.slice(0, 4), '/p', ...REQUISITES.slice(4)]);
  });

  test.each(['maxPagesPerHost', 'maxPagesPerDomain'])('do not count for %s', async (limit) => {
    const site = await serve(SITE);
    const { summary } = await crawl(site, { requisites: 'site', [limit]: 1 });
    expect(summary).toMatchObject({ pages: 1, requisites: 6 });
    expect(asked(site)).not.toContain('/p');
  });

  test('of another host are fetched only with "all", and its pages are not', async () => {
    const other = await serve({ '/o.png': png, '/page': '<a href=/more>m</a>' }, '127.0.0.2');
    const page = `<img src="${other.origin}/o.png"><a href="${other.origin}/page">x</a>`;
    const site = await serve({ '/': page });
    await crawl(site, { requisites: 'site' });
    expect(other.asked).toEqual([]);
    const { summary } = await crawl(site, { requisites: 'all' });
    expect(asked(other)).toEqual(['/o.png']);
    expect(summary).toMatchObject({ pages: 1, requisites: 1 });
  });

  test('need not lie below the folder of a prefix scope, but "exclude" and robots.txt hold', async () => {
    const site = await serve({
      '/docs/': '<img src=/static/a.png><img src=/static/ad.png><img src=/private/b.png>',
      '/static/a.png': png,
      '/static/ad.png': png,
      '/private/b.png': png,
      '/robots.txt': typed('text/plain', 'User-agent: *\nDisallow: /private/'),
    });
    const options = { requisites: 'site', scope: 'prefix', exclude: ['*/ad.png'] };
    const { summary } = await crawl(site, options, '/docs/');
    expect(asked(site)).toEqual(['/docs/', '/static/a.png']);
    expect(summary.refused['requisite-excluded']).toBe(1);
    expect(summary.disallowed).toBe(1);
  });

  test('that redirect lead to their target; endless redirects and imports end', async () => {
    const to = (path: string) => (_: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(302, { location: path }).end();
    const site = await serve({
      '/': '<img src=/a><img src=/loop0><link rel=stylesheet href=/c0.css>',
      '/a': to('/b.png'),
      '/b.png': png,
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`/loop${i}`, to(`/loop${i + 1}`)]),
      ),
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`/c${i}.css`, css(`@import "c${i + 1}.css";`)]),
      ),
    });
    const { summary } = await crawl(site, { requisites: 'site', maxRedirects: 5 });
    expect(asked(site)).toContain('/b.png');
    expect(asked(site).filter((path) => path.startsWith('/loop'))).toHaveLength(6);
    expect(asked(site).filter((path) => path.startsWith('/c'))).toHaveLength(6);
    expect(summary).toMatchObject({ pages: 1, end: 'finished' });
  });

  test('a requisite that is a page in scope is a page: its links are followed', async () => {
    const site = await serve({
      '/': '<object data=/frame></object><img src=/soft.png>',
      '/frame': '<a href=/deeper>d</a>',
      '/deeper': 'end',
      '/soft.png': '<title>no such image</title><a href=/trap>t</a>',
    });
    const { summary } = await crawl(site, { requisites: 'site' });
    expect(asked(site)).toEqual(['/', '/deeper', '/frame', '/soft.png']);
    expect(summary).toMatchObject({ pages: 3, requisites: 1 });
  });

  test('are in the crawl log with the hop E, the page they belong to, and their digest', async () => {
    const site = await serve(SITE);
    await crawl(site, { requisites: 'site', crawlLog: true, dir });
    const lines = readFileSync(join(dir, 'crawl.log'), 'utf8').trim().split('\n');
    const rows = lines.map((line) => line.split(/\s+/));
    const of = (path: string) => rows.find((row) => row[3] === site.origin + path);
    expect(rows).toHaveLength(10);
    expect(rows.every((row) => row.length === 12)).toBe(true);
    expect(of('/')?.slice(4, 7)).toEqual(['-', '-', 'text/html']);
    expect(of('/p')?.slice(4, 6)).toEqual(['L', `${site.origin}/`]);
    expect(of('/s/f.woff2')?.slice(4, 6)).toEqual(['EEE', `${site.origin}/s/b.css`]);
    expect(of('/s/f.woff2')?.[9]).toMatch(/^sha1:[A-Z2-7]{32}$/);
    const times = rows.map(([time]) => time);
    expect(times).toEqual([...times].sort());
  });
});
