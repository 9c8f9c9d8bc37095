/**
 * A failed page does not stop its host: other URLs are fetched, it is retried later, and pauses are
 * reported.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { accountOf } from '../../soak/hostile/verdict.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { allWaiting, HostWaits } from '../../src/crawl/record/host-waits.ts';
import { Domain, Host } from '../../src/frontier/host.ts';
import { VirtualClock } from '../../src/simulator/clock.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { type Handler, linking, type Pages, type SmallSite, startSmallSite } from './small-site.ts';

const LOCAL: CrawlOptions = { allowPrivate: true, delay: 0, agents: 1, checkpoint: 3_600_000 };
const GOOD = Array.from({ length: 20 }, (_, i) => `/good/${i}`);
const failing =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end('no');

let site: SmallSite;
afterEach(() => site?.close());

/** Times are those of the crawl's clock, which runs many times as fast as ours. */
async function run(pages: Pages, options: CrawlOptions = {}, times = 200) {
  site = await startSmallSite({ '/robots.txt': failing(404), ...pages });
  const { finished, progress } = await startCrawl(
    [`${site.origin}/`],
    resolveConfig({ ...LOCAL, ...options }),
    { clock: fastClock(times) },
  );
  const told: (object | undefined)[] = [];
  const watching = setInterval(() => told.push(progress().vitals.waiting), 5);
  const summary = await finished;
  clearInterval(watching);
  const asked = site.asked.slice(1);
  const at = (n: number) => (site.times[n + 1] - site.times[1]) * times;
  return { summary, asked, at, told };
}

describe('a page that answers 500', () => {
  const web = {
    '/': linking('/err', ...GOOD),
    ...Object.fromEntries(GOOD.map((path) => [path, linking()])),
  };

  test('does not delay the others, and is retried after them, half a minute later', async () => {
    const { asked, at, summary, told } = await run({ ...web, '/err': failing(500) }, {}, 20);
    expect(asked).toEqual(['/', '/err', ...GOOD, '/err']);
    expect(at(asked.length - 1)).toBeGreaterThan(29_000);
    expect(summary).toMatchObject({
      statuses: { 200: 21, 500: 1 },
      retries: { 'status-5xx': 1 },
      errors: { 'status-5xx': 1 },
    });
    expect(accountOf(summary)).toMatchObject({ fetched: 22, givenUp: 0, lost: 0 });
    expect(told).toContainEqual(
      expect.objectContaining({ causes: { 'status-5xx': 1 }, host: '127.0.0.1' }),
    );
  });

  test('does not delay URLs that come to its host a few at a time, in the order of budgets', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const options = { dir, order: 'budget', budget: 'equal(3)' } as const;
    const { asked } = await run({ ...web, '/err': failing(500) }, options, 20);
    expect(asked.at(-1)).toBe('/err');
    expect(asked).toHaveLength(GOOD.length + 3);
  });

  test('and succeeds the second time is a page like any other', async () => {
    let first = true;
    const { summary } = await run({
      ...web,
      '/err': (request, response) => {
        if (!first) return void response.end('well');
        first = false;
        failing(500)(request, response);
      },
    });
    expect(summary).toMatchObject({
      statuses: { 200: 22 },
      errors: {},
      retries: { 'status-5xx': 1 },
    });
  });

  test('costs its host half a minute at most, however many such pages there are among others', async () => {
    const bad = GOOD.map((path) => `/bad${path}`);
    const mixed = GOOD.flatMap((path, i) => [path, bad[i]]);
    const { at, asked, summary } = await run({
      ...web,
      ...Object.fromEntries(bad.map((path) => [path, failing(502)])),
      '/': linking(...mixed),
    });
    expect(asked).toEqual(['/', ...mixed, ...bad]);
    // A busy machine is slow; half a minute for each page would be ten minutes.
    expect(at(asked.length - 1)).toBeLessThan(300_000);
    expect(summary.errors).toEqual({ 'status-5xx': bad.length });
  });

  test('can ask for a pause of its host with Retry-After', async () => {
    const { at, asked } = await run({ ...web, '/err': failing(500, { 'retry-after': '90' }) });
    expect(asked.indexOf('/good/0')).toBe(2);
    expect(at(2)).toBeGreaterThan(89_000);
  });
});

test('a host where page after page fails is paused longer each time', async () => {
  const bad = Array.from({ length: 9 }, (_, i) => `/bad/${i}`);
  const { at, asked } = await run({
    '/': linking(...bad),
    ...Object.fromEntries(bad.map((path) => [path, failing(500)])),
  });
  expect(asked.slice(1, 10)).toEqual(bad);
  const gap = (n: number) => at(n + 1) - at(n);
  expect(gap(3)).toBeGreaterThan(900);
  expect(gap(5)).toBeGreaterThan(3900);
  expect(gap(7)).toBeGreaterThan(15_900);
  expect(gap(8)).toBeGreaterThan(29_000);
});

test('a page that answers 503 waits behind the others of its host', async () => {
  const { asked } = await run(
    { '/': linking('/a', '/b', '/c'), '/a': failing(503), '/b': linking(), '/c': linking() },
    {},
    1000,
  );
  expect(asked).toEqual(['/', '/a', '/b', '/c', '/a', '/a', '/a']);
});

test('Retry-After pauses the whole host for as long as it asks, and that is logged', async () => {
  const dir = join(temporaryFolder(), 'crawl');
  const { at, asked } = await run(
    {
      '/': linking('/a', '/b'),
      '/a': failing(503, { 'retry-after': '600' }),
      '/b': linking(),
    },
    { dir, retries: 1 },
    1000,
  );
  expect(asked).toEqual(['/', '/a', '/b', '/a']);
  expect(at(2) - at(1)).toBeGreaterThan(599_000);
  expect(readFileSync(join(dir, 'log.jsonl'), 'utf8')).toContain(
    '"event":"host-waits","host":"127.0.0.1","cause":"status-503","wait":600000',
  );
});

test('a site with a 503, a 429 and a time-out among forty good pages is fetched in seconds', async () => {
  const good = Array.from({ length: 40 }, (_, i) => `/page/${i}`);
  site = await startSmallSite({
    '/robots.txt': failing(404),
    '/': linking('/503', '/429', '/silent', ...good),
    '/503': failing(503),
    '/429': failing(429, { 'retry-after': '2' }),
    '/silent': () => {},
    ...Object.fromEntries(good.map((path) => [path, linking()])),
  });
  const options = { ...LOCAL, responseTimeout: 1000, retries: 1, retryWait: 500 };
  const { finished } = await startCrawl([`${site.origin}/`], resolveConfig(options));
  const summary = await finished;
  const last = Math.max(...good.map((path) => site.times[site.asked.indexOf(path)]));
  expect(last - site.times[0]).toBeLessThan(10_000);
  expect(summary).toMatchObject({ statuses: { 200: 41, 429: 1, 503: 1 } });
  expect(summary.errors).toMatchObject({ 'response-timeout': 1 });
  expect(accountOf(summary)).toMatchObject({ lost: 0, waiting: 0 });
});

test('a port that is closed does not delay the other pages of its host', async () => {
  const closed = await startSmallSite({});
  await closed.close();
  const good = GOOD.map((path) => `/a${path}`);
  const { asked, at, summary } = await run(
    {
      '/': linking(`${closed.origin}/x`, ...good),
      ...Object.fromEntries(good.map((path) => [path, linking()])),
    },
    { scope: 'any' },
    1000,
  );
  expect(asked).toEqual(['/', ...good]);
  // It cost a quarter of an hour when the host was paused for it.
  expect(at(asked.length - 1)).toBeLessThan(600_000);
  expect(summary.errors).toEqual({ 'robots-unreachable': 1 });
});

describe('paused hosts', () => {
  const host = (name: string) => new Host(name, new Domain(name));

  test('are reported by cause, with the first to be asked again, until the pause ends', () => {
    const clock = new VirtualClock();
    const waits = new HostWaits(clock, { event: () => {} });
    const [a, b] = [host('a.example'), host('b.example')];
    expect(waits.current).toBeUndefined();
    waits.begin(a, 'status-5xx', 500);
    waits.begin(b, 'reset', 200);
    const { current } = waits;
    expect(current).toEqual({
      causes: { 'status-5xx': 1, reset: 1 },
      until: clock.now() + 200,
      host: 'b.example',
    });
    expect(
      allWaiting([undefined, current, { causes: { reset: 2 }, until: 1, host: 'c.example' }]),
    ).toEqual({
      causes: { 'status-5xx': 1, reset: 3 },
      until: 1,
      host: 'c.example',
    });
    waits.over(b);
    expect(waits.current?.causes).toEqual({ 'status-5xx': 1 });
  });
});
