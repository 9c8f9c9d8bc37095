/**
 * A robots.txt may redirect to any host: such a request keeps the delays of that host, whichever
 * agent its turns are at, and is not shut out by them.
 */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { agentOf } from '../../src/crawl/transport/routing.ts';
import { partitionOf } from '../../src/url/fingerprint.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { type NameServer, nameServer } from '../net/name-server.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const DELAY = 60;
const HOSTS = Array.from({ length: 8 }, (_, i) => `h${i}.test`);
const PAGES = 6;
/** The first host has more. */
const MORE = 12;
const ALL = HOSTS.length * (PAGES + 1) + MORE;

interface Request {
  readonly host: string;
  readonly path: string;
  readonly came: number;
}

let names: NameServer;
let requests: Request[];
const sites: SmallSite[] = [];

beforeEach(async () => {
  names = await nameServer({});
  requests = [];
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
  await names.close();
});

/**
 * Each host has an address of its own, so that only its own delay keeps requests apart, and pages
 * that link to each other and to the next host. `rulesAt` names where its robots.txt leads.
 */
async function web(
  rulesAt: (host: number) => number,
  rules = 'User-agent: *\nDisallow: /no',
): Promise<string[]> {
  let port = 0;
  for (const [i, host] of HOSTS.entries()) {
    const ip = `127.0.0.${40 + i}`;
    names.table.set(host, { a: [ip] });
    const own = Array.from({ length: i === 0 ? PAGES + MORE : PAGES }, (_, page) => `/${page}`);
    const pages: Record<string, string> = Object.fromEntries(own.map((path) => [path, 'page']));
    pages['/'] = linking('/no', ...own, `//${HOSTS[(i + 1) % HOSTS.length]}:PORT/`);
    const answer = (path: string) => (path in pages ? pages[path].replace('PORT', `${port}`) : '');
    const site = await startSmallSite(
      new Proxy({} as Record<string, never>, {
        get: (_, path: string) => (_request: unknown, response: ServerResponse) => {
          requests.push({ host, path, came: performance.now() });
          if (path === '/robots.txt')
            response
              .writeHead(302, { location: `http://${HOSTS[rulesAt(i)]}:${port}/rules-${i}` })
              .end();
          else if (path.startsWith('/rules')) response.end(rules);
          else response.writeHead(200, { 'content-type': 'text/html' }).end(answer(path));
        },
      }),
      ip,
      port,
    );
    port ||= Number(new URL(site.origin).port);
    sites.push(site);
  }
  return HOSTS.map((host) => `http://${host}:${port}/`);
}

const options = (more: CrawlOptions = {}): CrawlOptions => ({
  ...{ dns: [names.address], allowPrivate: true, delay: DELAY, addressDelay: 0, agents: 2 },
  ...more,
});

/** The shortest time between two requests to one host, and where. */
function closest(): { readonly gap: number; readonly at: string } {
  let least = { gap: Infinity, at: '' };
  for (const host of HOSTS) {
    const own = requests.filter((request) => request.host === host);
    for (const [i, { path, came }] of own.entries()) {
      const gap = i === 0 ? Infinity : came - own[i - 1].came;
      if (gap < least.gap) least = { gap, at: `${host}: ${own[i - 1].path}, then ${path}` };
    }
  }
  return least;
}

const ownerOf = (host: string) => agentOf(partitionOf(host), 2);

describe('a robots.txt that redirects to another host', () => {
  test('keeps the delay of that host, among two agents', async () => {
    const seeds = await web((i) => (i + 1) % 3);
    expect(new Set(HOSTS.map(ownerOf)).size).toBe(2);
    const { finished } = await startCrawl(seeds, resolveConfig(options()));
    expect(await finished).toMatchObject({ pages: ALL, end: 'finished' });
    // Times are rounded.
    expect(closest()).toMatchObject({ gap: expect.toSatisfy((gap) => gap > DELAY - 2) });
  });

  test('is followed while the host has much to fetch, and keeps its Crawl-delay', async () => {
    const seeds = await web(() => 0, 'User-agent: *\nCrawl-delay: 0.1\nDisallow: /no');
    const { finished } = await startCrawl(seeds, resolveConfig(options()));
    expect(await finished).toMatchObject({ pages: ALL });
    const own = requests.filter(({ host }) => host === HOSTS[0]);
    const known = own.findIndex(({ path }) => path === '/rules-0');
    const gaps = own.slice(known + 1).map(({ came }, i) => came - own[known + i].came);
    expect(Math.min(...gaps)).toBeGreaterThan(98);
    const lastAsked = own.findLastIndex(({ path }) => path.startsWith('/rules'));
    expect(lastAsked, own.map(({ path }) => path).join(' ')).toBeLessThan(own.length - 1);
  });

  test('keeps it after a restart', async () => {
    const seeds = await web((i) => (i + 1) % 3);
    const dir = join(temporaryFolder(), 'crawl');
    const config = resolveConfig(options({ dir, maxCrawlDelay: 200 }));
    for (const maxPages of [8, 16, ALL]) {
      const { finished } = await startCrawl(seeds, { ...config, maxPages });
      await finished;
    }
    expect(requests.filter(({ path }) => path.startsWith('/rules')).length).toBe(HOSTS.length);
    expect(closest()).toMatchObject({ gap: expect.toSatisfy((gap) => gap > DELAY - 2) });
  });
});
