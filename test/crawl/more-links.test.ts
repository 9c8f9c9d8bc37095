/** Links beside those of HTML: in heads, feeds, drawings, and in a sitemap that the user names. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { startCrawl } from './here.ts';
import { type Pages, type SmallSite, startSmallSite } from './small-site.ts';

let site: SmallSite | undefined;
afterEach(() => site?.close());

const answer =
  (head: Record<string, string>, body = '') =>
  (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html', ...head }).end(body);

async function crawl(pages: Pages, options: CrawlOptions = {}): Promise<string[]> {
  site = await startSmallSite(pages);
  const config = resolveConfig({ allowPrivate: true, delay: 0, scope: 'host', ...options });
  await (await startCrawl([`${site.origin}/`], config)).finished;
  return [...site.asked].filter((path) => path !== '/robots.txt').sort();
}

test('links in heads, feeds and drawings are followed', async () => {
  const asked = await crawl({
    '/': answer(
      { link: '</by-link>; rel=next', refresh: '0; url=/by-refresh' },
      '<a href=/feed><a href=/map.svg><a href=/paper.pdf>',
    ),
    '/feed': answer(
      { 'content-type': 'application/rss+xml' },
      '<rss><item><link>/by-feed</link></item></rss>',
    ),
    '/map.svg': answer({ 'content-type': 'image/svg+xml' }, '<svg><a href="/by-svg"/></svg>'),
    '/paper.pdf': answer({ 'content-type': 'application/pdf', link: '</about>; rel=canonical' }),
  });
  const found = ['/about', '/by-feed', '/by-link', '/by-refresh', '/by-svg'];
  expect(asked).toEqual(['/', ...found, '/feed', '/map.svg', '/paper.pdf']);
});

test('a document that asks not to follow its links is obeyed, whatever its type', async () => {
  const asked = await crawl({
    '/': '<a href=/feed>',
    '/feed': answer(
      { 'content-type': 'text/xml', 'x-robots-tag': 'nofollow' },
      '<rss><link>/no</link></rss>',
    ),
  });
  expect(asked).toEqual(['/', '/feed']);
});

test('a sitemap that the user names is read once, though no robots.txt names it', async () => {
  const list = answer(
    { 'content-type': 'application/xml' },
    '<urlset><url><loc>/listed</loc></url><url><loc>http://other.example/</loc></url></urlset>',
  );
  const pages: Pages = { '/': 'no links', '/hidden.xml': list, '/listed': 'listed' };
  expect(await crawl(pages)).toEqual(['/']);
  await site?.close();
  site = await startSmallSite(pages);
  const { origin } = site;
  const options = {
    allowPrivate: true,
    delay: 0,
    scope: 'host',
    sitemap: [`${origin}/hidden.xml`],
  };
  const run = await startCrawl([`${origin}/`], resolveConfig(options as CrawlOptions));
  const { refused } = await run.finished;
  expect(site.asked.filter((path) => path !== '/robots.txt').sort()).toEqual([
    '/',
    '/hidden.xml',
    '/listed',
  ]);
  expect(refused['sitemap-foreign']).toBe(1);
});

test('a sitemap that is no URL is refused before anything is fetched', async () => {
  const config = resolveConfig({ allowPrivate: true, sitemap: ['sitemap.xml'] });
  await expect(startCrawl(['http://127.0.0.1:9/'], config)).rejects.toThrow('sitemap.xml');
});
