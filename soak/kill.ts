/**
 * A crawl of a finite web that is killed (SIGKILL) at random moments, over and over, and resumed
 * each time. At the end, what is in the archive?
 *
 * A moment is something that the crawl has done, not a time: a fast machine is killed as often as a
 * slow one.
 *
 * `npm run soak -- kill [kills] [domains] [pages] [seed] [--all]`; the tests run a short form of
 * it. With `--all` everything that has a state of its own is on (budgets, near-duplicates, learned
 * traps, soft 404s, verdicts on spam, metadata, sitemaps), and some domains are traps. Without what
 * was learned the crawl would not end, and with a wrong rule pages would be missing.
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
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { listDomains } from '../src/crawl/state/domain-list.ts';
import { Disk } from '../src/disk/disk.ts';
import { type Scenario, scenarioOf } from '../src/lab/scenario.ts';
import { type Lab, type LabOptions, startLab } from '../src/lab/server/lab.ts';
import { LiveModel } from '../src/spam/live/live-model.ts';
import { modelText, type SpamModel } from '../src/spam/model.ts';
import { readWithWarcio } from '../test/archive/warc/fixtures.ts';
import { indexFaults } from '../test/archive/warc/true-index.ts';
import { tinyModel } from '../test/spam/live/tiny-model.ts';
import { verdictsByArchive } from './spam-verdicts.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
/** The share of kills that come during recovery, and of those that come after a checkpoint. */
const EARLY_SHARE = 1 / 4;
const SAVED_SHARE = 1 / 2;
/** The most lives in a row that may end before a checkpoint; some are meant to. */
const PATIENCE = 4;
/**
 * Milliseconds before a checkpoint in which a page may have been served but not received: such a
 * page is queued in the checkpoint.
 */
const ON_ITS_WAY = 500;

export interface KillPlan {
  readonly kills: number;
  readonly domains: number;
  readonly pages: number;
  /**
   * The most requests that a life makes. It makes more if several in a row end before their first
   * checkpoint; otherwise a busy machine would make no progress.
   */
  readonly requests: number;
  readonly checkpoint: string;
  readonly agents: number;
  /** Seed of the moments. */
  readonly seed: number;
  /** Milliseconds that every answer takes, so that there are checkpoints in between. */
  readonly answersAfter?: number;
  readonly flags?: readonly string[];
  /**
   * What the web is made of; by default `clean`. Pages of endless domains are not counted as
   * missing.
   */
  readonly scenario?: Scenario;
  /** The crawl judges domains with this model. */
  readonly spam?: SpamModel;
  readonly say?: (line: string) => void;
}

export interface KillReport {
  readonly kills: number;
  /** Exit code of the last run, which was not killed. */
  readonly exitCode: number | null;
  /** Pages of the web. */
  readonly web: number;
  readonly archived: number;
  /** Pages of the web that are not in the archive. */
  readonly missing: string[];
  /** Pages that are in the archive more than once. */
  readonly twice: string[];
  /** Rules about traps in the log, of all lives together. */
  readonly learned: number;
  /** Records of the archive that a second reader does not confirm. */
  readonly unconfirmed: number;
  readonly files: number;
  /** Files that do not consist of complete members. */
  readonly torn: string[];
  /** Wrong and missing entries of the index. */
  readonly indexFaults: string[];
  /** Domains whose verdict on spam is not the one that the archive gives. */
  readonly misjudged: string[];
  /** Requests for pages and robots.txt that the web has answered. */
  readonly requests: number;
  /** Pages that were requested again. */
  readonly askedAgain: number;
  /** Pages that may be requested again: those answered after the last checkpoint before a kill. */
  readonly mayBeAskedAgain: number;
}

/** One life of the crawler. */
interface Life {
  /** The earliest of its agents' last checkpoints; 0 if an agent had made none. */
  readonly checkpointAt: number;
  readonly killedAt: number;
}

export async function killOverAndOver(plan: KillPlan): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-kill-'));
  const log = join(folder, 'requests.jsonl');
  const { domains, pages, scenario = 'clean' } = plan;
  const lab = await startLab({ scenario, domains, pages, log, ...slowBy(plan.answersAfter) });
  try {
    const dir = join(folder, 'crawl');
    const model = join(folder, 'model.json');
    if (plan.spam) writeFileSync(model, modelText(plan.spam));
    const args = [
      ...['crawl', ...lab.seeds, '--dir', dir, '--dns', lab.dns, '--allow-private'],
      ...flagsOf(plan),
      ...(plan.spam ? ['--spam', model, '--budget', NEVER_NOTHING] : []),
    ];
    const random = randomFrom(plan.seed);
    const lives: Life[] = [];
    let inVain = 0;
    while (lives.length < plan.kills) {
      const requests = inVain > PATIENCE ? Infinity : plan.requests;
      const ended = await runAndKill(args, { ...plan, dir, lab, requests }, random);
      if (ended) break; // Nothing was left to fetch.
      const times = lastCheckpoints(dir, plan.agents);
      const progressed = Math.max(...times) > (lives.at(-1)?.killedAt ?? 0);
      inVain = progressed ? 0 : inVain + 1;
      lives.push({ checkpointAt: Math.min(...times), killedAt: Date.now() });
      if (lives.length % 10 === 0) plan.say?.(`${lives.length} kills, ${lab.requests} requests`);
    }
    const exitCode = await runToEnd(args);
    await lab.close(); // writes the rest of its log
    const counts = { kills: lives.length, exitCode, requests: lab.requests };
    const misjudged = plan.spam ? await misjudgedIn(dir, plan.spam) : [];
    return { ...counts, ...repeats(log, lives), ...(await judge(dir, lab)), misjudged };
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Options of a web whose every answer takes some milliseconds; a `Scenario` needs its own share.
 */
export const slowBy = (patience?: number): LabOptions =>
  patience === undefined ? {} : { mix: { 'slow-start': 1 }, patience };

/** The time of each agent's last checkpoint; 0 if it has made none. */
export function lastCheckpoints(dir: string, agents: number): number[] {
  const paths = Array.from({ length: agents }, (_, agent) =>
    join(dir, `agents/${agent}/checkpoint.json`),
  );
  return paths.map((path) =>
    existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).state.savedAt : 0,
  );
}

export function repeats(
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
    if (life < lives.length && time >= lives[life].checkpointAt - ON_ITS_WAY) mayBeAskedAgain++;
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

interface LifePlan extends Pick<KillPlan, 'agents' | 'requests'> {
  readonly dir: string;
  readonly lab: Lab;
}

/** Returns true if the crawl ended before it was killed. */
export async function runAndKill(
  args: string[],
  { dir, lab, agents, requests }: LifePlan,
  random: () => number,
): Promise<boolean> {
  const [kind, share] = [random(), random()];
  const early = join(dir, share < 1 / 2 ? 'crawl.json' : 'log.jsonl');
  const before = { requests: lab.requests, early: changedAt(early), time: Date.now() };
  const isSaved = () => Math.max(...lastCheckpoints(dir, agents)) > before.time;
  const mostRequests = requests === Infinity ? Infinity : Math.ceil(share * requests);
  const isOver =
    kind < EARLY_SHARE && requests !== Infinity
      ? () => changedAt(early) > before.early
      : () =>
          lab.requests - before.requests >= mostRequests ||
          (isSaved() && (kind < EARLY_SHARE + SAVED_SHARE || requests === Infinity));
  const child = start(args);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  while (!isOver() && child.exitCode === null) await sleep(1);
  child.kill('SIGKILL');
  const [code] = await ended;
  return code !== null && requireGoodEnd(code);
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export async function runToEnd(args: string[]): Promise<number | null> {
  const [code] = (await once(start(args), 'exit')) as [number | null];
  return code;
}

function requireGoodEnd(code: number): boolean {
  if (code === 0) return true;
  throw new Error(`the crawl exited with ${code} before it was killed`);
}

/** Its standard error is shown: complaints of a resumed crawl are worth reading. */
function start(args: string[]): ChildProcess {
  return spawn(process.execPath, [DRUMLIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function judge(dir: string, lab: Lab) {
  const archive = join(dir, 'archive');
  const counts = new Map<string, number>();
  const files = readdirSync(archive).filter((name) => name !== 'orphans');
  let unconfirmed = 0;
  const torn: string[] = [];
  for (const file of files) {
    if (!(await isWhole(join(archive, file)))) torn.push(file);
    for (const { type, url, blockConfirmed, payloadConfirmed } of await readWithWarcio(
      join(archive, file),
    )) {
      // A body with a trailer has no payload digest, and is confirmed as a block only.
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

/** A quiet crawl has the verdicts that its pages give, whatever their order. */
async function misjudgedIn(dir: string, model: SpamModel): Promise<string[]> {
  const expected = await verdictsByArchive(dir, new LiveModel(model, 'the model'));
  const { rows } = await listDomains(new Disk(), dir, 'domain', 1e9);
  const given = new Map(rows.map(({ domain, spam }) => [domain, spam]));
  return [...expected].flatMap(([domain, spam]) => (given.get(domain) === spam ? [] : [domain]));
}

/** The second reader tolerates a torn end; the system's decoder does not. */
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

/** Mulberry32, so that a run can be repeated, as far as the machine allows. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** With a budget of 0, pages of a domain that looks like spam would be missing. */
const NEVER_NOTHING = 'max(1, proportional(power=2) * (1 - spam)^2)';

/**
 * A web that ends only for crawls that learn, and a crawl with every feature that has state in
 * memory and in checkpoints.
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
    ...{ kills, domains, pages, seed, agents: 2, checkpoint: '200ms', requests: 150 },
    ...(all && { ...EVERYTHING, spam: tinyModel() }),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  const { missing, twice, torn, indexFaults: index, misjudged, ...figures } = report;
  const lists = { missing, twice, torn, index, misjudged };
  console.table({
    ...figures,
    ...Object.fromEntries(Object.entries(lists).map(([k, v]) => [k, v.length])),
  });
  for (const [what, names] of Object.entries(lists)) {
    for (const name of names.slice(0, 10)) console.log(`${what} ${name}`);
  }
  const faults = Object.values(lists).flat().length + report.unconfirmed;
  const holds =
    faults === 0 && report.exitCode === 0 && report.askedAgain <= report.mayBeAskedAgain;
  process.exitCode = holds ? 0 : 1;
}
