/**
 * The crawler never connects to a refused address, whatever leads there: links, redirects, names,
 * robots.txt, names that change.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/crawl.ts';
import { type NameServer, nameServer } from '../../net/name-server.ts';
import { fastClock } from '../fast-clock.ts';
import { startCrawl } from '../here.ts';
import {
  type Handler,
  linking,
  type Pages,
  type SmallSite,
  startSmallSite,
} from '../small-site.ts';

const ALLOWED = '127.0.0.1';
const REFUSED = '127.0.0.2';

let outer: SmallSite;
let inner: SmallSite;
let names: NameServer;
let options: CrawlOptions;

beforeEach(async () => {
  inner = await startSmallSite({ '/': 'what is for us alone' }, REFUSED);
  names = await nameServer({});
  options = { dns: [names.address], allowPrivate: [ALLOWED], delay: 0, agents: 1 };
});
afterEach(async () => {
  await outer.close();
  await inner.close();
  await names.close();
});

const port = (site: SmallSite) => new URL(site.origin).port;
const redirect =
  (to: () => string): Handler =>
  (_, response) =>
    void response.writeHead(302, { location: to() }).end();

/** Crawls a site at an allowed address, whose robots.txt is `robots`, by the names of `hosts`. */
async function crawl(pages: Pages, robots?: Handler, hosts = ['outer.test']): Promise<Summary> {
  outer = await startSmallSite({ ...pages, ...(robots && { '/robots.txt': robots }) }, ALLOWED);
  names.table.set('outer.test', { a: [ALLOWED] });
  const seeds = hosts.map((host) => `http://${host}:${port(outer)}/`);
  return (await startCrawl(seeds, resolveConfig(options))).finished;
}

describe('the crawler does not connect to a refused address', () => {
  const isLeftAlone = () => expect(inner.asked).toEqual([]);

  test('when a link names it', async () => {
    const summary = await crawl({ '/': linking(`${inner.origin}/`) });
    expect(summary).toMatchObject({ pages: 1, errors: { 'address-refused': 1 } });
    isLeftAlone();
  });

  test('when a name leads there', async () => {
    names.table.set('inner.test', { a: [REFUSED] });
    const summary = await crawl({ '/': linking(`http://inner.test:${port(inner)}/`) });
    expect(summary).toMatchObject({ pages: 1, errors: { 'address-refused': 1 } });
    isLeftAlone();
  });

  test('when a page redirects there, by address or by name', async () => {
    names.table.set('inner.test', { a: [REFUSED] });
    const summary = await crawl({
      '/': linking('/a', '/b'),
      '/a': redirect(() => `${inner.origin}/`),
      '/b': redirect(() => `http://inner.test:${port(inner)}/`),
    });
    expect(summary).toMatchObject({ pages: 3, errors: { 'address-refused': 2 } });
    isLeftAlone();
  });

  test.each([
    ['by address', () => `${inner.origin}/robots.txt`],
    ['by name', () => `http://inner.test:${port(inner)}/robots.txt`],
  ])('when a robots.txt redirects there, %s', async (_, to) => {
    names.table.set('inner.test', { a: [REFUSED] });
    const summary = await crawl({ '/': 'page' }, redirect(to));
    expect(summary).toMatchObject({ pages: 0, errors: { 'robots-unreachable': 1 } });
    isLeftAlone();
  });

  test('when the name has another address that is allowed: it asks that one', async () => {
    names.table.set('both.test', { a: [REFUSED, ALLOWED] });
    const pages = { '/': 'page', '/rules': 'User-agent: *\nDisallow:' };
    const rules = redirect(() => `http://both.test:${port(outer)}/rules`);
    const summary = await crawl(pages, rules, ['outer.test', 'both.test']);
    expect(summary).toMatchObject({ pages: 2, errors: {}, retries: {} });
    isLeftAlone();
  });

  test('when a name that led elsewhere leads there now', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    const pages: Pages = {
      '/': linking(...paths),
      ...Object.fromEntries(paths.map((path) => [path, 'page'])),
    };
    outer = await startSmallSite(pages, ALLOWED);
    // On the same port as the other, so that it could be reached.
    await inner.close();
    inner = await startSmallSite(pages, REFUSED, Number(port(outer)));
    names.table.set('rebound.test', { a: [ALLOWED], ttl: 0 });
    const config = resolveConfig({ ...options, delay: '40m', addressDelay: 0 });
    const run = await startCrawl([`http://rebound.test:${port(outer)}/`], config, {
      clock: fastClock(60_000),
      onPage: () => void names.table.set('rebound.test', { a: [REFUSED], ttl: 0 }),
    });
    const { pages: fetched, errors } = await run.finished;
    expect(fetched).toBeGreaterThan(0);
    expect(errors).toEqual({ 'address-refused': 1 + paths.length - fetched });
    expect(fetched).toBeLessThan(1 + paths.length);
    isLeftAlone();
  });
});
