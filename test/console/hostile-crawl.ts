/**
 * The console of a crawl whose pages try to run scripts in it, and every view with a text of it.
 */
import type { Page } from 'playwright-core';
import { buildPage } from '../../scripts/page.ts';
import type { Console } from '../../src/console/serve.ts';
import { serveConsole } from '../../src/console/server.ts';
import { makeSmallCrawl, type SmallCrawl } from './small-crawl.ts';

export const TOKEN = 'a-token-for-the-tests';
export const EVIL = '<img src=x onerror="window.top.hacked=1"><script>window.top.hacked=1</script>';

export async function serveHostileCrawl(): Promise<{ crawl: SmallCrawl; served: Console }> {
  const crawl = await makeSmallCrawl({
    '/evil': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'x-evil': EVIL })
        .end(
          `<title>${EVIL}</title><h1>archived</h1>${EVIL}<script>parent.hacked=1;fetch('/api/v1/crawls')</script><meta http-equiv=refresh content="0;url=http://127.0.0.9/">`,
        ),
    '/%3Cscript%3Ealert(1)%3C/script%3E': `<title>odd</title>${EVIL}`,
    '/type': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html"><script>hacked=1</script>' })
        .end(EVIL),
  });
  const page = (await buildPage()).html;
  const served = await serveConsole({
    ...{ places: [crawl.dir], page, port: 0, token: TOKEN, stays: false },
  });
  return { crawl, served };
}

const urlView = (url: string): string => `url?url=${encodeURIComponent(url)}`;

/** Every view, and a text that it shows. */
export const viewsOf = (origin: string): readonly (readonly [string, string | RegExp])[] => [
  ['overview', 'stopped by the user'],
  ['domains', '127.0.0.4'],
  ['domains?domain=127.0.0.1', 'Hosts in memory'],
  ['hosts', 'Shared addresses'],
  [urlView(`${origin}/private/1`), /robots.txt forbids it: line 2/],
  [urlView(`${origin}/${EVIL}`), 'No page that was fetched so far links to it'],
  ['archive', '/evil'],
  ['archive?words=own', 'with words of its own'],
  ['graph?domain=127.0.0.1', 'Ranks side by side'],
  ['settings', 'Change while it runs'],
  ['control', 'Add seeds'],
  ['log', 'crawl-ended'],
];

export async function openView(
  page: Page,
  { port }: Console,
  [view, expected]: readonly [string, string | RegExp],
): Promise<void> {
  await page.goto(`http://127.0.0.1:${port}/#/crawl/${view}`);
  await page.getByText(expected).first().waitFor({ timeout: 0 });
}
