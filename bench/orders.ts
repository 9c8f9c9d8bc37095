/**
 * What a crawl over real sockets spends its fetches on, in each crawl order.
 *
 *   npm run bench -- orders [--pages 200000] [--domains 20000] [--orders bfs,in,tse] [--agents 2]
 *                         [--delay 400ms] [--address-delay 50ms] [--seed 1]
 *                         [--model examples/spam-model.json]
 *
 * The order `tse+spam` is that of TSE with verdicts of the model.
 *
 * The same spam web is crawled once in each order, and every page in the archive is looked up in
 * the lab's truth. `drumlin lab run` compares the same orders over many more pages, in virtual
 * time; this shows that the crawler behaves like the simulation.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { webOf } from '../src/lab/server/lab.ts';
import type { Web as Truth } from '../src/lab/web.ts';
import { isHonest } from '../src/simulator/tally.ts';
import { BIN, startWeb, type Web } from './web/start.ts';

interface Verdict {
  readonly pages: number;
  readonly spam: number;
  /** Pages of honest domains with status 200. */
  readonly useful: number;
  readonly domains: number;
  readonly cpuSeconds: number;
}

export async function run(args: string[]): Promise<void> {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const;
  const { values } = parseArgs({
    args,
    options: {
      pages: text('200000'),
      domains: text('20000'),
      orders: text('bfs,in,tse'),
      agents: text('2'),
      fetches: text('64'),
      delay: text('400ms'),
      'address-delay': text('50ms'),
      seed: text('1'),
      model: text('examples/spam-model.json'),
    },
  });
  const web = await startWeb([
    ...['--scenario', 'spam', '--seed', values.seed, '--domains', values.domains],
  ]);
  const ports = { http: web.httpPort, https: web.httpsPort, dns: 0, control: 0 };
  const seed = Number(values.seed);
  const truth = webOf({ scenario: 'spam', seed, domains: Number(values.domains) }, ports);
  const flags = [
    ...['--max-pages', values.pages, '--agents', values.agents, '--fetches', values.fetches],
    ...['--delay', values.delay, '--address-delay', values['address-delay']],
  ];
  try {
    console.log(
      '| order | pages | of spam kinds | useful | domains | processor seconds |\n|---|---|---|---|---|---|',
    );
    for (const order of values.orders.split(',')) {
      const { pages, spam, useful, domains, cpuSeconds } = await crawl(web, truth, [
        ...flags,
        ...orderFlags(order, values.model),
      ]);
      const share = (part: number) => `${((100 * part) / pages).toFixed(1)} %`;
      console.log(
        `| ${order} | ${pages} | ${share(spam)} | ${share(useful)} | ${domains} | ${cpuSeconds.toFixed(1)} |`,
      );
    }
  } finally {
    web.process.kill();
  }
}

function orderFlags(order: string, model: string): string[] {
  if (order === 'bfs') return ['--order', 'bfs'];
  const [rank, spam] = order.split('+');
  return ['--order', 'budget', '--rank', rank, ...(spam === undefined ? [] : ['--spam', model])];
}

async function crawl(
  { dns, seeds }: Web,
  truth: Truth,
  flags: readonly string[],
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  const dir = join(folder, 'crawl');
  try {
    const args = [
      BIN,
      'crawl',
      ...seeds,
      '--dir',
      dir,
      '--dns',
      dns,
      '--allow-private',
      '--json',
      ...flags,
    ];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    const { cpuSeconds } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    return { ...(await judged(dir, truth)), cpuSeconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judged(dir: string, truth: Truth): Promise<Omit<Verdict, 'cpuSeconds'>> {
  const verdict = { pages: 0, spam: 0, useful: 0 };
  const domains = new Set<string>();
  const list = spawn(process.execPath, [BIN, 'archive', 'list', dir, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: list.stdout })) {
    const { url, status } = JSON.parse(line);
    const { hostname, pathname } = new URL(url);
    const domain = truth.placeOf(hostname)?.domain;
    if (!domain || pathname === '/robots.txt') continue;
    domains.add(domain.name);
    verdict.pages++;
    if (domain.kind.spam) verdict.spam++;
    if (isHonest(domain.kind) && Number(status) === 200) verdict.useful++;
  }
  return { ...verdict, domains: domains.size };
}
