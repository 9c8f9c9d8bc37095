/**
 * A crawl of a small site, packed as a WACZ, shown by ReplayWeb.page in a real browser after the
 * site is gone. Do its pages come back, including revisits, and do links between them work? It runs
 * once with an archive in gzip and once in zstd, which browsers cannot read, so the WACZ has it in
 * gzip; and once with a site that scripts make, which is rendered (docs/render.md). That one is
 * also shown by pywb, if `PYWB` names its program `wayback`.
 *
 * `npm run soak -- replay [screenshot.png]`. It needs a Chromium (`CHROMIUM`, or as for
 * `--render`) and ReplayWeb.page, which is fetched once. Without that it prints why, and exits
 * with 0.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium as browsers, type Frame, type Page } from 'playwright-core';
import type { Compression } from '../src/archive/compress/compression.ts';
import { Archive } from '../src/archive/index/archive.ts';
import { writeWacz } from '../src/archive/tools/wacz.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { startCrawl } from '../src/crawl/crawl.ts';
import { Disk } from '../src/disk/disk.ts';
import { findBrowser } from '../src/render/find-browser.ts';
import { type Handler, type Pages, startSmallSite } from '../test/crawl/small-site.ts';
import { foreignMaterial } from '../test/foreign-material.ts';

const WAIT = 60_000;

export interface ReplayReport {
  /** Texts found on the pages, in the order of the search. */
  readonly seen: string[];
  /** Requests of the browser to the site itself; there must be none. */
  readonly leaked: string[];
}

/** Where pywb listens. */
const PYWB_PORT = 18_080 + (process.pid % 1000);

/** pywb with the WARC files of a crawl as its only collection. */
async function startPywb(program: string, folder: string, dir: string): Promise<ChildProcess> {
  const collection = join(folder, 'collections/site');
  for (const part of ['archive', 'indexes']) mkdirSync(join(collection, part), { recursive: true });
  for (const name of readdirSync(join(dir, 'archive')).filter((file) => file.includes('.warc')))
    copyFileSync(join(dir, 'archive', name), join(collection, 'archive', name));
  copyFileSync(join(dir, 'indexes/index.cdxj'), join(collection, 'indexes/index.cdxj'));
  const args = ['-p', String(PYWB_PORT), '-b', '127.0.0.1'];
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
  for (let i = 0; i < 300; i++) {
    await sleep(100);
    const there = await fetch(`http://localhost:${PYWB_PORT}/`).catch(() => undefined);
    if (there) return child;
  }
  child.kill();
  throw new Error('pywb does not start');
}

const WORDS = 'so many words that the page is worth a reference of its own. '.repeat(40);
const style =
  '<link rel="stylesheet" href="/style.css"><style>body { font: 20px sans-serif }</style>';
const SITE = {
  '/': `<!doctype html><title>The first page</title>${style}<h1>The first page</h1><a id="next" href="/second?b=2&a=1">on</a><a href="/copy">copy</a>`,
  '/second?b=2&a=1': `<!doctype html><title>The second page</title>${style}<h1>The second page</h1><p>${WORDS}</p><a id="copy" href="/copy">on</a>`,
  // The same payload as the second page: stored as a revisit, and replayed from it.
  '/copy': `<!doctype html><title>The second page</title>${style}<h1>The second page</h1><p>${WORDS}</p><a id="copy" href="/copy">on</a>`,
};

const shell = (script: string) =>
  `<!doctype html><title>A shell</title><div id="root"></div>${script}`;
const answer =
  (type: string, body: string): Handler =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body);
/** The same as `SITE`, as far as links go, but made by scripts. */
const SCRIPTED: Pages = {
  '/': shell('<script src="/app.js"></script>'),
  '/app.js': answer(
    'text/javascript',
    `fetch('/data.json').then((r) => r.json()).then(({ html }) => { root.innerHTML = html });`,
  ),
  '/data.json': answer(
    'application/json',
    JSON.stringify({
      html: '<h1>The first page</h1><a id="next" href="/second?b=2&a=1">on</a><a href="/copy">copy</a>',
    }),
  ),
  '/second?b=2&a=1': shell(
    `<script>root.innerHTML = '<h1>The second page</h1><a id="copy" href="/copy">on</a>'</script>`,
  ),
  '/copy': shell(`<script>root.innerHTML = '<h1>The second page</h1>'</script>`),
};

/** Crawls a site, closes it, and packs what was archived. */
async function archived(
  folder: string,
  compress: Compression,
  scripted: boolean,
): Promise<{ readonly dir: string; readonly wacz: string; readonly origin: string }> {
  const site = await startSmallSite(scripted ? SCRIPTED : SITE);
  const dir = join(folder, 'crawl');
  const config = resolveConfig({
    ...{ dir, agents: 1, allowPrivate: true, delay: 0, compress },
    ...(scripted && { render: 'auto' as const, browserFlags: ['no-sandbox', 'no-zygote'] }),
  });
  const crawl = await startCrawl([`${site.origin}/`], config, { here: true });
  const { revisits, render, pages } = await crawl.finished;
  if (scripted ? render?.pages !== 3 || pages !== 3 : revisits !== 1)
    throw new Error(`${pages} pages, ${revisits} revisits, ${render?.pages} rendered`);
  await site.close();
  const disk = new Disk();
  const wacz = join(folder, 'site.wacz');
  const [now, mainUrl] = [Date.now(), `${site.origin}/`];
  await writeWacz(disk, await Archive.open(disk, dir), wacz, { now, mainUrl });
  return { dir, wacz, origin: site.origin };
}

export async function replay(
  compress: Compression,
  screenshot?: string,
  scripted = false,
): Promise<ReplayReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-replay-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const { dir, wacz, origin } = await archived(folder, compress, scripted);
    const viewer = await serveViewer(wacz, `${origin}/`);
    closing.push(() => new Promise((done) => viewer.close(done).closeAllConnections()));
    const { path: executablePath, env } = await findBrowser(new Disk(), process.env.CHROMIUM ?? '');
    const browser = await browsers.launch({
      ...{ executablePath, env: env as Record<string, string> },
      args: ['--no-sandbox', '--no-zygote', '--headless=shell'],
    });
    closing.push(() => browser.close());
    const page = await browser.newPage({ locale: 'en-US' });
    const leaked: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(origin)) leaked.push(request.url());
    });
    await page.goto(`http://localhost:${(viewer.address() as AddressInfo).port}/`);
    const seen: string[] = [];
    const look = async (text: string, path: string): Promise<Frame> => {
      const frame = await frameWith(page, text, path);
      seen.push(`${path} ${text}`);
      return frame;
    };
    const first = await look('<h1>The first page</h1>', '/');
    if (screenshot) await page.screenshot({ path: screenshot });
    await first.click('#next');
    const second = await look('<h1>The second page</h1>', '/second?b=2&a=1');
    await second.click('#copy');
    await look('<h1>The second page</h1>', '/copy');
    if (scripted && process.env.PYWB) {
      const pywb = await startPywb(process.env.PYWB, folder, dir);
      closing.push(async () => void pywb.kill());
      await page.goto(`http://localhost:${PYWB_PORT}/site/2/${origin}/`);
      const shown = await look('<h1>The first page</h1>', `${origin}/`);
      await shown.click('#next');
      await look('<h1>The second page</h1>', `${origin}/second?b=2&a=1`);
    }
    return { seen, leaked };
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The frame of the viewer that shows a page of the archive. */
async function frameWith(page: Page, text: string, path: string): Promise<Frame> {
  const until = Date.now() + WAIT;
  while (Date.now() < until) {
    for (const frame of page.frames()) {
      if (!frame.url().endsWith(path)) continue;
      const content = await frame.content().catch(() => ''); // it may be navigating
      if (content.includes(text)) return frame;
    }
    await sleep(100);
  }
  const frames = page.frames().map((frame) => frame.url());
  throw new Error(`${text} did not appear at ${path}; the viewer shows ${frames.join(', ')}`);
}

/** ReplayWeb.page as embedded in a site, from this machine only. */
async function serveViewer(wacz: string, url: string): Promise<Server> {
  const { path: viewer } = await foreignMaterial('replayWebPage');
  const page = `<!doctype html><script src="/ui.js"></script><style>replay-web-page { display: block; height: 700px }</style>
<replay-web-page source="/site.wacz" url="${url}" replayBase="/replay/" embed="default"></replay-web-page>`;
  const files: Record<string, readonly [type: string, bytes: Buffer]> = {
    '/': ['text/html', Buffer.from(page)],
    '/ui.js': ['text/javascript', readFileSync(join(viewer, 'ui.js'))],
    '/replay/sw.js': ['text/javascript', readFileSync(join(viewer, 'sw.js'))],
    '/site.wacz': ['application/wacz', readFileSync(wacz)],
  };
  const server = createServer((request, response) => {
    const found = files[(request.url ?? '/').split('?')[0]];
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    const [type, bytes] = found;
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
    const start = range
      ? range[1] === ''
        ? bytes.length - Number(range[2])
        : Number(range[1])
      : 0;
    const end = range && range[1] !== '' && range[2] !== '' ? Number(range[2]) + 1 : bytes.length;
    const part = bytes.subarray(Math.max(0, start), end);
    response.writeHead(range ? 206 : 200, {
      'content-type': type,
      'content-length': part.length,
      'accept-ranges': 'bytes',
      ...(range && {
        'content-range': `bytes ${start}-${start + part.length - 1}/${bytes.length}`,
      }),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

export async function run([screenshot]: string[]): Promise<void> {
  const { path, why } = await foreignMaterial('replayWebPage');
  if (!path) {
    process.stderr.write(`skipped: there is no ReplayWeb.page (${why})\n`);
    return;
  }
  for (const way of ['gzip', 'zstd', 'rendered'] as const) {
    const isRendered = way === 'rendered';
    const { seen, leaked } = await replay(isRendered ? 'gzip' : way, screenshot, isRendered);
    for (const text of seen) console.log(`replayed ${text} (${way})`);
    for (const url of leaked) console.log(`the browser requested ${url} from the site itself`);
    if (leaked.length > 0) process.exitCode = 1;
  }
}
