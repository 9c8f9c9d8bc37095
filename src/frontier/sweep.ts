/**
 * One round over the hosts of the backlog, in the order of their keys.
 *
 * Use       `next` moves to a host; its owner takes from it what it has room for, drops it, or does neither; `next` again.
 * Requires  one caller; no run is removed before `end`. What is added to the runs in memory meanwhile may be met in this
 *           round or in the next.
 */
import type { MemoryRun, WaitingHost } from './memory-run.ts';
import type { Entries, PathQueue } from './path-queue.ts';
import { compareIds, type HostId, type Run, type RunCursor } from './run.ts';

const NONE: Entries = { count: 0, bytes: new Uint8Array(0) };

/** Where a sweep stands in a run, on disk or in memory. */
interface Cursor {
  /** The present host, or undefined at the end. */
  readonly id: HostId | undefined;
  host(): Promise<string>;
  take(most: number, nameLength: number): Promise<Entries>;
  drop(): number;
  pass(): Promise<void>;
}

export class Sweep {
  readonly #runs: readonly Run[];
  readonly #returned: MemoryRun;
  readonly #arrivals: MemoryRun;
  /** How often the arrivals had been written out when the sweep began. */
  readonly #spills: number;
  /** Oldest first. */
  readonly #cursors: readonly Cursor[];
  /** Those that stand at the present host. */
  #present: Cursor[] = [];
  #host = '';
  #id: HostId | undefined;

  private constructor(
    runs: readonly Run[],
    cursors: readonly Cursor[],
    returned: MemoryRun,
    arrivals: MemoryRun,
  ) {
    this.#runs = runs;
    this.#cursors = cursors;
    this.#returned = returned;
    this.#arrivals = arrivals;
    this.#spills = arrivals.spills;
  }

  static async begin(runs: readonly Run[], returned: MemoryRun, arrivals: MemoryRun): Promise<Sweep> {
    const swept = [...runs];
    const cursors: Cursor[] = [];
    for (const run of swept) cursors.push(onDisk(await run.beginSweep()));
    const all = [new MemoryCursor(returned), ...cursors, new MemoryCursor(arrivals)];
    return new Sweep(swept, all, returned, arrivals);
  }

  /** The host at which the sweep stands. */
  get host(): string {
    return this.#host;
  }

  get id(): HostId {
    if (!this.#id) throw new Error('the sweep stands at no host');
    return this.#id;
  }

  /** Moves to the next host; false at the end of the round. */
  async next(): Promise<boolean> {
    await this.pass();
    let least: HostId | undefined;
    for (const { id } of this.#cursors) {
      if (id && (!least || compareIds(id, least) < 0)) least = id;
    }
    this.#id = least;
    if (!least) return false;
    const first = least;
    this.#present = this.#cursors.filter(({ id }) => id && compareIds(id, first) === 0);
    this.#host = await this.#present[0].host();
    return true;
  }

  /** Moves up to `most` of the present host's URLs to a queue, the oldest first; returns how many there were. */
  async take(most: number, into: PathQueue): Promise<number> {
    let taken = move(this.#returned.take(this.#host, most), into);
    for (const cursor of this.#present) {
      while (taken < most) {
        const count = move(await cursor.take(most - taken, this.#host.length), into);
        if (count === 0) break;
        taken += count;
      }
    }
    if (this.#arrivalsAreNext) taken += move(this.#arrivals.take(this.#host, most - taken), into);
    return taken;
  }

  /** Gives up all of the present host's URLs; returns how many those were. */
  drop(): number {
    const all = Number.POSITIVE_INFINITY;
    const inMemory = this.#returned.take(this.#host, all).count;
    const younger = this.#arrivalsAreNext ? this.#arrivals.take(this.#host, all).count : 0;
    return this.#present.reduce((sum, cursor) => sum + cursor.drop(), inMemory + younger);
  }

  /** Once they were written out, what has come since is younger than a run that this sweep does not see. */
  get #arrivalsAreNext(): boolean {
    return this.#arrivals.spills === this.#spills;
  }

  /** URLs of the present host may be where this sweep does not see them, although `take` found no more. */
  get mayHaveMore(): boolean {
    return !this.#arrivalsAreNext;
  }

  /** Leaves the present host: what was not taken stays for the next round. */
  async pass(): Promise<void> {
    for (const cursor of this.#present) await cursor.pass();
    this.#present = [];
  }

  /** Ends the round, which must have come to its end; returns the runs that it passed over. */
  async end(): Promise<readonly Run[]> {
    for (const run of this.#runs) await run.endSweep();
    return this.#runs;
  }
}

function move(entries: Entries, into: PathQueue): number {
  if (entries.count > 0) into.append(entries);
  return entries.count;
}

function onDisk(cursor: RunCursor): Cursor {
  return {
    get id() {
      return cursor.row;
    },
    host: () => cursor.host(),
    take: (most, nameLength) => cursor.take(most, nameLength),
    drop: () => cursor.drop(),
    pass: () => cursor.pass(),
  };
}

/** The hosts that a run in memory had when the sweep began; their URLs are taken from the run itself. */
class MemoryCursor implements Cursor {
  readonly #hosts: readonly WaitingHost[];
  #at = 0;

  constructor(run: MemoryRun) {
    this.#hosts = run.sorted();
  }

  get id(): HostId | undefined {
    return this.#hosts[this.#at];
  }

  async host(): Promise<string> {
    return this.#hosts[this.#at].queue.host;
  }

  async take(): Promise<Entries> {
    return NONE;
  }

  drop(): number {
    return 0;
  }

  async pass(): Promise<void> {
    this.#at++;
  }
}
