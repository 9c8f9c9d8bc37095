/**
 * The stage of the fault harness: brokers, an S3 store, workers and the lab on loopback, with a
 * proxy on every link, and everything that can be done to them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, type S3Server, servers } from '../../scripts/servers.ts';
import { EXIT } from '../../src/base/errors.ts';
import { connectBrokers } from '../../src/cluster/broker/connect.ts';
import { createCluster } from '../../src/cluster/create.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { type Lab, type LabOptions, startLab } from '../../src/lab/server/lab.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { Owners } from './owners.ts';
import { TcpProxy } from './tcp-proxy.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');
const SKEWED = join(import.meta.dirname, 'skewed-clock.mjs');
const NAME = 'soak';
const MOST_RESTARTS = 100;

/** A worker that ends in order: the crawl is finished, or a limit is reached. */
export const isEnd = (code: number | null): boolean =>
  code === EXIT.ok || code === EXIT.limitReached;

export interface StagePlan {
  readonly folder: string;
  readonly web: LabOptions;
  readonly brokers: number;
  readonly workers: number;
  readonly agents: number;
  readonly settings: CrawlOptions;
  /** How much faster than usual leases go. */
  readonly pace: number;
  readonly commit: string;
  /** How wrong the clock of a worker may be, in milliseconds. */
  readonly skew: number;
}

export interface Worker {
  readonly number: number;
  readonly dir: string;
  child: ChildProcess;
  /** Its links to the brokers, and to the store. */
  readonly toBrokers: readonly TcpProxy[];
  readonly toStore: TcpProxy;
  /** The error of its clock. */
  ahead: number;
  /** It was killed on purpose, and is not started again by itself. */
  isDown: boolean;
}

interface Broker {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly route: number;
  server: RunningServer;
}

export class Stage {
  readonly plan: StagePlan;
  readonly lab: Lab;
  readonly store: S3Server;
  readonly brokers: Broker[];
  readonly workers: Worker[] = [];
  readonly objects: string;
  owners!: Owners;
  /** Exit codes of workers that ended with an error, and were started again. */
  readonly restarts: number[] = [];

  private constructor(plan: StagePlan, lab: Lab, store: S3Server, brokers: Broker[]) {
    this.plan = plan;
    this.lab = lab;
    this.store = store;
    this.brokers = brokers;
    this.objects = `s3://${store.bucket}/${NAME}`;
  }

  static async open(plan: StagePlan): Promise<Stage> {
    const { folder, web, agents, pace, settings } = plan;
    const log = join(folder, 'requests.jsonl');
    const [lab, store] = await Promise.all([startLab({ ...web, log }), servers.s3()]);
    const stage = new Stage(plan, lab, store, await startBrokers(plan));
    const urls = stage.brokers.map(({ server }) => server.url).join(',');
    const connected = await connectBrokers(urls, {});
    const replicas = plan.brokers;
    const book = await withPatience(async () => connected.book(NAME, { replicas }));
    if (!book) throw new Error('The brokers made no book.');
    const config = resolveConfig({ ...settings, allowPrivate: true, dns: lab.dns });
    const objects = await openObjects(stage.objects, store.env);
    await createCluster({
      ...{ book, store: objects, objects: stage.objects, name: NAME, agents, config },
      ...{ seeds: lab.seeds, now: Date.now(), pace },
    });
    await connected.close();
    stage.owners = await Owners.watch(urls, NAME, agents);
    for (let number = 1; number <= plan.workers; number++) await stage.#addWorker(number);
    return stage;
  }

  async #addWorker(number: number): Promise<void> {
    const dir = join(this.plan.folder, `worker-${number}`);
    const toBrokers = await Promise.all(this.brokers.map(({ port }) => TcpProxy.open(() => port)));
    const toStore = await TcpProxy.open(() => this.store.port);
    const place = { number, dir, toBrokers, toStore, ahead: 0, isDown: false };
    const worker: Worker = { ...place, child: this.#spawn(place) };
    this.workers.push(worker);
    this.#supervise(worker);
  }

  /** Starts the process of a worker again, in the same folder. */
  restart(worker: Worker): void {
    worker.child = this.#spawn(worker);
    worker.isDown = false;
    this.#supervise(worker);
  }

  /** As systemd does: a worker that ends with an error is started again. */
  #supervise(worker: Worker): void {
    worker.child.once('exit', async (code) => {
      if (worker.isDown || isEnd(code)) return;
      this.restarts.push(code ?? -1);
      await sleep(500);
      if (!worker.isDown && this.restarts.length < MOST_RESTARTS) this.restart(worker);
    });
  }

  #spawn({ number, dir, toBrokers, toStore, ahead }: Omit<Worker, 'child'>): ChildProcess {
    mkdirSync(dir, { recursive: true });
    const brokers = toBrokers.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
    const args = ['cluster', 'join', NAME, '--brokers', brokers, '--dir', dir, '--quiet'];
    const env = {
      ...process.env,
      ...this.store.env,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${toStore.port}`,
      SOAK_CLOCK_AHEAD: String(ahead),
      NODE_OPTIONS: `--import=${SKEWED}`,
    };
    const child = spawn(process.execPath, [DRUMLIN, ...args, '--commit', this.plan.commit], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    const log = createWriteStream(join(this.plan.folder, `worker-${number}.out`), { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    return child;
  }

  async killWorker(worker: Worker): Promise<void> {
    worker.isDown = true;
    const ended = once(worker.child, 'exit');
    if (worker.child.exitCode !== null || worker.child.signalCode !== null) return;
    worker.child.kill('SIGKILL');
    await ended;
  }

  wipe(worker: Worker): void {
    rmSync(worker.dir, { recursive: true, force: true });
  }

  async killBroker(broker: Broker, away: number, losesData: boolean): Promise<void> {
    broker.server.signal('SIGKILL');
    await sleep(away);
    await broker.server.stop();
    if (losesData) rmSync(join(broker.dir, 'js'), { recursive: true, force: true });
    broker.server = await startBroker(this.plan, broker, this.brokers);
  }

  /** All workers have ended in order. */
  ended(): boolean {
    return this.workers.every(({ child }) => isEnd(child.exitCode));
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await this.killWorker(worker);
    for (const { toBrokers, toStore } of this.workers)
      for (const proxy of [...toBrokers, toStore]) await proxy.close();
    await this.owners.close();
    for (const { server } of this.brokers) await server.stop();
    await this.store.stop();
    await this.lab.close();
  }
}

async function startBrokers(plan: StagePlan): Promise<Broker[]> {
  const places: Omit<Broker, 'server'>[] = [];
  for (let i = 0; i < plan.brokers; i++)
    places.push({
      name: `n${i}`,
      dir: join(plan.folder, `broker-${i}`),
      port: await servers.freePort(),
      route: await servers.freePort(),
    });
  return Promise.all(
    places.map(async (place) => ({ ...place, server: await startBroker(plan, place, places) })),
  );
}

function startBroker(
  plan: StagePlan,
  { name, dir, port, route }: Omit<Broker, 'server'>,
  all: readonly Omit<Broker, 'server'>[],
): Promise<RunningServer> {
  const peers = all.map((each) => each.route);
  const cluster = plan.brokers > 1 ? { port: route, peers } : undefined;
  return servers.nats({ name, dir, port, ...(cluster && { cluster }) });
}

/** A cluster of brokers needs some seconds to elect its leader. */
async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 40) throw error;
      await sleep(500);
    }
  }
}
