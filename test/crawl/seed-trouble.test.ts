/**
 * What a user is told when a crawl fails at its seeds, and the library's ways to stop and to ask.
 */

import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { whyNothing } from '../../src/cli/screen/why-nothing.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import type { CrawlFailure } from '../../src/crawl/store/page.ts';
import { crawl } from '../../src/crawl/stream.ts';
import { CERTIFICATE, KEY } from '../fetch/certificates.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const LOCAL = { allowPrivate: true, delay: 0, agents: 1 } as const;
let site: SmallSite | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

test('the first failure of a seed is reported at once, with its cause, remedy and next try', async () => {
  const seeds = [`http://127.0.0.1:${await freePort()}/`];
  const failures: CrawlFailure[] = [];
  const troubles: unknown[] = [];
  const begun = performance.now();
  const run = await startCrawl(seeds, resolveConfig(LOCAL), {
    onError: (failure) => void failures.push(failure),
    onSeedTrouble: (trouble) => {
      troubles.push(trouble);
      run.stop();
    },
  });
  await run.finished;
  // Retries would take three minutes.
  expect(performance.now() - begun).toBeLessThan(30_000);
  expect(failures).toEqual([
    expect.objectContaining({
      ...{ host: '127.0.0.1', fault: 'connect-refused', early: true, urls: 0 },
      remedy: 'Check the port, and that the site is running.',
    }),
  ]);
  expect(troubles).toEqual([
    expect.objectContaining({ fault: 'connect-refused', wait: expect.any(Number) }),
  ]);
});

test('a certificate that cannot be verified is named with --ca and --insecure', async () => {
  const server = createTlsServer({ cert: CERTIFICATE, key: KEY }, (_, response) => response.end());
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const failures: CrawlFailure[] = [];
  const config = resolveConfig({ ...LOCAL, retries: 0 });
  const onError = (failure: CrawlFailure) => void failures.push(failure);
  const run = await startCrawl([`https://127.0.0.1:${port}/`], config, { onError });
  const summary = await run.finished;
  server.close();
  expect(failures[0]).toMatchObject({ fault: 'tls-failed', early: true });
  expect(failures[0].remedy).toMatch(/--ca.*--insecure/);
  expect(whyNothing(summary, failures[0].fault)).toMatch(
    /certificate cannot be verified.*--insecure/,
  );
});

test('a failure at another host is no trouble of a seed', async () => {
  const away = await freePort();
  site = await startSmallSite({ '/': linking(`http://127.0.0.2:${away}/`) });
  const failures: CrawlFailure[] = [];
  const config = resolveConfig({ ...LOCAL, retries: 0 });
  const onError = (failure: CrawlFailure) => void failures.push(failure);
  await (await startCrawl([`${site.origin}/`], config, { onError })).finished;
  expect(failures.map(({ early }) => early)).toEqual([undefined]);
});

test('a signal stops the crawl, and the loop throws its reason', async () => {
  site = await startSmallSite({ '/': linking('/1', '/2'), '/1': linking('/3'), '/3': 'x' });
  const stop = new AbortController();
  const pages: string[] = [];
  const loop = async () => {
    const seeds = `${site?.origin}/`;
    for await (const { url } of crawl({ ...LOCAL, delay: 50, seeds, signal: stop.signal })) {
      pages.push(url);
      stop.abort(new Error('enough'));
    }
  };
  await expect(loop()).rejects.toThrow('enough');
  expect(pages).toHaveLength(1);
  const aborted = crawl({ ...LOCAL, seeds: `${site.origin}/`, signal: AbortSignal.abort() });
  await expect(aborted.next()).rejects.toThrow(/abort/i);
});

test('headers are sent with every request, and replace those that may differ', async () => {
  const heads: Record<string, unknown>[] = [];
  site = await startSmallSite({
    '/': (request, response) => {
      heads.push(request.headers);
      response.end('x');
    },
  });
  const headers = { 'Accept-Language': 'de, en;q=0.5', Accept: 'text/html' };
  for await (const _ of crawl({ ...LOCAL, seeds: `${site.origin}/`, headers }));
  expect(heads).toEqual([
    expect.objectContaining({ 'accept-language': 'de, en;q=0.5', accept: 'text/html' }),
  ]);
});

test.each([
  ['Authorization: Basic x', '--auth'],
  ['Cookie: a=b', '--cookies'],
  ['Host: a', 'leave it out'],
  ['no header', '"Name: value"'],
])('the header %j is refused with the remedy', (header, remedy) => {
  expect(() => resolveConfig({ header })).toThrow(remedy);
  expect(() => resolveConfig({ header })).not.toThrow('a=b');
});
