/**
 * Functions of a program in a crawl: before a request, after a response, and on the page itself.
 */
import { afterEach, expect, test } from 'vitest';
import { crawl, type StreamOptions } from '../../src/api/index.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

let site: SmallSite | undefined;
afterEach(() => site?.close());

async function pathsOf(options: Partial<StreamOptions>): Promise<string[]> {
  const local = { allowPrivate: true, delay: 0, scope: 'host' as const };
  const paths: string[] = [];
  const seeds = `${site?.origin}/`;
  for await (const { url } of crawl({ seeds, ...local, ...options }))
    paths.push(new URL(url).pathname);
  return paths;
}

test('beforeRequest adds headers and skips URLs; a skipped URL is no page', async () => {
  const agents: unknown[] = [];
  site = await startSmallSite({
    '/': ({ headers }, response) => {
      agents.push(headers['x-mood']);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(linking('/skip1', '/skip2', '/skip3', '/a'));
    },
    '/a': 'a',
  });
  const seen: unknown[] = [];
  const paths = await pathsOf({
    maxPages: 2,
    beforeRequest: async ({ url, depth, redirects, isRequisite }) => {
      seen.push([depth, redirects, isRequisite]);
      return url.includes('skip') ? { skip: true } : { headers: { 'X-Mood': 'good' } };
    },
  });
  expect(paths).toEqual(['/', '/a']);
  expect(site.asked).toEqual(['/robots.txt', '/', '/a']);
  expect(agents).toEqual(['good']);
  expect(seen).toEqual([[0, 0, false], ...Array(4).fill([1, 0, false])]);
});

test('onResponse reads the page, and decides what is kept and followed', async () => {
  site = await startSmallSite({
    '/': linking('/dull', '/hot'),
    '/dull': linking('/never'),
    '/hot': linking('/next'),
    '/next': 'n',
  });
  const links: (string | undefined)[] = [];
  const paths = await pathsOf({
    onResponse: async (page) => {
      if (page.url.endsWith('/dull')) return { keep: false, follow: false };
      const [link] = await page.$('a');
      links.push(link?.attribute('href'));
      return undefined;
    },
  });
  expect(paths).toEqual(['/', '/hot', '/next']);
  expect(links).toEqual(['/dull', '/next', undefined]);
  expect(site.asked).not.toContain('/never');
});

test('onResponse decides which links come first', async () => {
  const others = Array.from({ length: 5 }, (_, i) => `/b${i}`);
  site = await startSmallSite({
    '/': linking('/hot', ...others),
    '/hot': linking('/first'),
    '/first': 'f',
    ...Object.fromEntries(others.map((path) => [path, 'b'])),
  });
  // Without a delay the host would be asked on before its links are queued.
  const config = resolveConfig({ allowPrivate: true, scope: 'host', order: 'bfs', delay: 5000 });
  const run = await startCrawl([`${site.origin}/`], config, {
    clock: fastClock(50),
    onResponse: ({ url }) => (url.endsWith('/hot') ? { priority: 'first' } : undefined),
  });
  await run.finished;
  const pages = site.asked.filter((path) => path !== '/robots.txt');
  expect(pages.slice(0, 3)).toEqual(['/', '/hot', '/first']);
  expect(pages.sort()).toEqual(['/', '/hot', '/first', ...others].sort());
});

test.each([
  'beforeRequest',
  'onResponse',
] as const)('an error in %s ends the crawl with it', async (name) => {
  site = await startSmallSite({ '/': linking('/a') });
  const thrown = new Error('of the user');
  const fails = () => {
    throw thrown;
  };
  await expect(pathsOf({ [name]: fails })).rejects.toBe(thrown);
});

test('the crawl waits for a promise of onResponse before it asks the host again', async () => {
  site = await startSmallSite({ '/': linking('/a', '/b'), '/a': 'a', '/b': 'b' });
  let [atOnce, most] = [0, 0];
  await pathsOf({
    onResponse: async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
    },
  });
  expect(most).toBe(1);
});
