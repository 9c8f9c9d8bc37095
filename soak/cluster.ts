/**
 * A crawl of the lab by a cluster on loopback, among random faults, judged by `cluster/judge.ts`.
 *
 *   npm run soak -- cluster --seed 7 --faults 40 --minutes 4
 *
 * The faults: `kill -9` of a worker or broker, SIGSTOP of 5, 20 and 60 s, a wiped folder, errors of
 * the S3 store in the middle of an upload, a cut link, clocks that are wrong by up to 30 s. With
 * `--pace 0.1` leases and faults go ten times faster. `--every` is the longest pause between faults
 * (before the pace; a slow machine needs longer ones to make progress). `--keep` keeps the folder with all logs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseDuration } from '../src/base/units.ts';
import { KINDS, type Kind, strike } from './cluster/faults.ts';
import { type Case, type Fault, holds, judge, printVerdict } from './cluster/judge.ts';
import { Stage, type Worker } from './cluster/stage.ts';
import { randomFrom } from './kill.ts';

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  faults: { type: 'string', default: '200' },
  minutes: { type: 'string', default: '30' },
  domains: { type: 'string', default: '60' },
  pages: { type: 'string', default: '40' },
  workers: { type: 'string', default: '3' },
  agents: { type: 'string', default: '6' },
  brokers: { type: 'string', default: '3' },
  addresses: { type: 'string', default: '20' },
  delay: { type: 'string', default: '300ms' },
  pace: { type: 'string', default: '0.1' },
  commit: { type: 'string', default: '2s' },
  every: { type: 'string', default: '20s' },
  kinds: { type: 'string', default: KINDS.join(',') },
  keep: { type: 'boolean', default: false },
} as const;

const MAX_CRAWL_DELAY = 2000;
const ADDRESS_DELAY = 50;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-soak-cluster-'));
  const pace = Number(values.pace);
  const web = {
    scenario: 'clean' as const,
    mix: { 'robots-delay': 0.05 },
    domains: Number(values.domains),
    pages: Number(values.pages),
    addresses: Number(values.addresses),
  };
  const delay = parseDuration(values.delay);
  const stage = await Stage.open({
    folder,
    web,
    brokers: Number(values.brokers),
    workers: Number(values.workers),
    agents: Number(values.agents),
    settings: {
      delay,
      addressDelay: ADDRESS_DELAY,
      checkpoint: '500ms',
      maxCrawlDelay: MAX_CRAWL_DELAY,
    },
    pace,
    commit: values.commit,
    skew: 30_000,
  });
  const until = Date.now() + Number(values.minutes) * 60_000;
  const kinds = values.kinds.split(',') as Kind[];
  const random = randomFrom(Number(values.seed));
  const begun = Date.now();
  try {
    const limits = { most: Number(values.faults), until, every: parseDuration(values.every) };
    const faults = await strikeOften(stage, kinds, limits, random);
    const ended = await waitForEnd(stage, until);
    const took = Math.round((Date.now() - begun) / 1000);
    const codes = stage.workers.map(({ child }) => child.exitCode);
    const counts = Object.fromEntries(
      KINDS.map((kind) => [kind, faults.filter((each) => each.kind === kind).length]),
    );
    const { restarts } = stage;
    const figures = { seconds: took, ended, codes, restarts, faults: faults.length, ...counts };
    console.log(JSON.stringify(figures));
    const { ports } = stage.lab;
    await stage.lab.close(); // writes the rest of its log
    const given: Case = {
      ...{ web, ports, log: join(folder, 'requests.jsonl'), objects: stage.objects, delay },
      ...{ addressDelay: ADDRESS_DELAY, maxCrawlDelay: MAX_CRAWL_DELAY, faults },
      commitWithin: parseDuration(values.commit) + 30_000 * pace + 2000,
    };
    writeFileSync(join(folder, 'case.json'), JSON.stringify(given));
    const verdict = await judge(given, stage.store.env);
    printVerdict(verdict);
    process.exitCode = ended && codes.every((code) => code === 0) && holds(verdict) ? 0 : 1;
  } finally {
    await stage.close();
    if (values.keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** Strikes until the crawl ends: two faults at once at most, never the same worker twice. */
async function strikeOften(
  stage: Stage,
  kinds: readonly Kind[],
  { most, until, every }: { most: number; until: number; every: number },
  random: () => number,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const struck = new Set<Worker | 'brokers'>();
  const running = new Set<Promise<void>>();
  while (stage.lab.requests === 0 && Date.now() < until) await sleep(20);
  const isOver = () => stage.workers.some(({ child }) => child.exitCode === 0);
  while (faults.length + running.size < most && Date.now() < until && !isOver()) {
    await sleep(random() * every * stage.plan.pace);
    const kind = kinds[Math.floor(random() * kinds.length)];
    const worker = stage.workers[Math.floor(random() * stage.workers.length)];
    const target = kind === 'kill-broker' ? 'brokers' : worker;
    if (struck.has(target) || struck.size > 1 || isOver()) continue;
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

async function waitForEnd(stage: Stage, until: number): Promise<boolean> {
  while (!stage.ended() && Date.now() < until) await sleep(200);
  return stage.ended();
}
