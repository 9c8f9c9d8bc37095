/**
 * One round over the hosts of the backlog, in the order of their keys.
 *
 * Use       `next` moves to a host; the caller takes URLs that it has room for, drops the host, or
 *           does neither; `next` again.
 * Requires  one caller. URLs may be put back at any time, also while a call is under way.
 * Ensures   the sweep comes once to each host that had URLs when the round began, unless these were
 *           written out of memory since. URLs added meanwhile come in this round or in the next;
 *           URLs put back to the present host are taken before its others.
 */
import type { SingleCaller } from '../../drum/single-caller.ts';
import type { Entries, PathQueue } from '../queue/path-queue.ts';
import { compareHosts, type HostCursor, HostMerge } from './host-merge.ts';
import type { MemoryRun, SortedHosts } from './memory-run.ts';
import type { HostId, Run } from './run.ts';
import type { RunCursor } from './run-cursor.ts';
import { orderOf } from './run-index.ts';

const NONE: Entries = { count: 0, bytes: new Uint8Array(0) };

export class Sweep {
  readonly #caller: SingleCaller;
  readonly #runs: readonly Run[];
  readonly #returned: MemoryRun;
  /**
   * The arrivals, until they are written out: later ones are younger than a run that this sweep
   * does not read.
   */
  #arrivals: MemoryRun | undefined;
  readonly #arrivalsCursor: MemoryCursor;
  readonly #merge: HostMerge<RunCursor | MemoryCursor>;
  /** The host where the sweep is, or was last. */
  #at: { readonly high: number; readonly low: number; readonly host: string } | undefined;
  #isPassed = true;
  #isAtEnd = false;

  private constructor(
    caller: SingleCaller,
    runs: readonly Run[],
    cursors: readonly RunCursor[],
    returned: MemoryRun,
    arrivals: MemoryRun,
  ) {
    this.#caller = caller;
    this.#runs = runs;
    this.#returned = returned;
    this.#arrivals = arrivals;
    this.#arrivalsCursor = new MemoryCursor(arrivals.sorted());
    // From the oldest to the youngest.
    this.#merge = new HostMerge([
      new MemoryCursor(returned.sorted()),
      ...cursors,
      this.#arrivalsCursor,
    ]);
  }

  static async begin(
    caller: SingleCaller,
    runs: readonly Run[],
    returned: MemoryRun,
    arrivals: MemoryRun,
  ): Promise<Sweep> {
    const cursors: RunCursor[] = [];
    for (const run of runs) cursors.push(await run.beginSweep());
    return new Sweep(caller, [...runs], cursors, returned, arrivals);
  }

  /** The host where the sweep is. */
  get host(): string {
    return this.#present().host;
  }

  get id(): HostId {
    const { high, low } = this.#present();
    return { key: (BigInt(high) << 32n) | BigInt(low) };
  }

  /** The present host may have URLs that this sweep does not read, even if `take` found no more. */
  get mayHaveMore(): boolean {
    return this.#arrivals === undefined;
  }

  /** Moves to the next host; false at the end of the round. */
  next(): Promise<boolean> {
    return this.#caller.run(async () => {
      do {
        const waits = this.leave();
        if (waits) await waits;
        this.#isAtEnd = !this.#merge.find();
        if (this.#isAtEnd) return false;
      } while (!this.#mayHaveSome());
      const { high, low, host } = this.#merge.present[0];
      this.#at = { high, low, host };
      this.#isPassed = false;
      return true;
    });
  }

  /**
   * Moves up to `most` of the present host's URLs to its queue, the oldest first; returns how many.
   */
  take(most: number, into: PathQueue): Promise<number> {
    const { host } = this.#present();
    if (into.host !== host)
      throw new Error(`URLs of ${host} cannot go to the queue of ${into.host}.`);
    return this.#caller.run(async () => {
      let taken = this.#returned.move(host, most, into);
      for (const cursor of this.#merge.present) {
        while (taken < most && cursor.count > 0) {
          const entries = cursor.take(most - taken);
          into.append(entries);
          taken += entries.count;
          if (entries.count > 0) continue;
          await cursor.load(most - taken);
          // What was put back while the disk was read is older than all that is left here.
          taken += this.#returned.move(host, most - taken, into);
        }
      }
      return taken + (this.#arrivals?.move(host, most - taken, into) ?? 0);
    });
  }

  /** Drops all of the present host's URLs that this sweep reads; returns how many. */
  drop(): number {
    const { host } = this.#present();
    const inMemory = this.#returned.drop(host) + (this.#arrivals?.drop(host) ?? 0);
    return this.#merge.present.reduce((sum, cursor) => sum + cursor.drop(), inMemory);
  }

  /** Leaves the present host: what was not taken stays for the next round. */
  pass(): Promise<void> {
    return this.#caller.run(async () => this.leave());
  }

  /** Like `pass`, for the backlog itself; a promise when that takes time. */
  leave(): void | Promise<void> {
    this.#isPassed = true;
    return this.#merge.pass();
  }

  /** The arrivals are about to be written out. */
  forgetArrivals(): void {
    this.#arrivals = undefined;
  }

  /** The sweep has passed this host. */
  isBehind(high: number, low: number, host: string): boolean {
    return this.#at !== undefined && compareHosts({ high, low, host }, this.#at) < 0;
  }

  /** Ends a round that has passed all hosts; returns the runs that it read. */
  async end(): Promise<readonly Run[]> {
    if (!this.#isAtEnd) throw new Error('The sweep has not passed all hosts.');
    for (const run of this.#runs) await run.endSweep();
    return this.#runs;
  }

  /** False for a host that was only among the arrivals, when these were written out. */
  #mayHaveSome(): boolean {
    const { present } = this.#merge;
    return (
      this.#arrivals !== undefined || present.length > 1 || present[0] !== this.#arrivalsCursor
    );
  }

  #present(): { readonly high: number; readonly low: number; readonly host: string } {
    if (this.#isPassed || !this.#at) throw new Error('The sweep is at no host.');
    return this.#at;
  }
}

/**
 * The hosts that a run in memory had when the sweep began; their URLs are read from the run itself.
 */
class MemoryCursor implements HostCursor {
  readonly #hosts: SortedHosts;
  #at = 0;

  constructor(hosts: SortedHosts) {
    this.#hosts = hosts;
  }

  get order(): number {
    return this.#at < this.#hosts.names.length ? orderOf(this.high, this.low) : Infinity;
  }

  get high(): number {
    return this.#hosts.halves[2 * this.#at + 1];
  }

  get low(): number {
    return this.#hosts.halves[2 * this.#at];
  }

  get host(): string {
    return this.#hosts.names[this.#at];
  }

  pass(): void {
    this.#at++;
  }

  get count(): number {
    return 0;
  }

  take(): Entries {
    return NONE;
  }

  async load(): Promise<void> {}

  drop(): number {
    return 0;
  }
}
