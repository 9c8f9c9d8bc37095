/**
 * The connected components of a graph of more nodes than fit in memory.
 *
 * Idea      Hash-to-min [1]. Every node holds a set of nodes, at first its neighbours and itself.
 *           In a round it sends its whole set to the least node in it, and that least node to all
 *           others. After about log n rounds the least node of each component holds all of it, and
 *           every other node holds only that one. A round is one sort on disk.
 * Requires  a folder for files; nodes are 32-bit numbers.
 * Ensures   `[root, member]` for every member of a component of two or more nodes, the root
 *           included; sorted by root, then by member. The root is the least member.
 * Cost      the memory given; each round sorts at most twice the pairs of nodes and arcs.
 *
 * [1] V. Rastogi et al., Finding Connected Components in Map-Reduce in Logarithmic Rounds, ICDE
 *     2013.
 */
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Groups, PairSorter } from '../../disk/external-sort.ts';

/** The most rounds: more than the logarithm of any number of nodes. */
const MOST_ROUNDS = 100;
const BATCH = 4096;

export class Components {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #memory: Bytes;
  #pairs: Pairs;
  #rounds = 0;

  constructor(disk: Disk, folder: string, memory: Bytes) {
    this.#disk = disk;
    this.#folder = folder;
    this.#memory = memory;
    this.#pairs = this.#next();
  }

  /** The number of sorts that were needed. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Joins two nodes. */
  async join(one: number, other: number): Promise<void> {
    for (const from of [one, other]) {
      await this.#pairs.add(from, one);
      await this.#pairs.add(from, other);
    }
  }

  /** Calls `take` with all members of all components, in order. */
  async finish(take: (root: number, member: number) => void | Promise<void>): Promise<void> {
    let before = -1;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = this.#next();
      const now = await this.#round(next);
      this.#pairs = next;
      if (now === before) break;
      before = now;
    }
    for await (const { key, values } of listsOf(await this.#pairs.sorted())) {
      // A node that is no root holds only its root, which is less than itself.
      if (values[0] >= key) for (const member of values) await take(key, member);
    }
  }

  async #round(next: Pairs): Promise<number> {
    let sum = 0;
    let [last, least] = [-1, 0];
    for await (const { key, values } of listsOf(await this.#pairs.sorted())) {
      if (key !== last) [last, least] = [key, values[0]];
      for (const value of values) {
        sum = (sum + mixed(key, value)) % Number.MAX_SAFE_INTEGER;
        const first = next.add(least, value);
        if (first) await first;
        const second = value === least ? undefined : next.add(value, least);
        if (second) await second;
      }
    }
    return sum;
  }

  #next(): Pairs {
    const name = `components-${this.#rounds++}`;
    return new Pairs(new PairSorter(this.#disk, this.#folder, name, this.#memory));
  }
}

/** Pairs on their way to a sorter, in batches. */
export class Pairs {
  readonly #sorter: PairSorter;
  readonly #keys = new Uint32Array(BATCH);
  readonly #values = new Uint32Array(BATCH);
  #held = 0;

  constructor(sorter: PairSorter) {
    this.#sorter = sorter;
  }

  /** Only every 4,096th call has something to wait for. */
  add(key: number, value: number): Promise<void> | undefined {
    this.#keys[this.#held] = key;
    this.#values[this.#held++] = value;
    return this.#held === BATCH ? this.#flush() : undefined;
  }

  async sorted(): Promise<AsyncGenerator<Groups>> {
    await this.#flush();
    return this.#sorter.sorted();
  }

  async #flush(): Promise<void> {
    const count = this.#held;
    this.#held = 0;
    await this.#sorter.add(this.#keys, this.#values, count);
  }
}

/**
 * The lists of all keys that have one. A very long one comes in several pieces, one after the
 * other.
 */
export async function* listsOf(
  sorted: AsyncGenerator<Groups>,
): AsyncGenerator<{ readonly key: number; readonly values: Uint32Array }> {
  for await (const { first, count, offsets, values } of sorted) {
    for (let i = 0; i < count; i++) {
      if (offsets[i + 1] > offsets[i])
        yield { key: first + i, values: values.subarray(offsets[i], offsets[i + 1]) };
    }
  }
}

/** A number of 32 bits for a pair, such that sums of different sets of pairs differ. */
function mixed(key: number, value: number): number {
  let hash = Math.imul(key ^ (key >>> 16), 0x85ebca6b) ^ Math.imul(value, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x9e3779b1);
  return (hash ^ (hash >>> 16)) >>> 0;
}
