/**
 * A Beast beside a naive model: the paper's queues Q1 … Qj and QF as arrays, reused in a circle.
 * Every step is done to both, and their results are compared.
 */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { VarintReader } from '../../../src/base/varint.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { FileSystem } from '../../../src/disk/file-system.ts';
import { Beast, type BeastState } from '../../../src/frontier/beast/beast.ts';
import type { BeastLimits } from '../../../src/frontier/beast/beast-folder.ts';
import type { Entries } from '../../../src/frontier/queue/path-queue.ts';

export const TINY: BeastLimits = { window: 24, piece: 100, journalSlack: 100 };

export interface LifeOptions {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly memory: number;
  readonly queues: number;
  readonly mostQueues: number;
  readonly limits: BeastLimits;
}

/** The paper's figure: the queue being read, the others in their order, and QF. */
interface Model {
  round: number;
  /** The number m of the queue Qm being read, or read last, from 1; 0 when Q1 comes next. */
  m: number;
  isReading: boolean;
  q: string[][];
  later: string[];
  /** QF as it was when the rescan began. */
  old: string[];
}

export class Life {
  #options: LifeOptions;
  #beast!: Beast;
  #model: Model;
  #checkpoint: { readonly frozen: Frozen<BeastState>; readonly model: Model } | undefined;
  #put = 0;

  private constructor(options: LifeOptions) {
    this.#options = options;
    this.#model = begin(options.queues);
  }

  static async begin(options: LifeOptions): Promise<Life> {
    const life = new Life(options);
    await life.#open();
    return life;
  }

  get beast(): Beast {
    return this.#beast;
  }

  /**
   * Puts an entry into the round `distance` after the present one, or for later when there is none.
   */
  put(distance: number, size = 0): void {
    const text = `${this.#put++}${'x'.repeat(size)}`;
    this.#place(distance, text);
  }

  /** Puts entries while an asynchronous call is under way. */
  async meanwhile(
    work: (life: Life) => Promise<void>,
    distances: readonly number[],
  ): Promise<void> {
    const done = work(this);
    for (const distance of distances) this.put(distance);
    await done;
  }

  makeRoom(): Promise<void> {
    return this.#beast.makeRoom();
  }

  async take(): Promise<boolean> {
    const { m, isReading, q } = this.#model;
    const entries = await this.#beast.take();
    const queue = isReading ? q[m - 1] : [];
    expect(textsOf(entries)).toEqual(queue.splice(0, entries?.count ?? 0));
    if (!entries) expect(queue).toEqual([]);
    return entries !== undefined;
  }

  /** Reads the round to its end and moves to the next. */
  async advance(): Promise<'round' | 'rescan' | 'empty'> {
    while (await this.take());
    const said = await this.#beast.advance();
    expect(said).toBe(this.#moveOn());
    this.check();
    return said;
  }

  /** One batch of the rescan: puts each entry again, one round further than the one before. */
  async takeLater(distance = 1): Promise<boolean> {
    const { old } = this.#model;
    const entries = await this.#beast.takeLater();
    const texts = textsOf(entries);
    expect(texts).toEqual(old.splice(0, entries?.count ?? 0));
    if (!entries) expect(old).toEqual([]);
    for (const [i, text] of texts.entries()) this.#place(distance + i, text);
    return entries !== undefined;
  }

  async checkpoint(between?: () => Promise<void>): Promise<void> {
    const model = structuredClone(this.#model);
    const frozen = JSON.parse(JSON.stringify(await this.#beast.freeze())) as Frozen<BeastState>;
    this.#checkpoint = { frozen, model };
    await between?.();
    await this.#beast.discardOlder(frozen);
    if (!between)
      expect(readdirSync(this.#options.folder).sort()).toEqual(Object.keys(frozen.files).sort());
  }

  /** The process dies, and another resumes from the last checkpoint, perhaps with other limits. */
  async crash(cutPower: () => void, options: Partial<LifeOptions> = {}): Promise<void> {
    await this.#beast.close();
    cutPower();
    this.#options = { ...this.#options, ...options };
    await this.reopen();
  }

  /** Opens the folder at the last checkpoint, after it was closed. */
  async reopen(fileSystem = this.#options.fileSystem): Promise<void> {
    this.#options = { ...this.#options, fileSystem };
    this.#model = this.#checkpoint
      ? structuredClone(this.#checkpoint.model)
      : begin(this.#options.queues);
    await this.#open();
    this.check();
  }

  /** Reads everything to the end: each entry exactly once. */
  async drain(): Promise<void> {
    for (let steps = 0; (await this.advance()) !== 'empty'; steps++) {
      expect(steps).toBeLessThan(10_000);
      while (await this.takeLater());
    }
    expect(this.#beast.entries).toBe(0);
    await this.#beast.close();
  }

  check(): void {
    const { round, isReading, q, later, old } = this.#model;
    const inRounds = q.reduce((sum, { length }) => sum + length, 0);
    expect(this.#beast).toMatchObject({
      round,
      queues: q.length,
      last: round + q.length - (isReading ? 1 : 0),
      inRounds,
      later: later.length + old.length,
      leftToRescan: old.length,
      entries: inRounds + later.length + old.length,
    });
  }

  #place(distance: number, text: string): void {
    const { round, m, isReading, q, later } = this.#model;
    const entry = Buffer.from(text);
    if (distance > q.length - (isReading ? 1 : 0)) {
      this.#beast.put('later', entry);
      later.push(text);
      return;
    }
    this.#beast.put(round + distance, entry);
    q[(m + distance - 1) % q.length].push(text);
    entry.fill(0); // the caller may reuse it
  }

  /** As in the paper, where Q1 comes after Qj, and after the rescan. */
  #moveOn(): 'round' | 'rescan' | 'empty' {
    const model = this.#model;
    for (let m = model.m + 1; m <= model.q.length; m++) {
      if (model.q[m - 1].length === 0) continue;
      model.round += m - model.m;
      model.m = m;
      model.isReading = true;
      return 'round';
    }
    model.isReading = false;
    if (model.old.length > 0) return 'rescan';
    const isEmpty = model.later.length === 0 && model.q.every(({ length }) => length === 0);
    if (!isEmpty) model.round += model.q.length - model.m;
    model.m = 0;
    if (isEmpty) return 'empty';
    if (model.later.length === 0) return this.#moveOn();
    const more = Math.min(2 * model.q.length, this.#options.mostQueues) - model.q.length;
    for (let i = 0; i < more; i++) model.q.push([]);
    model.old = model.later;
    model.later = [];
    return 'rescan';
  }

  async #open(): Promise<void> {
    const { fileSystem, ...options } = this.#options;
    this.#beast = await Beast.open({
      ...options,
      disk: new Disk(fileSystem),
      at: this.#checkpoint?.frozen,
    });
  }
}

function begin(queues: number): Model {
  const q = Array.from({ length: queues }, () => []);
  return { round: 0, m: 0, isReading: false, q, later: [], old: [] };
}

export function textsOf(entries: Entries | undefined): string[] {
  if (!entries) return [];
  const reader = new VarintReader(entries.bytes);
  const texts = Array.from({ length: entries.count }, () =>
    Buffer.from(reader.take(reader.next())).toString(),
  );
  expect(reader.at).toBe(entries.bytes.length);
  return texts;
}
