/**
 * Processor time a page: one process with one agent, one process with four, four processes that
 * know nothing of each other, and a cluster of four workers with one agent each, on the same web.
 * All parcels of the cluster cross the broker, and its checkpoints go to an S3 store: both are
 * real, and their processor time is shown beside.
 *
 * The four processes apart are the measure of what four machines could do: a page costs more
 * processor time on a machine that is full, and a cluster on one machine fills it.
 *
 *   npm run bench -- cluster [requests] [requests before] [time between commits]
 *
 * The processor time (user and system, of /proc) is taken between two numbers of requests that the
 * web has answered, so that the start of processes, the warming up of V8 and the end do not count.
 * The web runs in another process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servers } from '../scripts/servers.ts';
import { startLab } from '../src/lab/server/lab.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const DOMAINS = 40_000;
const PAGES = 40;
const WORKERS = 4;
/** Ticks of /proc a second. */
const TICKS = 100;

interface Cost {
  readonly requests: number;
  readonly seconds: number;
  /** Processor seconds of each process of Drumlin. */
  readonly own: readonly number[];
  /** Of the broker and the store. */
  readonly servers: readonly number[];
}

interface Around {
  readonly folder: string;
  readonly from: number;
  readonly requests: number;
  readonly commit: string;
}

export async function run(args: string[]): Promise<void> {
  const [requests = '8000', from = '4000', commit = '20s'] = args;
  const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
  const around = { folder, from: Number(from), requests: Number(requests), commit };
  try {
    const one = await crawl(around, 1);
    print({ 'one agent': one });
    const four = await crawl(around, WORKERS);
    print({ 'four agents': four });
    const apart = await crawl(around, 1, WORKERS);
    print({ 'four apart': apart });
    const cluster = await clusterCrawl(around);
    print({
      'one agent': one,
      'four agents': four,
      'four apart': apart,
      'four workers': cluster,
    });
    const [inOne, inFour, inFourApart, inCluster] = [one, four, apart, cluster].map(perPage);
    const slowest = Math.max(...cluster.own) / cluster.requests;
    console.log(`own work of the cluster: ${percent((inCluster - inFour) / inCluster)} of a page`);
    const times = (cost: number) => `${(WORKERS * cost).toFixed(2)} ×`;
    console.log(`four workers: ${times(inFourApart / inCluster)} one of four apart`);
    console.log(`four workers: ${times(inOne / inCluster)} one alone on the machine`);
    console.log(`the busiest worker: ${times(inOne / slowest / WORKERS)} one alone on the machine`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);
const perPage = ({ own, requests }: Cost): number => sum(own) / requests;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function print(costs: Readonly<Record<string, Cost>>): void {
  const row = ({ requests, seconds, own, servers: others }: Cost) => ({
    requests,
    seconds: Math.round(seconds),
    'CPU s': sum(own).toFixed(1),
    'ms a page': ((1000 * sum(own)) / requests).toFixed(3),
    'of each': own.map((each) => each.toFixed(1)).join(' '),
    'broker, store': others.map((each) => each.toFixed(1)).join(' '),
  });
  console.table(Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, row(cost)])));
}

async function withLab<Result>(
  work: (lab: Awaited<ReturnType<typeof startLab>>, settings: string[]) => Promise<Result>,
): Promise<Result> {
  const lab = await startLab({ scenario: 'clean', domains: DOMAINS, pages: PAGES });
  const delays = ['--delay', '200ms', '--address-delay', '20ms'];
  try {
    return await work(lab, [
      ...[...delays, '--allow-private', '--dns', lab.dns],
      ...['--contact', 'you@example.com'],
    ]);
  } finally {
    await lab.close();
  }
}

const start = (args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess =>
  spawn(process.execPath, [DRUMLIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });

/** The processor time of processes between two numbers of requests. */
async function between(
  { from, requests }: Around,
  lab: { readonly requests: number },
  own: readonly ChildProcess[],
  others: readonly number[],
): Promise<Cost> {
  const pids = own.map(({ pid }) => pid ?? 0);
  const reach = async (count: number) => {
    while (lab.requests < count) {
      if (own.some(({ exitCode }) => exitCode !== null)) throw new Error('A process has ended.');
      await sleep(50);
    }
    const now = { at: performance.now(), asked: lab.requests };
    return { ...now, own: pids.map(cpuOf), others: others.map(cpuOf) };
  };
  const before = await reach(from);
  const after = await reach(from + requests);
  return {
    requests: after.asked - before.asked,
    seconds: (after.at - before.at) / 1000,
    own: after.own.map((each, n) => each - before.own[n]),
    servers: after.others.map((each, n) => each - before.others[n]),
  };
}

/** User and system seconds of a process, with all its threads. */
function cpuOf(pid: number): number {
  const [, after] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /);
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function end(children: readonly ChildProcess[]): Promise<void> {
  const ends = children.map((child) => child.exitCode ?? once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ends);
}

/** One process, or several at once, each of them a crawl of its own. */
async function crawl(around: Around, agents: number, processes = 1): Promise<Cost> {
  return withLab(async (lab, settings) => {
    const given = [...lab.seeds, ...settings, '--agents', String(agents), '--quiet'];
    const children = Array.from({ length: processes }, (_, n) =>
      start(['crawl', ...given, '--dir', join(around.folder, `${agents}-${processes}-${n}`)]),
    );
    try {
      return await between(around, lab, children, []);
    } finally {
      await end(children);
    }
  });
}

async function clusterCrawl(around: Around): Promise<Cost> {
  const [broker, store] = await Promise.all([servers.nats(), servers.s3()]);
  const env = { ...process.env, ...store.env };
  const children: ChildProcess[] = [];
  try {
    return await withLab(async (lab, settings) => {
      const seeds = join(around.folder, 'seeds.txt');
      writeFileSync(seeds, `${lab.seeds.join('\n')}\n`);
      const brokers = ['--brokers', broker.url];
      const where = ['--objects', `s3://${store.bucket}/bench`, '--durable-brokers'];
      const made = ['cluster', 'create', 'bench', seeds, ...brokers, ...where, ...settings];
      const [code] = await once(start([...made, '--agents', String(WORKERS)], env), 'exit');
      if (code !== 0) throw new Error('The cluster was not created.');
      for (let n = 1; n <= WORKERS; n++) {
        const dir = join(around.folder, `worker-${n}`);
        const joins = ['cluster', 'join', 'bench', ...brokers, '--dir', dir, '--quiet'];
        children.push(start([...joins, '--commit', around.commit], env));
      }
      return await between(around, lab, children, [broker.pid, store.pid]);
    });
  } finally {
    await end(children);
    await broker.stop();
    await store.stop();
  }
}
