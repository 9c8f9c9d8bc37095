/** The server of an index: pages in a real browser, JSON, hostile texts and requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { indexArchives } from '../../../src/search/build/build-index.ts';
import { SearchIndex } from '../../../src/search/query/search-index.ts';
import { serveIndex } from '../../../src/search/serve/server.ts';
import { withBrowser } from '../../browser.ts';
import { type ArchivedPage, writeCrawl } from '../../corpus/lab-archive.ts';
import { disk } from '../collection.ts';

const DAY = 86_400_000;
const OCTOBER = Date.UTC(2011, 9, 1);
const HOSTILE = '<script>window.hacked=1</script><img src=x onerror=window.hacked=2>';
const escapedHostile = HOSTILE.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const page = (url: string, title: string, text: string): ArchivedPage => ({
  url,
  body: Buffer.from(
    `<html><head><title>${title}</title></head><body><main><p>${text}</p></main></body></html>`,
  ),
});

const FIRST =
  'In the capital the crowd asked for a no fly zone over the coast, and the old government said nothing about it that day.';
const SECOND =
  'In the capital the crowd asked for bread over the coast, and the new government said nothing about it that day.';

const folder = mkdtempSync(join(tmpdir(), 'drumlin-serve-'));
let index: SearchIndex;
let server: Awaited<ReturnType<typeof serveIndex>>;
let origin: string;

beforeAll(async () => {
  await writeCrawl(join(folder, 'one'), [page('http://a.example/', 'Coast', FIRST)], {
    from: OCTOBER,
  });
  const url = `http://b.example/?q=%22%3E${encodeURIComponent(HOSTILE)}`;
  await writeCrawl(
    join(folder, 'two'),
    [
      page('http://a.example/', 'Bread', SECOND),
      page(url, `">${escapedHostile}`, `The glacier ${escapedHostile} is the oldest here.`),
    ],
    { from: OCTOBER + 10 * DAY },
  );
  const out = join(folder, 'index');
  await indexArchives([join(folder, 'one'), join(folder, 'two')], out, { disk });
  index = await SearchIndex.open([out], disk);
  server = await serveIndex(index, 0);
  origin = `http://127.0.0.1:${server.port}`;
});

afterAll(async () => {
  await server.close();
  await index.close();
  rmSync(folder, { recursive: true });
});

async function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string }>((done, failed) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => done({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', failed).end();
  });
}

test('JSON has the results and the timeline', async () => {
  const { status, text } = await get('/search.json?q=government');
  expect(status).toBe(200);
  const { results, timeline } = JSON.parse(text);
  expect(results).toMatchObject([{ url: 'http://a.example/', versions: 2 }]);
  expect(timeline.map(({ pages }: { pages: number }) => pages)).toEqual([1, 1]);
  const old = JSON.parse((await get('/search.json?q=fly&at=2011-10-05')).text);
  expect(old.results).toMatchObject([{ title: 'Coast', first: '2011-10-01T00:00:00.000Z' }]);
});

test.each([
  ['/search.json?q=', 400, 'no word'],
  ['/search.json?q=%22no+fly', 400, 'quotation'],
  ['/search.json?q=fly&at=yesterday', 400, 'not a time'],
  ['/search.json?q=fly&at=1999', 400, 'no capture before'],
  ['/search.json?q=fly&top=0', 400, 'number of results'],
  ['/?q=fly&at=yesterday', 400, 'not a time'],
  ['/versions?url=http://unknown.example/', 404, 'does not have this page'],
  ['/versions', 404, 'does not have this page'],
  ['/text?url=http://a.example/&version=2001', 404, 'does not have this page'],
  ['/diff?url=http://a.example/&a=x&b=y', 404, 'does not have this page'],
  ['/elsewhere', 404, 'no such page'],
])('%s is refused with a sentence', async (path, status, sentence) => {
  const reply = await get(path);
  expect(reply.status).toBe(status);
  expect(reply.text).toContain(sentence);
});

test('a query of more than a thousand characters is refused', async () => {
  const { status, text } = await get(`/search.json?q=${'a'.repeat(2000)}`);
  expect([status, text]).toEqual([400, expect.stringContaining('too long')]);
});

test('two texts of the same millisecond both can be read, and compared', async () => {
  const places = ['three', 'four'].map((name) => join(folder, name));
  for (const [i, text] of [FIRST, SECOND].entries())
    await writeCrawl(places[i], [page('http://a.example/', 'Coast', text)], { from: OCTOBER });
  const out = join(folder, 'same-time');
  await indexArchives(places, out, { disk });
  const opened = await SearchIndex.open([out], disk);
  const second = await serveIndex(opened, 0);
  const read = async (path: string) =>
    (await fetch(`http://127.0.0.1:${second.port}${path}`)).text();
  const rows = await read('/versions?url=http://a.example/');
  const links = [...rows.matchAll(/href="(\/(?:text|diff)[^"]*)"/g)].map(([, address]) =>
    address.replaceAll('&amp;', '&'),
  );
  const texts = await Promise.all(links.filter((each) => each.startsWith('/text')).map(read));
  expect(texts.filter((text) => text.includes('no fly zone'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('asked for bread'))).toHaveLength(1);
  const changes = await read(links.find((each) => each.startsWith('/diff')) ?? '');
  expect(changes).toMatch(/<del>[^<]*no fly zone|<ins>[^<]*no fly zone/);
  await second.close();
  await opened.close();
});

test('the form does not speak of flags', async () => {
  const { text } = await get('/?q=fly&at=2011&from=2011');
  expect(text).toContain('at one time, or from one time to another');
  expect(text).not.toMatch(/--(at|from|to)/);
});

test('another host name is refused', async () => {
  expect((await get('/', { host: 'attacker.example' })).status).toBe(403);
});

test('a person searches, sees the past, and what changed', async () => {
  await withBrowser(async (tab) => {
    await tab.goto(origin);
    await tab.fill('input[name=q]', 'government');
    await tab.press('input[name=q]', 'Enter');
    await tab.waitForSelector('ol.results');
    expect(await tab.textContent('ol.results h2')).toBe('Bread');
    expect(await tab.locator('svg.timeline rect').count()).toBe(2);
    await tab.locator('svg.timeline a').first().click();
    await tab.waitForSelector('text=Coast');
    expect(await tab.inputValue('input[name=at]')).toBe('2011-10-01T00:00:00');
    await tab.click('text=2 versions');
    await tab.click('text=what changed');
    await tab.waitForSelector('ins');
    expect(await tab.locator('del').allTextContents()).toEqual(['Coast', 'a no fly zone ', 'old ']);
    expect(await tab.locator('ins').allTextContents()).toEqual(['Bread', 'bread ', 'new ']);
  });
});

test('hostile titles, texts and URLs run nowhere, and nothing else is loaded', async () => {
  await withBrowser(async (tab) => {
    const asked: string[] = [];
    tab.on('request', (made) => asked.push(new URL(made.url()).origin));
    const hacked = () => tab.evaluate(() => (globalThis as { hacked?: number }).hacked);
    await tab.goto(`${origin}/?q=glacier`);
    expect(await tab.textContent('.snippet')).toContain(HOSTILE);
    expect(await tab.textContent('ol.results h2')).toContain(HOSTILE);
    expect(await hacked()).toBeUndefined();
    await tab.click('ol.results h2 a');
    expect(await tab.textContent('.text')).toContain(HOSTILE);
    expect(await hacked()).toBeUndefined();
    await tab.click('text=All versions');
    expect(await tab.textContent('.address')).toContain('b.example');
    expect(await hacked()).toBeUndefined();
    await tab.goto(
      `${origin}/?q=${encodeURIComponent(`">${HOSTILE}`)}&site=${encodeURIComponent(`">${HOSTILE}`)}`,
    );
    expect(await hacked()).toBeUndefined();
    // What markup would do if it were not escaped: the policy stops that, too.
    await tab.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(HOSTILE)})`);
    expect(await hacked()).toBeUndefined();
    expect(new Set(asked)).toEqual(new Set([origin]));
  });
});

test('an answer has as many results as were asked for, at most 100', async () => {
  for (const top of ['1', '100'])
    expect((await get(`/search.json?q=government&top=${top}`)).status).toBe(200);
  for (const top of ['0', '101', '1.5', '-1', 'x'])
    expect((await get(`/search.json?q=government&top=${top}`)).status).toBe(400);
});
