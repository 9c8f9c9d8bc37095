/** One crawl in a real browser, judged in many ways: what it finds, asks, stores and refuses. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { writeWacz } from '../../../src/archive/tools/wacz.ts';
import { readWarc, type WarcRecord } from '../../../src/archive/warc/warc-reader.ts';
import { summaryText } from '../../../src/cli/screen/progress.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/record/counters.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { indexArchives } from '../../../src/search/build/build-index.ts';
import { describe as describeResults } from '../../../src/search/query/results.ts';
import { SearchIndex } from '../../../src/search/query/search-index.ts';
import { anyBrowser, browserScript, FLAGS } from '../../render/browsers.ts';
import { startCrawl } from '../here.ts';
import { type SmallSite, startSmallSite } from '../small-site.ts';

let dir: string;
let tools: string;
let site: SmallSite;
let cdn: SmallSite;
let secret: SmallSite;
let summary: Summary;
let records: WarcRecord[];
const shown = new Map<string, string>();
const titles: string[] = [];

const answer = (type: string, body: string) => (_: unknown, response: ServerResponse) =>
  void response
    .writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' })
    .end(body);
const script = (body: string) => answer('text/javascript', body);
const shell = (body: string) =>
  `<!doctype html><title>shell</title><body><div id="root"></div>${body}</body>`;
const WORDS = 'A page that says all it has to say without any script. '.repeat(30);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-render-'));
  tools = mkdtempSync(join(tmpdir(), 'drumlin-tools-'));
  secret = await startSmallSite({ '/': 'secret' }, '127.0.0.3');
  cdn = await startSmallSite(
    {
      '/robots.txt': answer('text/plain', 'User-agent: *\nDisallow: /private'),
      '/lib.js': script(
        `globalThis.show = (html) => { document.querySelector('#root').innerHTML += html }`,
      ),
      '/private.js': script(`show('<a href="/never">never</a>')`),
    },
    '127.0.0.2',
  );
  site = await startSmallSite({
    '/robots.txt': answer('text/plain', 'User-agent: *\nDisallow: /data/hidden'),
    '/': shell(
      `<script src="${cdn.origin}/lib.js"></script><script src="${cdn.origin}/private.js"></script>
       <script>show('<h1>Shown</h1><p>Written by a script, and long enough to be the main text of this page, which it is.</p><a href="/json">j</a><a href="/plain">p</a><a href="/moves">m</a><a href="/bomb">b</a>')</script>`,
    ),
    '/json': shell(
      `<script src="${cdn.origin}/lib.js"></script><script>
       fetch('/data/list.json').then((r) => r.json()).then((all) => all.forEach((one) => show('<a href="' + one + '">x</a>')));
       fetch('/data/hidden.json').then((r) => r.ok && show('<a href="/robbed">x</a>')).catch(() => {});
       fetch('${secret.origin}/').then(() => show('<a href="/leaked">x</a>')).catch(() => {});
       fetch('/post', { method: 'POST', body: 'x' }).then(() => show('<a href="/posted">x</a>')).catch(() => {});
       try { new WebSocket('ws://127.0.0.3/') ; show('<a href="/socket">x</a>') } catch {}
       </script>`,
    ),
    '/data/list.json': answer('application/json', '["/one", "/two"]'),
    '/data/hidden.json': answer('application/json', '[]'),
    '/one': `<p>${WORDS}</p><script>document.title = 'changed'</script>`,
    '/two': shell(
      '<a href="/plain">p</a><script>alert(1); confirm(2); setTimeout(() => { for (;;); }, 30)</script>',
    ),
    '/plain': `<h1>Plain</h1><p>${WORDS}</p>`,
    '/moves': shell(`<script>location.href = '/moved'</script>`),
    '/moved': `<p>${WORDS}</p>`,
    '/hooked': shell('<script>document.body.append(globalThis.early ?? "too late")</script>'),
    '/bomb': shell(
      `<a href="/plain">p</a><script>const kept = [];
       for (;;) kept.push(new Uint8Array(3e7).fill(1))</script>`,
    ),
  });
  const config = resolveConfig({
    ...{ dir, agents: 1, delay: 0, render: 'auto', renderTime: 4000, renderMemory: '400Mi' },
    ...{ screenshot: true, scope: 'host', allowPrivate: ['127.0.0.1/32', '127.0.0.2/32'] },
    // Another test of this folder crawls with the browser on the PATH.
    ...{ browser: browserScript(tools, await anyBrowser()), browserFlags: FLAGS },
  });
  const run = await startCrawl([`${site.origin}/`], config, {
    onPage: ({ url, body }) =>
      void shown.set(url.slice(site.origin.length), String(Buffer.from(body))),
    beforeLoad: async (page) => {
      if (page.url.endsWith('/moves')) throw new Error('a hook that fails');
      await page.addScript('globalThis.early = "Written before all others."');
    },
    afterLoad: async (page) => {
      titles.push(String(await page.evaluate('Promise.resolve(document.title)')));
      if (new URL(page.url).pathname === '/')
        await page.evaluate(`show('<a href="/hooked">h</a>')`);
    },
  });
  summary = await run.finished;
  records = [];
  const disk = new Disk();
  const archive = await Archive.open(disk, dir);
  for (const { path } of archive.files)
    for await (const record of readWarc(path, { disk })) records.push(record);
}, 60_000);

afterAll(async () => {
  for (const one of [site, cdn, secret]) await one.close();
  for (const folder of [dir, tools]) rmSync(folder, { recursive: true, force: true });
});

const uris = (type: string) =>
  records.filter((record) => record.type === type).map(({ headers }) => headers.targetUri ?? '');

test('links that scripts write, fetch or go to are followed like any others', () => {
  const pages = [...shown.keys()].sort();
  expect(pages).toEqual(['/', '/bomb', '/hooked', '/json', '/moves', '/one', '/plain', '/two']);
});

test('only pages that need it are rendered', () => {
  expect(summary.render).toMatchObject({ pages: 4 });
  expect(summaryText(summary)).toMatch(
    /rendered +4 pages in \d+ requests; \d gained links or text\n/,
  );
  expect(summary.render?.cut).toBeGreaterThanOrEqual(1); // the page that loops
});

test('programs see the page after its scripts have run', () => {
  expect(shown.get('/')).toContain('<p>Written by a script');
  expect(shown.get('/plain')).toContain('<h1>Plain</h1>');
});

test('every request of a page is stored as a request and a response, once', () => {
  for (const url of [`${cdn.origin}/lib.js`, `${site.origin}/data/list.json`]) {
    expect(uris('response').filter((one) => one === url)).toEqual([url]);
    expect(uris('request').filter((one) => one === url)).toEqual([url]);
  }
  expect(cdn.asked).toEqual(['/robots.txt', '/lib.js']); // the second page has it from the cache
});

test('robots.txt, the address guard and the method hold for what scripts ask', () => {
  expect(site.asked).not.toContain('/data/hidden.json');
  expect(site.asked).not.toContain('/post');
  expect(secret.asked).toEqual([]);
  expect(summary.render).toMatchObject({
    'request-disallowed': 2,
    'request-address-refused': 1,
  });
});

test('a page that fills the memory is ended, counted, and kept as it was fetched', () => {
  expect(summary.render).toMatchObject({ 'render-memory': 1 });
  expect(shown.get('/bomb')).toContain('for (;;)');
  expect(uris('resource')).not.toContain(`urn:pageinfo:${site.origin}/bomb`);
});

test('functions of the program work on a page before and after it loads', () => {
  expect(shown.get('/hooked')).toContain('Written before all others.');
  expect(shown.get('/')).toContain('href="/hooked"');
  expect(new Set(titles)).toEqual(new Set(['shell']));
});

test('a page whose function fails is kept as it was fetched', () => {
  expect(summary.render).toMatchObject({ 'render-hook': 1 });
  expect(shown.get('/moves')).toContain('location.href');
  expect(readFileSync(join(dir, 'log.jsonl'), 'utf8')).toContain('"why":"a hook that fails"');
});

test('later commands read the text that scripts have made, without --text', async () => {
  expect(uris('conversion')).not.toContain(`${site.origin}/plain`);
  await indexArchives([dir], join(dir, 'search'));
  const index = await SearchIndex.open([join(dir, 'search')]);
  const found = await index.search('"written by a script"', { top: 5 });
  const [result, ...others] = await describeResults(index, found);
  await index.close();
  expect([result.url, others]).toEqual([`${site.origin}/`, []]);
  expect(result.snippet).toMatch(/written.*by.*a.*script/i);
});

test('the text and the picture of a rendered page are stored', async () => {
  const text = records.find(
    ({ type, headers }) => type === 'conversion' && headers.targetUri === `${site.origin}/`,
  );
  expect(Buffer.from(text?.block ?? []).toString()).toContain('Written by a script');
  const view = records.find(({ headers }) => headers.targetUri === `urn:view:${site.origin}/`);
  expect(
    Buffer.from(view?.block ?? [])
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('a WACZ marks rendered pages', async () => {
  const disk = new Disk();
  const path = join(dir, 'site.wacz');
  await writeWacz(disk, await Archive.open(disk, dir), path, { now: 0 });
  const lines = readFileSync(path, 'latin1').match(/^\{"id".*\}$/gm) ?? [];
  const pages = lines.map((line) => JSON.parse(line)).filter(({ url }) => url !== undefined);
  const rendered = pages.filter((page) => page.rendered === true).map(({ url }) => url);
  expect(rendered.map((url) => url.slice(site.origin.length)).sort()).toEqual([
    ...['/', '/hooked', '/json', '/two'],
  ]);
});
