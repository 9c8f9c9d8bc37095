/**
 * Lists in a kernel's memory: all of a graph's at once, or block by block from a stream, each block
 * for the next free hand.
 *
 * Requires  blocks of at most `blockArcs` nodes, and of at most as many arcs unless they hold a
 *           single list.
 * Costs     two blocks a hand, so that one is read while the other is worked on; and room for the
 *           longest list, if that is longer.
 */
import type { AdjacencyBlock, Graph } from '../../graph/graph.ts';
import type { Call, SupportersKernel } from './supporters-kernel.ts';

/** Lists of consecutive nodes in a kernel's memory, by address. */
export interface PlacedLists {
  readonly first: number;
  readonly count: number;
  readonly offsets: number;
  readonly targets: number;
}

/** A block, with `places`, a u32 an arc and one more, and `counts`, a u32 a node, all 0. */
interface PlacedBlock extends PlacedLists {
  readonly places: number;
  readonly counts: number;
}

/** Runs a call for each block. Calls `done` when one has ended, in no order. */
export async function feedBlocks(
  kernel: SupportersKernel,
  lists: AsyncIterable<AdjacencyBlock>,
  blockArcs: number,
  callFor: (block: PlacedBlock, hand: number) => Call,
  done: (block: PlacedBlock) => void,
): Promise<void> {
  const slots = Array.from({ length: slotsOf(kernel.hands) }, () => new Slot(kernel, blockArcs));
  const longList = new LongList(kernel);
  await shareOut(slots.length, lists, async (block, number) => {
    const slot = slots[number];
    const hand = number % kernel.hands;
    const isLong = block.offsets[block.count] > blockArcs;
    slot.fill(block);
    const arcs = await (isLong ? longList.take(block) : slot.fillArcs(block));
    const { first, count } = block;
    const placed = { first, count, offsets: slot.offsets, counts: slot.counts, ...arcs };
    return async () => {
      try {
        await kernel.call(hand, callFor(placed, hand));
      } finally {
        if (isLong) longList.giveBack();
      }
      done(placed);
    };
  });
}

/**
 * Bytes of the blocks in use and of the longest possible list, one with all nodes. See `Slot` and
 * `LongList`.
 */
export function blockBytes(hands: number, blockArcs: number, nodes: number): number {
  return slotsOf(hands) * 16 * (blockArcs + 4) + (nodes > blockArcs ? arcsBytes(nodes) : 0);
}

/** Reads all in-lists of a graph: 4 bytes an arc and 4 a node. */
export async function loadInLists(kernel: SupportersKernel, graph: Graph): Promise<PlacedLists> {
  const lists = {
    first: 0,
    count: graph.nodes,
    offsets: kernel.allocate(4 * (graph.nodes + 1)),
    targets: kernel.allocate(4 * graph.arcs),
  };
  const offsets = kernel.u32(lists.offsets, graph.nodes + 1);
  const targets = kernel.u32(lists.targets, graph.arcs);
  let read = 0;
  for await (const block of graph.in.scan()) {
    const arcs = block.offsets[block.count];
    targets.set(block.targets.subarray(0, arcs), read);
    for (let i = 0; i < block.count; i++)
      offsets[block.first + i + 1] = read + block.offsets[i + 1];
    read += arcs;
  }
  return lists;
}

/** Splits lists in a kernel's memory into parts of about the given number of arcs. */
export function* cutLists(
  kernel: SupportersKernel,
  lists: PlacedLists,
  arcs: number,
): Generator<PlacedLists> {
  const offsets = kernel.u32(lists.offsets, lists.count + 1);
  for (let from = 0; from < lists.count; ) {
    let to = from + 1;
    while (to < lists.count && to - from < arcs && offsets[to + 1] - offsets[from] <= arcs) to++;
    yield {
      first: from,
      count: to - from,
      offsets: lists.offsets + 4 * from,
      targets: lists.targets,
    };
    from = to;
  }
}

/**
 * Shares items out to free slots, one by one. The next item is not asked for until `take` resolves,
 * so `take` has the item to itself. The work that it returns runs beside the work of the other
 * slots. Resolves when all work is done.
 */
export async function shareOut<Item>(
  slots: number,
  items: AsyncIterable<Item> | Iterable<Item>,
  take: (item: Item, slot: number) => Promise<() => Promise<void>>,
): Promise<void> {
  const free = Array.from({ length: slots }, (_, slot) => slot);
  const running = new Set<Promise<void>>();
  try {
    for await (const item of items) {
      while (free.length === 0) await Promise.race(running);
      const slot = free.pop() as number;
      const work = await take(item, slot);
      const job: Promise<void> = work().then(() => {
        free.push(slot);
        running.delete(job);
      });
      running.add(job);
      job.catch(() => {}); // the next wait for it throws the error; there may be no wait just now
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}

/** Two blocks per hand. */
function slotsOf(hands: number): number {
  return hands === 1 ? 1 : 2 * hands;
}

/** Addresses of the arcs of a block, and of room to note which of them matter. */
interface Arcs {
  readonly targets: number;
  readonly places: number;
}

/** Copies the arcs of a block, with room for notes: about 8 bytes an arc. */
function layArcs(
  kernel: SupportersKernel,
  address: number,
  { count, offsets, targets }: AdjacencyBlock,
): Arcs {
  const arcs = offsets[count];
  // The engine copies to shared memory eight bytes at a time if both addresses have the same
  // remainder modulo eight, else byte by byte.
  const aligned = address + (targets.byteOffset % 8);
  kernel.u32(aligned, arcs).set(targets.subarray(0, arcs));
  return { targets: aligned, places: address + 4 * (arcs + 1) };
}

const arcsBytes = (arcs: number): number => 8 * (arcs + 1);

/** Room for a block and for the results. */
class Slot {
  readonly offsets: number;
  readonly counts: number;
  readonly #arcs: number;
  readonly #kernel: SupportersKernel;
  readonly #room: number;

  constructor(kernel: SupportersKernel, blockArcs: number) {
    this.#kernel = kernel;
    this.#room = blockArcs;
    this.offsets = kernel.allocate(4 * (blockArcs + 1));
    this.counts = kernel.allocate(4 * blockArcs);
    this.#arcs = kernel.allocate(arcsBytes(blockArcs));
  }

  /** Copies everything of a block except the arcs. */
  fill({ count, offsets }: AdjacencyBlock): void {
    if (count > this.#room)
      throw new RangeError(`a block of ${count} nodes, where ${this.#room} fit`);
    this.#kernel.u32(this.offsets, count + 1).set(offsets.subarray(0, count + 1));
    this.#kernel.u32(this.counts, count).fill(0);
  }

  fillArcs(block: AdjacencyBlock): Arcs {
    return layArcs(this.#kernel, this.#arcs, block);
  }
}

/**
 * Room for one list that is longer than a block. A graph has few of those; the next one waits until
 * this one is done.
 */
class LongList {
  readonly #kernel: SupportersKernel;
  readonly #address: number;
  #bytes = 0;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  /** Nothing is allocated behind it, so it can grow in place. */
  constructor(kernel: SupportersKernel) {
    this.#kernel = kernel;
    this.#address = kernel.allocate(0);
  }

  async take(block: AdjacencyBlock): Promise<Arcs> {
    await this.#free;
    const needed = arcsBytes(block.offsets[block.count]);
    if (this.#bytes < needed) {
      this.#kernel.allocate(needed - this.#bytes);
      this.#bytes = needed;
    }
    this.#free = new Promise((resolve) => {
      this.#release = resolve;
    });
    return layArcs(this.#kernel, this.#address, block);
  }

  giveBack(): void {
    this.#release();
  }
}
