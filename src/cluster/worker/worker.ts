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
import { FilterWatch } from '../../crawl/filter-watch.ts';
import type { EndReason } from '../../crawl/record/counters.ts';
import { CrawlLog } from '../../crawl/record/log.ts';
import type { SeedMove } from '../../crawl/record/seed-move.ts';
import { shareAddresses } from '../../crawl/transport/address-table.ts';
import { exactBytes } from '../../crawl/transport/exact-bytes.ts';
import { shareHosts } from '../../crawl/transport/host-table.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import { Disk } from '../../disk/disk.ts';
import type { Held } from '../../disk/file-system.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { Brokers } from '../broker/connect.ts';
import { crawlOf, seedsOf, settingsOf } from '../create.ts';
import { type AgentEntry, AgentLease, LeaseLost } from '../lease/agent-lease.ts';
import { type Book, change } from '../lease/book.ts';
import { systemLeaseClock } from '../lease/fence.ts';
import { type LeaseTimes, leaseTimes } from '../lease/lease-times.ts';
import type { AgentLook } from '../members/ending.ts';
import {
  type ClusterCrawl,
  KEYS,
  type Moved,
  type PageGrants,
  type WorkerEntry,
  workerKey,
} from '../members/keys.ts';
import { Leader } from '../members/leader.ts';
import { type Seen, View } from '../members/view.ts';
import { AgentMirror } from '../mirror/agent-mirror.ts';
import { restoreAgent } from '../mirror/restore.ts';
import type { Mirrors } from './agent-files.ts';
import { HostedAgent } from './hosted-agent.ts';
import { Sharing } from './sharing.ts';
import { workerId } from './worker-folder.ts';

export interface WorkerOptions {
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
  /** Merges what agents have left, when all have ended; called by the leader. */
  readonly finish?: (store: ObjectStore) => Promise<void>;
}

/** Why a worker has ended. */
export type WorkerEnd = EndReason | 'drained';

const COMMIT_EVERY: Millis = 60_000;
const TICK: Millis = 500;

interface Slot {
  readonly lease: AgentLease;
  /** Undefined while its files are made ready. */
  agent: HostedAgent | undefined;
  renewing: NodeJS.Timeout;
}

export class Worker {
  readonly id: string;
  readonly finished: Promise<WorkerEnd>;
  readonly #options: WorkerOptions;
  readonly #disk: Disk;
  readonly #clock: Clock = systemClock;
  readonly #book: Book;
  readonly #plan: Plan;
  readonly #agents: number;
  readonly #times: LeaseTimes;
  readonly #crawl: ClusterCrawl;
  readonly #seeds: readonly string[];
  readonly #log: CrawlLog;
  readonly #lock: Held;
  readonly #mirrors: Mirrors;
  readonly #hosts = shareHosts();
  readonly #addresses = shareAddresses();
  readonly #slots = new Map<number, Slot>();
  /** The last that agents were told of each other: epoch and commits. */
  readonly #told = new Map<number, string>();
  readonly #closers: (() => unknown)[] = [];
  #view!: View;
  #sharing!: Sharing;
  #leader!: Leader;
  #beat = 0;
  #beatAt: Millis = -Infinity;
  #draining = false;
  #ticking = false;
  #phase = '';
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
    this.#agents = parts.crawl.agents;
    this.#times = leaseTimes(parts.crawl.pace);
    this.#crawl = parts.crawl;
    this.#seeds = parts.seeds;
    this.#log = parts.log;
    this.#lock = parts.lock;
    this.#mirrors = mirrorsIn(options.store, parts.disk, options.dir);
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
    try {
      log = await CrawlLog.open(disk, join(dir, 'log.jsonl'), systemClock);
      const plan = await planCrawl(seeds, config, {});
      const id = await workerId(disk, dir);
      const parts = { disk, book, plan, crawl, seeds, log, lock };
      const worker = new Worker(id, options, parts);
      await worker.#begin();
      return worker;
    } catch (error) {
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

  /** Reports of the agents that run here. */
  reports() {
    return [...this.#slots.values()].flatMap(({ agent }) => agent?.report ?? []);
  }

  get leads(): boolean {
    return this.#leader.leads;
  }

  async #begin(): Promise<void> {
    const { brokers } = this.#options;
    const { view, stop } = await View.open(this.#book, now, (key, entry) =>
      this.#changed(key, entry),
    );
    this.#view = view;
    this.#closers.push(stop);
    const { config } = this.#plan;
    this.#leader = new Leader({
      ...{ book: this.#book, view, worker: this.id, agents: this.#agents, now },
      wall: () => this.#clock.now(),
      look: (workers) => this.#askAll(workers),
      limits: { maxTime: config.maxTime, maxBytes: config.maxBytes },
      finish: async () => this.#options.finish?.(this.#options.store),
      onLead: (term) => this.#log.event('cluster-leader', { term }),
      settle: (2 / 3) * this.#times.renew,
      times: this.#times,
    });
    this.#sharing = new Sharing({
      ...{ worker: this.id, crawl: this.#crawl, config, clock: paceOf(this.#clock) },
      ...{ connection: brokers.connection, timeout: this.#times.renew, hosts: this.#hosts },
      subject: (rest) => this.#subject(rest),
      hosted: (agent) => this.#slots.get(agent)?.agent,
    });
    this.#closers.push(() => this.#sharing.close());
    const { connection } = brokers;
    const questions = connection.subscribe(this.#subject(`worker.${this.id}`), {
      callback: (_, message) => void this.#answer(message),
    });
    this.#closers.push(() => questions.unsubscribe());
    const { filtering, filters } = this.#plan;
    const watch = new FilterWatch(
      {
        ...{ ...filtering, dir: this.#options.dir, clock: this.#clock, log: this.#log },
        every: config.checkpoint,
        onChange: (set) => {
          for (const { agent } of this.#slots.values()) agent?.filters(set);
        },
      },
      filters.texts,
    );
    this.#closers.push(() => watch.end());
    await this.#sayHello();
    this.#timer = setInterval(() => void this.#tick(), Math.min(TICK, this.#times.renew / 3));
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.#sayHello();
      await this.#reconcile();
      await this.#sharing.addresses?.openGrantors([
        ...this.#view.workers(this.#times.takeOver).keys(),
      ]);
      await this.#leader.tick();
      for (const { agent } of this.#slots.values())
        if (agent && !agent.stopping) await agent.adjustPages();
      const isOver = this.#view.state?.phase === 'ended' || this.#draining;
      if (isOver && this.#slots.size === 0) await this.#end(this.#draining);
    } catch {
      // The brokers do not answer, or an agent is ending: the next look tries again.
    } finally {
      this.#ticking = false;
    }
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

  #changed(key: string, entry: Seen<unknown> | undefined): void {
    const [, agent] = /^agent\.(\d+)$/.exec(key) ?? [];
    if (agent !== undefined && entry) this.#tellPeers(Number(agent), entry.value as AgentEntry);
    else if (key === KEYS.moved && entry) this.#learnMoves((entry.value as Moved).moves);
    else if (key === KEYS.filters || key === KEYS.domains)
      void this.#writeFile(key, entry?.value).catch(() => {}); // written again with the next change
    else if (key === workerKey(this.id) && entry)
      if ((entry.value as WorkerEntry).draining) this.#draining = true;
  }

  #tellPeers(agent: number, { epoch, commits, received }: AgentEntry): void {
    const news = `${epoch} ${commits}`;
    if (this.#told.get(agent) === news) return;
    this.#told.set(agent, news);
    for (const [own, slot] of this.#slots)
      if (own !== agent) slot.agent?.peer(agent, epoch, received[own]);
  }

  #learnMoves(moves: readonly SeedMove[]): void {
    for (const { agent } of this.#slots.values()) for (const move of moves) agent?.seedMoved(move);
  }

  async #writeFile(key: string, value: unknown): Promise<void> {
    const name = key === KEYS.filters ? 'filters.txt' : 'domains.tsv';
    const { text = '' } = (value ?? {}) as { text?: string };
    await replaceFile(this.#disk, this.#options.dir, name, Buffer.from(text));
  }

  // —— What runs here ——

  async #reconcile(): Promise<void> {
    const { state } = this.#view;
    if (!state) return;
    const { phase, reason } = state;
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#log.event('cluster-phase', { phase, reason });
    }
    const wanted = this.#draining ? [] : (this.#view.placement?.workers ?? []);
    for (let agent = 0; agent < this.#agents; agent++) {
      const slot = this.#slots.get(agent);
      if (slot?.agent) {
        if (phase !== 'running') slot.agent.stop(reason);
        if (phase === 'concluding') slot.agent.conclude(true);
        if (wanted[agent] !== this.id && phase === 'running') this.#moveAway(slot.agent);
      } else if (!slot && wanted[agent] === this.id && phase !== 'ended') {
        await this.#maybeTake(agent, state.run);
      }
    }
    // A drained worker ends whatever the phase.
    if (this.#draining)
      for (const { agent } of this.#slots.values()) if (agent) this.#moveAway(agent);
  }

  #moveAway(agent: HostedAgent): void {
    agent.stop('interrupted');
    agent.conclude(false);
  }

  async #maybeTake(agent: number, run: number): Promise<void> {
    const seen = this.#view.agent(agent);
    if (!seen || seen.value.done === run) return;
    const { worker } = seen.value;
    // Our own folder is locked by this process: an earlier process of ours is dead.
    const isFree = worker === '' || worker === this.id;
    if (!isFree && now() - seen.at < this.#times.takeOver) return;
    const options = { book: this.#book, clock: this.#clock, agent, worker: this.id };
    const lease = await AgentLease.acquire(options, seen);
    if (!lease) return;
    const renewing = setInterval(() => void this.#renew(agent), this.#times.renew);
    const slot: Slot = { lease, agent: undefined, renewing };
    this.#slots.set(agent, slot);
    void this.#host(slot, seen.value, run);
  }

  async #renew(agent: number): Promise<void> {
    const slot = this.#slots.get(agent);
    try {
      await slot?.lease.renew();
    } catch (error) {
      if (error instanceof LeaseLost) slot?.agent?.lose();
    }
  }

  async #host(slot: Slot, before: AgentEntry, run: number): Promise<void> {
    const { agent, epoch } = slot.lease;
    let unsubscribe = () => {};
    try {
      const hosted = await HostedAgent.start({
        ...{ disk: this.#disk, dir: this.#options.dir, lease: slot.lease, before, run },
        ...{ mirrors: this.#mirrors, log: this.#log, book: this.#book },
        quiet: quietBefore(before.worker, this.id, this.#times),
        commitEvery: this.#options.commitEvery ?? COMMIT_EVERY,
        ...{ times: this.#times, sharing: this.#sharing },
        shared: this.#shared(),
        granted: () => this.#granted(agent),
        post: (from, to, bytes) => this.#post(from, to, bytes),
        onSeedMoved: (by, move) => this.#seedMoved(by, move),
        ownsProcess: this.#options.ownsProcess ?? false,
      });
      slot.agent = hosted;
      const ends = [this.#receiveFor(hosted), this.#sharing.begin(agent, epoch)];
      unsubscribe = () => {
        for (const end of ends) end();
      };
      for (let other = 0; other < this.#agents; other++) {
        const entry = this.#view.agent(other)?.value;
        if (entry && other !== agent) hosted.peer(other, entry.epoch, entry.received[agent]);
      }
      const how = await hosted.ended;
      this.#log.event('agent-left', { agent, epoch, how });
    } catch (error) {
      const how = (error as Error).message;
      this.#log.event('agent-left', { agent, epoch, how });
      if (!(error instanceof LeaseLost)) this.#fail(error);
    } finally {
      unsubscribe();
      clearInterval(slot.renewing);
      this.#slots.delete(agent);
    }
  }

  #shared() {
    const { config, filters, spam } = this.#plan;
    const moved = this.#view.get<Moved>(KEYS.moved)?.value.moves ?? [];
    return {
      ...{ agents: this.#agents, config, filters, spam, seeds: this.#seeds, moved },
      ...{ rescoped: false, planned: false, addresses: this.#addresses, hosts: this.#hosts },
    };
  }

  async #granted(agent: number): Promise<number> {
    if (this.#plan.config.maxPages === Infinity) return Infinity;
    return (await this.#book.get<PageGrants>(KEYS.pages))?.value.granted[agent] ?? 0;
  }

  #receiveFor(hosted: HostedAgent): () => void {
    const subject = this.#subject(`in.${hosted.agent}.*`);
    const parcels = this.#options.brokers.connection.subscribe(subject, {
      callback: (_, { subject: of, data }) =>
        hosted.frame(Number(of.slice(of.lastIndexOf('.') + 1)), exactBytes(data)),
    });
    return () => parcels.unsubscribe();
  }

  /** Agents of one worker need no broker between them. */
  #post(from: number, to: number, bytes: Uint8Array): void {
    const here = this.#slots.get(to)?.agent;
    if (here) here.frame(from, bytes);
    else this.#options.brokers.connection.publish(this.#subject(`in.${to}.${from}`), bytes);
  }

  #subject(rest: string): string {
    return `drumlin.${this.#options.name}.${rest}`;
  }

  #seedMoved(by: number, move: SeedMove): void {
    for (const [agent, slot] of this.#slots) if (agent !== by) slot.agent?.seedMoved(move);
    const isKnown = (moves: readonly SeedMove[]) =>
      moves.some((known) => JSON.stringify(known) === JSON.stringify(move));
    change<Moved>(this.#book, KEYS.moved, (moved) =>
      isKnown(moved?.moves ?? []) ? undefined : { moves: [...(moved?.moves ?? []), move] },
    ).catch(() => {}); // the agent's checkpoint has it too
  }

  // —— Reports ——

  async #answer(message: Msg): Promise<void> {
    if (!this.#sharing.answer(message)) message.respond(JSON.stringify(await this.#looks()));
  }

  async #looks(): Promise<AgentLook[]> {
    const agents = [...this.#slots.values()].flatMap(({ agent }) => agent ?? []);
    const looks = await Promise.all(agents.map((agent) => agent.look().catch(() => undefined)));
    return looks.filter((look) => look !== undefined);
  }

  /** Asks workers for the reports of their agents; one that does not answer has none. */
  async #askAll(workers: readonly string[]): Promise<AgentLook[]> {
    const { connection } = this.#options.brokers;
    const answers = await Promise.all(
      workers.map(async (worker) => {
        if (worker === this.id) return this.#looks();
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

  #fail(error: unknown): void {
    this.#draining = true;
    this.#outcome.reject(error);
  }

  async #end(drained: boolean): Promise<void> {
    clearInterval(this.#timer);
    for (const close of this.#closers.splice(0)) await close();
    await this.#book.delete(workerKey(this.id)).catch(() => {}); // it expires by itself
    await this.#log.close();
    this.#lock.release();
    this.#outcome.resolve(drained ? 'drained' : (this.#view.state?.reason ?? 'finished'));
  }
}

/**
 * How long ago the last request of an agent was made at least, when its next owner begins. A worker
 * that released it has committed all that it learned.
 */
function quietBefore(former: string, id: string, times: LeaseTimes): Millis {
  if (former === '') return Infinity;
  return former === id ? 0 : times.takeOver - times.send;
}

function mirrorsIn(store: ObjectStore, disk: Disk, dir: string): Mirrors {
  return {
    open: (agent, epoch, before) => AgentMirror.open({ store, disk, dir, agent, epoch, before }),
    async restore(manifest) {
      await restoreAgent(store, disk, dir, manifest);
    },
  };
}

const now = (): Millis => systemLeaseClock.even();
