/**
 * What pages in a browser ask for is asked as politely, and with as little of the user, as pages.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { type CrawlConfig, resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/record/counters.ts';
import { listSkipped, type SkippedUrl } from '../../../src/crawl/skipped/list-skipped.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { startCrawl } from '../here.ts';
import { type SmallSite, startSmallSite } from '../small-site.ts';

let site: SmallSite;
let other: SmallSite;
let summary: Summary;
let dir: string;
let config: CrawlConfig;
const got: { readonly at: number; readonly line: string }[] = [];

/** Notes who asked, with which cookie and password. */
const noting =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  ({ url, method, headers: sent }: IncomingMessage, response: ServerResponse) => {
    const { cookie = '-', host = '', authorization = '-' } = sent;
    const line = `${method} ${host.split(':')[0]}${url} ${cookie} ${authorization}`;
    got.push({ at: performance.now(), line });
    response
      .writeHead(status, {
        ...{ 'content-type': 'text/html', 'access-control-allow-origin': '*', ...headers },
      })
      .end(body);
  };
const lines = (path: string) => got.filter(({ line }) => line.includes(`${path} `));

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-render-'));
  other = await startSmallSite(
    {
      '/api': noting(503, '', { 'retry-after': '1' }),
      '/again': noting(200, ''),
      '/late': noting(200, ''),
    },
    '127.0.0.2',
  );
  site = await startSmallSite({
    '/': `<div id=root></div><a href="/next">n</a><script>
      const ask = (url, how) => fetch(url, how).then((r) => r.text()).catch(() => '');
      const all = async () => {
        await ask('${other.origin}/api', { credentials: 'include', mode: 'no-cors' });
        await ask('${other.origin}/again', { mode: 'no-cors' });
        await ask('/data', { method: 'POST', body: '{}' });
        await ask('/me');
        await ask('/busy');
        await ask('/after');
      };
      all();</script>`,
    '/me': noting(200, ''),
    '/busy': noting(429, '', { 'retry-after': '1' }),
    '/after': noting(200, ''),
    '/next': noting(200, '<p>next</p>'),
    '/later': `<div id=root></div><script>fetch('${other.origin}/late', { mode: 'no-cors' })</script>`,
  });
  const login = (domain: string) => ({ name: 'id', value: domain, domain, path: '/' });
  const state = join(dir, 'state.json');
  writeFileSync(state, JSON.stringify({ cookies: ['127.0.0.1', '127.0.0.2'].map(login) }), {
    mode: 0o600,
  });
  config = resolveConfig({
    ...{
      dir: join(dir, 'crawl'),
      agents: 1,
      delay: 0,
      render: 'always',
      renderTime: 3000,
      renderDelay: 0,
    },
    ...{ scope: 'host', allowPrivate: ['127.0.0.0/8'], storageState: state },
    browserFlags: ['no-sandbox', 'no-zygote'],
  });
  const run = await startCrawl([`${site.origin}/`], config, {});
  summary = await run.finished;
}, 60_000);

afterAll(async () => {
  for (const one of [site, other]) await one.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a login goes with requests of a page to its own site, and nowhere else', () => {
  expect(lines('/me').map(({ line }) => line)).toEqual(['GET 127.0.0.1/me id=127.0.0.1 -']);
  expect(lines('/api').map(({ line }) => line)).toEqual(['GET 127.0.0.2/api - -']);
});

test('429, 503 and Retry-After pause a host, whoever asked it', () => {
  const [busy] = lines('/busy');
  const [next] = lines('/next');
  expect(lines('/after')).toEqual([]);
  expect(next.at - busy.at).toBeGreaterThanOrEqual(990);
  const [api] = lines('/api');
  const [again] = lines('/again');
  expect(again.at - api.at).toBeGreaterThanOrEqual(990);
  expect(summary.render).toMatchObject({ 'request-paused': 1 });
});

test('a request with a body is refused, counted, and in the list of what was skipped', async () => {
  expect(site.asked).not.toContain('/data');
  expect(summary.render).toMatchObject({ 'request-method': 1 });
  const listed: unknown[] = [];
  const show = async (all: AsyncIterable<readonly SkippedUrl[]>) => {
    for await (const some of all)
      listed.push(...some.map(({ url, reason, kind }) => [url, reason, kind]));
  };
  await listSkipped(new Disk(), join(dir, 'crawl'), show);
  expect(listed).toContainEqual([`${site.origin}/data`, 'request-method', 'filter']);
});

/** Real time, except that waits of more than this are over at once. */
const LONGEST_WAIT = 20_000;

function skippingClock(): Clock {
  let skipped = 0;
  const after: Clock['after'] = (delay, callback) => {
    if (delay <= LONGEST_WAIT) return systemClock.after(delay, callback);
    return systemClock.after(0, () => {
      skipped += delay;
      callback();
    });
  };
  return { now: () => systemClock.now() + skipped, after };
}

test('a page that needs a host in the first minute after a resume is put off until then', async () => {
  const clock = skippingClock();
  const startedAt = clock.now();
  const run = await startCrawl([`${site.origin}/later`], config, { clock });
  const { render, pages } = await run.finished;
  expect({ pages, ...render }).toMatchObject({ pages: 1, 'put-off': 1, requests: 1 });
  expect(site.asked.filter((path) => path === '/later')).toHaveLength(2);
  expect(lines('/late')).toHaveLength(1);
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(config.maxCrawlDelay);
});
