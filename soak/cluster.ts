/**
 * Crawls of the lab by a cluster on loopback, among random faults, judged by `cluster/judge.ts`.
 *
 *   npm run soak -- cluster --tally runs.jsonl
 *   npm run soak -- cluster --compare
 *
 * The faults: `kill -9` of a worker or broker, SIGSTOP of 5, 20 and 60 s, a wiped folder, errors of
 * the S3 store in the middle of an upload, a cut link, clocks that are wrong by up to 30 s. With
 * `--pace 0.25` leases and faults go four times faster; wrong clocks stay 30 s wrong. `--every` is
 * the longest pause between faults, before the pace.
 *
 * Every run is a crawl that ends by itself and is judged. Runs follow each other, each with the
 * next seed and the kinds that were drawn least, until there were `--faults`, `--each` of every
 * kind, and `--takeovers`. The tally has a line for each run: the same command continues it. A run
 * that fails is kept with all its logs.
 *
 * `--one` crawls the same web by one process, and compares what is archived and the ranks.
 * `--compare` makes one crawl without faults and one with few, and compares their speed between
 * faults.
 */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseDuration } from '../src/base/units.ts';
import { KINDS, type Kind, RARE, strike } from './cluster/faults.ts';
import { type Case, type Fault, figuresOf, holds, judge, printVerdict } from './cluster/judge.ts';
import { compareWithOne } from './cluster/one-process.ts';
import { speedBetween } from './cluster/speed.ts';
import { isEnd, Stage, type Worker } from './cluster/stage.ts';
import { randomFrom } from './kill.ts';

const OPTIONS = {
  tally: { type: 'string', default: '' },
  faults: { type: 'string', default: '200' },
  each: { type: 'string', default: '20' },
  takeovers: { type: 'string', default: '50' },
  minutes: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  runs: { type: 'string', default: '1000' },
  'in-run': { type: 'string', default: '18' },
  'run-minutes': { type: 'string', default: '8' },
  domains: { type: 'string', default: '32' },
  pages: { type: 'string', default: '60' },
  workers: { type: 'string', default: '3' },
  agents: { type: 'string', default: '6' },
  brokers: { type: 'string', default: '3' },
  addresses: { type: 'string', default: '20' },
  delay: { type: 'string', default: '1500ms' },
  pace: { type: 'string', default: '0.25' },
  commit: { type: 'string', default: '5s' },
  every: { type: 'string', default: '20s' },
  kinds: { type: 'string', default: KINDS.join(',') },
  'max-pages': { type: 'string', default: '' },
  compare: { type: 'boolean', default: false },
  one: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** What the tally keeps of a run. */
interface Run {
  readonly seed: number;
  readonly passed: boolean;
  readonly seconds: number;
  readonly ended: boolean;
  /** Exit codes of the workers, and of those that ended with an error and were started again. */
  readonly codes: readonly (number | null)[];
  readonly restarts: readonly number[];
  readonly kinds: Readonly<Record<Kind, number>>;
  readonly figures: Readonly<Record<string, number>>;
}

/** More than the quiet of a takeover: an heir has to wait for a Crawl-delay that it cannot know. */
const MAX_CRAWL_DELAY = 6000;
const ADDRESS_DELAY = 200;
const SKEW = 30_000;
const ALL: readonly Kind[] = [...KINDS, ...RARE];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.compare) return compare(values);
  const until = Date.now() + Number(values.minutes) * 60_000;
  const runs = tallied(values.tally);
  for (let done = 0; done < Number(values.runs) && Date.now() < until; done++) {
    if (isEnough(runs, values)) break;
    const seed = Number(values.seed) + runs.length;
    const random = randomFrom(seed);
    const kinds = values.kinds.split(',') as Kind[];
    const { result } = await crawlAmong(values, deck(kinds, runs, values, random), random, seed);
    runs.push(result);
    if (values.tally) appendFileSync(values.tally, `${JSON.stringify(result)}\n`);
  }
  printTally(runs);
  process.exitCode = runs.every(({ passed }) => passed) ? 0 : 1;
}

function tallied(path: string): Run[] {
  if (path === '' || !existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const struckBy = (runs: readonly Run[], kind: Kind): number =>
  runs.reduce((sum, { kinds }) => sum + (kinds[kind] ?? 0), 0);
const figure = (runs: readonly Run[], name: string): number =>
  runs.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0);
const faultsOf = (runs: readonly Run[]): number =>
  ALL.reduce((sum, kind) => sum + struckBy(runs, kind), 0);

function isEnough(runs: readonly Run[], values: Values): boolean {
  return (
    faultsOf(runs) >= Number(values.faults) &&
    KINDS.every((kind) => struckBy(runs, kind) >= Number(values.each)) &&
    figure(runs, 'takeovers') >= Number(values.takeovers)
  );
}

/** The kinds of a run in their order: those that struck least, shuffled. */
function deck(
  kinds: readonly Kind[],
  runs: readonly Run[],
  values: Values,
  random: () => number,
): Kind[] {
  const counts = new Map(kinds.map((kind) => [kind, struckBy(runs, kind) + random() / 2]));
  const drawn: Kind[] = [];
  while (drawn.length < Number(values['in-run'])) {
    const [least] = [...counts].sort((a, b) => a[1] - b[1])[0];
    counts.set(least, (counts.get(least) ?? 0) + 1);
    drawn.splice(Math.floor(random() * (drawn.length + 1)), 0, least);
  }
  return drawn;
}

/** One crawl among the faults of a deck. */
async function crawlAmong(
  values: Values,
  kinds: readonly Kind[],
  random: () => number,
  seed: number,
): Promise<{ readonly result: Run; readonly given: Case; readonly log: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-soak-cluster-'));
  const begun = Date.now();
  const until = begun + Number(values['run-minutes']) * 60_000;
  const stage = await Stage.open(planOf(values, folder));
  let passed = false;
  try {
    const faults = await strikeAll(stage, kinds, until, random, parseDuration(values.every));
    const ended = await waitForEnd(stage, until);
    const codes = stage.workers.map(({ child }) => child.exitCode);
    await stage.lab.close(); // writes the rest of its log
    const given = caseOf(values, stage, faults);
    writeFileSync(join(folder, 'case.json'), JSON.stringify(given));
    const verdict = await judge(given, stage.store.env);
    passed = ended && holds(verdict) && codes.every(isEnd);
    const result: Run = {
      ...{ seed, passed, seconds: Math.round((Date.now() - begun) / 1000), ended, codes },
      restarts: stage.restarts,
      kinds: Object.fromEntries(
        ALL.map((kind) => [kind, faults.filter((each) => each.kind === kind).length]),
      ) as Record<Kind, number>,
      figures: figuresOf(verdict),
    };
    console.log(JSON.stringify(result));
    if (!passed) printVerdict(verdict);
    if (values.one)
      console.log(await compareWithOne(given, folder, stage.owners.manifests, stage.store.env));
    return { result, given, log: readFileSync(given.log, 'utf8') };
  } finally {
    await stage.close();
    if (values.keep || !passed) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

function planOf(values: Values, folder: string) {
  const web = {
    scenario: 'site' as const,
    mix: { 'robots-delay': 0.05 },
    domains: Number(values.domains),
    pages: Number(values.pages),
    addresses: Number(values.addresses),
  };
  return {
    ...{ folder, web, commit: values.commit, skew: SKEW, pace: Number(values.pace) },
    brokers: Number(values.brokers),
    workers: Number(values.workers),
    agents: Number(values.agents),
    settings: {
      ...{ delay: parseDuration(values.delay), addressDelay: ADDRESS_DELAY },
      ...{ checkpoint: '1s', maxCrawlDelay: MAX_CRAWL_DELAY },
      ...(values['max-pages'] && { maxPages: Number(values['max-pages']) }),
    },
  };
}

function caseOf(values: Values, stage: Stage, faults: readonly Fault[]): Case {
  const { web, folder, agents } = stage.plan;
  return {
    ...{ web, agents, ports: stage.lab.ports, objects: stage.objects, faults },
    ...{ log: join(folder, 'requests.jsonl'), changes: stage.owners.changes },
    ...{ delay: parseDuration(values.delay), addressDelay: ADDRESS_DELAY },
    maxCrawlDelay: MAX_CRAWL_DELAY,
    ...(values['max-pages'] && { maxPages: Number(values['max-pages']) }),
  };
}

/** Strikes until the crawl ends: two faults at once at most, never the same worker twice. */
async function strikeAll(
  stage: Stage,
  kinds: readonly Kind[],
  until: number,
  random: () => number,
  every: number,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const struck = new Set<Worker | 'brokers'>();
  const running = new Set<Promise<void>>();
  const left = [...kinds];
  while (stage.lab.requests === 0 && Date.now() < until) await sleep(20);
  const isOver = () => stage.workers.some(({ child }) => isEnd(child.exitCode));
  while (left.length > 0 && Date.now() < until && !isOver()) {
    await sleep(random() * every * stage.plan.pace);
    const [kind] = left;
    const worker = stage.workers[Math.floor(random() * stage.workers.length)];
    const target = kind === 'kill-broker' || isRare(kind) ? 'brokers' : worker;
    if (struck.has(target) || struck.size > 1 || isOver()) continue;
    left.shift();
    struck.add(target);
    const from = Date.now();
    const work = strike(kind, stage, worker, random)
      .then(() => void faults.push({ kind, from, to: Date.now() }))
      .finally(() => {
        struck.delete(target);
        running.delete(work);
      });
    running.add(work);
  }
  await Promise.all(running);
  return faults;
}

const isRare = (kind: Kind): boolean => (RARE as readonly Kind[]).includes(kind);

async function waitForEnd(stage: Stage, until: number): Promise<boolean> {
  while (!stage.ended() && Date.now() < until) await sleep(200);
  return stage.ended();
}

/** A crawl without faults, and one with few: how fast is the second between its faults? */
async function compare(values: Values): Promise<void> {
  const seed = Number(values.seed);
  const random = randomFrom(seed);
  const calm = await crawlAmong(values, [], random, seed);
  const drawn = deck(values.kinds.split(',') as Kind[], [], values, random);
  const struck = await crawlAmong(values, drawn, random, seed);
  // A takeover, and the heir's wait.
  const settles = 22_000 * Number(values.pace) + MAX_CRAWL_DELAY;
  console.log(JSON.stringify(speedBetween(calm.log, struck.log, struck.given.faults, settles)));
}

function printTally(runs: readonly Run[]): void {
  const names = ['web', 'archived', 'missing', 'twice', 'torn', 'unconfirmed', 'index'];
  const more = ['requests', 'tooSoon', 'repeats', 'mayRepeat', 'takeovers'];
  console.table({
    runs: runs.length,
    failed: runs.filter(({ passed }) => !passed).length,
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    faults: faultsOf(runs),
    ...Object.fromEntries(ALL.map((kind) => [kind, struckBy(runs, kind)])),
    ...Object.fromEntries([...names, ...more].map((name) => [name, figure(runs, name)])),
    'longest unowned': Math.max(0, ...runs.map(({ figures }) => figures.unowned ?? 0)),
    restarts: runs.reduce((sum, { restarts }) => sum + restarts.length, 0),
  });
}
