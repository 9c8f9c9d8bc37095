/** axe finds no serious fault in any view of the console. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { indexArchives } from '../../src/search/build/build-index.ts';
import { withBrowser } from '../browser.ts';
import { openView, serveHostileCrawl, viewsOf } from './hostile-crawl.ts';
import { seriousFaults } from './serious-faults.ts';

test('every view of a crawl', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const { crawl, served } = await serveHostileCrawl();
  await indexArchives([crawl.dir], join(crawl.dir, 'search'));
  await withBrowser(async (page) => {
    await page.goto(served.url);
    for (const view of viewsOf(crawl.origin)) {
      await openView(page, served, view);
      expect([view, await seriousFaults(page, axe)]).toEqual([view, []]);
    }
  });
  await served.close();
});
