/**
 * The backlog: queued URLs on disk, in order per host.
 *
 * Idea      BUbiNG's virtualizer keeps queues on disk, so that the workbench holds only what can be
 *           fetched soon. IRLbot shows that such queues must be read in order, never looked up.
 *           Here URLs are in runs sorted by host, and a *sweep* passes over all hosts in the order
 *           of their keys, round after round. At each host the distributor takes as many URLs as
 *           have room on the workbench, and leaves the rest for the next round. A sweep pauses when
 *           the workbench is full and continues when there is room.
 *
 *             returned (memory) ─┐
 *             run.1  run.2 …     ├─ merged by host, oldest first ─► sweep ─► workbench
 *             arrivals (memory) ─┘
 *
 * Requires  one call at a time, of the backlog and of its sweep; `add` and `putBack` at any time.
 * Ensures   URLs of a host are taken in the order in which they were added; those put back come
 *           before all others. No URL is lost: each is taken, dropped by the caller, or still here.
 *           After a failure of the disk every call is refused: what the folder holds is unknown
 *           until it is opened again at the last frozen state.
 * Cost      memory: twice the bytes given, what comes while they are written out, and about 100 KB
 *           a run. Disk: a URL is written once, and once more each time that sixteen runs become
 *           one or a run is rewritten to free space, and read as often. A sweep reads and writes a
 *           row of about 50 bytes a host and run.
 */

import type { Bytes } from '../../base/units.ts';
import { type Frozen, recoverFolder } from '../../disk/checkpoint.ts';
import { Disk } from '../../disk/disk.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';
import { SingleCaller } from '../../drum/single-caller.ts';
import type { Discovery } from '../queue/discovered-url.ts';
import type { Entries } from '../queue/path-queue.ts';
import { MemoryRun } from './memory-run.ts';
import { RUN_FILES, Run, type RunState } from './run.ts';
import type { RunPlace } from './run-index.ts';
import { mergeRuns } from './run-merge.ts';
import { RunWriter } from './run-writer.ts';
import { Sweep } from './sweep.ts';

export interface BacklogLimits {
  /** Most runs swept side by side; beyond that, neighbours are merged. */
  readonly mostRuns: number;
  /** How many neighbours are merged at once. */
  readonly mergedAtOnce: number;
  /** A run is rewritten when more than this, and three quarters of it, no longer counts. */
  readonly waste: Bytes;
  /** Bytes read at once from the index and from the data of a run; there may be dozens of runs. */
  readonly window: Bytes;
  /** An index up to this size has no file of its own. */
  readonly indexInMemory: Bytes;
}

const LIMITS: BacklogLimits = {
  mostRuns: 48,
  mergedAtOnce: 16,
  waste: 2 ** 20,
  window: 32 * 1024,
  indexInMemory: 16 * 1024,
};

export interface BacklogState {
  readonly nextRun: number;
  /** The runs, oldest first. */
  readonly runs: readonly RunState[];
}

interface BacklogOptions {
  readonly disk: Disk;
  /** Must exist; only files named `run.*` in it are touched. */
  readonly folder: string;
  /** For recent URLs that are not on disk yet. */
  readonly memory: Bytes;
  readonly at?: Frozen<BacklogState> | undefined;
  readonly limits?: Partial<BacklogLimits>;
}

export class Backlog {
  readonly #memory: Bytes;
  readonly #limits: BacklogLimits;
  readonly #folder: string;
  readonly #place: RunPlace;
  readonly #caller = new SingleCaller();
  /** URLs put back by the workbench, which come before all others of their hosts. */
  readonly returned = new MemoryRun();
  #arrivals = new MemoryRun();
  /** The runs, oldest first. */
  #runs: Run[] = [];
  #nextRun = 1;
  #sweep: Sweep | undefined;
  /** URLs that are being written to disk. */
  #inTransit = 0;
  /**
   * Bytes put back that could not be written out, because the sweep under way has yet to reach
   * their hosts.
   */
  #ahead: Bytes = 0;
  #durableNames: ReadonlySet<string>;

  private constructor({ disk, folder, memory, at, limits }: BacklogOptions) {
    this.#memory = memory;
    this.#limits = { ...LIMITS, ...limits };
    this.#folder = folder;
    const names = Object.keys(at?.files ?? {});
    this.#durableNames = new Set(names);
    const files = new VersionedFiles(disk, folder, names);
    this.#place = { disk, files, ...this.#limits };
  }

  static async open(options: BacklogOptions): Promise<Backlog> {
    const { disk, folder, at } = options;
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => RUN_FILES.test(name));
    const backlog = new Backlog(options);
    if (at) await backlog.#openRuns(at);
    return backlog;
  }

  /** A backlog that never writes anything, for a crawl without a folder. */
  static inMemory(): Backlog {
    return new Backlog({ disk: new Disk(), folder: '', memory: Infinity });
  }

  /** URLs queued here. */
  get urls(): number {
    const inMemory = this.returned.urls + this.#arrivals.urls + this.#inTransit;
    return this.#runs.reduce((sum, run) => sum + run.urls, inMemory);
  }

  /** Hosts with URLs here; a host counts once for every run it is in. */
  get hosts(): number {
    return this.#runs.reduce(
      (sum, run) => sum + run.hosts,
      this.returned.hosts + this.#arrivals.hosts,
    );
  }

  /** Recent URLs, still in memory. */
  get arrivals(): MemoryRun {
    return this.#arrivals;
  }

  add(host: string, discovery: Discovery): void {
    this.#arrivals.add(host, discovery);
  }

  /** Adds after everything that the host has here. */
  addAll(host: string, entries: Entries): void {
    this.#arrivals.append(host, entries);
  }

  /**
   * Takes back what the workbench could not use; it is handed out first, before what was put back
   * earlier.
   */
  putBack(host: string, entries: Entries): void {
    this.returned.prepend(host, entries);
  }

  /** Memory holds more than it should: call `makeRoom`. */
  get full(): boolean {
    return this.#arrivals.bytes > this.#memory || this.returned.bytes - this.#ahead > this.#memory;
  }

  /** When memory holds more than it should, writes recent URLs, or those put back, to disk. */
  async makeRoom(): Promise<void> {
    if (!this.full) return;
    await this.#caller.run(async () => {
      if (this.#arrivals.bytes > this.#memory) await this.#writeArrivals();
      if (this.returned.bytes > this.#memory) await this.#writeReturned();
      await this.#keepFew();
    });
  }

  /** The sweep under way, or a new one. */
  async sweep(): Promise<Sweep> {
    return this.#sweep ?? this.#caller.run(() => this.#beginSweep());
  }

  /** Ends a sweep that has passed all hosts: the next one finds what it left. */
  endSweep(): Promise<void> {
    return this.#caller.run(async () => {
      await this.#sweep?.end();
      this.#sweep = undefined;
      this.#ahead = 0;
      await this.#discardEmpty();
    });
  }

  /** Describes what is on disk; the caller stores what is in memory (`returned`, `arrivals`). */
  freeze(): Promise<Frozen<BacklogState>> {
    return this.#caller.run(async () => {
      await this.#sweep?.leave();
      const files: Record<string, Bytes> = {};
      const runs: RunState[] = [];
      for (const run of this.#runs) runs.push(await run.freeze(files));
      await this.#makeNamesDurable(Object.keys(files));
      this.#place.files.freeze(Object.keys(files));
      return { files, state: { nextRun: this.#nextRun, runs } };
    });
  }

  /** The frozen state is safely stored: deletes files that only older ones name. */
  discardOlder({ files }: Frozen<BacklogState>): Promise<void> {
    return this.#caller.run(() => this.#place.files.discardOlder(Object.keys(files)));
  }

  async close(): Promise<void> {
    for (const run of this.#runs) await run.close();
  }

  /** A file survives a loss of power only if its name in the folder does. */
  async #makeNamesDurable(names: readonly string[]): Promise<void> {
    if (names.some((name) => !this.#durableNames.has(name)))
      await this.#place.disk.syncFolder(this.#folder);
    this.#durableNames = new Set(names);
  }

  async #openRuns({ state, files }: Frozen<BacklogState>): Promise<void> {
    this.#nextRun = state.nextRun;
    try {
      for (const run of state.runs) this.#runs.push(await Run.open(this.#place, run, files));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #beginSweep(): Promise<Sweep> {
    await this.#discardEmpty();
    if (this.returned.bytes > this.#memory) await this.#writeReturned();
    await this.#keepFew();
    await this.#giveSpaceBack();
    this.#sweep = await Sweep.begin(this.#caller, this.#runs, this.returned, this.#arrivals);
    return this.#sweep;
  }

  async #writeArrivals(): Promise<void> {
    const full = this.#arrivals;
    this.#arrivals = new MemoryRun();
    this.#sweep?.forgetArrivals();
    await this.#write(full, (run) => this.#runs.push(run));
  }

  /**
   * During a sweep, writes only hosts that it has passed: at others it would come to younger URLs
   * first.
   */
  async #writeReturned(): Promise<void> {
    const sweep = this.#sweep;
    const out = this.returned.split((high, low, host) => !sweep || sweep.isBehind(high, low, host));
    this.#ahead = this.returned.bytes;
    if (out.urls > 0) await this.#write(out, (run) => this.#runs.unshift(run));
  }

  async #write(memory: MemoryRun, enter: (run: Run) => void): Promise<void> {
    const { urls } = memory;
    this.#inTransit += urls;
    enter(await RunWriter.make(this.#place, this.#nextRun++, (writer) => memory.writeTo(writer)));
    this.#inTransit -= urls;
  }

  async #discardEmpty(): Promise<void> {
    const empty = this.#runs.filter((run) => run.urls === 0);
    this.#runs = this.#runs.filter((run) => run.urls > 0);
    await discardAll(empty);
  }

  /** Merges until few enough runs are left beside those being swept. */
  async #keepFew(): Promise<void> {
    const { mostRuns, mergedAtOnce } = this.#limits;
    while (this.#runs.filter((run) => !run.isSwept).length > mostRuns) {
      const start = this.#cheapest(mergedAtOnce);
      if (start === undefined) return;
      await this.#rewrite(start, mergedAtOnce);
    }
  }

  /**
   * Where the `count` neighbours with the least to copy begin. Only neighbours: runs are in order
   * of age.
   */
  #cheapest(count: number): number | undefined {
    let best: number | undefined;
    let least = Infinity;
    for (let start = 0; start + count <= this.#runs.length; start++) {
      const runs = this.#runs.slice(start, start + count);
      if (runs.some((run) => run.isSwept)) continue;
      const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
      if (bytes < least) [best, least] = [start, bytes];
    }
    return best;
  }

  /** Rewrites runs with little left, neighbours together. */
  async #giveSpaceBack(): Promise<void> {
    const isWasteful = (run: Run | undefined) =>
      run !== undefined && run.waste > Math.max(this.#limits.waste, 3 * run.bytes);
    for (let start = 0; start < this.#runs.length; start++) {
      let count = 0;
      while (count < this.#limits.mergedAtOnce && isWasteful(this.#runs[start + count])) count++;
      if (count > 0) await this.#rewrite(start, count);
    }
  }

  /** Makes one run of `count` neighbours. The old ones are deleted when the new one is complete. */
  async #rewrite(start: number, count: number): Promise<void> {
    const old = this.#runs.slice(start, start + count);
    const made = await mergeRuns(this.#place, this.#nextRun++, old);
    this.#runs.splice(start, count, made);
    await discardAll(old);
  }
}

/** Closes all runs before it deletes any: a failure leaves no file open. */
async function discardAll(runs: readonly Run[]): Promise<void> {
  for (const run of runs) await run.close();
  for (const run of runs) await run.discard();
}
