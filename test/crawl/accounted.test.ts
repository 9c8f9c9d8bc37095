/**
 * Every URL that a crawl discovers is accounted for: archived, or listed as skipped with its
 * reason. The crawl log has a line for each that ended with an answer, a fault, or the word of
 * robots.txt.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import type { CrawlHooks } from '../../src/crawl/crawl.ts';
import { listSkipped } from '../../src/crawl/skipped/list-skipped.ts';
import { Disk } from '../../src/disk/disk.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { archivedPages } from './archived.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { type Handler, linking, type Pages, type SmallSite, startSmallSite } from './small-site.ts';

const typed = (type: string, body: string) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': type }).end(body);
const to = (path: string) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(302, { location: path }).end();
const css = (body: string) => typed('text/css', body);
const png = typed('image/png', 'png');

/** Images of a host that answers robots.txt and then nothing: more than it takes to give it up. */
const lost = () => Array.from({ length: 30 }, (_, n) => `${dead.origin}/${n}.png`);

interface Named {
  readonly links: readonly string[];
  readonly requisites: readonly string[];
}

/** What pages name: by hand, so that no reader of ours decides what is there. */
const pages = (): Readonly<Record<string, Named>> => ({
  '/': {
    links: ['/p', '/private', '/x.zip', '/r1', '/asked-not', 'http://elsewhere.example/', '/drop'],
    requisites: ['/i/1.png', '/s/0.css', '/private/b.png', '/ad.png', '/i/r1', '/i/asked-not.png'],
  },
  '/p': {
    links: ['/i/1.png', '/last', '/over'],
    requisites: ['/reset.png', '/i/drop.png', '/none.png', ...lost()],
  },
  '/drop': { links: ['/only-here'], requisites: [] },
  '/last': { links: ['/beyond'], requisites: ['/i/2.png'] },
});

const html = ({ links, requisites }: Named) =>
  requisites
    .map((url) => (url.endsWith('css') ? `<link rel=stylesheet href=${url}>` : `<img src=${url}>`))
    .join('') + linking(...links);

const others: Pages = {
  '/robots.txt': typed('text/plain', 'User-agent: *\nDisallow: /private'),
  '/reset.png': (request) => request.socket.destroy(),
  ...Object.fromEntries(['/i/1.png', '/i/2.png', '/i/drop.png'].map((path) => [path, png])),
  ...Object.fromEntries([0, 1, 2, 3].map((n) => [`/s/${n}.css`, css(`@import "${n + 1}.css";`)])),
  ...Object.fromEntries(
    ['/r', '/i/r'].flatMap((name) => [1, 2, 3].map((n) => [name + n, to(name + (n + 1))])),
  ),
};

/** What a response leads to. */
function named(path: string): string[] {
  const page = pages()[path];
  if (page) return [...page.links, ...page.requisites];
  const [, start, n, end] = /^(\/s\/|\/r|\/i\/r)([0-3])(\.css)?$/.exec(path) ?? [];
  return start ? [start + (Number(n) + 1) + (end ?? '')] : [];
}

let site: SmallSite;
let dead: SmallSite;
beforeEach(async () => {
  const silent: Handler = (request) => request.socket.destroy();
  const images = Array.from({ length: 30 }, (_, n) => [`/${n}.png`, silent]);
  dead = await startSmallSite(Object.fromEntries(images), '127.0.0.2');
  const own = Object.entries(pages()).map(([path, page]) => [path, html(page)]);
  site = await startSmallSite({ ...others, ...Object.fromEntries(own) });
});
afterEach(async () => {
  await site.close();
  await dead.close();
});

const hooks: CrawlHooks = {
  beforeRequest: ({ url }) => ({ skip: url.includes('asked-not') }),
  onResponse: ({ url }) => (url.includes('drop') ? { keep: false, follow: false } : undefined),
};

async function crawled(requisites: 'site' | 'all', most = {}) {
  const dir = temporaryFolder();
  const config = resolveConfig({
    ...{ dir, requisites, crawlLog: true, scope: 'host', exclude: ['*.zip', '*/ad.png'], delay: 0 },
    ...{ maxRedirects: 2, retries: 0, allowPrivate: true, agents: 1, fetches: 1, ...most },
  });
  const clock = fastClock(100);
  const run = await startCrawl([`${site.origin}/`], config, { ...hooks, clock });
  const summary = await run.finished;
  const skipped = new Map<string, string>();
  await listSkipped(new Disk(), dir, async (all) => {
    for await (const some of all)
      for (const { url, reason } of some) skipped.set(short(url), reason);
  });
  const lines = readFileSync(join(dir, 'crawl.log'), 'utf8').trim().split('\n');
  const logged = lines.map((line) => short(line.split(/\s+/)[3])).sort();
  return { summary, skipped, logged, archived: (await archivedPages(dir)).map(short) };
}

const short = (url: string) => (url === `${site.origin}/` ? '/' : url.replace(site.origin, ''));

/** The seed, and all that responses lead to. */
const discovered = (responses: readonly string[]) =>
  [...new Set(['/', ...responses.flatMap(named)])].sort();

test('every URL discovered is archived or listed, never both, and logged if it ended', async () => {
  const { summary, skipped, logged, archived } = await crawled('site');
  expect([...archived, ...skipped.keys()].sort()).toEqual(discovered([...archived, '/drop']));
  expect(Object.fromEntries(skipped)).toEqual({
    '/private': 'disallowed',
    '/private/b.png': 'disallowed',
    '/x.zip': 'excluded',
    '/ad.png': 'requisite-excluded',
    '/asked-not': 'before-request',
    '/i/asked-not.png': 'before-request',
    'http://elsewhere.example/': 'out-of-scope',
    ...Object.fromEntries(lost().map((url) => [url, 'requisite-out-of-scope'])),
    '/r4': 'too-many-redirects',
    '/i/r4': 'too-many-redirects',
    '/s/3.css': 'requisite-depth',
    '/drop': 'on-response',
    '/i/drop.png': 'on-response',
    '/only-here': 'on-response-links',
    '/reset.png': 'empty-response',
  });
  const ended = ['/private', '/private/b.png', '/drop', '/i/drop.png', '/reset.png'];
  expect(logged).toEqual([...archived, ...ended].sort());
  expect(summary.refused).toEqual({
    ...{ excluded: 1, 'requisite-excluded': 1, 'before-request': 2, 'out-of-scope': 1 },
    ...{ 'requisite-out-of-scope': 30, 'requisite-depth': 1 },
    ...{ 'on-response': 2, 'on-response-links': 1 },
  });
  expect(summary).toMatchObject({ disallowed: 2, requisites: 10 });
  expect(summary.errors).toMatchObject({ 'too-many-redirects': 2, 'empty-response': 1 });
});

test('at the limit of a host its pages are listed, its requisites fetched; a dead host is listed whole', async () => {
  const { summary, skipped, logged, archived } = await crawled('all', { maxPagesPerHost: 6 });
  const answered = [...archived, ...(skipped.get('/drop') === 'on-response' ? ['/drop'] : [])];
  expect([...archived, ...skipped.keys()].sort()).toEqual(discovered(answered));
  const limited = [...skipped].filter(([, reason]) => reason === 'host-page-limit');
  expect(summary.refused['host-page-limit']).toBe(limited.length);
  expect(limited.length).toBeGreaterThan(0);
  expect(archived).toEqual(expect.arrayContaining(['/i/1.png', '/none.png', '/s/2.css']));
  // The host is given up before all were asked for.
  expect(dead.asked.length).toBeLessThan(30);
  for (const url of lost()) expect(skipped.get(url)).toBe('empty-response');
  expect(summary.errors['empty-response']).toBe(31);
  expect(logged).toEqual(expect.arrayContaining(lost()));
  expect(new Set(logged).size).toBe(logged.length);
});
