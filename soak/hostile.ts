/**
 * A crawl of good sites beside a web where servers do their worst: does its memory stay flat, does
 * it account for every URL, and do the good sites get what they would get alone?
 *
 *   npm run soak -- hostile [--minutes 60] [--good 150] [--hostile 300] [--seed 1]
 *
 * Two crawls run side by side, each in its own process and with good sites of its own, identical to
 * the byte; one of them also has the hostile domains. The delay between two requests to a host
 * decides how fast the good sites can be crawled, not the processor, and other work on the machine
 * affects both crawls equally. So what the hostile domains hold up (slots, look-ups, memory, the
 * event loop) becomes visible. The name server of the hostile domains, and of names that only lie,
 * answers by a grammar (hostile/names.ts). Everything stays on loopback.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { formatBytes, formatCount } from '../src/base/units.ts';
import type { Summary } from '../src/crawl/crawl.ts';
import { BEHAVIOURS } from '../src/lab/behaviour.ts';
import { truthAt } from '../src/lab/judge/truth.ts';
import { type Lab, startLab, webOf } from '../src/lab/server/lab.ts';
import { resolveName } from '../src/lab/server/resolve.ts';
import type { Web } from '../src/lab/web.ts';
import { startNames } from './hostile/names.ts';
import { accountOf, isFlat, type Sample, steadyRate } from './hostile/verdict.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const SAMPLE_EVERY = 10_000;
/** Longer than any limit of the client except that of the whole exchange. */
const LAB_PATIENCE = 45_000;
/** Pages of each good site: more than a crawl of hours could fetch. */
const GOOD_PAGES = 20_000;
/** Nearly every good site has an address of its own. */
const GOOD_ADDRESSES = 100_000;
/** Seeds whose names have only answers of the grammar. */
const LIARS = 1000;
/** The least share of requests to good sites, compared with the crawl without hostile domains. */
const LEAST_SHARE = 0.9;
/** Little memory, so that it is full after minutes and not after hours. */
const FLAGS = [
  // Long enough that a slow answer of our own web, on a busy machine, slows no host down (see
  // slow-servers.ts).
  ...[
    '--delay',
    '5s',
    '--address-delay',
    '200ms',
    '--agents',
    '2',
    '--max-redirects',
    '5',
    '--json',
  ],
  // Loopback only: some of the hostile names lead to private networks.
  ...['--allow-private', '127.0.0.0/8', '--front-hosts', '2000', '--front-urls', '20000'],
  ...[
    '--sieve-memory',
    '4MiB',
    '--backlog-memory',
    '1MiB',
    '--host-memory',
    '2MiB',
    '--max-body',
    '4MiB',
  ],
];

interface Ended {
  readonly summary: Summary | undefined;
  readonly exitCode: number | null;
  readonly samples: readonly Sample[];
  /** Its output without the lines of progress. */
  readonly said: readonly string[];
  /** Queued URLs, counted in the folder that it left. */
  readonly waitingOnDisk: number;
}

export async function run(args: string[]): Promise<void> {
  const given = (name: string, usual: number) => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? usual : Number(args[at + 1]);
  };
  const minutes = given('minutes', 60);
  const goodSites = given('good', 150);
  const hostileDomains = given('hostile', 300);
  const seed = given('seed', 1);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-hostile-'));
  spawnSync(process.execPath, [DRUMLIN, '--version']); // compiles changed sources
  const goodWeb = { scenario: 'site', domains: goodSites, pages: GOOD_PAGES, seed };
  const [good, sameAgain] = await Promise.all([startLab(goodWeb), startLab(goodWeb)]);
  const hostile = await startHostile({
    scenario: 'hostile',
    domains: hostileDomains,
    pages: 200,
    seed: seed + 1,
  });
  const dns = await startNames((name) => {
    const isGood = good.web.placeOf(name) !== undefined;
    const resolution = isGood
      ? resolveName(good.web, name, { oneAddress: false, addresses: GOOD_ADDRESSES, patience: 0 })
      : resolveName(hostile.web, name, { oneAddress: false, patience: LAB_PATIENCE });
    return { good: isGood, resolution };
  }, seed);
  try {
    requireAllBehaviours(hostile.web);
    // Code that never ran is slow, and the sites would seem slow.
    for (const lab of [good, sameAgain])
      for (const url of lab.web.seeds(goodSites)) lab.expected(url);
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, hostile.ca);
    const limits = ['--max-time', `${Math.round(minutes * 60)}s`];
    const delays = join(folder, 'delays.txt');
    writeFileSync(delays, delaysOf(good.web.seeds(goodSites)));
    const files = ['--ca', ca, '--delays', delays];
    const flags = [...FLAGS, ...limits, ...files, '--dns', dns.address];
    const liars = Array.from({ length: LIARS }, (_, i) => `http://liar${i}.test/`);
    const both = [...good.web.seeds(goodSites), ...hostile.web.seeds(hostileDomains), ...liars];
    const [beside, alone] = await Promise.all([
      crawl({ dir: join(folder, 'beside'), seeds: both, flags, good }, (line) =>
        process.stderr.write(line),
      ),
      crawl({
        dir: join(folder, 'alone'),
        seeds: sameAgain.web.seeds(goodSites),
        flags,
        good: sameAgain,
      }),
    ]);
    process.exitCode = judge(alone, beside) ? 0 : 1;
  } finally {
    hostile.process.kill();
    await Promise.all([good, sameAgain, dns].map((part) => part.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Gives each good site its own delay, 4 to 6 seconds: if all were requested at one moment, they
 * would be slow for that reason alone.
 */
function delaysOf(seeds: readonly string[]): string {
  const delayOf = (i: number) => Math.round(4000 + (2000 * i) / seeds.length);
  return seeds.map((seed, i) => `host ${new URL(seed).hostname} ${delayOf(i)}ms`).join('\n');
}

/**
 * Starts the hostile web in its own process, so that its gigabytes delay nothing here; `web` is the
 * same web by computation, for its names.
 */
async function startHostile(shape: Readonly<Record<string, string | number>>) {
  const flags = Object.entries(shape).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [DRUMLIN, 'web', '--json', '--patience', `${LAB_PATIENCE}ms`, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { http, https, dns, control, ca } = JSON.parse(line);
    return { process: child, web: webOf(shape, { http, https, dns, control }), ca: String(ca) };
  }
  throw new Error('the hostile web did not start');
}

/** A behaviour that no domain has proves nothing. */
function requireAllBehaviours(web: Web): void {
  const { domains } = web.world;
  const there = new Set(
    Array.from({ length: domains }, (_, i) => truthAt(web, i).behaviours).flat(),
  );
  const missing = Object.keys(BEHAVIOURS).filter((name) => {
    // Those are in soak/render.ts.
    const isScript = BEHAVIOURS[name as keyof typeof BEHAVIOURS].layer === 'script';
    return !isScript && !there.has(name as keyof typeof BEHAVIOURS);
  });
  if (missing.length > 0)
    throw new Error(`use more hostile domains: none has ${missing.join(', ')}`);
}

interface Task {
  readonly dir: string;
  readonly seeds: readonly string[];
  readonly flags: readonly string[];
  readonly good: Lab;
}

async function crawl(
  { dir, seeds, flags, good }: Task,
  show?: (line: string) => void,
): Promise<Ended> {
  const seedFile = `${dir}.txt`;
  writeFileSync(seedFile, seeds.join('\n'));
  const child = spawn(process.execPath, [DRUMLIN, 'crawl', seedFile, '--dir', dir, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const said: string[] = [];
  let last = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (PROGRESS.test(line)) last = line;
    // Names that only lie look like name servers that fail, while no other name is looked up.
    else if (!line.startsWith('trouble: ')) said.push(line);
  });
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  const samples: Sample[] = [];
  const startedAt = Date.now();
  const before = good.requests;
  const sampling = setInterval(() => {
    const sample = sampleOf(child, last, (Date.now() - startedAt) / 1000, good.requests - before);
    if (!sample) return;
    samples.push(sample);
    show?.(`${lineOf(sample)}\n`);
  }, SAMPLE_EVERY);
  const [exitCode] = await ended;
  clearInterval(sampling);
  const summary = output === '' ? undefined : (JSON.parse(output) as Summary);
  return { summary, exitCode, samples, said, waitingOnDisk: waitingIn(dir) };
}

const PROGRESS =
  /^[\d. a-z]+: ([\d,]+) pages .*?, ([\d,]+) queued of ([\d,]+) URLs discovered, ([\d,]+) fetching/;

/** Undefined if the process has ended. */
function sampleOf(
  { pid }: ChildProcess,
  line: string,
  seconds: number,
  goodRequests: number,
): Sample | undefined {
  const [, ...numbers] = PROGRESS.exec(line) ?? [];
  const [pages = 0, waiting = 0, known = 0, fetching = 0] = numbers.map((n) =>
    Number(n.replaceAll(',', '')),
  );
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const rss = 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    const handles = readdirSync(`/proc/${pid}/fd`).length;
    return { seconds, rss, handles, goodRequests, pages, waiting, known, fetching };
  } catch {
    return undefined;
  }
}

const lineOf = ({
  seconds,
  rss,
  handles,
  goodRequests,
  pages,
  waiting,
  known,
  fetching,
}: Sample): string =>
  `${seconds.toFixed(0).padStart(5)} s  ${formatBytes(rss).padStart(7)}  ${String(handles).padStart(4)} handles  ` +
  `${formatCount(goodRequests).padStart(8)} good of ${formatCount(pages).padStart(8)} pages  ${formatCount(fetching).padStart(4)} under way  ` +
  `${formatCount(waiting)} queued of ${formatCount(known)} known`;

/** Queued URLs by the agents' last checkpoints. */
function waitingIn(dir: string): number {
  const agents = join(dir, 'agents');
  const states = readdirSync(agents).map((agent) =>
    JSON.parse(readFileSync(join(agents, agent, 'checkpoint.json'), 'utf8')),
  );
  return states.reduce((sum, { state }) => sum + state.waiting, 0);
}

/** Prints what holds and what does not. Returns true if everything holds. */
function judge(alone: Ended, beside: Ended): boolean {
  const { summary, samples, said, exitCode, waitingOnDisk } = beside;
  if (!summary || !alone.summary) {
    console.log(`a crawl ended without a summary: ${[...alone.said, ...said].join('\n')}`);
    return false;
  }
  const { lost, ...account } = accountOf(summary);
  const [before, after] = [alone.samples, samples].map(steadyRate);
  const figures = (of: (sample: Sample) => number, print: (n: number) => string) =>
    samples
      .filter((_, i) => i % Math.ceil(samples.length / 8) === 0)
      .map((sample) => print(of(sample)))
      .join(' ');
  const claims: [claim: string, holds: boolean, figures: string][] = [
    [
      'memory is flat',
      isFlat(samples.map(({ rss }) => rss)),
      figures(({ rss }) => rss, formatBytes),
    ],
    [
      'open handles are flat',
      isFlat(
        samples.map(({ handles }) => handles),
        32,
      ),
      figures(({ handles }) => handles, String),
    ],
    [
      'no error was uncaught',
      exitCode === 6 && said.length === 0,
      `exit code ${exitCode} ${said.join(' ')}`,
    ],
    ['no URL is lost', lost === 0, JSON.stringify(account)],
    ['the folder agrees', waitingOnDisk === summary.urlsQueued, `${waitingOnDisk} queued`],
    [
      'good sites get what they would get alone',
      after >= LEAST_SHARE * before,
      `${before.toFixed(2)} a second alone, ${after.toFixed(2)} beside hostile ones: ${((100 * after) / before).toFixed(1)} %`,
    ],
  ];
  for (const [claim, holds, text] of claims)
    console.log(`${holds ? 'holds' : 'FAILS'}  ${claim}: ${text}`);
  const rss = samples.map((sample) => sample.rss);
  const half = rss.slice(rss.length >> 1);
  console.log(
    `good sites keep ${((100 * after) / before).toFixed(1)} %; memory from half time on ` +
      `${formatBytes(Math.min(...half))} to ${formatBytes(Math.max(...half))}; ` +
      `${exitCode === 6 && said.length === 0 ? 'no crash' : 'CRASHED'}; ` +
      `${summary.errors['internal-error'] ?? 0} internal errors`,
  );
  const { pages, bytes, hosts, cpuSeconds, seconds, errors, retries } = summary;
  console.log(
    JSON.stringify({ pages, bytes, hosts, cores: cpuSeconds / seconds, errors, retries }),
  );
  return claims.every(([, holds]) => holds);
}
