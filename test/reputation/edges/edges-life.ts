/**
 * Domain edges beside a naive model of them, sets of texts `target<source`. Every step is done to
 * both, and their contents are compared.
 */
import { expect } from 'vitest';
import { flatOut } from '../../../src/base/pacer.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { FileSystem } from '../../../src/disk/file-system.ts';
import type { AdjacencyLimits } from '../../../src/reputation/edges/adjacency.ts';
import { DomainEdges, type DomainEdgesState } from '../../../src/reputation/edges/domain-edges.ts';
import type { EdgeLists } from '../../../src/reputation/edges/edge-lists.ts';
import { TINY as TINY_DRUM } from '../../drum/tiny-geometry.ts';

/** So small that a dozen edges reach every limit. */
export const TINY: AdjacencyLimits = {
  partPairs: 4,
  parts: 2,
  mergedAtOnce: 2,
  window: 40,
  blockSources: 3,
};

export interface LifeOptions {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly limits?: AdjacencyLimits;
}

interface Cut {
  readonly frozen: Frozen<DomainEdgesState>;
  readonly added: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

const KEY = 0x9e37_79b9_7f4a_7c15n;
/** Keys spread over all partitions, and some that agree in their upper half. */
export const keyOf = (domain: number): bigint =>
  domain % 5 === 4 ? BigInt(domain) | (7n << 60n) : BigInt.asUintN(64, BigInt(domain + 1) * KEY);

export class EdgesLife {
  readonly options: LifeOptions;
  edges!: DomainEdges;
  added = new Set<string>();
  taken = new Set<string>();
  #cut: Cut | undefined;

  private constructor(options: LifeOptions) {
    this.options = options;
  }

  static async begin(options: LifeOptions): Promise<EdgesLife> {
    const life = new EdgesLife(options);
    await life.#open();
    return life;
  }

  add(target: number, source: number): void {
    this.edges.add(keyOf(target), keyOf(source));
    if (target !== source) this.added.add(`${keyOf(target)}<${keyOf(source)}`);
  }

  /** Takes one batch; false when there was none. */
  async take(): Promise<boolean> {
    const batch = await this.edges.take();
    if (!batch) return false;
    for (let i = 0; i < batch.length; i++) {
      const edge = `${batch.targets[i]}<${batch.sources[i]}`;
      expect(this.added.has(edge), `${edge} was added`).toBe(true);
      expect(this.taken.has(edge), `${edge} is taken once`).toBe(false);
      this.taken.add(edge);
    }
    return true;
  }

  /** Everything that was added is decided and taken, and nothing else. */
  async takeAll(): Promise<void> {
    await this.edges.flush();
    while (await this.take());
    expect(this.edges.pending).toBe(0);
    expect(this.edges.size).toBe(this.added.size);
    expect([...this.taken].sort()).toEqual([...this.added].sort());
  }

  /**
   * Checks that the lists hold what was taken when reading began; `between` runs at every block.
   */
  async checkLists(between?: () => Promise<void>): Promise<void> {
    const expected = [...this.taken].sort();
    const found = await readLists(this.edges.lists(), between);
    expect(found.sort()).toEqual(expected);
  }

  async checkpoint(between?: () => Promise<void>): Promise<void> {
    const frozen = JSON.parse(
      JSON.stringify(await this.edges.freeze()),
    ) as Frozen<DomainEdgesState>;
    const cut = { frozen, added: new Set(this.added), taken: new Set(this.taken) };
    await between?.();
    // Whatever stores a checkpoint makes names durable before it relies on them.
    await new Disk(this.options.fileSystem).syncFolder(this.options.folder);
    this.#cut = cut;
    await this.edges.discardOlder(frozen);
  }

  /** Reopens as after a kill: everything since the last checkpoint is lost. */
  async reopen(fileSystem = this.options.fileSystem, limits = this.options.limits): Promise<void> {
    Object.assign(this.options, { fileSystem, limits });
    this.added = new Set(this.#cut?.added);
    this.taken = new Set(this.#cut?.taken);
    await this.#open();
  }

  async #open(): Promise<void> {
    const { fileSystem, folder, limits = TINY } = this.options;
    this.edges = await DomainEdges.open({
      ...{
        disk: new Disk(fileSystem),
        folder,
        memory: 0,
        geometry: TINY_DRUM,
        limits,
        pacer: flatOut,
      },
      at: this.#cut?.frozen,
    });
  }
}

/** The edges of lists as texts, targets in increasing order. */
export async function readLists(
  lists: AsyncIterable<EdgeLists>,
  between?: () => Promise<void>,
): Promise<string[]> {
  const edges: string[] = [];
  let last = -1n;
  let left = 0;
  for await (const block of lists) {
    expect(block.length).toBeGreaterThan(0);
    for (let i = 0; i < block.length; i++) {
      const target = block.targets[i];
      const start = i === 0 ? 0 : block.ends[i - 1];
      const goesOn = i === 0 && block.before > 0;
      if (goesOn) expect([target, block.degrees[i] - block.before]).toEqual([last, left]);
      else {
        expect(left, 'the list before is whole').toBe(0);
        expect(target > last, 'targets increase').toBe(true);
        left = block.degrees[i];
      }
      expect(block.ends[i]).toBeGreaterThan(start);
      for (let at = start; at < block.ends[i]; at++) edges.push(`${target}<${block.sources[at]}`);
      left -= block.ends[i] - start;
      last = target;
    }
    await between?.();
  }
  expect(left).toBe(0);
  return edges;
}
