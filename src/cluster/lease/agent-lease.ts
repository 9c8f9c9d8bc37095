/**
 * The lease of one agent, held by this worker: renewals, commits and the release are
 * compare-and-set on the agent's key.
 *
 * Idea      A takeover changes the key. So the next write of the former holder fails, whatever it
 *           believes about time: nothing that it did since can be committed.
 * Requires  An epoch is used once: `acquire` raises it.
 * Ensures   A commit that resolves is in the key, and no other worker had the agent in between. A
 *           write whose answer was lost is looked up: it counts if it is there, and is repeated if
 *           it is not. After `LeaseLost` nothing is written any more. The fence is opened by
 *           renewals that succeeded, from the moment before they were sent.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Book, Entry } from './book.ts';
import {
  closeFence,
  type LeaseClock,
  momentOf,
  openFence,
  type SharedFence,
  shareFence,
  systemLeaseClock,
} from './fence.ts';

/** The value of an agent's key. */
export interface AgentEntry {
  /** Who runs it; '' for nobody. */
  readonly worker: string;
  /** Counts its owners, from 1. */
  readonly epoch: number;
  /** The manifest of the committed checkpoint; '' before the first. */
  readonly checkpoint: string;
  /** The last parcel of each agent that the committed checkpoint holds. */
  readonly received: readonly number[];
  /** Pages and bytes at the committed checkpoint, of all epochs. */
  readonly pages: number;
  readonly bytes: Bytes;
  /** Counts the commits. */
  readonly commits: number;
  /** When the last commit was made, by the clock of its worker; nothing is decided by it. */
  readonly committedAt?: Millis;
  /** Numbers the writes of this holder: a renewal must change the key. */
  readonly beat: number;
  /** The run of the crawl that it has concluded; 0 for none. */
  readonly done: number;
}

export const agentKey = (agent: number): string => `agent.${agent}`;

/** The key of an agent that never ran. */
export const newAgent = (agents: number): AgentEntry => ({
  worker: '',
  epoch: 0,
  checkpoint: '',
  received: new Array(agents).fill(0),
  ...{ pages: 0, bytes: 0, commits: 0, beat: 0, done: 0 },
});

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** What a commit changes. */
export type Commit = Pick<AgentEntry, 'checkpoint' | 'received' | 'pages' | 'bytes'> &
  Partial<Pick<AgentEntry, 'done'>>;

interface LeaseOptions {
  readonly book: Book;
  readonly clock: Clock;
  readonly leaseClock?: LeaseClock;
  readonly agent: number;
  readonly worker: string;
}

/** Before a write whose answer was lost is looked up. */
const LOOK_AGAIN: Millis = 500;

export class AgentLease {
  readonly agent: number;
  readonly fence: SharedFence;
  readonly #options: LeaseOptions;
  readonly #leaseClock: LeaseClock;
  #entry: AgentEntry;
  #revision: number;
  #writing: Promise<unknown> = Promise.resolve();
  #lost = false;
  /** Numbers the tries to write: a try whose answer was lost is recognised by its number. */
  #tries: number;

  private constructor(options: LeaseOptions, entry: AgentEntry, revision: number) {
    this.#options = options;
    this.#leaseClock = options.leaseClock ?? systemLeaseClock;
    this.agent = options.agent;
    this.fence = shareFence();
    this.#entry = entry;
    this.#revision = revision;
    this.#tries = entry.beat;
  }

  /**
   * Takes the agent from the state that was seen; undefined if it has changed since. The caller has
   * waited long enough, or the agent is free.
   */
  static async acquire(
    options: LeaseOptions,
    { value, revision }: Entry<AgentEntry>,
  ): Promise<AgentLease | undefined> {
    const { book, agent, worker } = options;
    const sent = momentOf(options.leaseClock ?? systemLeaseClock);
    const entry = { ...value, worker, epoch: value.epoch + 1, beat: 1 };
    const written = await book.update(agentKey(agent), entry, revision);
    if (written === undefined) return undefined;
    const lease = new AgentLease(options, entry, written);
    openFence(lease.fence, sent);
    return lease;
  }

  get entry(): AgentEntry {
    return this.#entry;
  }

  get epoch(): number {
    return this.#entry.epoch;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Renews the lease; false if the answer did not come. Rejects with `LeaseLost`. */
  renew(): Promise<boolean> {
    return this.#inTurn(async () => {
      try {
        return await this.#write({ ...this.#entry, beat: ++this.#tries });
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        return false;
      }
    });
  }

  /** Resolves when the commit is in the key. Rejects with `LeaseLost`. */
  commit(commit: Commit): Promise<void> {
    const commits = this.#entry.commits + 1;
    const committedAt = this.#options.clock.now();
    return this.#untilWritten(() => ({ ...this.#entry, ...commit, commits, committedAt }));
  }

  /** Gives the agent up, for any worker to take. */
  async release(): Promise<void> {
    await this.#untilWritten(() => ({ ...this.#entry, worker: '' }));
    this.#lose();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
  }

  #untilWritten(next: () => AgentEntry): Promise<void> {
    return this.#inTurn(async () => {
      for (;;) {
        const wanted = { ...next(), beat: ++this.#tries };
        try {
          if (await this.#write(wanted)) return;
        } catch (error) {
          if (error instanceof LeaseLost) throw error;
        }
        await new Promise<void>((later) => this.#options.clock.after(LOOK_AGAIN, later));
      }
    });
  }

  /**
   * One try. False: an earlier write of ours has come in between, and this one must be repeated.
   */
  async #write(next: AgentEntry): Promise<boolean> {
    if (this.#lost) throw new LeaseLost(`The lease of agent ${this.agent} is lost.`);
    const { book } = this.#options;
    const sent = momentOf(this.#leaseClock);
    const revision = await book.update(agentKey(this.agent), next, this.#revision);
    if (revision !== undefined) {
      this.#entry = next;
      this.#revision = revision;
      if (next.worker !== '') openFence(this.fence, sent);
      return true;
    }
    const found = await book.get<AgentEntry>(agentKey(this.agent));
    const isOurs =
      found?.value.epoch === this.#entry.epoch && found.value.worker === this.#options.worker;
    // Our release may have been written although its answer was lost.
    const isReleased = found?.value.epoch === this.#entry.epoch && found.value.worker === '';
    if (isReleased && next.worker === '') return true;
    if (!found || !isOurs) {
      this.#lose();
      throw new LeaseLost(`Agent ${this.agent} was taken over.`);
    }
    this.#entry = found.value;
    this.#revision = found.revision;
    return found.value.beat === next.beat;
  }

  #lose(): void {
    this.#lost = true;
    closeFence(this.fence);
  }
}
