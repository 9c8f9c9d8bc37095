/**
 * A crawl of a finite web that is killed (SIGKILL) at random instants, over and over, and each time
 * goes on: at the end, what is in the archive?
 *
 * `npm run soak -- kill [kills] [domains] [pages] [seed] [--all]`; the tests run a short form of
 * it. With `--all` everything that has a memory of its own is on (budgets, near-duplicates, learned
 * traps, soft 404s, metadata, sitemaps), and some domains are traps: without what was learned the
 * crawl would not end, and with a rule that is wrong pages would be missing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { type Scenario, scenarioOf } from '../src/lab/scenario.ts';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { readWithWarcio } from '../test/archive/warc/fixtures.ts';
import { indexFaults } from '../test/archive/warc/true-index.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
/**
 * Of the kills, this share comes at any moment from the start of the process on: while it recovers,
 * or before.
 */
const EARLY_SHARE = 1 / 4;
const EARLY_WITHIN = 600;
/** So many lives in a row may end before a cut: some are meant to. */
const PATIENCE = 4;
/**
 * A page may have been served, and not have come in yet, this long before a cut: it is among those
 * that wait in it.
 */
const ON_ITS_WAY = 500;

export interface KillPlan {
  readonly kills: number;
  readonly domains: number;
  readonly pages: number;
  /**
   * How long a run lives after its first request, at most, in milliseconds; longer when several in
   * a row end before their first cut, or a busy machine would never get anywhere.
   */
  readonly livesFor: number;
  readonly checkpoint: string;
  readonly agents: number;
  /** Of the instants. */
  readonly seed: number;
  readonly flags?: readonly string[];
  /**
   * What the web is made of; `clean` unless it is said. Pages of domains without end are not looked
   * for.
   */
  readonly scenario?: Scenario;
  readonly say?: (line: string) => void;
}

export interface KillReport {
  readonly kills: number;
  /** How the last run, which nobody killed, ended. */
  readonly exitCode: number | null;
  /** Pages of the web, in the archive, missing there, there more than once. */
  readonly web: number;
  readonly archived: number;
  readonly missing: string[];
  readonly twice: string[];
  /** Rules about traps that the log tells of, in all lives together. */
  readonly learned: number;
  /** Records of the archive that a second reader does not confirm. */
  readonly unconfirmed: number;
  readonly files: number;
  /** Files that are not whole members from their beginning to their end. */
  readonly torn: string[];
  /** What the index says that is not so, and what it does not say. */
  readonly indexFaults: string[];
  /** Requests for pages and for robots.txt that the web has answered. */
  readonly requests: number;
  /**
   * Pages that were asked for again, and how many may have been: those that came after the last cut
   * before a kill.
   */
  readonly askedAgain: number;
  readonly mayBeAskedAgain: number;
}

/** One life of the crawler. */
interface Life {
  /** When the first of its agents made its last checkpoint; 0 when one of them had made none. */
  readonly cutAt: number;
  readonly killedAt: number;
}

export async function killOverAndOver(plan: KillPlan): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-kill-'));
  const log = join(folder, 'requests.jsonl');
  const { domains, pages, scenario = 'clean' } = plan;
  const lab = await startLab({ scenario, domains, pages, log });
  try {
    const dir = join(folder, 'crawl');
    const args = [
      ...['crawl', ...lab.seeds, '--dir', dir, '--dns', lab.dns, '--allow-private'],
      ...flagsOf(plan),
    ];
    const random = randomFrom(plan.seed);
    const lives: Life[] = [];
    let { livesFor } = plan;
    let inVain = 0;
    while (lives.length < plan.kills) {
      const ended = await runAndKill(args, lab, livesFor, random);
      if (ended) break; // Nothing was left to fetch.
      const cuts = lastCuts(dir, plan.agents);
      const gotOn = Math.max(...cuts) > (lives.at(-1)?.killedAt ?? 0);
      inVain = gotOn ? 0 : inVain + 1;
      if (gotOn) livesFor = plan.livesFor;
      else if (inVain > PATIENCE) livesFor *= 1.5;
      lives.push({ cutAt: Math.min(...cuts), killedAt: Date.now() });
      if (lives.length % 10 === 0) plan.say?.(`${lives.length} kills, ${lab.requests} requests`);
    }
    const exitCode = await runToEnd(args);
    await lab.close(); // writes the rest of its log
    const counts = { kills: lives.length, exitCode, requests: lab.requests };
    return { ...counts, ...repeats(log, lives), ...(await judge(dir, lab)) };
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** When each agent made its last checkpoint; 0 where it has made none. */
function lastCuts(dir: string, agents: number): number[] {
  const paths = Array.from({ length: agents }, (_, agent) =>
    join(dir, `agents/${agent}/checkpoint.json`),
  );
  return paths.map((path) =>
    existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).state.savedAt : 0,
  );
}

function repeats(
  log: string,
  lives: readonly Life[],
): Pick<KillReport, 'askedAgain' | 'mayBeAskedAgain'> {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const pages = lines.map((line) => JSON.parse(line)).filter(({ path }) => path !== '/robots.txt');
  const askedAgain = pages.length - new Set(pages.map(({ host, path }) => `${host}${path}`)).size;
  let life = 0;
  let mayBeAskedAgain = 0;
  for (const { time } of pages) {
    while (life < lives.length && lives[life].killedAt < time) life++;
    if (life < lives.length && time >= lives[life].cutAt - ON_ITS_WAY) mayBeAskedAgain++;
  }
  return { askedAgain, mayBeAskedAgain };
}

function flagsOf({ agents, checkpoint, flags = [] }: KillPlan): string[] {
  return [
    '--delay',
    '0',
    '--agents',
    String(agents),
    '--checkpoint',
    checkpoint,
    '--json',
    ...flags,
  ];
}

/** True when the crawl came to its end before it was killed. */
async function runAndKill(
  args: string[],
  lab: Lab,
  livesFor: number,
  random: () => number,
): Promise<boolean> {
  const before = lab.requests;
  const child = start(args);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  if (random() < EARLY_SHARE) await sleep(random() * EARLY_WITHIN);
  else {
    while (lab.requests === before && child.exitCode === null) await sleep(1);
    await sleep(random() * livesFor);
  }
  child.kill('SIGKILL');
  const [code] = await ended;
  return code !== null && requireGoodEnd(code);
}

async function runToEnd(args: string[]): Promise<number | null> {
  const [code] = (await once(start(args), 'exit')) as [number | null];
  return code;
}

function requireGoodEnd(code: number): boolean {
  if (code === 0) return true;
  throw new Error(`the crawl left with ${code} before it was killed`);
}

/**
 * What it says on standard error is shown: a killed crawl that complains when it goes on is worth
 * reading.
 */
function start(args: string[]): ChildProcess {
  return spawn(process.execPath, [DRUMLIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function judge(dir: string, lab: Lab) {
  const archive = join(dir, 'archive');
  const counts = new Map<string, number>();
  const files = readdirSync(archive);
  let unconfirmed = 0;
  const torn: string[] = [];
  for (const file of files) {
    if (!(await isWhole(join(archive, file)))) torn.push(file);
    for (const { type, url, blockConfirmed, payloadConfirmed } of await readWithWarcio(
      join(archive, file),
    )) {
      // A body with a trailer states no digest of its payload, and is confirmed as a block only.
      if (!blockConfirmed || (type === 'response' && payloadConfirmed === false)) unconfirmed++;
      if ((type === 'response' || type === 'revisit') && url && !url.endsWith('/robots.txt')) {
        counts.set(url, (counts.get(url) ?? 0) + 1);
      }
    }
  }
  const web = new Set(lab.web.allUrls());
  return {
    web: web.size,
    archived: counts.size,
    missing: [...web].filter((url) => !counts.has(url)),
    learned:
      readFileSync(join(dir, 'log.jsonl'), 'utf8').split('"event":"trap-learned"').length - 1,
    twice: [...counts].filter(([, count]) => count > 1).map(([url]) => url),
    unconfirmed,
    files: files.length,
    torn,
    indexFaults: await indexFaults(dir),
  };
}

/** The second reader bears a torn end; the decoder of the system does not. */
async function isWhole(path: string): Promise<boolean> {
  try {
    await pipeline(createReadStream(path), createGunzip(), async (bytes) => {
      for await (const _ of bytes);
    });
    return true;
  } catch {
    return false;
  }
}

/** Mulberry32, so that a run can be had again, as far as the machine allows. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A web that ends only for those who learn, and a crawl with everything on that is kept in memory
 * and in checkpoints.
 */
export const EVERYTHING = {
  scenario: scenarioOf('clean', {
    ...{ session: 0.02, alias: 0.02, repeat: 0.02, calendar: 0.02 },
    ...{ 'soft-404': 0.1, gzip: 0.2, chunked: 0.2 },
  }),
  flags: [
    ...[
      '--order',
      'budget',
      '--near-duplicates',
      'store',
      '--learn-traps',
      '--soft-errors',
      'store',
    ],
    ...['--metadata', '--sitemaps'],
  ],
};

export async function run(args: string[]): Promise<void> {
  const all = args.includes('--all');
  const [kills = 300, domains = 1000, pages = 35, seed = 1] = args
    .filter((arg) => arg !== '--all')
    .map(Number);
  const report = await killOverAndOver({
    ...{ kills, domains, pages, seed, agents: 2, checkpoint: '200ms', livesFor: 1500 },
    ...(all && EVERYTHING),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  const { missing, twice, torn, indexFaults: index, ...figures } = report;
  const lists = { missing, twice, torn, index };
  console.table({
    ...figures,
    ...Object.fromEntries(Object.entries(lists).map(([k, v]) => [k, v.length])),
  });
  for (const [what, names] of Object.entries(lists)) {
    for (const name of names.slice(0, 10)) console.log(`${what} ${name}`);
  }
  const faults = missing.length + twice.length + torn.length + index.length + report.unconfirmed;
  const holds =
    faults === 0 && report.exitCode === 0 && report.askedAgain <= report.mayBeAskedAgain;
  process.exitCode = holds ? 0 : 1;
}
