/**
 * Rendering, for longer than a test may take: does it find what scripts make, does hostile code
 * stay alone, does any packet or any browser get out?
 *
 *   npm run soak -- render truth [domains] [pages]     links found against truth, pages rendered
 *   npm run soak -- render hostile [pages]             memory and processes over hostile pages
 *   npm run soak -- render orphan                      browsers after `kill -9` of a crawl
 *   npm run soak -- render namespace [domains] [pages] a browser in a network namespace of its own
 *   npm run soak -- render packets                     what the browser sends, under strace(1)
 *   npm run soak -- render sandbox                     a page in each browser, with its sandbox
 *
 * `orphan` needs `npm run build`; `namespace` needs unshare(1) and the right to use it, and prints
 * what is missing otherwise. All need a Chromium (docs/render.md).
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Archive } from '../src/archive/index/archive.ts';
import { renderedPageOf } from '../src/archive/warc/rendered-records.ts';
import { systemClock } from '../src/base/clock.ts';
import { formatBytes } from '../src/base/units.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { startCrawl } from '../src/crawl/crawl.ts';
import { Disk } from '../src/disk/disk.ts';
import { scriptOf } from '../src/lab/behaviour.ts';
import { pageOf } from '../src/lab/paths.ts';
import { scenarioOf } from '../src/lab/scenario.ts';
import { SCRIPTED, scriptedPage } from '../src/lab/scripted/scripted-page.ts';
import { startLab } from '../src/lab/server/lab.ts';
import { Web } from '../src/lab/web.ts';
import { parsePage } from '../src/parse/page.ts';
import { BrowserPool, shareRenderSlots } from '../src/render/browser-pool.ts';
import { findBrowser } from '../src/render/find-browser.ts';
import { hostOf, pathOf } from '../src/url/parts.ts';
import { packets } from './render/packets.ts';
import { sandbox } from './render/sandbox.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
/** Containers seldom have the namespaces that Chromium's sandbox needs. */
const FLAGS = ['no-sandbox', 'no-zygote'];
const BROWSERS = 4;

export async function run([mode = 'truth', ...rest]: string[]): Promise<void> {
  const [first, second] = rest.map(Number);
  if (mode === 'truth') await truth(first || 30, second || 6);
  else if (mode === 'hostile') await hostile(first || 1000);
  else if (mode === 'orphan') await orphan();
  else if (mode === 'packets') await packets(FLAGS);
  else if (mode === 'sandbox') await sandbox();
  else if (mode === 'namespace') await namespace(first || 12, second || 4);
  else throw new Error(`there is no "${mode}"`);
}

/** Crawls a scripted web, and compares the links of its pages with those of the plain web. */
async function truth(domains: number, pages: number, browser = ''): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'drumlin-render-'));
  // Addresses of their own: hosts that share one take turns, also while a page is rendered.
  const lab = await startLab({ scenario: 'scripted', domains, pages, seed: 3 });
  const plain = new Web({
    ...{ seed: 3, step: 0, domains, pages, realSuffixes: false, scenario: scenarioOf('clean') },
    ...{ httpPort: lab.ports.http, httpsPort: lab.ports.https },
  });
  const found = { truth: 0, seen: 0, made: 0, plain: 0 };
  const missed = new Map<string, number>();
  try {
    const config = resolveConfig({
      ...{ dir, agents: 1, delay: 0, dns: [lab.dns], allowPrivate: ['127.0.0.0/8'], browser },
      // Pages wait much and compute little: several browsers share the processors.
      ...{ render: 'auto', renderTime: 4000, browsers: BROWSERS, browserFlags: FLAGS },
      exclude: ['*/go/*'],
    });
    const run = await startCrawl([...lab.web.allUrls()].slice(0, 1), config, {
      here: true,
      onPage: ({ url, status, links }) => {
        const place = lab.web.placeOf(hostOf(url));
        if (status !== 200 || !place) return;
        const page = pageOf(place.domain, Math.max(0, place.host), pathOf(url));
        if (page < 0) return;
        const way = scriptOf(place.domain, page);
        if (!way) found.plain++;
        if (!way) return;
        found.made++;
        const has = new Set(links.map((link) => link.url));
        for (const link of linksOf(plain, url)) {
          found.truth++;
          if (has.has(link)) found.seen++;
          else missed.set(way, (missed.get(way) ?? 0) + 1);
        }
      },
    });
    const { render, pages: fetched, seconds } = await run.finished;
    const rendered = await renderedIn(dir);
    const madeAndRendered = rendered.filter((url) => isMade(lab.web, url)).length;
    const all = [...lab.web.allUrls()].length;
    console.log(`${fetched} pages in ${seconds.toFixed(0)} s; the web has ${all}`);
    console.log(`made by scripts: ${found.made} pages, ${madeAndRendered} of them rendered`);
    console.log(
      `links of these: ${found.seen} of ${found.truth} (${share(found.seen, found.truth)})`,
    );
    console.log(
      `plain: ${found.plain} pages, ${rendered.length - madeAndRendered} rendered for nothing`,
    );
    console.log('missed:', Object.fromEntries(missed), 'counters:', render);
    if (found.seen < 0.98 * found.truth) process.exitCode = 1;
    if (rendered.length - madeAndRendered > 0.05 * found.plain) process.exitCode = 1;
  } finally {
    await lab.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

function isMade(web: Web, url: string): boolean {
  const place = web.placeOf(hostOf(url));
  if (!place) return false;
  if (place.domain.behaviour('script') && pathOf(url).startsWith('/go/')) return true;
  const page = pageOf(place.domain, Math.max(0, place.host), pathOf(url));
  return page >= 0 && scriptOf(place.domain, page) !== undefined;
}

function linksOf(web: Web, url: string): Set<string> {
  const body = web.answer(hostOf(url), pathOf(url))?.body ?? '';
  const { links } = parsePage(Buffer.from(body, 'latin1'), { url, contentType: 'text/html' });
  return new Set(links.map((link) => link.url));
}

async function renderedIn(dir: string): Promise<string[]> {
  const archive = await Archive.open(new Disk(), dir);
  const found: string[] = [];
  for await (const { url } of archive.captures({}, 'urn:pageinfo:'))
    found.push(...[renderedPageOf(url) ?? []].flat());
  return found;
}

/** Renders hostile pages one after the other, and looks at what they leave behind. */
async function hostile(pages: number): Promise<void> {
  const disk = new Disk();
  const program = await findBrowser(disk, '');
  const pool = new BrowserPool({
    ...{ program: async () => program, disk, clock: systemClock, userAgent: 'drumlin-soak' },
    ...{ flags: FLAGS, scriptMemory: 256 * 2 ** 20, slots: shareRenderSlots(1) },
  });
  const ways = SCRIPTED.slice(5);
  const outcomes: Record<string, number> = {};
  const samples: { readonly rss: number; readonly processes: number }[] = [];
  const plain = '<!DOCTYPE html><html><body><a href="/a">a</a></body></html>';
  for (let i = 0; i < pages; i++) {
    const way = ways[i % ways.length];
    const body = Buffer.from(scriptedPage(way, plain));
    const url = `http://host${i % 7}.test/${i}`;
    const response = { status: 200, headers: [['Content-Type', 'text/html']] as const, body };
    const limits = { time: 500, memory: 512 * 2 ** 20, html: 2 ** 20, links: 100 };
    const outcome = await pool
      .render(
        { url, response, answer: async () => undefined, screenshot: false, state: undefined },
        { ...limits, requests: 50, bytes: 2 ** 20 },
      )
      .then((page) => (page.isCut ? 'cut' : page.links.length > 0 ? 'rendered' : 'empty'))
      .catch((error) => error.fault ?? String(error));
    outcomes[`${way} ${outcome}`] = (outcomes[`${way} ${outcome}`] ?? 0) + 1;
    if (i % Math.ceil(pages / 10) === 0 || i === pages - 1)
      samples.push({ rss: process.memoryUsage().rss, processes: descendants(process.pid).length });
  }
  await pool.close();
  await sleep(500);
  const left = descendants(process.pid).filter(isBrowser);
  console.log(`${pages} hostile pages, ${pool.started} browsers`, outcomes);
  for (const { rss, processes } of samples)
    console.log(`  memory of the crawl ${formatBytes(rss)}, processes ${processes}`);
  console.log(`browsers left: ${left.length}; profiles left: ${profiles().length}`);
  if (left.length > 0) process.exitCode = 1;
}

const profiles = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('drumlin-browser-'));

/** Kills a crawl while its browsers compute, and waits for them to end. */
async function orphan(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'drumlin-render-'));
  const lab = await startLab({
    ...{ scenario: 'clean', domains: 10, pages: 5, oneAddress: true, seed: 3 },
    mix: { 'script-loop': 1 },
  });
  const flags = ['--render', 'always', '--browser-flags', FLAGS.join(','), '--delay', '0'];
  const where = ['--dir', dir, '--dns', lab.dns, '--allow-private', '127.0.0.1/32'];
  const args = [DRUMLIN, 'crawl', ...lab.seeds.slice(0, 2), ...flags, ...where];
  const crawl = spawn(process.execPath, args, { stdio: 'ignore' });
  try {
    let browsers: number[] = [];
    for (let i = 0; i < 300 && browsers.length < 4; i++) {
      await sleep(100);
      browsers = descendants(crawl.pid as number).filter(isBrowser);
    }
    await sleep(1500); // into the loop of a page
    browsers = descendants(crawl.pid as number).filter(isBrowser);
    crawl.kill('SIGKILL');
    const killedAt = performance.now();
    let alive = browsers;
    while (alive.length > 0 && performance.now() - killedAt < 10_000) {
      await sleep(20);
      alive = alive.filter((pid) => isBrowser(pid));
    }
    const after = (performance.now() - killedAt).toFixed(0);
    console.log(
      `${browsers.length} browser processes at the kill, ${alive.length} after ${after} ms`,
    );
    if (browsers.length === 0 || alive.length > 0) process.exitCode = 1;
  } finally {
    crawl.kill('SIGKILL');
    await lab.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The same crawl with a browser that has no network at all, not even loopback. */
async function namespace(domains: number, pages: number): Promise<void> {
  if (spawnSync('unshare', ['-n', 'true']).status !== 0) {
    console.log('unshare -n is not allowed here: nothing was tried');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-alone-'));
  const { path, env } = await findBrowser(new Disk(), '');
  const alone = join(folder, 'browser');
  const libraries = env.LD_LIBRARY_PATH ? `export LD_LIBRARY_PATH='${env.LD_LIBRARY_PATH}'\n` : '';
  writeFileSync(alone, `#!/bin/sh\n${libraries}exec unshare -n '${path}' "$@"\n`);
  chmodSync(alone, 0o755);
  try {
    await truth(domains, pages, alone);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The processes that a process has started, and theirs. */
function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(/\) \S (\d+)/.exec(textOf(`/proc/${name}/stat`))?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const child of children.get(next) ?? []) {
      found.push(child);
      open.push(child);
    }
  return found;
}

const isBrowser = (pid: number): boolean => /chrom|headless/i.test(textOf(`/proc/${pid}/cmdline`));

/** Empty for a process that has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
