/**
 * An agent that this worker runs, from its lease to its release.
 *
 *   lease ─► files (kept, restored or new) ─► thread ─► commits ─► stop ─► last commit ─► release
 *
 * Ensures   A checkpoint is uploaded, then committed to the key, then acknowledged to the agent.
 *           When the lease is lost, the thread is terminated at once: whatever it did since its
 *           last commit belongs to its heir now.
 */
import { extname } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { clockOrigin } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { SavedCheckpoint } from '../../crawl/agent/checkpointer.ts';
import type { AgentStart } from '../../crawl/agent/open-agent.ts';
import type { AgentReport } from '../../crawl/crew.ts';
import type { AgentOrders } from '../../crawl/record/agent-orders.ts';
import type { AgentProgress, EndReason } from '../../crawl/record/counters.ts';
import type { EventLog } from '../../crawl/record/log.ts';
import type { SeedMove } from '../../crawl/record/seed-move.ts';
import { storedCheckpoint } from '../../crawl/state/agent-folder.ts';
import { type AgentThread, startAgentThread } from '../../crawl/threads/agent-thread.ts';
import { ThreadLink } from '../../crawl/threads/thread-link.ts';
import { Allowance, shareAllowance } from '../../crawl/transport/allowance.ts';
import type { Disk } from '../../disk/disk.ts';
import type { FilterSet } from '../../filter/filter-set.ts';
import { type AgentEntry, type AgentLease, LeaseLost } from '../lease/agent-lease.ts';
import type { Book } from '../lease/book.ts';
import type { LeaseTimes } from '../lease/lease-times.ts';
import type { AgentLook } from '../members/ending.ts';
import type { AgentClusterCalls, WorkerClusterCalls } from './agent-calls.ts';
import { type Mirror, type Mirrors, prepareFiles, type Staged } from './agent-files.ts';
import type { ClusterAgentStart } from './cluster-agent-main.ts';
import { PageShare } from './page-grants.ts';
import type { Sharing } from './sharing.ts';
import { commitInOrder, unlessStoreFails, whileStoreFails } from './store-patience.ts';

interface HostedParts {
  readonly disk: Disk;
  readonly dir: string;
  readonly lease: AgentLease;
  /** The key as it was before the lease. */
  readonly before: AgentEntry;
  readonly mirrors: Mirrors;
  /** The last request of the agent's former owner was made at least so long ago. */
  readonly quiet: Millis;
  readonly log: EventLog;
  readonly commitEvery: Millis;
  readonly times: LeaseTimes;
  readonly sharing: Sharing;
  /** The run of the crawl: an agent that concludes is done with it. */
  readonly run: number;
  /** What all agents of the worker are started with. */
  readonly shared: Omit<AgentStart, 'agent' | 'incarnation' | 'allowance' | 'heir'>;
  /** The pages that the agent was granted in all epochs; Infinity without a limit. */
  readonly granted: () => Promise<number>;
  readonly book: Book;
  readonly post: (from: number, to: number, bytes: Uint8Array) => void;
  readonly onSeedMoved: (by: number, move: SeedMove) => void;
  /** Another worker should run the agent, before it could start here. */
  readonly isUnwanted: () => boolean;
  readonly ownsProcess: boolean;
}

/** How an agent left this worker. */
type HostedEnd = 'released' | 'lost';

/**
 * WARC files of an epoch: their numbers keep the names of two owners apart, whatever their clocks.
 */
const SERIALS = 100_000;

export class HostedAgent {
  readonly agent: number;
  readonly lease: AgentLease;
  /** Resolves when the agent has left this worker; rejects when it failed. */
  readonly ended: Promise<HostedEnd>;
  readonly #parts: HostedParts;
  readonly #mirror: Mirror;
  #staged: Staged | undefined;
  /** Undefined without a limit of pages. */
  readonly #share: PageShare | undefined;
  readonly #thread: AgentThread<AgentReport, AgentProgress>;
  readonly #link: ThreadLink<AgentClusterCalls, WorkerClusterCalls>;
  #stopping = false;
  #concludes = false;
  #concluded = false;
  #lost: (() => void) | undefined;
  #report: AgentReport | undefined;

  private constructor(
    parts: HostedParts,
    mirror: Mirror,
    start: ClusterAgentStart,
    port: MessageChannel['port1'],
    granted: number,
  ) {
    this.#parts = parts;
    this.#mirror = mirror;
    this.lease = parts.lease;
    this.agent = parts.lease.agent;
    const allowance = new Allowance(start.allowance);
    this.#share =
      granted === Infinity ? undefined : new PageShare(parts.book, parts.lease, allowance, granted);
    this.#link = new ThreadLink<AgentClusterCalls, WorkerClusterCalls>(port, () => {});
    this.#link.serve({
      post: ({ to, bytes }) => parts.post(this.agent, to, bytes),
      want: ({ ip, delay }) => parts.sharing.addresses?.held.want(this.agent, ip, delay),
      unused: ({ ip, readyAt }) => parts.sharing.addresses?.held.unused(this.agent, ip, readyAt),
      leave: (host) => parts.sharing.leaveFor(host),
      asked: ({ host, delay }) => parts.sharing.hostAsked(host, delay),
      stage: (saved) => this.#stage(saved),
      commit: (saved) => this.#commit(saved),
    });
    this.#thread = startAgentThread<ClusterAgentStart, AgentReport, AgentProgress>(
      threadMain(),
      {
        agent: this.agent,
        start,
        transfer: [start.worker],
        options: { resourceLimits: { maxYoungGenerationSizeMb: 32 } },
      },
      {
        progress: (report) => {
          this.#report = report;
        },
        activity: () => {},
        outcome: () => {},
        // The leader ends the crawl: another agent may return a page.
        limit: () => {},
        event: ({ name, facts }) => parts.log.event(name, facts),
        page: async () => {},
        error: async () => {},
        seedMoved: (move) => parts.onSeedMoved(this.agent, move),
      },
    );
    this.ended = this.#end();
    this.ended.catch(() => {}); // reported to those who await it
  }

  static async start(parts: HostedParts): Promise<HostedAgent> {
    const { disk, dir, lease, before, mirrors, log, shared, quiet } = parts;
    const { agent, epoch } = lease;
    // Each by itself: files that were made ready stay so when the next step fails.
    const steps = <Result>(work: () => Promise<Result>) => whileStoreFails(parts, work);
    const files = await steps(() => prepareFiles(disk, dir, agent, before, mirrors));
    const mirror = await steps(() => mirrors.open(agent, epoch, before.checkpoint));
    const granted = await steps(parts.granted);
    log.event('agent-taken', { agent, epoch, files });
    const pages = (await storedCheckpoint(disk, dir, agent))?.state.counters.pages ?? 0;
    const { port1, port2 } = new MessageChannel();
    const start: ClusterAgentStart = {
      ...shared,
      agent,
      // Numbers of parcels rise over all owners.
      incarnation: epoch,
      firstSerial: epoch * SERIALS,
      heir: epoch > 1 ? { quiet } : undefined,
      allowance: shareAllowance({ maxPages: Math.max(0, granted - pages) }),
      worker: port2,
      fence: lease.fence,
      commitEvery: parts.commitEvery,
      times: parts.times,
      holdTimes: parts.sharing.holdTimes,
      ownsProcess: parts.ownsProcess,
      clockOrigin,
    };
    return new HostedAgent(parts, mirror, start, port1, granted);
  }

  /** The last report, a fraction of a second old. */
  get report(): AgentReport | undefined {
    return this.#report;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  frame(from: number, bytes: Uint8Array): void {
    this.#link.tell('frame', { from, bytes });
  }

  peer(agent: number, epoch: number, received: number): void {
    this.#link.tell('peer', { agent, epoch, received });
  }

  held(ip: string, until: Millis): void {
    this.#link.tell('held', { ip, until });
  }

  revoked(ip: string): void {
    this.#link.tell('revoked', ip);
  }

  async look(): Promise<AgentLook> {
    const { agent, lease } = this;
    return { agent, epoch: lease.epoch, ...(await this.#link.ask('look', undefined)) };
  }

  /** Gets pages of the limit, or returns them. */
  async adjustPages(): Promise<void> {
    if (this.#share) await this.#share.adjust((await this.look()).idle);
  }

  seedMoved(move: SeedMove): void {
    this.#thread.seedMoved(move);
  }

  filters(set: FilterSet): void {
    this.#thread.filters(set);
  }

  /** Resolves when a checkpoint holds the change. */
  tune(orders: AgentOrders): Promise<void> {
    return this.#thread.tune(orders);
  }

  /** Begins nothing new. */
  stop(reason: EndReason): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#thread.stop(reason);
  }

  /** Ends after a stop; `done`: the whole crawl is over. */
  conclude(done: boolean): void {
    if (this.#concluded) return;
    this.#concluded = true;
    this.#concludes = done;
    this.#thread.conclude();
  }

  /** The lease is lost: the thread ends now. */
  lose(): void {
    this.#lost?.();
  }

  async #end(): Promise<HostedEnd> {
    const lost = new Promise<'lost'>((resolve) => {
      this.#lost = () => resolve('lost');
    });
    try {
      const end = await Promise.race([this.#thread.finished, lost]);
      if (end === 'lost') return 'lost';
      await this.lease.release();
      return 'released';
    } catch (error) {
      if (this.lease.lost || error instanceof LeaseLost) return 'lost';
      throw error;
    } finally {
      await this.#thread.close(true);
      this.#link.fail(new Error(`Agent ${this.agent} has ended.`));
    }
  }

  async #stage({ isLast }: SavedCheckpoint): Promise<void> {
    this.#staged = await this.#mirror.stage(isLast);
  }

  /** Upload, commit, and only then the answer: the agent acknowledges what it received. */
  async #commit(saved: SavedCheckpoint): Promise<boolean> {
    const { lease, log, run } = this.#parts;
    const { received, pages, bytes, isLast } = saved;
    const began = performance.now();
    const checkpoint = await unlessStoreFails(this.#parts, () => this.#send());
    if (checkpoint === undefined) return false;
    const onCommitted = () => {
      const took = Math.round(performance.now() - began);
      log.event('agent-committed', { agent: this.agent, epoch: lease.epoch, pages, took });
    };
    await commitInOrder(this.#parts, {
      commit: { checkpoint, received, pages, bytes },
      onCommitted,
      tidyUp: () => this.#mirror.committed(checkpoint),
      done: isLast && this.#concludes ? run : undefined,
    });
    return true;
  }

  async #send(): Promise<string> {
    const staged = this.#staged;
    if (!staged) throw new Error(`Agent ${this.agent} has staged nothing.`);
    this.#staged = undefined;
    return staged.send();
  }
}

/**
 * `cluster-agent-main` has this file's extension: .js in a build, .ts where a loader runs the
 * sources.
 */
function threadMain(): URL {
  const extension = extname(new URL(import.meta.url).pathname);
  return new URL(`./cluster-agent-main${extension}`, import.meta.url);
}
