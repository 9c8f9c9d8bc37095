/**
 * The agents that a worker runs: takes those that it should run, releases those that it should not,
 * and carries their messages.
 *
 * Ensures   An agent is taken only if it is free, was ours, or its key has not changed for the time
 *           of a takeover. The lease is renewed from its first moment on, also while files are
 *           restored.
 */
import { setTimeout as later } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { systemClock } from '../../base/clock.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { AgentStart } from '../../crawl/agent/open-agent.ts';
import type { Plan } from '../../crawl/crawl.ts';
import type { AgentReport } from '../../crawl/crew.ts';
import type { AgentOrders } from '../../crawl/record/agent-orders.ts';
import type { EventLog } from '../../crawl/record/log.ts';
import type { SeedMove } from '../../crawl/record/seed-move.ts';
import type { SharedAddresses } from '../../crawl/transport/address-table.ts';
import { exactBytes } from '../../crawl/transport/exact-bytes.ts';
import type { SharedHosts } from '../../crawl/transport/host-table.ts';
import type { Disk } from '../../disk/disk.ts';
import type { FilterSet } from '../../filter/filter-set.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { type AgentEntry, AgentLease, LeaseLost } from '../lease/agent-lease.ts';
import { type Book, change } from '../lease/book.ts';
import type { LeaseTimes } from '../lease/lease-times.ts';
import type { AgentLook } from '../members/ending.ts';
import { type ClusterState, KEYS, type Moved } from '../members/keys.ts';
import type { View } from '../members/view.ts';
import { AgentMirror } from '../mirror/agent-mirror.ts';
import { restoreAgent } from '../mirror/restore.ts';
import { forgetEpoch, type Mirrors } from './agent-files.ts';
import { HostedAgent } from './hosted-agent.ts';
import { enterOwner } from './page-grants.ts';
import type { Sharing } from './sharing.ts';

interface HostingParts {
  readonly worker: string;
  readonly agents: number;
  readonly times: LeaseTimes;
  readonly commitEvery: Millis;
  readonly ownsProcess: boolean;
  readonly dir: string;
  readonly disk: Disk;
  readonly book: Book;
  readonly store: ObjectStore;
  readonly plan: Plan;
  readonly seeds: readonly string[];
  readonly log: EventLog;
  readonly view: View;
  readonly connection: NatsConnection;
  readonly subject: (rest: string) => string;
  readonly hosts: SharedHosts;
  readonly addresses: SharedAddresses;
  /** Milliseconds that pass evenly. */
  readonly now: () => Millis;
  /** The filters that an agent begins with. */
  readonly filters: () => FilterSet;
  /** What the operator has changed by then. */
  readonly orders: () => AgentOrders;
  /** An agent has left, with its last report. */
  readonly onLeft: (last: AgentReport | undefined) => void;
  /** An agent has failed by an error of its own. */
  readonly onFailure: (error: unknown) => void;
}

interface Slot {
  readonly lease: AgentLease;
  /** Undefined while its files are made ready. */
  agent: HostedAgent | undefined;
  /** Another worker should run it, and its files are not ready yet. */
  isUnwanted: boolean;
  readonly renewing: NodeJS.Timeout;
}

/** Before a moved seed is written again, after the brokers did not answer; and how often. */
const WRITE_AGAIN: Millis = 2000;
const MOST_WRITES = 100;

export class Hosting {
  readonly #parts: HostingParts;
  readonly #mirrors: Mirrors;
  readonly #slots = new Map<number, Slot>();
  /** The last that agents were told of each other: epoch and commits. */
  readonly #told = new Map<number, string>();
  #sharing!: Sharing;

  constructor(parts: HostingParts) {
    this.#parts = parts;
    this.#mirrors = mirrorsIn(parts.store, parts.disk, parts.dir);
  }

  /** Call it before the first `reconcile`. */
  shareBy(sharing: Sharing): void {
    this.#sharing = sharing;
  }

  /** Agents that run here, or are being prepared. */
  get size(): number {
    return this.#slots.size;
  }

  agent(agent: number): HostedAgent | undefined {
    return this.#slots.get(agent)?.agent;
  }

  #running(): HostedAgent[] {
    return [...this.#slots.values()].flatMap(({ agent }) => agent ?? []);
  }

  async looks(): Promise<AgentLook[]> {
    const looks = await Promise.all(
      this.#running().map((agent) => agent.look().catch(() => undefined)),
    );
    return looks.filter((look) => look !== undefined);
  }

  /** The last reports of the agents that run here. */
  reports(): AgentReport[] {
    return this.#running().flatMap(({ report }) => report ?? []);
  }

  filters(set: FilterSet): void {
    for (const agent of this.#running()) agent.filters(set);
  }

  /** Resolves when every agent that runs here has a checkpoint with the change, or has left. */
  async tune(orders: AgentOrders): Promise<void> {
    await Promise.allSettled(this.#running().map((agent) => agent.tune(orders)));
  }

  /** Agents get pages of the limit, or return them. */
  async adjustPages(): Promise<void> {
    for (const agent of this.#running()) if (!agent.stopping) await agent.adjustPages();
  }

  tellPeers(agent: number, { epoch, commits, received }: AgentEntry): void {
    const news = `${epoch} ${commits}`;
    if (this.#told.get(agent) === news) return;
    this.#told.set(agent, news);
    for (const [own, slot] of this.#slots)
      if (own !== agent) slot.agent?.peer(agent, epoch, received[own]);
  }

  learnMoves(moves: readonly SeedMove[]): void {
    for (const agent of this.#running()) for (const move of moves) agent.seedMoved(move);
  }

  /** Compares what runs here with what should. `wanted`: the worker of each agent. */
  async reconcile({ phase, reason, run }: ClusterState, wanted: readonly string[]): Promise<void> {
    const { agents, worker } = this.#parts;
    for (let agent = 0; agent < agents; agent++) {
      const slot = this.#slots.get(agent);
      if (slot && !slot.agent) slot.isUnwanted = wanted[agent] !== worker;
      if (slot?.agent) {
        if (phase !== 'running') slot.agent.stop(reason);
        if (phase === 'concluding') slot.agent.conclude(true);
        if (wanted[agent] !== worker && phase === 'running') this.#moveAway(slot.agent);
      } else if (!slot && wanted[agent] === worker && phase !== 'ended') {
        await this.#maybeTake(agent, run);
      }
    }
  }

  /** Gives all agents back, whatever the phase. */
  drain(): void {
    for (const slot of this.#slots.values()) slot.isUnwanted = true;
    for (const agent of this.#running()) this.#moveAway(agent);
  }

  #moveAway(agent: HostedAgent): void {
    agent.stop('interrupted');
    agent.conclude(false);
  }

  async #maybeTake(agent: number, run: number): Promise<void> {
    const { view, book, worker, times, now } = this.#parts;
    const seen = view.agent(agent);
    if (!seen || seen.value.done === run) return;
    // Our own folder is locked by this process: an earlier process of ours is dead.
    const isFree = seen.value.worker === '' || seen.value.worker === worker;
    if (!isFree && now() - seen.at < times.takeOver) return;
    const options = { book, clock: systemClock, agent, worker };
    const lease = await AgentLease.acquire(options, seen);
    if (!lease) return;
    const renewing = setInterval(() => void this.#renew(agent), times.renew);
    const slot: Slot = { lease, agent: undefined, isUnwanted: false, renewing };
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
    const { view, log, worker, times, agents, onFailure, disk, dir, book } = this.#parts;
    const { commitEvery, ownsProcess } = this.#parts;
    const { agent, epoch } = slot.lease;
    const [filters, orders] = [this.#parts.filters(), this.#parts.orders()];
    const shared = this.#shared(filters, orders);
    let unsubscribe = () => {};
    try {
      const hosted = await HostedAgent.start({
        ...{ disk, dir, lease: slot.lease, before, run, log, book, times, commitEvery },
        ...{ mirrors: this.#mirrors, sharing: this.#sharing, ownsProcess },
        quiet: quietBefore(before.worker, worker, times),
        shared,
        granted: () => this.#granted(slot.lease),
        post: (from, to, bytes) => this.#post(from, to, bytes),
        onSeedMoved: (by, move) => void this.#seedMoved(by, move),
        isUnwanted: () => slot.agent === undefined && slot.isUnwanted,
      });
      slot.agent = hosted;
      this.#catchUp(hosted, orders, shared);
      const ends = [this.#receiveFor(hosted), this.#sharing.begin(agent, epoch)];
      unsubscribe = () => {
        for (const end of ends) end();
      };
      for (let other = 0; other < agents; other++) {
        const entry = view.agent(other)?.value;
        if (entry && other !== agent) hosted.peer(other, entry.epoch, entry.received[agent]);
      }
      const how = await hosted.ended;
      log.event('agent-left', { agent, epoch, how });
    } catch (error) {
      const how = (error as Error).message;
      log.event('agent-left', { agent, epoch, how });
      if (error instanceof LeaseLost) return;
      // Files that may be the cause are not kept: the next start restores the committed ones.
      if (!isDiskTrouble(error)) await forgetEpoch(disk, dir, agent).catch(() => {});
      onFailure(error);
    } finally {
      unsubscribe();
      clearInterval(slot.renewing);
      this.#parts.onLeft(slot.agent?.report);
      this.#slots.delete(agent);
    }
  }

  /** What the operator has changed while the files of the agent were made ready. */
  #catchUp(
    hosted: HostedAgent,
    orders: AgentOrders,
    { filters, moved }: Pick<AgentStart, 'filters' | 'moved'>,
  ): void {
    if (this.#parts.filters() !== filters) hosted.filters(this.#parts.filters());
    if (this.#parts.orders() !== orders) void hosted.tune(this.#parts.orders()).catch(() => {});
    for (const move of this.#moves().slice(moved.length)) hosted.seedMoved(move);
  }

  #shared(filters: FilterSet, { settings, paused }: AgentOrders) {
    const { plan, agents, seeds, addresses, hosts } = this.#parts;
    const { spam, extracts } = plan;
    const { delay } = settings;
    // A delay that the operator has named is meant for private hosts too.
    const config = {
      ...{ ...plan.config, ...settings },
      ...(delay !== undefined && { privateDelay: delay }),
    };
    const moved = this.#moves();
    return {
      ...{ agents, config, filters, spam, extracts, seeds, moved, addresses, hosts },
      ...{ rescoped: false, planned: false, paused },
    };
  }

  async #granted(lease: AgentLease): Promise<number> {
    const { plan, book } = this.#parts;
    return plan.config.maxPages === Infinity ? Infinity : enterOwner(book, lease);
  }

  #receiveFor(hosted: HostedAgent): () => void {
    const { connection, subject } = this.#parts;
    const parcels = connection.subscribe(subject(`in.${hosted.agent}.*`), {
      callback: (_, { subject: of, data }) =>
        hosted.frame(Number(of.slice(of.lastIndexOf('.') + 1)), exactBytes(data)),
    });
    return () => parcels.unsubscribe();
  }

  /** Agents of one worker need no broker between them. */
  #post(from: number, to: number, bytes: Uint8Array): void {
    const { connection, subject } = this.#parts;
    const here = this.agent(to);
    if (here) here.frame(from, bytes);
    else connection.publish(subject(`in.${to}.${from}`), bytes);
  }

  #moves(): readonly SeedMove[] {
    return this.#parts.view.get<Moved>(KEYS.moved)?.value.moves ?? [];
  }

  async #seedMoved(by: number, move: SeedMove): Promise<void> {
    for (const [agent, slot] of this.#slots) if (agent !== by) slot.agent?.seedMoved(move);
    const isKnown = (moves: readonly SeedMove[]) =>
      moves.some((known) => JSON.stringify(known) === JSON.stringify(move));
    const add = (moved: Moved | undefined) =>
      isKnown(moved?.moves ?? []) ? undefined : { moves: [...(moved?.moves ?? []), move] };
    for (let writes = 0; writes < MOST_WRITES; writes++) {
      try {
        await change<Moved>(this.#parts.book, KEYS.moved, add);
        return;
      } catch {
        // The brokers do not answer: agents elsewhere would never learn of it.
        await later(WRITE_AGAIN, undefined, { ref: false });
      }
    }
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

/** A disk that is full or fails says nothing about the files on it. */
const isDiskTrouble = (error: unknown): boolean =>
  error instanceof DrumlinError && error.code.startsWith('DISK_');

function mirrorsIn(store: ObjectStore, disk: Disk, dir: string): Mirrors {
  return {
    open: (agent, epoch, before) => AgentMirror.open({ store, disk, dir, agent, epoch, before }),
    async restore(manifest) {
      await restoreAgent(store, disk, dir, manifest);
    },
  };
}
