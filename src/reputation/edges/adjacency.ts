/**
 * Which domain links to which, on disk: the unique edges between domains, by target.
 *
 * Idea      New edges stay in memory until there are enough for a sorted run, a file that never
 *           changes. Sixteen runs of a level become one of the next. So an edge is copied once each
 *           time the graph grows by a factor of sixteen. A giant with millions of in-neighbours
 *           costs no more: one new edge touches no old one.
 *
 *             add ─► fresh pairs ─► sorted parts (memory) ─► run  run  run …  level 0
 *                └─► fresh.N (log, for a crash)                 └─16─► run  run …  level 1
 *
 *           Time may be divided into periods (`turn`). A run then has the edges of one period, and
 *           edges age by dropping whole runs. When a period ends, its runs become one.
 * Requires  no edge is added twice in a period; one call at a time, except that `lists` may be read
 *           at any time.
 * Ensures   `lists` gives the edges that were there when the first block was asked for, whatever is
 *           added or merged meanwhile. What `freeze` names is all that was added. The code that
 *           stores the checkpoint makes the names in the folder durable. An edge of several periods
 *           is listed once.
 * Cost      an edge is written in 16 bytes when it is added, and in 8 to 20 for every level; memory
 *           as limited, and three windows per run that is read. A merge lets other work run, but
 *           its caller waits for it.
 */

import type { Pacer } from '../../base/pacer.ts';
import type { Bytes } from '../../base/units.ts';
import { AppendLog, closeOnFailure } from '../../disk/append-log.ts';
import { openStateFile } from '../../disk/block-file.ts';
import { type Frozen, recoverFolder } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { SequentialReader } from '../../disk/sequential-reader.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';
import { AdjacencyRun, type RunPlace, type RunState } from './adjacency-run.ts';
import { distinctLists } from './distinct-lists.ts';
import { type EdgeLists, mergeRows, RowCursor } from './edge-lists.ts';
import { FreshPairs, MOST_PAIRS, PAIR_BYTES, PAIR_WORDS } from './fresh-pairs.ts';

export interface AdjacencyLimits {
  /** Pairs that are sorted at once; together they are a part. */
  readonly partPairs: number;
  /** Parts that become a run. */
  readonly parts: number;
  /** Runs of a level that become one run of the next. */
  readonly mergedAtOnce: number;
  /** Bytes read or written at once, a multiple of 8. */
  readonly window: Bytes;
  /** Sources in a block of lists. */
  readonly blockSources: number;
}

/** The best limits for this memory: half for fresh pairs, the rest for reading some fifty runs. */
export function limitsFor(memory: Bytes): AdjacencyLimits {
  const rowBytes = 20;
  const fresh = Math.max(1, Math.floor(memory / 2 / rowBytes));
  const partPairs = Math.min(MOST_PAIRS, 2 ** Math.floor(Math.log2(Math.max(512, fresh / 8))));
  return {
    partPairs,
    parts: Math.min(64, Math.max(1, Math.floor(fresh / partPairs) - 1)),
    mergedAtOnce: 16,
    window: Math.min(2 ** 18, Math.max(4096, Math.floor(memory / 300 / 8) * 8)),
    blockSources: 8192,
  };
}

export interface AdjacencyState {
  /** The number in the name of the next file. No name is used twice. */
  readonly nextFile: number;
  readonly fresh: number;
  readonly runs: readonly RunState[];
  /** The present period; 0 if absent. */
  readonly period?: number;
}

interface AdjacencyOptions {
  readonly disk: Disk;
  /** Must exist; only files named `run.N` and `fresh.N` in it are touched. */
  readonly folder: string;
  readonly limits: AdjacencyLimits;
  readonly pacer: Pacer;
  readonly at?: Frozen<AdjacencyState> | undefined;
}

const OURS = /^(run|fresh)\.\d+$/;
export const FRESH_FORMAT: Format = { type: 'frs', version: 1, summed: true };
export const freshName = (id: number): string => `fresh.${id}`;

export class Adjacency {
  readonly #place: RunPlace;
  readonly #limits: AdjacencyLimits;
  readonly #pacer: Pacer;
  readonly #pairs: FreshPairs;
  /** Sorted rows in memory. */
  #parts: Uint32Array[] = [];
  #runs: AdjacencyRun[] = [];
  /** Runs merged into others, which may still be read. */
  #retired: AdjacencyRun[] = [];
  /** The log of all pairs that are in no run. */
  #log!: AppendLog;
  #fresh = 0;
  #nextFile = 1;
  #period = 0;

  private constructor({ disk, folder, limits, pacer, at }: AdjacencyOptions) {
    const files = new VersionedFiles(disk, folder, Object.keys(at?.files ?? {}));
    this.#place = { disk, files, window: limits.window };
    this.#limits = limits;
    this.#pacer = pacer;
    this.#pairs = new FreshPairs(limits.partPairs);
  }

  static async open(options: AdjacencyOptions): Promise<Adjacency> {
    const { disk, folder, at } = options;
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => OURS.test(name));
    const adjacency = new Adjacency(options);
    if (at) await adjacency.#resume(at);
    else await adjacency.#beginLog();
    return adjacency;
  }

  /** Adds pairs: target and source, a u64 each, one after the other. */
  async add(words: Uint32Array): Promise<void> {
    for (let at = 0; at < words.length; ) {
      const some = words.subarray(at, Math.min(words.length, at + PAIR_WORDS * this.#pairs.room));
      await this.#log.append(new Uint8Array(some.buffer, some.byteOffset, some.byteLength));
      this.#pairs.add(some);
      at += some.length;
      if (this.#pairs.room === 0) await this.#sortPart();
    }
  }

  /** All edges, by target. A caller that stops early must end the generator. */
  async *lists(): AsyncGenerator<EdgeLists> {
    const lists = this.#merged(this.#runs, [...this.#parts, this.#pairs.rows()]);
    yield* this.ages.length === 0 ? lists : distinctLists(lists, this.#limits.blockSources);
  }

  /** The edges of one period, so many before the present one. */
  async *listsAt(age: number): AsyncGenerator<EdgeLists> {
    const fresh = age === 0 ? [...this.#parts, this.#pairs.rows()] : [];
    yield* this.#merged(this.#runsOf(this.#period - age), fresh);
  }

  /** How many periods ago there were edges, the oldest first; not 0, the present one. */
  get ages(): number[] {
    const ages = new Set(this.#runs.map(({ period }) => this.#period - period));
    ages.delete(0);
    return [...ages].sort((a, b) => b - a);
  }

  /** Edges of earlier periods, each counted once for every period in which it was seen. */
  get older(): number {
    const older = this.#runs.filter(({ period }) => period !== this.#period);
    return older.reduce((sum, { state }) => sum + state.edges, 0);
  }

  get period(): number {
    return this.#period;
  }

  /**
   * Ends the present period, which is then `by` periods ago. Drops all edges seen more than `held`
   * periods ago.
   */
  async turn(by: number, held: number): Promise<void> {
    await this.#endPeriod();
    this.#period += by;
    const dropped = this.#runs.filter(({ period }) => period < this.#period - held);
    this.#runs = this.#runs.filter((run) => !dropped.includes(run));
    this.#retired.push(...dropped);
    await this.#discardUnread();
  }

  /** Adds edges that another owner of their targets saw so many periods ago; none is here. */
  async adopt(age: number, lists: AsyncIterable<EdgeLists>): Promise<void> {
    const place = { level: 0, period: this.#period - age };
    const run = await AdjacencyRun.write(this.#place, this.#nextFile++, place, lists);
    if (run.state.edges > 0) this.#runs = [...this.#runs, run];
    else {
      await run.close();
      await run.discard();
    }
  }

  async freeze(): Promise<Frozen<AdjacencyState>> {
    const files: Record<string, Bytes> = {};
    await this.#log.sync();
    files[freshName(this.#fresh)] = this.#log.length;
    const runs: RunState[] = [];
    for (const run of this.#runs) runs.push(await run.freeze(files));
    this.#place.files.freeze(Object.keys(files));
    const period = this.#period !== 0 && { period: this.#period };
    return { files, state: { nextFile: this.#nextFile, fresh: this.#fresh, runs, ...period } };
  }

  /** Deletes files that no checkpoint needs, now that the frozen state is stored. */
  async discardOlder({ files }: Frozen<unknown>): Promise<void> {
    await this.#place.files.discardOlder(Object.keys(files));
    await this.#discardUnread();
  }

  /** Closes all files. No list may be read any more. */
  async close(): Promise<void> {
    await this.#log.abandon();
    for (const run of [...this.#runs, ...this.#retired]) await run.close();
  }

  async #sortPart(): Promise<void> {
    this.#parts.push(this.#pairs.rows());
    this.#pairs.clear();
    if (this.#parts.length < this.#limits.parts) return;
    await this.#writeParts();
    await this.#mergeFullLevels();
  }

  /** Makes a run of all that is sorted in memory; nothing else is in memory. */
  async #writeParts(): Promise<void> {
    const [oldLog, old] = [this.#log, this.#fresh];
    const { log, id } = await this.#createLog();
    const run = await closeOnFailure([log], () => this.#write(0, [], this.#parts));
    // No wait between these: a reader that begins now sees every edge once.
    this.#runs = [...this.#runs, run];
    this.#parts = [];
    [this.#log, this.#fresh] = [log, id];
    await oldLog.abandon();
    await this.#place.files.discard(freshName(old));
  }

  /** Makes one run of all edges of the present period. */
  async #endPeriod(): Promise<void> {
    const rows = this.#pairs.rows();
    if (rows.length > 0) this.#parts.push(rows);
    this.#pairs.clear();
    if (this.#parts.length > 0) await this.#writeParts();
    const runs = this.#runsOf(this.#period);
    if (runs.length > 1) await this.#mergeRuns(runs);
    await this.#discardUnread();
  }

  async #mergeFullLevels(): Promise<void> {
    for (let level = 0; ; level++) {
      const full = this.#runsOf(this.#period).filter(({ state }) => state.level === level);
      if (full.length < this.#limits.mergedAtOnce) break;
      await this.#mergeRuns(full);
    }
    await this.#discardUnread();
  }

  async #mergeRuns(runs: readonly AdjacencyRun[]): Promise<void> {
    const level = 1 + Math.max(...runs.map(({ state }) => state.level));
    const merged = await this.#write(level, runs, []);
    this.#runs = [...this.#runs.filter((run) => !runs.includes(run)), merged];
    this.#retired.push(...runs);
  }

  #runsOf(period: number): AdjacencyRun[] {
    return this.#runs.filter((run) => run.period === period);
  }

  #write(
    level: number,
    runs: readonly AdjacencyRun[],
    parts: readonly Uint32Array[],
  ): Promise<AdjacencyRun> {
    const place = { level, period: this.#period };
    return AdjacencyRun.write(this.#place, this.#nextFile++, place, this.#merged(runs, parts));
  }

  async *#merged(
    runs: readonly AdjacencyRun[],
    parts: readonly Uint32Array[],
  ): AsyncGenerator<EdgeLists> {
    const readers = runs.map((run) => run.read());
    try {
      const cursors = [
        ...readers.map(({ cursor }) => cursor),
        ...parts.map((rows) => new RowCursor(rows)),
      ];
      yield* mergeRows(cursors, this.#limits.blockSources, this.#pacer);
    } finally {
      for (const reader of readers) await reader.end();
    }
  }

  async #discardUnread(): Promise<void> {
    const unread = this.#retired.filter(({ readers }) => readers === 0);
    this.#retired = this.#retired.filter(({ readers }) => readers > 0);
    for (const run of unread) await run.close();
    for (const run of unread) await run.discard();
  }

  async #createLog(): Promise<{ log: AppendLog; id: number }> {
    const { disk, files, window } = this.#place;
    const id = this.#nextFile++;
    return {
      log: await AppendLog.create(disk, files.path(freshName(id)), FRESH_FORMAT, window),
      id,
    };
  }

  async #beginLog(): Promise<void> {
    const { log, id } = await this.#createLog();
    [this.#log, this.#fresh] = [log, id];
  }

  async #resume({ files, state }: Frozen<AdjacencyState>): Promise<void> {
    this.#nextFile = state.nextFile;
    this.#period = state.period ?? 0;
    await this.#beginLog();
    try {
      for (const run of state.runs) {
        this.#runs.push(await AdjacencyRun.open(this.#place, run, files[`run.${run.id}`]));
      }
      await this.#readFresh(freshName(state.fresh), files[freshName(state.fresh)]);
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.#place.files.discard(freshName(state.fresh));
  }

  /** Adds the pairs of the log again, because the limits may differ from before. */
  async #readFresh(name: string, bytes: Bytes): Promise<void> {
    const { disk, files, window } = this.#place;
    const file = await openStateFile(disk, files.path(name), FRESH_FORMAT);
    try {
      const reader = new SequentialReader(file, HEADER_BYTES, bytes);
      const piece = PAIR_BYTES * Math.max(1, Math.floor(window / PAIR_BYTES));
      for (let left = bytes - HEADER_BYTES; left > 0; left -= piece) {
        const pairs = (await reader.take(Math.min(piece, left))) ?? new Uint8Array(0);
        await this.add(new Uint32Array(pairs.buffer, pairs.byteOffset, pairs.length / 4));
      }
    } finally {
      await file.close();
    }
  }
}
