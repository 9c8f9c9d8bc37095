/**
 * Pages per second of processor time: Drumlin, other crawlers and a floor written in C, on the same
 * webs.
 *
 *   npm run bench -- crawl [--only drumlin,crawlee,spider] [--web lab,held-out] [--pages 60000]
 *                          [--runs 3] [--warm 25000] [--order budget,bfs] [--compress
 *                          gzip,none,zstd] [--store warc,none] [--agents 1] [--domains 600]
 *                          [--profile] [--pin] [--save runs.jsonl] [-- flags of Drumlin]
 *
 * The web runs in its own process, and only the crawler's processor time counts, from the start of
 * the crawl to its end, so that loading modules does not count. Drumlin resolves names through the
 * web's DNS, obeys robots.txt and writes WARC; the column "besides" shows what the others do. Names
 * cost the peers nothing, except Heritrix. Slow peers fetch a share of the pages, so that all take
 * about as long.
 *
 * The first value of `--order`, `--compress`, `--store` and `--agents` is the base; each other
 * value is one more row. `--warm` splits Drumlin's run into its first pages and the rest.
 * `--profile` adds a run that shows what each part of a page costs, beside the floor's
 * (bench/crawl/profile.ts). `--web held-out` is another kind of web (bench/web/held-out.ts). With
 * `--pin` every crawler has the last core and the web the others (taskset). `--save` appends each
 * run to a file and prints the table of all runs in it, so that a long comparison can be made in
 * pieces.
 *
 * A peer whose tools are missing is left out with one line that says what to install.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drumlin } from './crawl/drumlin.ts';
import { crawlTable, describe, partsTable, type Row } from './crawl/table.ts';
import { bubing } from './peers/crawl/bubing.ts';
import { colly } from './peers/crawl/colly.ts';
import type { Contender, Result } from './peers/crawl/contender.ts';
import { crawlee } from './peers/crawl/crawlee.ts';
import { floor } from './peers/crawl/floor.ts';
import { heritrix } from './peers/crawl/heritrix.ts';
import { scrapy } from './peers/crawl/scrapy.ts';
import { spider } from './peers/crawl/spider.ts';
import { wget } from './peers/crawl/wget.ts';
import { startServer, startWeb, type Web } from './web/start.ts';

/** Who is compared, in the order of the table. Each may be several rows, or none. */
const PEERS: Readonly<Record<string, () => Contender[]>> = {
  crawlee,
  scrapy,
  heritrix,
  bubing,
  wget,
  colly,
  spider,
  floor,
};

const WEBS: Readonly<Record<string, (domains: string, cores?: string) => Promise<Web>>> = {
  lab: (domains, cores) => startWeb(['--domains', domains], cores),
  'held-out': (_, cores) =>
    startServer(['--import', 'tsx', join(import.meta.dirname, 'web', 'held-out.ts')], cores),
};

/** One run as `--save` keeps it. */
interface Saved {
  readonly web: string;
  readonly name: string;
  readonly does: string;
  readonly result: Result;
}

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', default: ['drumlin', ...Object.keys(PEERS)].join(',') },
      web: { type: 'string', default: 'lab' },
      pages: { type: 'string', default: '60000' },
      runs: { type: 'string', default: '3' },
      warm: { type: 'string', default: '25000' },
      order: { type: 'string', default: 'budget,bfs' },
      compress: { type: 'string', default: 'gzip,none,zstd' },
      store: { type: 'string', default: 'warc,none' },
      agents: { type: 'string', default: '1' },
      domains: { type: 'string', default: '600' },
      save: { type: 'string', default: '' },
      profile: { type: 'boolean', default: false },
      pin: { type: 'boolean', default: false },
    },
  });
  const warm = Number(values.warm);
  const ours = () => drumlin({ ...values, warm, flags: positionals });
  const contenders = values.only.split(',').flatMap((name) => {
    const contender = name === 'drumlin' ? ours : PEERS[name];
    if (!contender) throw new Error(`No crawler is called ${name}.`);
    return contender();
  });
  const saved = values.save && existsSync(values.save) ? read(values.save) : [];
  const keep = (run: Saved) => {
    saved.push(run);
    if (values.save) appendFileSync(values.save, `${JSON.stringify(run)}\n`);
  };
  for (const web of values.web.split(','))
    await compare(web, contenders, { ...values, pages: Number(values.pages) }, keep);
  for (const web of new Set(saved.map((run) => run.web))) {
    const rows = rowsOf(saved.filter((run) => run.web === web));
    console.log(`\n${web}\n\n${crawlTable(rows, warm)}\n${partsTable(rows)}`);
  }
}

/** Runs every crawler on a web, in turns. */
async function compare(
  web: string,
  contenders: readonly Contender[],
  { pages, runs, domains, pin }: { pages: number; runs: string; domains: string; pin: boolean },
  keep: (run: Saved) => void,
): Promise<void> {
  const last = cpus().length - 1;
  const served = await WEBS[web](domains, pin ? `0-${last - 1}` : undefined);
  if (pin) execFileSync('taskset', ['-cp', String(last), String(process.pid)], { stdio: 'ignore' });
  try {
    for (let i = 0; i < Number(runs); i++) {
      for (const { name, does, share, run } of contenders) {
        const result = await run(served, Math.round(pages * share));
        process.stderr.write(`${web} ${i + 1} ${name}: ${describe(result)}\n`);
        keep({ web, name, does, result });
      }
    }
  } finally {
    served.process.kill();
  }
}

const read = (path: string): Saved[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

function rowsOf(runs: readonly Saved[]): Row[] {
  const rows = new Map<string, Row & { results: Result[] }>();
  for (const { name, does, result } of runs) {
    const row = rows.get(name) ?? { name, does, results: [] };
    rows.set(name, row);
    row.results.push(result);
  }
  return [...rows.values()];
}
