/**
 * A backlog beside a naive model, an array of URLs for each host, and a workbench that is a queue
 * for each host. Every step is done to both, and their results are compared.
 */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { FileSystem } from '../../../src/disk/file-system.ts';
import {
  Backlog,
  type BacklogLimits,
  type BacklogState,
} from '../../../src/frontier/backlog/backlog.ts';
import type { MemoryRun } from '../../../src/frontier/backlog/memory-run.ts';
import type { Sweep } from '../../../src/frontier/backlog/sweep.ts';
import { type Entries, PathQueue } from '../../../src/frontier/queue/path-queue.ts';

/** All limits so small that a dozen URLs reach them. */
export const TINY: BacklogLimits = {
  mostRuns: 3,
  mergedAtOnce: 2,
  waste: 60,
  window: 64,
  indexInMemory: 100,
};

type Lists = Map<string, string[]>;
type Saved = readonly (readonly [host: string, entries: Entries])[];

/**
 * A checkpoint: the backlog's frozen state, what was in its memory and on the workbench, and the
 * model.
 */
interface Checkpoint {
  readonly frozen: Frozen<BacklogState>;
  readonly returned: Saved;
  readonly arrivals: Saved;
  readonly bench: Saved;
  readonly waiting: Lists;
  readonly held: Lists;
}

export interface LifeOptions {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly memory: number;
  readonly limits: Partial<BacklogLimits>;
}

export class Life {
  #options: LifeOptions;
  #backlog!: Backlog;
  #sweep: Sweep | undefined;
  /** The hosts to which the present round must still come. */
  #toVisit = new Set<string>();
  #visited = new Set<string>();
  /** Memory was written out since the round began: the round may not read everything. */
  #sawSpill = false;
  #waiting: Lists = new Map();
  #held: Lists = new Map();
  #bench = new Map<string, PathQueue>();
  #checkpoint: Checkpoint | undefined;
  #added = 0;

  private constructor(options: LifeOptions) {
    this.#options = options;
  }

  static async begin(options: LifeOptions): Promise<Life> {
    const life = new Life(options);
    await life.#open();
    return life;
  }

  get backlog(): Backlog {
    return this.#backlog;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, urls) => sum + urls.length, 0);
  }

  add(host: string, path: string, port = ''): void {
    const url = `http${this.#added % 2 ? 's' : ''}://${host}${port}/${this.#added++}${path}`;
    this.#backlog.add(host, { url, depth: 3, redirects: 0 });
    listOf(this.#waiting, host).push(url);
  }

  /** Writes recent URLs to disk, if memory is full. */
  async makeRoom(): Promise<void> {
    if (this.#backlog.full) this.#sawSpill = true;
    await this.#backlog.makeRoom();
  }

  /**
   * Moves to the next host of the round and takes `most` of its URLs; `act` may do something in
   * between.
   */
  async step(most: number, act?: () => Promise<void>): Promise<void> {
    const sweep = await this.#beginOrGoOn();
    if (!(await sweep.next())) return this.#endRound();
    const { host } = sweep;
    expect(this.#visited.has(host), `the sweep comes to ${host} once in a round`).toBe(false);
    this.#visited.add(host);
    this.#toVisit.delete(host);
    await act?.();
    const queue = this.#queueOf(host);
    const before = queue.length;
    const taken = await sweep.take(most, queue);
    expect(queue.length - before).toBe(taken);
    const waiting = listOf(this.#waiting, host);
    if (!this.#sawSpill) expect(taken).toBe(Math.min(most, waiting.length));
    listOf(this.#held, host).push(...waiting.splice(0, taken));
  }

  /** Moves to the next host and drops it. */
  async drop(): Promise<void> {
    const sweep = await this.#beginOrGoOn();
    if (!(await sweep.next())) return this.#endRound();
    const { host } = sweep;
    this.#visited.add(host);
    this.#toVisit.delete(host);
    const dropped = sweep.drop();
    const waiting = listOf(this.#waiting, host);
    if (!this.#sawSpill) expect(dropped).toBe(waiting.length);
    waiting.splice(0, dropped);
  }

  /** Passes the rest of the round. */
  async finishRound(): Promise<void> {
    if (!this.#sweep) return;
    while (this.#sweep) await this.step(0);
  }

  /** The workbench fetches the first of a host's URLs. */
  fetch(host: string): void {
    const discovery = this.#bench.get(host)?.shift();
    expect(discovery?.url).toBe(this.#held.get(host)?.shift());
  }

  putBack(host: string): void {
    const queue = this.#bench.get(host);
    if (!queue) return;
    this.#backlog.putBack(host, queue.take(Infinity));
    listOf(this.#waiting, host).unshift(...listOf(this.#held, host).splice(0));
  }

  /**
   * A checkpoint: freezes, stores what is in memory, settles; `between` runs before it is settled.
   */
  async checkpoint(between?: () => Promise<void>): Promise<void> {
    const frozen = JSON.parse(JSON.stringify(await this.#backlog.freeze())) as Frozen<BacklogState>;
    this.#checkpoint = {
      frozen,
      returned: saved(this.#backlog.returned),
      arrivals: saved(this.#backlog.arrivals),
      bench: [...this.#bench].map(([host, queue]) => [host, copyOf(queue.entries())]),
      waiting: copyOfLists(this.#waiting),
      held: copyOfLists(this.#held),
    };
    await between?.();
    await this.#backlog.discardOlder(frozen);
    if (!between)
      expect(readdirSync(this.#options.folder).sort()).toEqual(Object.keys(frozen.files).sort());
  }

  /** The process dies, and another resumes from the last checkpoint, perhaps with other limits. */
  async crash(cutPower: () => void, limits?: Partial<BacklogLimits>): Promise<void> {
    await this.#backlog.close();
    cutPower();
    this.#options = { ...this.#options, limits: { ...this.#options.limits, ...limits } };
    await this.reopen();
  }

  /** Opens the folder at the last checkpoint, after the backlog was closed. */
  async reopen(fileSystem = this.#options.fileSystem): Promise<void> {
    this.#options = { ...this.#options, fileSystem };
    this.#sweep = undefined;
    this.#waiting = copyOfLists(this.#checkpoint?.waiting ?? new Map());
    this.#held = copyOfLists(this.#checkpoint?.held ?? new Map());
    this.#bench = new Map();
    await this.#open(this.#checkpoint?.frozen);
    for (const [host, entries] of this.#checkpoint?.returned ?? [])
      this.#backlog.returned.append(host, entries);
    for (const [host, entries] of this.#checkpoint?.arrivals ?? [])
      this.#backlog.arrivals.append(host, entries);
    for (const [host, entries] of this.#checkpoint?.bench ?? [])
      this.#queueOf(host).append(entries);
  }

  /** Sweeps until nothing is left, and compares everything. */
  async drain(most = 3): Promise<void> {
    await this.finishRound();
    for (let rounds = 0; this.waiting > 0; ) {
      await this.step(most);
      if (!this.#sweep) expect(rounds++, 'every round takes something').toBeLessThan(1000);
      this.check();
    }
    await this.finishRound();
    expect(this.#backlog.urls).toBe(0);
    expect(this.#backlog.hosts).toBe(0);
    for (const [host, queue] of this.#bench) {
      const urls: string[] = [];
      for (let next = queue.shift(); next; next = queue.shift()) urls.push(next.url);
      expect(urls).toEqual(this.#held.get(host) ?? []);
    }
    await this.#backlog.close();
  }

  check(): void {
    expect(this.#backlog.urls).toBe(this.waiting);
  }

  async #open(at?: Frozen<BacklogState>): Promise<void> {
    const { fileSystem, ...options } = this.#options;
    this.#backlog = await Backlog.open({ ...options, disk: new Disk(fileSystem), at });
  }

  async #beginOrGoOn(): Promise<Sweep> {
    if (this.#sweep) return this.#sweep;
    this.#sweep = await this.#backlog.sweep();
    this.#sawSpill = false;
    this.#visited = new Set();
    this.#toVisit = new Set(
      [...this.#waiting].filter(([, urls]) => urls.length > 0).map(([host]) => host),
    );
    return this.#sweep;
  }

  async #endRound(): Promise<void> {
    if (!this.#sawSpill) expect([...this.#toVisit], 'the sweep comes to every host').toEqual([]);
    this.#sweep = undefined;
    await this.#backlog.endSweep();
  }

  #queueOf(host: string): PathQueue {
    let queue = this.#bench.get(host);
    if (!queue) {
      queue = new PathQueue(host);
      this.#bench.set(host, queue);
    }
    return queue;
  }
}

function listOf(lists: Lists, host: string): string[] {
  let list = lists.get(host);
  if (!list) {
    list = [];
    lists.set(host, list);
  }
  return list;
}

const copyOfLists = (lists: Lists): Lists =>
  new Map([...lists].map(([host, urls]) => [host, [...urls]]));
const copyOf = ({ count, bytes }: Entries): Entries => ({ count, bytes: Uint8Array.from(bytes) });
const saved = (run: MemoryRun): Saved =>
  [...run.waiting()].map(({ queue }) => [queue.host, copyOf(queue.entries())]);
