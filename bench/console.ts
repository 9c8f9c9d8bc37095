/**
 * The console over a crawl with very many domains and captures: CPU time of the server for each
 * view, and the memory of server and page.
 *
 *   npm run bench -- console [DOMAINS] [CAPTURES]
 *
 * The folder is made with the parts of a crawl itself: a checkpoint with records of domains, and a
 * sorted index; no page is fetched.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from '../scripts/page.ts';
import { cdxjLine } from '../src/archive/index/cdxj.ts';
import { writeIndex } from '../src/archive/index/index-file.ts';
import { archiveDir, indexDir } from '../src/archive/index/index-merge.ts';
import { surt } from '../src/archive/index/surt.ts';
import { systemClock } from '../src/base/clock.ts';
import { xxh64 } from '../src/base/xxh64.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { serveConsole } from '../src/console/server.ts';
import { Counters } from '../src/crawl/record/counters.ts';
import { AgentFolder } from '../src/crawl/state/agent-folder.ts';
import { CrawlFolder } from '../src/crawl/state/crawl-folder.ts';
import { encodeImage } from '../src/crawl/state/memory-image.ts';
import { Disk } from '../src/disk/disk.ts';
import { newRecord } from '../src/reputation/budget/domain-record.ts';
import { withBrowser } from '../test/browser.ts';

const TOKEN = 'a-token-for-the-bench';

export async function run([domains = '1000000', captures = '1000000']: string[]): Promise<void> {
  const dir = join(mkdtempSync(join(tmpdir(), 'bench-console-')), 'crawl');
  try {
    await makeCrawl(dir, Number(domains), Number(captures));
    await measure(dir);
  } finally {
    rmSync(join(dir, '..'), { recursive: true, force: true });
  }
}

const domainAt = (i: number): string => `site-${i.toString(36)}.example`;

async function makeCrawl(dir: string, domains: number, captures: number): Promise<void> {
  const disk = new Disk();
  const config = resolveConfig({ dir, agents: 1, allowPrivate: true });
  const folder = await CrawlFolder.open(disk, config, ['http://a.example/'], systemClock);
  await folder.begin(config, 1, ['http://a.example/']);
  const agent = await AgentFolder.open(disk, 0, config);
  const book = agent.reputation?.book;
  if (!book) throw new Error('A crawl with budgets has a book.');
  for (let i = 0; i < domains; i++) {
    const record = newRecord(domainAt(i), 1_700_000_000 + i);
    Object.assign(record, {
      inDegree: i % 9973,
      supporters: (i * 7) % 99_991,
      budget: 10 + (i % 1000),
      pages: i % 37,
      urls: i % 91,
    });
    book.put(xxh64(record.name), record);
    if (i % 10_000 === 0) await book.write();
  }
  await book.flush();
  while (await book.take());
  const image = encodeImage({
    frontier: new Uint8Array(),
    transport: { agent: 0, agents: 1, received: [0], unacknowledged: [] },
    discovered: [],
  });
  const state = {
    ...{ savedAt: Date.now(), waiting: 0, counters: { ...new Counters() }, taken: 0, seeds: 1 },
    ...{ frontier: { hostsSeen: domains, domainsSeen: domains, required: 0, allHere: true } },
    ...{ moved: [], archive: [] },
  };
  await agent.save(image, state, async () => {});
  await agent.close();
  await folder.close();
  await disk.makeFolder(archiveDir(dir));
  writeFileSync(join(archiveDir(dir), 'a.warc.gz'), '');
  await disk.makeFolder(indexDir(dir));
  await writeIndex(disk, indexDir(dir), indexLines(captures), false);
}

async function* indexLines(captures: number): AsyncGenerator<string[]> {
  const lines = Array.from({ length: captures }, (_, i) => {
    const url = `http://${domainAt(i % 50_000)}/page/${i}`;
    const place = { digest: 'A'.repeat(32), length: 5000, offset: i, filename: 'a.warc.gz' };
    const facts = {
      key: surt(url),
      timestamp: '20260314150926',
      url,
      mime: 'text/html',
      status: '200',
    };
    return cdxjLine({ ...facts, ...place }).slice(0, -1);
  }).sort();
  for (let at = 0; at < lines.length; at += 1000) yield lines.slice(at, at + 1000);
}

async function measure(dir: string): Promise<void> {
  const served = await serveConsole({
    ...{ places: [dir], page: (await buildPage()).html, port: 0, token: TOKEN, stays: false },
  });
  const ask = async (path: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${served.port}/api/v1/crawls/crawl/${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { length } = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return length;
  };
  const views = [
    'domains',
    'domains?sort=fetched',
    'domains?sort=domain&reverse=true',
    'domains?contains=site-zz',
    'domains?sort=in&from=5000',
    `domains/${domainAt(777)}`,
    'status',
    'history',
    'hosts',
    'settings',
    'log',
    `url?url=${encodeURIComponent(`http://${domainAt(3)}/page/3`)}`,
    'captures',
    `captures?prefix=${encodeURIComponent(`http://${domainAt(40_000)}/`)}`,
  ];
  const cpu = async (path: string): Promise<number> => {
    const before = process.cpuUsage();
    await ask(path);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const before = process.cpuUsage();
  // The server answers that it is still reading.
  while (!(await ask('domains').catch(() => 0)));
  const { user } = process.cpuUsage(before);
  console.log(`first reading of the domains: ${(user / 1000).toFixed(0)} ms CPU`);
  for (const path of views) {
    const first = await cpu(path);
    const again = Math.min(await cpu(path), await cpu(path));
    const shown = [first, again].map((millis) => `${millis.toFixed(0).padStart(6)} ms`);
    console.log(`${shown.join(' first,')} CPU again  ${path.slice(0, 70)}`);
  }
  console.log(`server: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB`);
  await withBrowser(async (page) => {
    await page.goto(served.url);
    for (const view of ['overview', 'domains', 'archive', 'settings', 'log', 'domains']) {
      await page.goto(`http://127.0.0.1:${served.port}/#/crawl/${view}`);
      await page.getByRole('heading').first().waitFor();
    }
    const heap = await page.evaluate('performance.memory.usedJSHeapSize');
    console.log(`page: ${(Number(heap) / 1e6).toFixed(0)} MB of JavaScript objects`);
  });
  await served.close();
}
