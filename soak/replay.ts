/**
 * A crawl of a small site, packed as a WACZ, shown by ReplayWeb.page in a real browser after the
 * site is gone. Do its pages come back, including revisits, and do links between them work? It runs
 * once with an archive in gzip and once in zstd, which browsers cannot read, so the WACZ has it in
 * gzip.
 *
 * `npm run soak -- replay [screenshot.png]`. It needs a Chromium (`CHROMIUM`, or one on the path)
 * and, once, `npm install --prefix bench/peers/replay --ignore-scripts`. Without them it prints
 * what is missing and exits with 0.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Compression } from '../src/archive/compress/compression.ts';
import { Archive } from '../src/archive/index/archive.ts';
import { writeWacz } from '../src/archive/tools/wacz.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { startCrawl } from '../src/crawl/crawl.ts';
import { Disk } from '../src/disk/disk.ts';
import { startSmallSite } from '../test/crawl/small-site.ts';

const PEERS = join(import.meta.dirname, '../bench/peers/replay/node_modules');
const WAIT = 60_000;

/** The part of playwright-core that is used; it is installed only where this runs. */
interface Frame {
  content(): Promise<string>;
  url(): string;
  click(selector: string): Promise<void>;
}
interface Page {
  goto(url: string): Promise<unknown>;
  frames(): Frame[];
  screenshot(options: { path: string }): Promise<unknown>;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
}
interface Playwright {
  chromium: {
    launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  };
}

export interface ReplayReport {
  /** Texts found on the pages, in the order of the search. */
  readonly seen: string[];
  /** Requests of the browser to the site itself; there must be none. */
  readonly leaked: string[];
}

/** What is missing for a replay; undefined if nothing is. */
export function missingForReplay(): string | undefined {
  if (!chromium()) return 'there is no Chromium';
  for (const part of ['playwright-core/index.mjs', 'replaywebpage/ui.js', 'replaywebpage/sw.js']) {
    if (!existsSync(join(PEERS, part))) return `bench/peers/replay has no ${part}`;
  }
  return undefined;
}

function chromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
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

export async function replay(compress: Compression, screenshot?: string): Promise<ReplayReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-replay-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const site = await startSmallSite(SITE);
    const dir = join(folder, 'crawl');
    const config = resolveConfig({ dir, agents: 1, allowPrivate: true, delay: 0, compress });
    const { revisits } = await (await startCrawl([`${site.origin}/`], config, { here: true }))
      .finished;
    if (revisits !== 1) throw new Error(`${revisits} revisits instead of 1`);
    await site.close();
    const disk = new Disk();
    const wacz = join(folder, 'site.wacz');
    await writeWacz(disk, await Archive.open(disk, dir), wacz, {
      now: Date.now(),
      mainUrl: `${site.origin}/`,
    });
    const viewer = await serveViewer(wacz, `${site.origin}/`);
    closing.push(() => new Promise((done) => viewer.close(done).closeAllConnections()));
    const { chromium: browsers } = (await import(
      pathToFileURL(join(PEERS, 'playwright-core/index.mjs')).href
    )) as Playwright;
    const browser = await browsers.launch({ executablePath: chromium(), args: ['--no-sandbox'] });
    closing.push(() => browser.close());
    const page = await browser.newPage();
    const leaked: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(site.origin)) leaked.push(request.url());
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
  const page = `<!doctype html><script src="/ui.js"></script><style>replay-web-page { display: block; height: 700px }</style>
<replay-web-page source="/site.wacz" url="${url}" replayBase="/replay/" embed="default"></replay-web-page>`;
  const files: Record<string, readonly [type: string, bytes: Buffer]> = {
    '/': ['text/html', Buffer.from(page)],
    '/ui.js': ['text/javascript', readFileSync(join(PEERS, 'replaywebpage/ui.js'))],
    '/replay/sw.js': ['text/javascript', readFileSync(join(PEERS, 'replaywebpage/sw.js'))],
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
  const missing = missingForReplay();
  if (missing) {
    process.stderr.write(`skipped: ${missing}\n`);
    return;
  }
  for (const compress of ['gzip', 'zstd'] as const) {
    const { seen, leaked } = await replay(compress, screenshot);
    for (const text of seen) console.log(`replayed ${text} (${compress})`);
    for (const url of leaked) console.log(`the browser requested ${url} from the site itself`);
    if (leaked.length > 0) process.exitCode = 1;
  }
}
