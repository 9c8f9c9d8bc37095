/**
 * The backlog: URLs that passed the sieve and may not be fetched yet, on disk, in order per host.
 *
 * Idea      BUbiNG's virtualizer keeps queues on disk so that the workbench holds only what may be fetched soon; IRLbot shows
 *           that such queues must be read in order, never looked up. Here URLs lie in runs sorted by host, and a *sweep*
 *           passes over all hosts in the order of their keys, like the hand of a clock: at each host its owner takes
 *           as many URLs as have room on the workbench, and leaves the rest for the next round. A sweep stops
 *           wherever the workbench is full and goes on when there is room.
 *
 *             returned (memory) ─┐
 *             run.1  run.2 …     ├─ merged by host, oldest first ─► sweep ─► workbench
 *             arrivals (memory) ─┘
 *
 * Ensures   URLs of a host are taken in the order in which they were added; those put back come before all others. No URL is
 *           lost: each is taken, dropped by the caller, or still here.
 * Cost      memory: the number given for what came lately, and about 100 KB a run. Disk: a URL is written once, or once
 *           more each time that sixteen runs become one, and read as often; a sweep reads and writes 32 bytes a
 *           host and run.
 */
import { type Frozen, recoverFolder } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { VersionedFiles } from '../disk/versioned-files.ts';
import type { Bytes } from '../units.ts';
import type { Discovery } from './discovery.ts';
import { MemoryRun } from './memory-run.ts';
import type { Entries } from './path-queue.ts';
import { RUN_FILES, Run, type RunPlace, type RunState } from './run.ts';
import { mergeRuns } from './run-merge.ts';
import { Sweep } from './sweep.ts';

/** As many runs are swept side by side; beyond, neighbours are merged. */
const MOST_RUNS = 48;
const MERGED_AT_ONCE = 16;

export interface BacklogState {
  readonly nextRun: number;
  /** Oldest first. */
  readonly runs: readonly RunState[];
}

export interface BacklogOptions {
  readonly disk: Disk;
  /** Must exist; only files named `run.*` in it are touched. */
  readonly folder: string;
  /** For what came lately and is not on disk yet. */
  readonly memory: Bytes;
  readonly at?: Frozen<BacklogState> | undefined;
}

export class Backlog {
  readonly #memory: Bytes;
  readonly #place: RunPlace;
  /** Put back by the workbench: before all others of their hosts. */
  readonly returned = new MemoryRun();
  readonly arrivals = new MemoryRun();
  #runs: Run[] = [];
  #nextRun = 1;
  #sweep: Sweep | undefined;

  private constructor({ disk, folder, memory, at }: BacklogOptions) {
    this.#memory = memory;
    this.#place = { disk, files: new VersionedFiles(disk, folder, Object.keys(at?.files ?? {})) };
  }

  static async open(options: BacklogOptions): Promise<Backlog> {
    const { disk, folder, at } = options;
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => RUN_FILES.test(name));
    const backlog = new Backlog(options);
    if (at) {
      backlog.#nextRun = at.state.nextRun;
      for (const state of at.state.runs) backlog.#runs.push(await Run.open(backlog.#place, state, at.files));
    }
    return backlog;
  }

  /** URLs that wait. */
  get urls(): number {
    return this.#runs.reduce((sum, run) => sum + run.urls, this.returned.urls + this.arrivals.urls);
  }

  /** Hosts with URLs here, a host counted once for every run it is in. */
  get hosts(): number {
    return this.#runs.reduce((sum, run) => sum + run.hosts, this.returned.hosts + this.arrivals.hosts);
  }

  add(host: string, discovery: Discovery): void {
    this.arrivals.add(host, discovery);
  }

  /** Takes back what the workbench could not use; it will be handed out first. */
  putBack(host: string, entries: Entries): void {
    this.returned.append(host, entries);
  }

  /** More has come than memory is meant to hold: `makeRoom` is due. */
  get full(): boolean {
    return this.arrivals.bytes > this.#memory;
  }

  /** Writes what came lately to disk, when it is more than memory is meant to hold. */
  async makeRoom(): Promise<void> {
    if (this.full) this.#runs.push(await this.arrivals.spill(this.#place, this.#nextRun++));
  }

  /** The sweep under way, or a new one. */
  async sweep(): Promise<Sweep> {
    if (!this.#sweep) {
      // Between sweeps only: in the middle of one it would let younger URLs of a host pass before these.
      if (this.returned.bytes > this.#memory) {
        this.#runs.unshift(await this.returned.spill(this.#place, this.#nextRun++));
      }
      if (this.#runs.length > MOST_RUNS) await this.#mergeSome();
      this.#sweep = await Sweep.begin(this.#runs, this.returned, this.arrivals);
    }
    return this.#sweep;
  }

  /** The sweep has come round: what it left is what the next one finds. */
  async endSweep(): Promise<void> {
    const swept = await this.#sweep?.end();
    this.#sweep = undefined;
    for (const run of swept ?? []) {
      if (run.urls > 0) continue;
      this.#runs.splice(this.#runs.indexOf(run), 1);
      await run.discard();
    }
  }

  /** What is on disk; what is in memory (`returned`, `arrivals`) the caller keeps by other means. */
  async freeze(): Promise<Frozen<BacklogState>> {
    await this.#sweep?.pass();
    const files: Record<string, number> = {};
    const runs: RunState[] = [];
    for (const run of this.#runs) runs.push(await run.freeze(files));
    this.#place.files.freeze(Object.keys(files));
    return { files, state: { nextRun: this.#nextRun, runs } };
  }

  async settle({ files }: Frozen<BacklogState>): Promise<void> {
    await this.#place.files.settle(Object.keys(files));
  }

  async close(): Promise<void> {
    for (const run of this.#runs) await run.close();
  }

  /** The sixteen neighbours with the least to copy become one. Neighbours, since age is order. */
  async #mergeSome(): Promise<void> {
    const starts = this.#runs.slice(0, this.#runs.length - MERGED_AT_ONCE + 1).map((_, start) => start);
    const cost = (start: number) =>
      this.#runs.slice(start, start + MERGED_AT_ONCE).reduce((sum, run) => sum + run.urls, 0);
    const start = starts.reduce((best, next) => (cost(next) < cost(best) ? next : best));
    const old = this.#runs.slice(start, start + MERGED_AT_ONCE);
    const merged = await mergeRuns(this.#place, this.#nextRun++, old);
    this.#runs.splice(start, MERGED_AT_ONCE, merged);
    for (const run of old) await run.discard();
  }
}
