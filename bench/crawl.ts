/**
 * Pages per second of processor time: Drumlin with its archive on; Crawlee, Scrapy and Colly on the
 * same synthetic web.
 *
 *   npm run bench -- crawl [--pages 100000] [--peer-pages 7500] [--runs 3] [--domains 300]
 *                          [--agents 1] [--only drumlin,crawlee] [--order bfs] [--pin]
 *
 * The web runs in its own process, and only the crawler's processor time counts, from the start of
 * the crawl to its end (for the peers from `run()`, so that loading modules does not count).
 * Drumlin resolves names through the web's DNS, fetches and obeys robots.txt and writes WARC. The
 * peers have names resolved for free and keep URL and title of each page. The peers fetch fewer
 * pages because they take longer: all run for about a minute of processor time, long enough that
 * compiling their code hardly counts. Like its peers, Drumlin crawls breadth first; `--order
 * budget` shows what budgets cost. `--agents 1,2` compares numbers of agents. With `--pin` every
 * crawler has the last core and the web the others (taskset): this shows what agents cost each
 * other, without the cost of sharing caches and cores with one more thread. This file installs
 * Crawlee into bench/peers; Scrapy is measured if Debian's python3-scrapy is present, Colly if Go is.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes } from '../src/base/units.ts';

const PEERS = join(import.meta.dirname, 'peers', 'crawl');
/** Requests at once, for all crawlers. */
const CONCURRENCY = '64';

interface Result {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssBytes: number;
}

interface Contender {
  readonly name: string;
  readonly version: string;
  run(web: Web, pages: number): Result;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '100000' },
      agents: { type: 'string', default: '1' },
      'peer-pages': { type: 'string', default: '7500' },
      runs: { type: 'string', default: '3' },
      domains: { type: 'string', default: '300' },
      gzip: { type: 'string', default: '' },
      order: { type: 'string', default: 'bfs' },
      only: { type: 'string', default: '' },
      pin: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only.split(',');
  const cores = values.pin
    ? { crawler: cpus().length - 1, web: `0-${cpus().length - 2}` }
    : undefined;
  const ours = values.agents.split(',').map((agents) => drumlin(values.gzip, values.order, agents));
  const contenders = [...ours, crawlee(), scrapy(), colly()].filter((contender) =>
    wanted.some((name) => contender?.name.startsWith(name)),
  ) as Contender[];
  const web = await startWeb(['--domains', values.domains], cores?.web);
  if (cores)
    execFileSync('taskset', ['-cp', String(cores.crawler), String(process.pid)], {
      stdio: 'ignore',
    });
  try {
    const results = new Map<Contender, Result[]>(contenders.map((contender) => [contender, []]));
    for (let i = 0; i < Number(values.runs); i++) {
      for (const contender of contenders) {
        const isFast = /^(drumlin|colly)/.test(contender.name);
        const pages = isFast ? values.pages : values['peer-pages'];
        const result = contender.run(web, Number(pages));
        results.get(contender)?.push(result);
        process.stderr.write(`run ${i + 1} ${contender.name}: ${describe(result)}\n`);
      }
    }
    print(results);
  } finally {
    web.process.kill();
  }
}

const rate = ({ pages, cpuSeconds }: Result): number => pages / cpuSeconds;
const describe = (result: Result): string =>
  `${result.pages} pages, ${rate(result).toFixed(0)} pages/CPU-s, ${result.seconds.toFixed(1)} s, ${formatBytes(result.maxRssBytes)}`;

function print(results: Map<Contender, Result[]>): void {
  const mean = (list: Result[]) => list.map(rate).reduce((a, b) => a + b, 0) / list.length;
  const [first] = [...results.values()].map(mean);
  console.log('| crawler | pages per CPU-second: best | mean ± sd | peak memory | drumlin is |');
  console.log('|---|---|---|---|---|');
  for (const [{ name, version }, list] of results) {
    const rates = list.map(rate);
    const average = mean(list);
    const sd = Math.sqrt(rates.reduce((sum, r) => sum + (r - average) ** 2, 0) / rates.length);
    const memory = formatBytes(Math.max(...list.map((result) => result.maxRssBytes)));
    console.log(
      `| ${name} ${version} | ${Math.max(...rates).toFixed(0)} | ${average.toFixed(0)} ± ${sd.toFixed(0)} | ${memory} | ${(first / average).toFixed(1)}× |`,
    );
  }
}

function drumlin(gzip: string, order: string, agents: string): Contender {
  return {
    name: agents === '1' ? 'drumlin' : `drumlin, ${agents} agents,`,
    version: spawnSync(process.execPath, [BIN, '--version'], { encoding: 'utf8' }).stdout.trim(),
    run({ dns, seeds }, pages) {
      const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
      const flags = ['--dir', join(folder, 'crawl'), '--max-pages', String(pages), '--dns', dns];
      const level = gzip === '' ? [] : ['--gzip', gzip];
      const more = [
        '--allow-private',
        '--delay',
        '0',
        '--fetches',
        CONCURRENCY,
        '--agents',
        agents,
        '--order',
        order,
        '--json',
        ...level,
      ];
      try {
        return lastJson(
          spawnSync(process.execPath, [BIN, 'crawl', ...seeds, ...flags, ...more], OUTPUT).stdout,
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

function crawlee(): Contender {
  if (!existsSync(join(PEERS, 'node_modules'))) {
    execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts'], {
      cwd: PEERS,
      stdio: 'inherit',
    });
  }
  return {
    name: 'crawlee',
    version: '3.18.1',
    run: ({ seeds }, pages) =>
      lastJson(
        spawnSync(
          process.execPath,
          [join(PEERS, 'crawlee.mjs'), String(pages), CONCURRENCY, ...seeds],
          {
            ...OUTPUT,
            cwd: PEERS,
          },
        ).stdout,
      ),
  };
}

/** Needs Go, which fetches and compiles it. */
function colly(): Contender | undefined {
  const source = join(PEERS, 'colly');
  const program = join(source, 'node_modules', 'colly-peer');
  const built = spawnSync('go', ['build', '-o', program, '.'], { ...OUTPUT, cwd: source });
  if (built.status !== 0) {
    process.stderr.write('Colly cannot be built (it needs Go); measured without it.\n');
    return undefined;
  }
  return {
    name: 'colly',
    version: /colly\/v2 v(\S+)/.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? '',
    run: ({ seeds }, pages) =>
      lastJson(spawnSync(program, [String(pages), CONCURRENCY, ...seeds], OUTPUT).stdout),
  };
}

/** Debian's Scrapy needs Debian's Python. */
function scrapy(): Contender | undefined {
  const probe = spawnSync(
    '/usr/bin/python3',
    ['-c', 'import scrapy; print(scrapy.__version__)'],
    OUTPUT,
  );
  if (probe.status !== 0) {
    process.stderr.write(
      'Scrapy is not installed (Debian: python3-scrapy); measured without it.\n',
    );
    return undefined;
  }
  return {
    name: 'scrapy',
    version: probe.stdout.trim(),
    run: ({ seeds }, pages) =>
      lastJson(
        spawnSync(
          '/usr/bin/python3',
          [join(PEERS, 'scrapy_peer.py'), String(pages), CONCURRENCY, ...seeds],
          OUTPUT,
        ).stdout,
      ),
  };
}

import { BIN, startWeb, type Web } from './web/start.ts';

const OUTPUT = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;

function lastJson(output: string): Result {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}
