/**
 * The links between domains that lead to the domains of one agent: which of them are new, and which
 * domain links to which.
 *
 * Idea      Pages repeat links of earlier pages, so most edges found are known. A DRUM with keys
 *           alone decides which are new, by a hash of the pair, for a few bytes of sequential
 *           transfer each. Only new edges enter the adjacency.
 *
 *             add ─► write ─► KeyDrum of pairs ─► take: new edges ─► the caller
 *                                                     │              (in-degrees, the sample)
 *                                                     └─► adjacency: sorted runs ─► lists
 *                                                            (TSE, another number of agents)
 *
 *           With a life, time is divided into periods of a quarter of it. At the end of each
 *           (`turn`), the DRUM forgets its keys, so that an edge seen again comes out again, into
 *           the runs of its new period; and runs whose edges are too old are dropped. Time is that
 *           in which the edges are open: a crawl that stands still forgets nothing.
 * Requires  keys are xxh64 of domain names; one call at a time, but `add` and `lists` at any time.
 * Ensures   every edge added and written comes out of `take` once in the life of the crawl, or once
 *           a period, and is in `lists` from then on; with a life, until it was not added for five
 *           quarters of it, and no longer than for six. A link of a domain to itself is not an
 *           edge.
 * Crash     `freeze` returns what a checkpoint must store; the folder opened with it is exactly
 *           what it was then. `freeze` also writes what was gathered in memory.
 * Cost      memory: the number given, and 16 bytes for every pair added and not yet written.
 *           docs/domain-graph.md has the figures.
 */

import { type Clock, systemClock } from '../../base/clock.ts';
import { type Pacer, politePacer } from '../../base/pacer.ts';
import { together } from '../../base/together.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { drumGeometry, type Geometry } from '../../drum/geometry.ts';
import { KeyDrum, type KeyDrumState } from '../../drum/key-drum.ts';
import { SingleCaller } from '../../drum/single-caller.ts';
import { Adjacency, type AdjacencyLimits, type AdjacencyState, limitsFor } from './adjacency.ts';
import type { EdgeLists } from './edge-lists.ts';
import { PAIR_WORDS } from './fresh-pairs.ts';
import { PairKeys } from './pair-keys.ts';

/** Edges sources[i] → targets[i], of which the first `length` count. */
export interface NewEdges {
  readonly length: number;
  readonly targets: BigUint64Array;
  readonly sources: BigUint64Array;
}

/** Target i is linked to by `sources[ends[i-1] .. ends[i])`; the first list begins at 0. */
interface LinkLists {
  readonly length: number;
  readonly targets: BigUint64Array;
  readonly ends: Uint32Array;
  readonly sources: BigUint64Array;
}

export interface DomainEdgesState {
  readonly drum: KeyDrumState;
  readonly adjacency: AdjacencyState;
  /** How much of the present period has passed; only with a life. */
  readonly passed?: Millis;
}

/** Periods in the life of an edge. */
const PERIODS = 4;
/**
 * Earlier periods whose edges count. One more than a life has: a page's agent does not send an edge
 * twice in a period, and the periods of two agents do not begin together.
 */
export const HELD_PERIODS = PERIODS + 1;

interface DomainEdgesOptions {
  readonly disk: Disk;
  /** Must exist, and be used for nothing else. */
  readonly folder: string;
  /** At least 1.5 MiB; the DRUM uses half of it. */
  readonly memory: Bytes;
  readonly at?: Frozen<DomainEdgesState> | undefined;
  /** An edge that is not added again for this long, by `clock`, is dropped; never by default. */
  readonly life?: Millis | undefined;
  readonly clock?: Clock | undefined;
  readonly pacer?: Pacer;
  /**
   * Replaces what is derived from `memory`; for tests that reach the disk with a handful of edges.
   */
  readonly geometry?: Geometry;
  readonly limits?: AdjacencyLimits;
}

export class DomainEdges {
  readonly #drum: KeyDrum;
  readonly #adjacency: Adjacency;
  readonly #caller = new SingleCaller();
  readonly #keys = new PairKeys();
  #gathered = new PairList();
  #offered = new PairList();
  #taken = new TakenEdges();
  readonly #clock: Clock;
  readonly #period: Millis;
  #periodBegan: Millis;

  private constructor(options: DomainEdgesOptions, drum: KeyDrum, adjacency: Adjacency) {
    const { life = Infinity, clock = systemClock, at } = options;
    this.#drum = drum;
    this.#adjacency = adjacency;
    this.#clock = clock;
    this.#period = life / PERIODS;
    this.#periodBegan = clock.now() - (at?.state.passed ?? 0);
  }

  static async open(options: DomainEdgesOptions): Promise<DomainEdges> {
    const { disk, folder, memory, at, pacer = politePacer() } = options;
    const geometry = options.geometry ?? drumGeometry(memory / 2);
    const limits = options.limits ?? limitsFor(memory / 2);
    // Both get the files of both: each recognises its own by name.
    const files = at?.files ?? {};
    const adjacencyAt = at && { files, state: at.state.adjacency };
    const adjacency = await Adjacency.open({ disk, folder, limits, pacer, at: adjacencyAt });
    try {
      const drumAt = at && { files, state: at.state.drum };
      const drum = await KeyDrum.open({ disk, folder, geometry, pacer, at: drumAt });
      return new DomainEdges(options, drum, adjacency);
    } catch (error) {
      await adjacency.close();
      throw error;
    }
  }

  /** Edges added that are not decided yet, repeats included. */
  get pending(): number {
    return this.#gathered.length + this.#drum.pending;
  }

  /** Unique edges decided, taken or not; with a life, once for each period that is held. */
  get size(): number {
    return this.#drum.size + this.#adjacency.older;
  }

  /** Edges age, or did: one that comes out of `take` may be in `lists` already. */
  get isAged(): boolean {
    const { ages, period } = this.#adjacency;
    return this.#period !== Infinity || period !== 0 || ages.length > 0;
  }

  /** When `turn` is due. */
  get turnsAt(): Millis {
    return this.#periodBegan + this.#period;
  }

  /** Notes that `source` links to `target`. */
  add(target: bigint, source: bigint): void {
    if (target !== source) this.#gathered.add(target, source);
  }

  /** Notes all links of some lists, from a parcel or from other edges. */
  addLists(lists: LinkLists): void {
    this.#gathered.addLists(lists);
  }

  /** Hands what was added to the DRUM, which decides when it is full. */
  write(): Promise<void> {
    return this.#caller.run(() => this.#write());
  }

  /** Decides everything that was added. */
  flush(): Promise<void> {
    return this.#caller.run(async () => {
      await this.#write();
      await this.#drum.flush();
    });
  }

  /**
   * The next new edges, or undefined when all decided ones were taken. Valid until the next call.
   */
  take(): Promise<NewEdges | undefined> {
    return this.#caller.run(async () => {
      const batch = await this.#drum.take();
      if (batch === undefined) return undefined;
      const pairs = wordsOf(batch.bytes);
      await this.#adjacency.add(pairs);
      return this.#taken.of(pairs);
    });
  }

  /**
   * All edges taken so far, by target in increasing order; later ones are not in it. A caller that
   * stops early must end the generator.
   */
  lists(): AsyncGenerator<EdgeLists> {
    return this.#adjacency.lists();
  }

  /** Those taken so many periods ago; see `ages`. */
  listsAt(age: number): AsyncGenerator<EdgeLists> {
    return this.#adjacency.listsAt(age);
  }

  /**
   * How many periods ago edges were taken, the oldest first; 0, the present period, is left out.
   */
  get ages(): readonly number[] {
    return this.#adjacency.ages;
  }

  /**
   * Ends the present period, if it is over, and drops edges that are too old. Returns how many
   * periods have passed.
   * Requires  everything added was decided and taken.
   */
  turn(): Promise<number> {
    return this.#caller.run(async () => {
      const passed = Math.floor((this.#clock.now() - this.#periodBegan) / this.#period);
      if (!(passed >= 1)) return 0;
      await this.#drum.forget();
      await this.#adjacency.turn(passed, HELD_PERIODS);
      this.#periodBegan += passed * this.#period;
      return passed;
    });
  }

  /** Adds edges that another owner of their targets took so many periods ago, at least one. */
  adopt(age: number, lists: AsyncIterable<EdgeLists>): Promise<void> {
    return this.#caller.run(() => this.#adjacency.adopt(age, lists));
  }

  /**
   * Makes everything so far durable, except names in the folder, and returns how to find it again.
   */
  freeze(): Promise<Frozen<DomainEdgesState>> {
    return this.#caller.run(async () => {
      await this.#write();
      const [drum, adjacency] = await together([this.#drum.freeze(), this.#adjacency.freeze()]);
      return {
        files: { ...drum.files, ...adjacency.files },
        state: { drum: drum.state, adjacency: adjacency.state, ...this.#passed() },
      };
    });
  }

  /** Deletes what `frozen` does not name, now that `frozen` is stored. */
  discardOlder({ files, state }: Frozen<DomainEdgesState>): Promise<void> {
    return this.#caller.run(async () => {
      await this.#drum.discardOlder({ files, state: state.drum });
      await this.#adjacency.discardOlder({ files, state });
    });
  }

  /** Closes all files. What was not frozen is lost. No list may be read any more. */
  async close(): Promise<void> {
    await this.#drum.close();
    await this.#adjacency.close();
  }

  #passed(): Pick<DomainEdgesState, 'passed'> {
    return this.#period === Infinity ? {} : { passed: this.#clock.now() - this.#periodBegan };
  }

  async #write(): Promise<void> {
    if (this.#gathered.length === 0) return;
    [this.#gathered, this.#offered] = [this.#offered, this.#gathered];
    for (const batch of this.#keys.batches(this.#offered.words())) await this.#drum.offer(batch);
    this.#offered.clear();
  }
}

/** Pairs in the order they came. It grows as needed, and keeps its memory. */
class PairList {
  #pairs = new BigUint64Array(2048);
  length = 0;

  add(target: bigint, source: bigint): void {
    const at = 2 * this.length++;
    if (at === this.#pairs.length) this.#grow();
    this.#pairs[at] = target;
    this.#pairs[at + 1] = source;
  }

  /** Word by word: otherwise a BigInt would be made for each key. */
  addLists({ length, targets, ends, sources }: LinkLists): void {
    const from = new Uint32Array(sources.buffer, sources.byteOffset, 2 * sources.length);
    const keys = new Uint32Array(targets.buffer, targets.byteOffset, 2 * length);
    while (2 * this.length + 2 * sources.length > this.#pairs.length) this.#grow();
    const pairs = new Uint32Array(this.#pairs.buffer);
    let to = PAIR_WORDS * this.length;
    for (let i = 0, at = 0; i < length; i++) {
      const [low, high] = [keys[2 * i], keys[2 * i + 1]];
      for (; at < 2 * ends[i]; at += 2) {
        if (from[at] === low && from[at + 1] === high) continue;
        pairs[to] = low;
        pairs[to + 1] = high;
        pairs[to + 2] = from[at];
        pairs[to + 3] = from[at + 1];
        to += PAIR_WORDS;
      }
    }
    this.length = to / PAIR_WORDS;
  }

  words(): Uint32Array {
    return new Uint32Array(this.#pairs.buffer, 0, PAIR_WORDS * this.length);
  }

  clear(): void {
    this.length = 0;
  }

  #grow(): void {
    const grown = new BigUint64Array(2 * this.#pairs.length);
    grown.set(this.#pairs);
    this.#pairs = grown;
  }
}

/** Pairs, split into two columns. */
class TakenEdges implements NewEdges {
  length = 0;
  targets = new BigUint64Array(0);
  sources = new BigUint64Array(0);

  of(pairs: Uint32Array): NewEdges {
    this.length = pairs.length / PAIR_WORDS;
    if (this.length > this.targets.length) {
      this.targets = new BigUint64Array(2 * this.length);
      this.sources = new BigUint64Array(2 * this.length);
    }
    const targets = new Uint32Array(this.targets.buffer);
    const sources = new Uint32Array(this.sources.buffer);
    for (let i = 0; i < this.length; i++) {
      targets[2 * i] = pairs[PAIR_WORDS * i];
      targets[2 * i + 1] = pairs[PAIR_WORDS * i + 1];
      sources[2 * i] = pairs[PAIR_WORDS * i + 2];
      sources[2 * i + 1] = pairs[PAIR_WORDS * i + 3];
    }
    return this;
  }
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
