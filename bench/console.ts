/**
 * The console over a crawl with very many domains and captures: CPU time of the server for each
 * view, and the memory of server and page.
 *
 *   npm run bench -- console [DOMAINS] [CAPTURES] [FOLDER]
 *
 * A folder that is named is kept, and used again.
 *
 * The folder is made with the parts of a crawl itself: a checkpoint with records of domains and ten
 * links from each, and an index of captures; no page is fetched. The server is a process of its
 * own. It is measured twice: with the sorted index of a crawl that has ended, and with the parts of
 * one that runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { cdxjLine } from '../src/archive/index/cdxj.ts';
import { INDEX_FILES, writeIndex } from '../src/archive/index/index-file.ts';
import { archiveDir, indexDir, partsDir } from '../src/archive/index/index-merge.ts';
import { partName } from '../src/archive/index/index-part.ts';
import { surt } from '../src/archive/index/surt.ts';
import { systemClock } from '../src/base/clock.ts';
import { xxh64 } from '../src/base/xxh64.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { Counters } from '../src/crawl/record/counters.ts';
import { AgentFolder } from '../src/crawl/state/agent-folder.ts';
import { CrawlFolder } from '../src/crawl/state/crawl-folder.ts';
import { encodeImage } from '../src/crawl/state/memory-image.ts';
import { Disk } from '../src/disk/disk.ts';
import { newRecord } from '../src/reputation/budget/domain-record.ts';
import type { DomainEdges } from '../src/reputation/edges/domain-edges.ts';
import { withBrowser } from '../test/browser.ts';

const TOKEN = 'a-token-for-the-bench';
const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const WARC = 'a.warc.gz';
const TIME = '20260314150926';
/** Domains with captures, forty each of a million. */
const DOMAINS_FETCHED = 25_000;
/** The one whose pages are there. */
const SHOWN = 777;

export async function run([
  domains = '1000000',
  captures = '1000000',
  kept,
]: string[]): Promise<void> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'bench-console-'));
  const dir = join(folder, 'crawl');
  try {
    if (!existsSync(dir)) await makeCrawl(dir, Number(domains), Number(captures));
    await measure(dir, 'stopped');
    // A crawl that runs has only the parts of its index.
    const [index, aside] = [INDEX_FILES.plain, 'aside'].map((name) => join(indexDir(dir), name));
    renameSync(index, aside);
    await measure(dir, 'running').finally(() => renameSync(aside, index));
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
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
  const edges = agent.reputation?.edges;
  if (!edges) throw new Error('A crawl with budgets has edges.');
  await addLinks(edges, domains);
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
  await disk.makeFolder(indexDir(dir));
  const lines = writeCaptures(join(archiveDir(dir), WARC), captures);
  await disk.makeFolder(partsDir(dir));
  writeFileSync(join(partsDir(dir), partName(WARC)), lines.join(''));
  const sorted = lines.map((line) => line.slice(0, -1)).sort();
  await writeIndex(disk, indexDir(dir), inBatches(sorted), false);
}

/** Ten links from each domain; few domains have most of them, one of them a thirtieth. */
async function addLinks(edges: DomainEdges, domains: number): Promise<void> {
  const keys = BigUint64Array.from({ length: domains }, (_, i) => xxh64(domainAt(i)));
  let seed = 1;
  for (let i = 0; i < domains; i++) {
    for (let k = 0; k < 10; k++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      edges.add(keys[Math.floor(domains * (seed / 2 ** 32) ** 4)], keys[i]);
    }
    if (i % 10_000 === 0) await edges.write();
  }
  await edges.flush();
  while (await edges.take());
}

/** Lines of an index for all captures; the pages of one domain are there. */
function writeCaptures(path: string, captures: number): string[] {
  const members: Buffer[] = [];
  let offset = 0;
  const lines = Array.from({ length: captures }, (_, i) => {
    const of = i % DOMAINS_FETCHED;
    const url = `http://${domainAt(of)}/page/${i}`;
    const member = of === SHOWN ? gzipSync(recordAt(url, i)) : undefined;
    if (member) members.push(member);
    const line = cdxjLine({
      ...{ key: surt(url), timestamp: TIME, url, mime: 'text/html', status: '200' },
      ...{ digest: 'A'.repeat(32), length: member?.length ?? 5000, offset, filename: WARC },
    });
    offset += member?.length ?? 0;
    return line;
  });
  writeFileSync(path, Buffer.concat(members));
  return lines;
}

async function* inBatches(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < lines.length; at += 1000) yield lines.slice(at, at + 1000);
}

function recordAt(url: string, i: number): string {
  const body = pageAt(url, i);
  const block = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    `WARC-Target-URI: ${url}`,
    'WARC-Date: 2026-03-14T15:09:26Z',
    `WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-${String(i).padStart(12, '0')}>`,
    'Content-Type: application/http;msgtype=response',
    `Content-Length: ${block.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${block}\r\n\r\n`;
}

/** A page of some twenty kilobytes with links to sixty domains. */
function pageAt(url: string, i: number): string {
  const links = Array.from({ length: 60 }, (_, k) => {
    const target = domainAt((i * 61 + k * 101) % 100_000);
    return `<li><a href="http://${target}/">${target}</a> ${'plain words of a page '.repeat(12)}</li>`;
  });
  return `<!doctype html><title>${url}</title><ul>${links.join('\n')}</ul>`;
}

async function measure(dir: string, state: 'stopped' | 'running'): Promise<void> {
  const server = await Server.start(dir);
  const domain = domainAt(SHOWN);
  const shown = `http://${domain}/page/${SHOWN}`;
  const encoded = encodeURIComponent;
  const views = [
    'domains',
    'domains?sort=fetched',
    'domains?sort=domain&reverse=true',
    'domains?contains=site-zz',
    'domains?contains=e',
    'domains?sort=in&from=5000',
    `domains/${domain}`,
    `graph?domain=${domainAt(0)}`,
    `graph?domain=${domain}`,
    'status',
    'history',
    'hosts',
    'settings',
    'log',
    `url?url=${encoded(shown)}`,
    'captures',
    `captures?prefix=${encoded(`http://${domainAt(20_000)}/`)}`,
    `capture?url=${encoded(shown)}&time=${TIME}`,
  ];
  try {
    console.log(`a ${state} crawl: CPU time of the server, ms; the first time, the least of four`);
    // The first of each starts what is read in the background.
    for (const view of ['domains', `graph?domain=${domainAt(0)}`, 'captures'])
      await server.prepare(view);
    for (const view of views) {
      const first = await server.cpuOf(view);
      const later = Math.min(
        ...[await server.cpuOf(view), await server.cpuOf(view), await server.cpuOf(view)],
      );
      console.log(
        `${first.toFixed(0).padStart(6)} ${later.toFixed(0).padStart(6)}  ${view.slice(0, 70)}`,
      );
    }
    console.log(`server: ${server.memory} MB`);
    if (state === 'stopped') await measurePage(server, domain);
  } finally {
    server.end();
  }
}

/** The server in a process of its own: its CPU time is that of its requests. */
class Server {
  readonly #process: ChildProcess;
  readonly url: string;
  readonly #port: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
    this.#port = new URL(url).port;
  }

  static async start(dir: string): Promise<Server> {
    const child = spawn(process.execPath, [
      DRUMLIN,
      'console',
      dir,
      '--port',
      '0',
      '--token',
      TOKEN,
    ]);
    let text = '';
    for await (const piece of child.stdout) {
      text += piece;
      const [url] = /http:\/\/\S+/.exec(text) ?? [];
      if (url !== undefined) return new Server(child, url);
    }
    throw new Error(`No console: ${text}`);
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }

  view(name: string): string {
    return `http://127.0.0.1:${this.#port}/#/crawl/${name}`;
  }

  /** Of all its threads. */
  get #cpu(): number {
    const tasks = `/proc/${this.#process.pid}/task`;
    const times = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, nanos) => sum + nanos, 0) / 1e6;
  }

  get memory(): string {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1000).toFixed(0);
  }

  async #ask(path: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/api/v1/crawls/crawl/${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    await response.text();
    if (response.status !== 200 && response.status !== 503)
      throw new Error(`${path}: ${response.status}`);
    return response.status;
  }

  async cpuOf(path: string): Promise<number> {
    const before = this.#cpu;
    if ((await this.#ask(path)) !== 200) throw new Error(`${path} is still being read`);
    return this.#cpu - before;
  }

  /** Asks until there is an answer; and meanwhile for the status, which must not wait. */
  async prepare(path: string): Promise<void> {
    const before = this.#cpu;
    const began = performance.now();
    let slowest = 0;
    let isReady = false;
    const waiting = (async () => {
      while ((await this.#ask(path)) !== 200);
      isReady = true;
    })();
    while (!isReady) {
      const asked = performance.now();
      await this.#ask('status');
      slowest = Math.max(slowest, performance.now() - asked);
      await wait(20);
    }
    await waiting;
    const seconds = (performance.now() - began) / 1000;
    const cpu = (this.#cpu - before).toFixed(0);
    console.log(
      `${path}: ready after ${seconds.toFixed(1)} s and ${cpu} ms of CPU; the status took ${slowest.toFixed(0)} ms at most meanwhile`,
    );
  }
}

async function measurePage(server: Server, domain: string): Promise<void> {
  await withBrowser(async (page) => {
    await page.goto(server.url);
    const views = [
      'overview',
      'domains',
      `domains?domain=${domain}`,
      `graph?domain=${domainAt(0)}`,
    ];
    for (const view of [...views, 'hosts', 'archive', 'settings', 'log', 'domains']) {
      await page.goto(server.view(view));
      await page.getByRole('heading').first().waitFor();
      await page.waitForTimeout(500);
    }
    const heap = Number(await page.evaluate('performance.memory.usedJSHeapSize'));
    const session = await page.context().browser()?.newBrowserCDPSession();
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
    const renderer = processInfo.find(({ type }) => type === 'renderer')?.id;
    const used = readFileSync(`/proc/${renderer}/smaps_rollup`, 'utf8');
    const own = [...used.matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce(
      (sum, [, kb]) => sum + Number(kb),
      0,
    );
    console.log(
      `page: ${(heap / 1e6).toFixed(0)} MB of JavaScript objects; its process has ${(own / 1000).toFixed(0)} MB of its own`,
    );
  });
}
