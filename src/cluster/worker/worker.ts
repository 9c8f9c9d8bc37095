/**
 * A worker: one process on one machine that runs agents of a cluster, each in a thread.
 *
 *   brokers ◄──► worker ◄── frames, commits, reports ──► agents (threads)
 *      │            └─ object store: checkpoints, archive
 *      └─ book: leases, placement, state; subjects: parcels (in.<to>.<from>), reports (worker.<id>)
 *
 * Idea      The worker compares what it runs with what the placement says, again and again. What it
 *           should run and nobody has, it takes; what another should run, it drains and releases.
 *           Nothing else decides: a message that is lost is made up for by the next look.
 * Ensures   An agent is taken only if it is free, was ours, or its key has not changed for the time
 *           of a takeover. `finished` resolves when the crawl has ended or the worker was drained,
 *           and rejects when an agent failed by an error of its own.
 */
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import type { Msg } from '@nats-io/transport-node';
import { type Clock, paceOf, systemClock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { type CrawlConfig, resolveConfig } from '../../config/settings.ts';
import { type Plan, planCrawl } from '../../crawl/crawl.ts';
import { serveMetrics } from '../../crawl/monitor/metrics-server.ts';
import type { EndReason } from '../../crawl/record/counters.ts';
import { CrawlLog } from '../../crawl/record/log.ts';
import { shareAddresses } from '../../crawl/transport/address-table.ts';
import { type SharedHosts, shareHosts } from '../../crawl/transport/host-table.ts';
import { Disk } from '../../disk/disk.ts';
import type { Held } from '../../disk/file-system.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { Brokers } from '../broker/connect.ts';
import { crawlOf, seedsOf, settingsOf } from '../create.ts';
import type { AgentEntry } from '../lease/agent-lease.ts';
import { type Book, change } from '../lease/book.ts';
import { systemLeaseClock } from '../lease/fence.ts';
import { type LeaseTimes, leaseTimes } from '../lease/lease-times.ts';
import type { AgentLook } from '../members/ending.ts';
import {
  type ClusterCrawl,
  KEYS,
  type Moved,
  type WorkerEntry,
  workerKey,
} from '../members/keys.ts';
import { Leader } from '../members/leader.ts';
import { type Seen, View } from '../members/view.ts';
import { agentNow, reportSubject, type WorkerReport } from '../members/worker-report.ts';
import { mergeClusterIndex } from '../mirror/merge-index.ts';
import { Hosting } from './hosting.ts';
import { Sharing } from './sharing.ts';
import { Steering } from './steering.ts';
import { workerId } from './worker-folder.ts';
import { WorkerProgress } from './worker-progress.ts';

interface WorkerOptions {
  /** The name of the cluster. */
  readonly name: string;
  readonly brokers: Brokers;
  readonly store: ObjectStore;
  readonly dir: string;
  /** Settings of this machine only, such as a proxy. */
  readonly local?: Partial<CrawlConfig>;
  /** The share of agents that it should have, beside the others. Default: its cores. */
  readonly weight?: number;
  readonly commitEvery?: Millis;
  readonly ownsProcess?: boolean;
}

/** Why a worker has ended. */
type WorkerEnd = EndReason | 'drained';

const COMMIT_EVERY: Millis = 60_000;
const TICK: Millis = 500;

export class Worker {
  readonly id: string;
  readonly finished: Promise<WorkerEnd>;
  readonly #options: WorkerOptions;
  readonly #disk: Disk;
  readonly #clock: Clock = systemClock;
  readonly #book: Book;
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  readonly #crawl: ClusterCrawl;
  readonly #seeds: readonly string[];
  readonly #log: CrawlLog;
  readonly #lock: Held;
  readonly #closers: (() => unknown)[] = [];
  #view!: View;
  #sharing!: Sharing;
  #hosting!: Hosting;
  #steering!: Steering;
  readonly #progress: WorkerProgress;
  #leader!: Leader;
  #beat = 0;
  #beatAt: Millis = -Infinity;
  /** Why the worker ends, if an agent has failed. */
  #failure: { readonly error: unknown } | undefined;
  #draining = false;
  #ticking = false;
  #phase = '';
  #complaint = '';
  #timer: NodeJS.Timeout | undefined;
  #outcome!: { resolve(end: WorkerEnd): void; reject(error: unknown): void };

  private constructor(
    id: string,
    options: WorkerOptions,
    parts: {
      readonly disk: Disk;
      readonly book: Book;
      readonly plan: Plan;
      readonly crawl: ClusterCrawl;
      readonly seeds: readonly string[];
      readonly log: CrawlLog;
      readonly lock: Held;
    },
  ) {
    this.id = id;
    this.#options = options;
    this.#disk = parts.disk;
    this.#book = parts.book;
    this.#plan = parts.plan;
    this.#progress = new WorkerProgress(this.#clock.now(), parts.plan.config);
    this.#times = leaseTimes(parts.crawl.pace);
    this.#crawl = parts.crawl;
    this.#seeds = parts.seeds;
    this.#log = parts.log;
    this.#lock = parts.lock;
    this.finished = new Promise<WorkerEnd>((resolve, reject) => {
      this.#outcome = { resolve, reject };
    });
    this.finished.catch(() => {}); // reported to those who await it
  }

  static async join(options: WorkerOptions, book: Book): Promise<Worker> {
    const { name, dir, store, local } = options;
    const disk = new Disk();
    const crawl = await crawlOf(book, name);
    const { agents } = crawl;
    const config = resolveConfig({ ...settingsOf(crawl), ...local, agents, dir });
    const seeds = await seedsOf(store);
    await disk.makeFolder(dir);
    const lock = disk.lock(dir);
    let log: CrawlLog | undefined;
    let worker: Worker | undefined;
    try {
      log = await CrawlLog.open(disk, join(dir, 'log.jsonl'), systemClock);
      const plan = await planCrawl(seeds, config, {});
      const id = await workerId(disk, dir);
      const parts = { disk, book, plan, crawl, seeds, log, lock };
      worker = new Worker(id, options, parts);
      await worker.#begin();
      return worker;
    } catch (error) {
      if (worker) for (const close of worker.#closers) await close();
      await log?.close();
      lock.release();
      throw error;
    }
  }

  /** Gives all agents back, in order, and ends. */
  drain(): void {
    this.#draining = true;
    this.#beatAt = -Infinity;
  }

  async #begin(): Promise<void> {
    const { brokers } = this.#options;
    const { view, stop } = await View.open(this.#book, now, (key, entry) =>
      this.#changed(key, entry),
    );
    this.#view = view;
    this.#closers.push(stop);
    const { config, filtering, filters } = this.#plan;
    this.#steering = await Steering.open({
      ...{ filtering, filters, dir: this.#options.dir, clock: this.#clock, log: this.#log },
      every: config.checkpoint,
      onFilters: (set) => this.#hosting.filters(set),
      // The first orders come before any agent: it begins with them.
      onOrders: async (orders) => this.#hosting?.tune(orders),
      get: (key) => view.get(key)?.value,
    });
    this.#closers.push(() => this.#steering.end());
    // What has changed while it was opened.
    for (const key of [KEYS.filters, KEYS.domains, KEYS.tuning])
      this.#steering.changed(key, view.get(key)?.value);
    this.#leader = new Leader({
      ...{ book: this.#book, view, worker: this.id, agents: this.#crawl.agents, now },
      wall: () => this.#clock.now(),
      look: (workers) => this.#askAll(workers),
      limits: { maxTime: config.maxTime, maxBytes: config.maxBytes },
      finish: () => this.#mergeIndex(),
      onLead: (term) => this.#log.event('cluster-leader', { term }),
      settle: (2 / 3) * this.#times.renew,
      times: this.#times,
    });
    const hosts = shareHosts();
    this.#hosting = this.#newHosting(hosts);
    this.#sharing = new Sharing({
      ...{ worker: this.id, crawl: this.#crawl, config, clock: paceOf(this.#clock) },
      ...{ connection: brokers.connection, timeout: this.#times.renew, hosts },
      subject: (rest) => this.#subject(rest),
      hosted: (agent) => this.#hosting.agent(agent),
    });
    this.#hosting.shareBy(this.#sharing);
    this.#closers.push(() => this.#sharing.close());
    const { connection } = brokers;
    const questions = connection.subscribe(this.#subject(`worker.${this.id}`), {
      callback: (_, message) => void this.#answer(message),
    });
    const looks = connection.subscribe(reportSubject(this.#options.name, this.id), {
      callback: (_, message) => void this.#report(message),
    });
    this.#closers.push(() => questions.unsubscribe());
    this.#closers.push(() => looks.unsubscribe());
    await this.#serveMetrics(config);
    await this.#sayHello();
    this.#timer = setInterval(() => void this.#tick(), Math.min(TICK, this.#times.renew / 3));
  }

  /** `--metrics-port` of this machine, or of the crawl. */
  async #serveMetrics(config: CrawlConfig): Promise<void> {
    if (config.metricsPort === 0) return;
    const served = await serveMetrics(config.metricsPort, () =>
      this.#progress.now(this.#hosting.reports(), this.#clock.now()),
    );
    this.#closers.push(() => served.close());
  }

  #newHosting(hosts: SharedHosts): Hosting {
    const { dir, store, brokers, commitEvery = COMMIT_EVERY, ownsProcess = false } = this.#options;
    return new Hosting({
      ...{ worker: this.id, agents: this.#crawl.agents, times: this.#times, commitEvery, dir },
      ...{ ownsProcess, store, disk: this.#disk, book: this.#book, plan: this.#plan },
      ...{ seeds: this.#seeds, log: this.#log, view: this.#view, connection: brokers.connection },
      ...{ subject: (rest) => this.#subject(rest), hosts, addresses: shareAddresses(), now },
      filters: () => this.#steering.filters,
      orders: () => this.#steering.orders,
      onLeft: (last) => this.#progress.left(last),
      onFailure: (error) => this.#fail(error),
    });
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.#sayHello();
      await this.#obey();
      await this.#sharing.addresses?.openGrantors([
        ...this.#view.workers(this.#times.takeOver).keys(),
      ]);
      await this.#leader.tick();
      await this.#hosting.adjustPages();
      const isOver = this.#view.state?.phase === 'ended' || this.#draining;
      if (isOver && this.#hosting.size === 0) await this.#end(this.#draining);
    } catch (error) {
      // The brokers or the store do not answer, or an agent is ending: the next look tries again.
      this.#complain(error);
    } finally {
      this.#ticking = false;
    }
  }

  /** Logs an error once, until another one comes. */
  #complain(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    if (why !== this.#complaint) this.#log.event('cluster-trouble', { why });
    this.#complaint = why;
  }

  /** Renews the entry of the worker. */
  async #sayHello(): Promise<void> {
    if (now() - this.#beatAt < this.#times.renew) return;
    const entry: WorkerEntry = {
      host: hostname(),
      pid: process.pid,
      draining: this.#draining,
      weight: this.#options.weight ?? availableParallelism(),
      beat: ++this.#beat,
    };
    await change<WorkerEntry>(this.#book, workerKey(this.id), (before) => ({
      ...entry,
      // The operator may drain a worker.
      draining: entry.draining || (before?.draining === true && before.pid === process.pid),
    }));
    this.#beatAt = now();
  }

  // —— What the book says ——

  /** Runs what it should run, in the phase of the crawl. */
  async #obey(): Promise<void> {
    const { state, placement } = this.#view;
    if (!state) return;
    const { phase, reason } = state;
    if (phase !== this.#phase) this.#log.event('cluster-phase', { phase, reason });
    this.#phase = phase;
    await this.#hosting.reconcile(state, this.#draining ? [] : (placement?.workers ?? []));
    if (this.#draining) this.#hosting.drain();
  }

  #changed(key: string, entry: Seen<unknown> | undefined): void {
    const [, agent] = /^agent\.(\d+)$/.exec(key) ?? [];
    if (agent !== undefined && entry)
      this.#hosting?.tellPeers(Number(agent), entry.value as AgentEntry);
    else if (key === KEYS.moved && entry) this.#hosting?.learnMoves((entry.value as Moved).moves);
    else if (key === workerKey(this.id) && entry)
      if ((entry.value as WorkerEntry).draining) this.#draining = true;
    this.#steering?.changed(key, entry?.value);
  }

  #subject(rest: string): string {
    return `drumlin.${this.#options.name}.${rest}`;
  }

  // —— Reports ——

  async #answer(message: Msg): Promise<void> {
    if (!this.#sharing.answer(message))
      message.respond(JSON.stringify(await this.#hosting.looks()));
  }

  /** For the console of the cluster. */
  async #report(message: Msg): Promise<void> {
    const { user, system } = process.cpuUsage();
    const report: WorkerReport = {
      progress: this.#progress.now(this.#hosting.reports(), this.#clock.now()),
      agents: (await this.#hosting.looks()).map(agentNow),
      memory: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
    };
    message.respond(JSON.stringify(report));
  }

  /** Asks workers for the reports of their agents; one that does not answer has none. */
  async #askAll(workers: readonly string[]): Promise<AgentLook[]> {
    const { connection } = this.#options.brokers;
    const answers = await Promise.all(
      workers.map(async (worker) => {
        if (worker === this.id) return this.#hosting.looks();
        try {
          const answer = await connection.request(this.#subject(`worker.${worker}`), '', {
            timeout: this.#times.renew,
          });
          return answer.json<AgentLook[]>();
        } catch {
          return [];
        }
      }),
    );
    return answers.flat();
  }

  // —— The end ——

  /** The leader makes the index of the archive when all agents have committed their end. */
  async #mergeIndex(): Promise<void> {
    const { dir, store } = this.#options;
    const manifests = Array.from(
      { length: this.#crawl.agents },
      (_, agent) => this.#view.agent(agent)?.value.checkpoint ?? '',
    ).filter((manifest) => manifest !== '');
    await mergeClusterIndex(store, this.#disk, join(dir, 'merging'), manifests);
  }

  /** An agent has failed: the worker gives the others back, and ends with the error. */
  #fail(error: unknown): void {
    this.#draining = true;
    this.#failure ??= { error };
  }

  async #end(drained: boolean): Promise<void> {
    clearInterval(this.#timer);
    for (const close of this.#closers.splice(0)) await close();
    // If these fail, others see that they are not renewed.
    await this.#leader.resign().catch(() => {});
    await this.#book.delete(workerKey(this.id)).catch(() => {});
    await this.#log.close();
    this.#lock.release();
    if (this.#failure) this.#outcome.reject(this.#failure.error);
    else this.#outcome.resolve(drained ? 'drained' : (this.#view.state?.reason ?? 'finished'));
  }
}

const now = (): Millis => systemLeaseClock.even();
