/**
 * A crawl that reads sitemaps: named by robots.txt, fetched in turns, bounded, each for its own
 * domain only.
 */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { Link } from '../../../src/crawl/store/page.ts';
import { startCrawl } from '../here.ts';
import { linking, type Pages, type SmallSite, startSmallSite } from '../small-site.ts';

const sites: SmallSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

const send =
  (type: string, body: string | Buffer): Pages[string] =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(body);
const urlset = (...urls: string[]) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc><lastmod>2024-01-01</lastmod></url>`).join('')}</urlset>`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

async function run(pages: (origin: string) => Pages, options: CrawlOptions = {}, seed = '/') {
  const later: Record<string, Pages[string]> = {};
  const site = await startSmallSite(later);
  sites.push(site);
  Object.assign(later, pages(site.origin));
  const links = new Map<string, readonly Link[]>();
  const config = resolveConfig({
    allowPrivate: '127.0.0.1/32',
    delay: 0,
    agents: 1,
    sitemaps: true,
    ...options,
  });
  const { finished } = await startCrawl([`${site.origin}${seed}`], config, {
    onPage: (page) => void links.set(new URL(page.url).pathname, page.links),
  });
  const summary = await finished;
  return {
    summary,
    links,
    asked: site.asked.filter((path) => path !== '/robots.txt').sort(),
    origin: site.origin,
  };
}

const robots = (...lines: string[]) =>
  send('text/plain', `User-agent: *\nDisallow: /private\n${lines.join('\n')}\n`);

describe('a crawl with sitemaps', () => {
  test('counts the URLs, sitemaps and names beyond the limits', async () => {
    const many = (count: number, path: string) =>
      Array.from({ length: count }, (_, i) => `${path}${i}`);
    const { summary } = await run(
      (origin) => ({
        '/robots.txt': robots(
          ...[`Sitemap: ${origin}/pages.xml`, `Sitemap: ${origin}/index.xml`],
          ...many(101, `Sitemap: ${origin}/no`),
        ),
        '/': linking(),
        '/pages.xml': send('application/xml', urlset(...many(50_002, '/p'))),
        '/index.xml': send('application/xml', index(...many(1007, '//elsewhere.invalid/'))),
      }),
      { maxDepth: 0 },
    );
    expect(summary.refused).toMatchObject({ 'too-many-links': 3 + 2 + 7 });
  });

  test('discovers pages that no page links to: by index, compressed, with the date of their change', async () => {
    const { asked, links, origin, summary } = await run((origin) => ({
      '/robots.txt': robots(`Sitemap: ${origin}/index.xml`),
      '/': linking(),
      '/index.xml': send('application/xml', index(`${origin}/1.xml.gz`, `${origin}/2.xml`)),
      '/1.xml.gz': send(
        'application/x-gzip',
        gzipSync(urlset(`${origin}/orphan`, `${origin}/private/x`)),
      ),
      '/2.xml': send(
        'text/xml; charset=utf-8',
        urlset('/relative', 'mailto:x', 'http://elsewhere.invalid/'),
      ),
      '/orphan': linking(),
      '/relative': linking(),
    }));
    expect(asked).toEqual(['/', '/1.xml.gz', '/2.xml', '/index.xml', '/orphan', '/relative']);
    expect(links.get('/1.xml.gz')?.[0]).toEqual({
      url: `${origin}/orphan`,
      kind: 'sitemap',
      nofollow: false,
      changed: '2024-01-01',
    });
    expect(summary.disallowed).toBe(1);
    expect(summary.refused).toEqual({ 'sitemap-foreign': 1 });
  });

  test('does not fetch them by default', async () => {
    const { asked } = await run(
      (origin) => ({
        '/robots.txt': robots(`Sitemap: ${origin}/s.xml`),
        '/': linking(),
        '/s.xml': send('text/xml', urlset(`${origin}/orphan`)),
      }),
      { sitemaps: false },
    );
    expect(asked).toEqual(['/']);
  });

  test('reads one that is out of scope, and discovers its URLs in scope, whatever its type', async () => {
    const { asked, summary, links } = await run(
      (origin) => ({
        '/robots.txt': robots(`Sitemap: ${origin}/s.xml`),
        '/docs/': linking(),
        '/s.xml': send('text/xml', urlset(`${origin}/docs/a`, `${origin}/shop/b`)),
        '/docs/a': linking(),
      }),
      { scope: 'prefix', types: 'text/html' },
      '/docs/',
    );
    expect(asked).toEqual(['/docs/', '/docs/a', '/s.xml']);
    expect(summary.refused).toEqual({ 'content-type': 1, 'out-of-scope': 1 });
    expect([...links.keys()].sort()).toEqual(['/docs/', '/docs/a']);
  });

  test('what it lists is one link from the page whose robots.txt named it', async () => {
    const pages = (origin: string): Pages => ({
      '/robots.txt': robots(`Sitemap: ${origin}/s.xml`),
      '/': linking(),
      '/s.xml': send('text/xml', urlset(`${origin}/a`)),
      '/a': linking('/b'),
    });
    expect((await run(pages, { maxDepth: 1 })).asked).toEqual(['/', '/a', '/s.xml']);
    expect((await run(pages, { maxDepth: 0 })).asked).toEqual(['/', '/s.xml']);
  });

  test('limits indexes within indexes, and reads one that lists itself once', async () => {
    const { asked, summary } = await run(
      (origin) => ({
        '/robots.txt': robots(`Sitemap: ${origin}/0.xml`),
        '/': linking(),
        ...Object.fromEntries(
          Array.from({ length: 9 }, (_, i) => [
            `/${i}.xml`,
            send('text/xml', index(`${origin}/${i + 1}.xml`, `${origin}/0.xml`)),
          ]),
        ),
      }),
      { maxRedirects: 3 },
    );
    expect(asked).toEqual(['/', '/0.xml', '/1.xml', '/2.xml', '/3.xml']);
    expect(summary.refused).toEqual({ 'sitemap-depth': 2 });
  });

  test('does not fetch a sitemap from a refused address', async () => {
    const inner = await startSmallSite({ '/s.xml': send('text/xml', urlset('/x')) }, '127.0.0.2');
    sites.push(inner);
    const { summary } = await run(() => ({
      '/robots.txt': robots(`Sitemap: ${inner.origin}/s.xml`, 'Sitemap: not a url', 'Sitemap:'),
      '/': linking(),
    }));
    expect(inner.asked).toEqual([]);
    expect(summary.errors).toEqual({ 'address-refused': 1 });
  });

  test('treats a page that is no sitemap as a page, and asks the filters', async () => {
    const { asked } = await run(
      (origin) => ({
        '/robots.txt': robots(
          `Sitemap: ${origin}/a.xml`,
          `Sitemap: ${origin}/b.xml`,
          `Sitemap: ${origin}/c.xml`,
        ),
        '/': linking(),
        '/a.xml': linking('/from-a'),
        '/b.xml': send('application/xml', '<rss><loc>/from-b</loc></rss>'),
        '/c.xml': send('application/xml', urlset(`${origin}/from-c`)),
      }),
      { parseFilter: 'not PathStartsWith(/c)' },
    );
    expect(asked).toEqual(['/', '/a.xml', '/b.xml', '/c.xml', '/from-a']);
  });

  test('reads at most a hundred that one robots.txt names', async () => {
    const { asked } = await run((origin) => ({
      '/robots.txt': robots(
        ...Array.from({ length: 150 }, (_, i) => `Sitemap: ${origin}/${i}.xml`),
      ),
      '/': linking(),
    }));
    expect(asked).toHaveLength(101);
  });
});
