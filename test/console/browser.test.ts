/** The console's page in a real browser: every view, hostile material, and a slow server. */
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Console } from '../../src/console/serve.ts';
import { readTuning } from '../../src/crawl/state/tuning-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { indexArchives } from '../../src/search/build/build-index.ts';
import { withBrowser } from '../browser.ts';
import { openView, serveHostileCrawl, TOKEN, viewsOf } from './hostile-crawl.ts';
import type { SmallCrawl } from './small-crawl.ts';

let crawl: SmallCrawl;
let served: Console;

beforeAll(async () => {
  ({ crawl, served } = await serveHostileCrawl());
  await indexArchives([crawl.dir], join(crawl.dir, 'search'));
});
afterAll(() => served.close());

test('every view shows the crawl, and hostile material runs nowhere', async () => {
  await withBrowser(async (page) => {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    const elsewhere: string[] = [];
    page.on('request', (sent) => {
      const { host } = new URL(sent.url());
      if (![`127.0.0.1:${served.port}`, `127.0.0.1:${served.framePort}`, ''].includes(host))
        elsewhere.push(sent.url());
    });
    await page.goto(served.url);
    expect(page.url()).not.toContain('token');
    for (const view of viewsOf(crawl.origin)) await openView(page, served, view);
    const evil = encodeURIComponent(`${crawl.origin}/evil`);
    const response = await fetch(
      `http://127.0.0.1:${served.port}/api/v1/crawls/crawl/captures?url=${evil}`,
      { headers: { authorization: `Bearer ${TOKEN}` } },
    );
    const { captures } = (await response.json()) as { captures: { timestamp: string }[] };
    await page.goto(
      `http://127.0.0.1:${served.port}/#/crawl/archive?url=${evil}&time=${captures[0].timestamp}`,
    );
    await page.frameLocator('iframe').getByText('archived').waitFor({ timeout: 0 });
    for (const tab of ['Text', 'Record', 'Head'])
      await page.getByRole('tab', { name: tab }).click({ timeout: 0 });
    await page.getByText('x-evil').waitFor({ timeout: 0 });
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.evaluate('document.querySelectorAll("main script, main img").length')).toBe(
      0,
    );
    expect(faults).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});

const pauseButton = (page: Page) => page.getByRole('button', { name: 'Pause' });

/**
 * Opens the view of the buttons, or the list of crawls, with the clock of the page stopped.
 * Requests for a path are held; `next` lets time pass until there is one.
 */
async function withHeld(
  path: string,
  view: string,
  use: (page: Page, next: () => Promise<Route>) => Promise<void>,
): Promise<void> {
  await withBrowser(async (page) => {
    await page.goto(served.url); // for its cookie
    await page.goto('about:blank');
    const held: Route[] = [];
    await page.route(`**/api/v1/${path}`, (route) => void held.push(route));
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 1000);
    await page.goto(`http://127.0.0.1:${served.port}/${view}`);
    await use(page, async () => {
      while (held.length === 0) await page.clock.runFor(100);
      return held.shift() as Route;
    });
  });
}
const CONTROL = '#/crawl/control';

test('an answer that takes longer than until the page would ask again is shown', async () => {
  await withHeld('crawls', CONTROL, async (page, next) => {
    const first = await next();
    await page.clock.runFor(60_000);
    await first.continue();
    await pauseButton(page).waitFor({ timeout: 0 });
  });
});

test('a list that comes late does not lead away from where the user is by then', async () => {
  await withHeld('crawls', '', async (page, next) => {
    await (await next()).continue();
    // It is shown, and what follows from it comes in the next moment, which does not pass.
    await page.locator('option').first().waitFor({ state: 'attached', timeout: 0 });
    await page.evaluate(`location.hash = '${CONTROL}'`);
    await pauseButton(page).waitFor({ timeout: 0 });
    await page.clock.runFor(1000);
    expect(page.url()).toContain(CONTROL);
  });
});

test('a view that its user chooses before the page listens is shown', async () => {
  await withHeld('crawls', '', async (page, next) => {
    // The head of the page is there, and what follows from its first moment has not begun.
    await page.getByText('Drumlin', { exact: true }).waitFor({ timeout: 0 });
    await page.evaluate(`location.hash = '${CONTROL}'`);
    await (await next()).continue();
    await pauseButton(page).waitFor({ timeout: 0 });
  });
});

test.each([
  ['crawls', 'Pause'],
  ['crawls/crawl/events', 'stopped by the user'],
  ['schema', 'New crawl'],
])('what fails at first is asked for again: %s', async (path, shown) => {
  await withHeld(path, CONTROL, async (page, next) => {
    await (await next()).fulfill({ status: 502, body: 'busy' });
    await (await next()).abort();
    await (await next()).continue();
    await page.getByText(shown).first().waitFor({ timeout: 0 });
  });
});

// The last one: it leaves the crawl paused.
test('a press of a button changes the crawl', async () => {
  await withBrowser(async (page) => {
    await page.goto(served.url);
    await page.goto(`http://127.0.0.1:${served.port}/#/crawl/control`);
    await pauseButton(page).click({ timeout: 0 });
    await page.getByText('Done.').waitFor({ timeout: 0 });
    expect((await readTuning(new Disk(), crawl.dir)).paused).toBe(true);
  });
});
