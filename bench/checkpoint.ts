/**
 * What checkpoints cost: processor time and throughput of the same crawl, with a checkpoint every
 * few seconds and with none before the end.
 *
 *   npm run bench -- checkpoint [--every 10s] [--pages 60k] [--runs 3] [--agents 2]
 *                               [--domains 2000]
 *
 * The web runs in its own process, and only the crawler's processor time counts. Runs with and
 * without checkpoints take turns, so that a busy machine affects both; the best of each is
 * compared, since disturbances only add.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseCount } from '../src/base/units.ts';
import { BIN, startWeb, type Web } from './web/start.ts';

const NEVER = '10h';

interface Result {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssBytes: number;
  /** Checkpoints of all agents together. */
  readonly checkpoints: number;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      every: { type: 'string', default: '10s' },
      pages: { type: 'string', default: '60k' },
      runs: { type: 'string', default: '3' },
      agents: { type: 'string', default: '2' },
      domains: { type: 'string', default: '2000' },
    },
  });
  const web = await startWeb(['--domains', values.domains, '--pages', '60']);
  const results = new Map<string, Result[]>([values.every, NEVER].map((every) => [every, []]));
  try {
    for (let i = 0; i < Number(values.runs); i++) {
      for (const [every, list] of results) {
        const limits = ['--max-pages', String(parseCount(values.pages)), '--agents', values.agents];
        list.push(crawl(web, [...limits, '--checkpoint', every]));
      }
    }
  } finally {
    web.process.kill();
  }
  print(results);
}

const cost = ({ cpuSeconds, pages }: Result): number => (1e6 * cpuSeconds) / pages;
const pace = ({ seconds, pages }: Result): number => pages / seconds;

function print(results: ReadonlyMap<string, readonly Result[]>): void {
  console.table(
    [...results].map(([every, list]) => ({
      checkpoint: every === NEVER ? 'at the end only' : `every ${every}`,
      written: list.map(({ checkpoints }) => checkpoints).join(' '),
      'µs of processor a page': list.map((result) => cost(result).toFixed(0)).join(' '),
      'pages a second': list.map((result) => formatCount(pace(result))).join(' '),
      memory: formatBytes(Math.max(...list.map(({ maxRssBytes }) => maxRssBytes))),
    })),
  );
  const [often, never] = [...results.values()];
  const least = (list: readonly Result[]) => Math.min(...list.map(cost));
  const most = (list: readonly Result[]) => Math.max(...list.map(pace));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  console.log(
    `Best against best, checkpoints cost ${percent(least(often) / least(never) - 1)} of processor time and ${percent(1 - most(often) / most(never))} of throughput.`,
  );
}

function crawl({ dns, seeds }: Web, limits: readonly string[]): Result {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  const dir = join(folder, 'crawl');
  const flags = ['--dir', dir, '--dns', dns, '--allow-private', '--delay', '0', '--json'];
  try {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [BIN, 'crawl', ...seeds, ...flags, ...limits],
      {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    );
    if (stdout === '') throw new Error(`the crawl printed nothing: ${stderr}`);
    return { ...JSON.parse(stdout), checkpoints: checkpointsIn(dir) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkpointsIn(dir: string): number {
  const agents = readdirSync(join(dir, 'agents'));
  const read = (agent: string) =>
    readFileSync(join(dir, 'agents', agent, 'checkpoint.json'), 'utf8');
  return agents.reduce((sum, agent) => sum + JSON.parse(read(agent)).sequence, 0);
}
