/** A crawl with requisites, shown by a real browser out of the archive, and out of a folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Page as BrowserPage } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payloadOf } from '../../src/archive/warc/http-block.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { readWithWarcio } from '../archive/warc/fixtures.ts';
import { withBrowser } from '../browser.ts';
import { startCrawl } from './here.ts';
import { type SmallSite, startSmallSite } from './small-site.ts';

let dir: string;
let site: SmallSite;
let other: SmallSite;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-look-'));
  const image = (width: number) => answer('image/png', png(width));
  other = await startSmallSite(
    { '/logo.png': image(33), '/theme.css': answer('text/css', 'h2 { letter-spacing: 7px }') },
    '127.0.0.2',
  );
  site = await startSmallSite({
    '/': page('next/page.html', other.origin),
    '/next/page.html':
      '<title>ü</title><h1>next</h1><img src="../i/plain.png"><a href="/#top">up</a>',
    '/s/main.css': answer(
      'text/css',
      '@import "base.css"; h1 { color: rgb(1, 2, 3) } p { background: url("../i/back.png") }',
    ),
    '/s/base.css': answer(
      'text/css',
      '@font-face { font-family: Signs; src: url(signs.ttf) format("truetype") } i { font-family: Signs }',
    ),
    '/s/signs.ttf': answer('font/ttf', readFileSync(font())),
    '/s/script.js': answer('text/javascript', 'document.documentElement.dataset.ran = "yes"'),
    '/i/plain.png': image(11),
    '/i/large.png': image(22),
    '/i/huge.png': image(55),
    '/i/back.png': image(44),
    '/i/icon.png': image(16),
  });
});
afterAll(async () => {
  await site.close();
  await other.close();
  rmSync(dir, { recursive: true, force: true });
});

const page = (link: string, cdn: string) => `<!doctype html><html><head>
  <meta charset=utf-8><title>looks</title><link rel=icon href=/i/icon.png>
  <link rel=stylesheet href=/s/main.css><link rel=stylesheet href="${cdn}/theme.css">
  <script src=/s/script.js></script></head>
  <body id=top><h1>One</h1><h2>Two</h2><p>Back</p><i>\ueb99</i>
  <img id=plain src="i/plain.png"><img id=large srcset="/i/large.png 1x, /i/huge.png 9x">
  <img id=logo src="${cdn}/logo.png"><a href="${link}">next</a></body></html>`;

const answer = (type: string, body: string | Buffer) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': type }).end(body);

/** A font that a package of the tests brings along. */
function font(): string {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
    'lib/vite/traceViewer',
  );
  const name = readdirSync(folder).find((file) => file.endsWith('.ttf'));
  return join(folder, name as string);
}

/** A black image of one line. */
function png(width: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(1, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1 + width))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function crawlInto(name: string, options: Record<string, unknown>): Promise<string> {
  const folder = join(dir, name);
  const common = { dir: folder, scope: 'host', delay: 0, allowPrivate: true, requisites: 'all' };
  const config = resolveConfig({ ...common, ...options } as CrawlOptions);
  const summary = await (await startCrawl([`${site.origin}/`], config)).finished;
  expect(summary).toMatchObject({ pages: 2, requisites: 11, end: 'finished' });
  return folder;
}

const LOOKS = `(async () => {
  await document.fonts.load('12px Signs', '\\ueb99');
  const style = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  const width = (id) => document.getElementById(id).naturalWidth;
  const back = new Image();
  back.src = style('p', 'backgroundImage').slice(5, -2);
  await back.decode();
  return {
    color: style('h1', 'color'), spacing: style('h2', 'letterSpacing'), back: back.naturalWidth,
    widths: [width('plain'), width('large'), width('logo')],
    fonts: [...document.fonts].map((one) => one.status), ran: document.documentElement.dataset.ran,
  };
})()`;
const EXPECTED = {
  color: 'rgb(1, 2, 3)',
  spacing: '7px',
  back: 44,
  widths: [11, 22, 33],
  fonts: ['loaded'],
  ran: 'yes',
};

/** Answers every request of the browser from the records of the archive, and nothing else. */
async function replayFrom(folder: string, browser: BrowserPage): Promise<string[]> {
  const files = readdirSync(join(folder, 'archive'));
  const records = await Promise.all(
    files.map((file) => readWithWarcio(join(folder, 'archive', file))),
  );
  const blocks = new Map(
    records.flat().flatMap(({ type, url, block }) => (type === 'response' ? [[url, block]] : [])),
  );
  const missing: string[] = [];
  await browser.route('**', (route) => {
    const url = route.request().url();
    const block = blocks.get(url);
    if (!block) {
      missing.push(url);
      return route.abort();
    }
    const bytes = Buffer.from(block);
    const end = bytes.indexOf('\r\n\r\n');
    const contentType = /content-type: (\S+)/i.exec(bytes.toString('latin1', 0, end))?.[1] ?? '';
    return route.fulfill({ status: 200, contentType, body: Buffer.from(payloadOf(block)) });
  });
  return missing;
}

test('a page replays with its styles, fonts, scripts and pictures, and asks for nothing else', async () => {
  const folder = await crawlInto('warc', {});
  await withBrowser(async (browser) => {
    const missing = await replayFrom(folder, browser);
    await browser.goto(`${site.origin}/`);
    expect(await browser.evaluate(LOOKS)).toEqual(EXPECTED);
    expect(missing).toEqual([]);
  });
});

test('converted files can be browsed: looks, links between pages, links to elsewhere', async () => {
  const folder = await crawlInto('files', { store: 'files', convertLinks: true });
  await site.close();
  const host = site.origin.slice('http://'.length).replace(':', '+');
  const index = join(folder, 'browse', 'http', host, 'index.html');
  await withBrowser(async (browser) => {
    await browser.goto(`file://${index}`);
    expect(await browser.evaluate(LOOKS)).toEqual(EXPECTED);
    await browser.click('a');
    expect(await browser.evaluate('document.images[0].naturalWidth')).toBe(11);
    expect(await browser.title()).toBe('ü');
    await browser.click('a');
    expect(new URL(browser.url()).pathname).toBe(index);
    expect(new URL(browser.url()).hash).toBe('#top');
  });
  const kept = readFileSync(join(folder, 'pages', 'http', host, 'index.html'), 'utf8');
  expect(kept).toBe(page('next/page.html', other.origin));
});
