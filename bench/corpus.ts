/**
 * What an export costs: `npm run bench -- corpus [--pages 4000] [--rounds 3] [--python python3]`,
 * `npm run bench -- corpus memory [--pages 100000] [--small] [--alone]`, and `npm run bench --
 * corpus near [--seeds 1,42,7]`.
 *
 * The first prints pages of the lab per second of processor time, from WARC to Parquet, with one
 * thread, beside trafilatura with pyarrow where Python has them: the median of the rounds. The
 * pages have 25 KB on average. The start of the program is included; what it takes is measured with
 * an archive of one page, and the rate without it is printed besides. Code is still compiled while
 * the first thousands of pages are read, so a larger archive has a higher rate.
 *
 * The second exports archives of 30 % of `--pages` (not with `--alone`) and of all, and prints the
 * peak of memory of both. It repeats the bodies of a few thousand pages under other URLs, each with
 * some words of its own. With `--small` they have 3 KB: what grows with the number of pages shows
 * as well, in an eighth of the time.
 *
 * The third prints how many near-duplicates of the lab are found, as two crawls of two agents each.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Disk } from '../src/disk/disk.ts';
import { makePage } from '../src/lab/page.ts';
import { webOf } from '../src/lab/server/lab.ts';
import { type ArchivedPage, writeCrawl } from '../test/corpus/lab-archive.ts';
import { judgedLab } from '../test/corpus/near-truth.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const PEER = join(import.meta.dirname, 'peers/corpus/trafilatura_peer.py');
const run_ = promisify(execFile);
/** A program that runs another and prints its resource usage as JSON. */
const USAGE = `
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024}))
`;

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      pages: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      small: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      seeds: { type: 'string', default: '1,42,7' },
      python: { type: 'string', default: 'python3' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  try {
    if (positionals.includes('near')) await measureNear(folder, values.seeds);
    else if (positionals.includes('memory'))
      await measureMemory(
        folder,
        [...(values.alone ? [] : [0.3]), 1].map((share) =>
          Math.ceil(share * Number(values.pages ?? 100_000)),
        ),
        values.small ? SMALL : MIDDLE,
        values.python,
      );
    else
      await measureSpeed(
        folder,
        Number(values.pages ?? 4000),
        Number(values.rounds),
        values.python,
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSpeed(folder: string, pages: number, rounds: number, python: string) {
  const crawl = join(folder, 'crawl');
  const archived = [...labPages(pages, MIDDLE)];
  await writeCrawl(crawl, archived);
  const mean = archived.reduce((sum, { body }) => sum + body.length, 0) / pages;
  const files = readdirSync(join(crawl, 'archive')).map((name) => join(crawl, 'archive', name));
  const single = join(folder, 'single');
  await writeCrawl(single, archived.slice(0, 1));
  const [ours, starts, theirs]: number[][] = [[], [], []];
  const hasPeer = canImport(python, 'warcio, trafilatura, pyarrow');
  if (!hasPeer) console.log('no Python with warcio, trafilatura and pyarrow: no peer');
  for (let round = 0; round < rounds; round++) {
    starts.push((await exportOnce(folder, single, `start-${round}`, python)).cpu);
    ours.push((await exportOnce(folder, crawl, `out-${round}`, python)).cpu);
    console.log(`round ${round + 1}: ${ours[round].toFixed(1)} s of processor time, ${load()}`);
    if (!hasPeer) continue;
    const { stdout } = await run_(python, [PEER, join(folder, 'peer.parquet'), ...files]);
    theirs.push(JSON.parse(stdout).cpu);
  }
  console.log(
    `${pages} pages of ${Math.round(mean)} bytes, WARC to Parquet, pages per second of processor time`,
  );
  const line = (name: string, seconds: number[]) => {
    const rate = (of: number) => (pages / of).toFixed(0);
    const spread = `${rate(Math.max(...seconds))} to ${rate(Math.min(...seconds))}`;
    console.log(`  ${name.padEnd(36)} median ${rate(median(seconds))} (${spread})`);
  };
  line('drumlin corpus export, one thread', ours);
  const start = median(starts);
  const rest = ours.map((seconds) => seconds - start);
  line('… without the start of the program', rest);
  console.log(`  the start takes ${start.toFixed(2)} s, ${load()}`);
  if (theirs.length > 0) line('warcio, trafilatura, pyarrow', theirs);
}

function median(list: readonly number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

const load = (): string => `load ${loadavg()[0].toFixed(0)} on ${cpus().length} cores`;

async function measureMemory(folder: string, counts: number[], sizes: Sizes, python: string) {
  for (const count of counts) {
    const crawl = join(folder, `crawl-${count}`);
    await writeCrawl(crawl, manyPages(count, sizes));
    const { cpu, peak } = await exportOnce(folder, crawl, `out-${count}`, python);
    console.log(
      `${count} pages: peak ${(peak / 1e6).toFixed(0)} MB, ${(count / cpu).toFixed(0)} pages per second of processor time`,
    );
  }
}

async function measureNear(folder: string, seeds: string) {
  for (const seed of seeds.split(',').map(Number)) {
    const { positives, right, wrong } = await judgedLab(new Disk(), folder, seed, 64e6);
    const [recall, precision] = [right / positives, right / (right + wrong)];
    console.log(
      `seed ${seed}: ${positives} near-duplicates, recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}`,
    );
  }
}

async function exportOnce(folder: string, crawl: string, name: string, python: string) {
  const out = join(folder, name);
  const command = [process.execPath, DRUMLIN, 'corpus', 'export', crawl, '--out', out];
  const { stdout } = await run_(python, ['-c', USAGE, ...command, '--threads', '1']);
  return JSON.parse(stdout) as { cpu: number; peak: number };
}

function canImport(python: string, modules: string): boolean {
  try {
    execFileSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The least and most bytes of pages. */
type Sizes = readonly [least: number, most: number];
/** 25 KB on average. */
export const MIDDLE: Sizes = [12_000, 46_000];
const SMALL: Sizes = [1500, 5000];

/** Links name a port that a web may have: port 0, without a server, would need the URL parser. */
const PORTS = { http: 8080, https: 0, dns: 0, control: 0 };

/** Pages of many domains. */
export function* labPages(count: number, [least, most]: Sizes): Generator<ArchivedPage> {
  const web = webOf({ scenario: 'mixed', domains: 20 * Math.ceil(count / 10) }, PORTS);
  for (let i = 0, made = 0; made < count; i++) {
    const body = Buffer.from(makePage(web, web.domains.at(i >> 3), i & 7).body, 'latin1');
    if (body.length < least || body.length > most) continue;
    yield { url: `http://site${i >> 3}.example/${i & 7}`, body };
    made++;
  }
}

const BODIES = 3000;

/** The same pages under other URLs, each with words of its own in the middle and at the end. */
function* manyPages(count: number, sizes: Sizes): Generator<ArchivedPage> {
  const bodies = [...labPages(Math.min(count, BODIES), sizes)];
  for (let i = 0; i < count; i++) {
    const body = Buffer.from(bodies[i % bodies.length].body);
    const half = body.indexOf('</p>', body.length >> 1);
    const own = Buffer.from(
      `<p>Round ${Math.floor(i / BODIES)} of page ${i} has its own words.</p>`,
    );
    const at = half < 0 ? body.length : half + 4;
    const parts = [body.subarray(0, at), own, body.subarray(at), own];
    yield {
      url: `http://site${(i * 7) % (1 + (count >> 3))}.example/${i}`,
      body: Buffer.concat(parts),
    };
  }
}
