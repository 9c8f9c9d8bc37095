/**
 * The frontier as the servers see it, and as the machine sees it.
 *
 *   npm run bench -- frontier politeness [--seconds 600] [--domains 90000] [--pages 8]
 *                                        [--addresses 500] [--agents 2]
 *     a crawl of many hosts on few addresses, judged from the server's log: how close do two
 *     requests to one host, or to one address, ever come? Was every page allowed by robots.txt, as
 *     another parser reads it?
 *   npm run bench -- frontier delay [--seconds 30] [--domains 60000]
 *     throughput against delay (BUbiNG, Figure 4): the front grows, the throughput should not fall
 *   npm run bench -- frontier backlog [--urls 20M] [--hosts 1M] [--links 60] [--agents 2]
 *                                     [--plot memory.svg]
 *     a crawl that discovers far more than it fetches: memory against URLs discovered
 *
 * The web runs in its own process; everything stays on loopback.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseCount } from '../src/base/units.ts';
import { judge } from './frontier/judge.ts';
import { memoryPlot } from './frontier/memory-plot.ts';
import { BIN, startServer, startWeb, type Web } from './web/start.ts';

interface Sample {
  readonly seconds: number;
  readonly pages: number;
  readonly waiting: number;
  readonly known: number;
  readonly hosts: number;
  readonly front: number;
  readonly rss: number;
}

const MILLION = 1_000_000;

type Experiment = (flags: Readonly<Record<string, string>>, folder: string) => Promise<void>;

const EXPERIMENTS: Readonly<Record<string, Experiment>> = { politeness, delay, backlog };

export async function run(args: string[]): Promise<void> {
  const [name, ...rest] = args;
  const experiment = EXPERIMENTS[name];
  if (!experiment)
    throw new Error(`usage: npm run bench -- frontier ${Object.keys(EXPERIMENTS).join(' | ')}`);
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: rest,
    options: {
      seconds: text,
      domains: text,
      addresses: text,
      agents: text,
      urls: text,
      hosts: text,
      pages: text,
      links: text,
      delays: text,
      plot: text,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-frontier-'));
  try {
    await experiment(values as Record<string, string>, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function politeness(flags: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const {
    seconds = '600',
    domains = '90000',
    pages = '8',
    addresses = '500',
    agents = '2',
  } = flags;
  const log = join(folder, 'access.jsonl');
  // Small sites, so that many hosts have their turn; and no invented hosts, which would take it
  // from the others.
  const shape = [
    '--scenario',
    'mixed',
    '--domains',
    domains,
    '--pages',
    pages,
    '--mix',
    'wildcard=0',
  ];
  const web = await startWeb([
    ...shape,
    '--addresses',
    addresses,
    '--log',
    log,
    '--ca-file',
    join(folder, 'ca.pem'),
  ]);
  const crawl = crawler(web, folder, [
    ...[
      '--delay',
      '1500ms',
      '--address-delay',
      '500ms',
      '--max-time',
      `${seconds}s`,
      '--agents',
      agents,
    ],
    ...['--ca', join(folder, 'ca.pem'), '--fetches', '512'],
  ]);
  const summary = await crawl.finished;
  web.process.kill();
  const ports = { http: web.httpPort, https: web.httpsPort, dns: 0, control: 0 };
  const verdict = await judge(
    log,
    { scenario: 'mixed', domains: Number(domains), pages: Number(pages), mix: { wildcard: 0 } },
    ports,
    {
      host: 1500,
      address: 500,
    },
  );
  console.log(
    JSON.stringify({ pages: summary.pages, seconds: summary.seconds, maxRss: summary.maxRssBytes }),
  );
  console.log(JSON.stringify(verdict, null, 2));
}

async function delay(flags: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const {
    seconds = '30',
    domains = '60000',
    agents = '1',
    delays = '0,500/62,1000/125,2000/250,4000/500,8000/1000',
  } = flags;
  console.log(
    '| host delay | address delay | pages/s | pages per CPU-second | front at the end | memory |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const [i, pair] of delays.split(',').entries()) {
    const [host, address = '0'] = pair.split('/');
    const web = await startWeb([
      '--scenario',
      'clean',
      '--domains',
      domains,
      '--addresses',
      '40000',
    ]);
    const dir = join(folder, `delay-${i}`);
    const crawl = crawler(web, dir, [
      ...['--delay', `${host}ms`, '--address-delay', `${address}ms`, '--max-time', `${seconds}s`],
      ...['--agents', agents, '--fetches', '512'],
    ]);
    const summary = await crawl.finished;
    web.process.kill();
    // The first third is for the start: from a few seeds to a front of full size.
    const from =
      crawl.samples.find((sample) => sample.seconds >= Number(seconds) / 3) ?? crawl.samples[0];
    const to = crawl.samples.at(-1) as Sample;
    const rate = (to.pages - from.pages) / (to.seconds - from.seconds);
    console.log(
      `| ${host} ms | ${address} ms | ${rate.toFixed(0)} | ${summary.pagesPerCpuSecond.toFixed(0)} | ${formatCount(to.front)} | ${formatBytes(summary.maxRssBytes)} |`,
    );
  }
}

async function backlog(flags: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const urls = parseCount(flags.urls ?? '20M');
  const { hosts = '1M', links = '60', agents = '2' } = flags;
  const web = await startWide(String(parseCount(hosts)), links);
  const crawl = crawler(web, folder, [
    '--delay',
    '1s',
    '--address-delay',
    '0',
    '--agents',
    agents,
    '--fetches',
    '64',
  ]);
  let next = 0;
  console.log(
    '| links discovered | decided to be new | hosts discovered | pages | queued | memory |',
  );
  console.log('|---|---|---|---|---|---|');
  crawl.onSample = ({ known, hosts: discovered, pages, waiting, rss }) => {
    // Hardly any links repeat; whether they are new is decided a few million at a time.
    const found = pages * Number(links);
    if (found < next) return;
    next = found + urls / 40;
    const counts = [found, known, discovered, pages, waiting].map((count) => formatCount(count));
    console.log(`| ${counts.join(' | ')} | ${formatBytes(rss)} |`);
    if (known >= urls) crawl.process.kill('SIGINT');
  };
  const summary = await crawl.finished;
  web.process.kill();
  const { samples } = crawl;
  if (flags.plot)
    writeFileSync(
      flags.plot,
      memoryPlot(samples.map(({ pages, rss }) => [pages * Number(links), rss])),
    );
  console.log(growth('links were found', samples, urls, ({ pages }) => pages * Number(links)));
  console.log(growth('URLs were decided to be new', samples, urls, ({ known }) => known));
  console.log(JSON.stringify(summary));
}

/** Memory after the first million was counted, and after all were. */
function growth(
  what: string,
  samples: readonly Sample[],
  all: number,
  count: (sample: Sample) => number,
): string {
  const [first, last] = [MILLION, all].map((least) =>
    samples.find((sample) => count(sample) >= least),
  );
  if (!first || !last) return `fewer than ${formatCount(all)} ${what}`;
  const [before, after] = [first, last].map(
    ({ rss, seconds }) => `${formatBytes(rss)} after ${seconds.toFixed(0)} s`,
  );
  return `when ${formatCount(MILLION)} ${what}: ${before}; when ${formatCount(all)} were: ${after}, ${(last.rss / first.rss).toFixed(2)} times as much`;
}

/** The crawler in its own process, and what it prints while it runs. */
function crawler(web: Web, folder: string, flags: readonly string[]) {
  const seeds = join(tmpdir(), `drumlin-frontier-seeds-${process.pid}.txt`);
  writeFileSync(seeds, web.seeds.join('\n'));
  const args = [
    BIN,
    'crawl',
    seeds,
    '--dir',
    join(folder, 'crawl'),
    '--dns',
    web.dns,
    '--allow-private',
    '--json',
    // Budgets are not part of the frontier.
    '--order',
    'bfs',
  ];
  const child = spawn(process.execPath, [...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const startedAt = Date.now();
  const samples: Sample[] = [];
  const observer: { onSample?: (sample: Sample) => void } = {};
  createInterface({ input: child.stderr }).on('line', (line) => {
    const sample = readLine(line, child.pid as number, startedAt);
    if (!sample) return process.stderr.write(`${line}\n`);
    samples.push(sample);
    return observer.onSample?.(sample);
  });
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  const finished = new Promise<Record<string, number>>((resolve, reject) => {
    child.on('close', () => {
      rmSync(seeds, { force: true });
      try {
        resolve(JSON.parse(output));
      } catch {
        reject(new Error(`the crawl printed nothing: ${output}`));
      }
    });
  });
  return Object.assign(observer, { process: child, samples, finished });
}

const LINE =
  /^[\d.]+ [^:]+: ([\d,]+) pages .*?, ([\d,]+) queued of ([\d,]+) URLs discovered, .*? front ([\d,]+) of ([\d,]+) hosts/;

/** A line of plain progress. */
function readLine(line: string, pid: number, startedAt: number): Sample | undefined {
  const match = LINE.exec(line);
  if (!match) return undefined;
  const [pages, waiting, known, front, hosts] = match
    .slice(1)
    .map((n) => Number(n.replaceAll(',', '')));
  return {
    seconds: (Date.now() - startedAt) / 1000,
    pages,
    waiting,
    known,
    hosts,
    front,
    rss: residentBytes(pid),
  };
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
}

const startWide = (hosts: string, links: string) =>
  startServer([
    '--import',
    'tsx',
    join(import.meta.dirname, 'frontier', 'wide-web.ts'),
    hosts,
    links,
  ]);
