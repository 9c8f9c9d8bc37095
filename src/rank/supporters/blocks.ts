/**
 * Lists in a kernel's memory: all of a graph's at once, or block by block as they stream by, each
 * to the next free hand.
 *
 * Requires  blocks of at most `blockArcs` nodes, and of at most as many arcs unless they hold but
 *           one list.
 * Costs     two blocks a hand, one being worked on while the next is read; and room for the longest
 *           list, if that is longer.
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

/** A block, with room for a u32 an arc and one, and for a u32 a node, which is 0. */
export interface PlacedBlock extends PlacedLists {
  readonly places: number;
  readonly counts: number;
}

/** Runs a call for each block; `done` is told when it has ended, in no order. */
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
 * What the blocks in hand take, in bytes, and the longest list that may be: one of all nodes. See
 * `Slot` and `LongList`.
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

/** Cuts lists of a kernel's memory into parts of about so many arcs. */
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
 * Takes items one by one, each to a free slot: `take` has the item to itself, as the next is not
 * asked for until it settles; what it returns, the work, goes on beside that of the other slots.
 * Settles when all work is done.
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
      job.catch(() => {}); // told to whoever waits for it next: nobody may be waiting just now
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}

/** Two blocks a hand. */
function slotsOf(hands: number): number {
  return hands === 1 ? 1 : 2 * hands;
}

/** Where the arcs of a block are, and room to write down which of them matter. */
interface Arcs {
  readonly targets: number;
  readonly places: number;
}

/** In 8 bytes an arc, and some. */
function layArcs(
  kernel: SupportersKernel,
  address: number,
  { count, offsets, targets }: AdjacencyBlock,
): Arcs {
  const arcs = offsets[count];
  // The engine copies to shared memory eight bytes at a time if both ends are as far from a
  // multiple of eight, else byte by byte.
  const aligned = address + (targets.byteOffset % 8);
  kernel.u32(aligned, arcs).set(targets.subarray(0, arcs));
  return { targets: aligned, places: address + 4 * (arcs + 1) };
}

const arcsBytes = (arcs: number): number => 8 * (arcs + 1);

/** Room for a block, and for what is found. */
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

  /** All of a block but the arcs. */
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
 * Room for one list that is longer than a block. A graph has few of those; the next one waits for
 * the one before.
 */
class LongList {
  readonly #kernel: SupportersKernel;
  readonly #address: number;
  #bytes = 0;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  /** Nothing is allocated behind it, so that it can grow where it is. */
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
