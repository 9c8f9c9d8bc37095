/**
 * Two snapshots of a graph of sites under one numbering, one direction of links at a time.
 *
 * Idea      Names come in byte order from both graphs, so one merge numbers all sites of either
 *           graph, in the same order. Lists stay sorted when their nodes get these numbers.
 * Requires  graphs of sites with names.
 * Ensures   a link from a site to itself is in no list. A site that a snapshot lacks has an empty
 *           list there, and `isIn` tells it from a site without links.
 * Cost      4 bytes per node and snapshot; the lists of one direction: 4 bytes per arc and node of
 *           both snapshots, three times the larger one while they are read.
 */
import type { Adjacency, Csr, Graph, Names } from '../../../graph/graph.ts';

export type Direction = 'in' | 'out';
/** The earlier and the later value of something. */
export type Pair<T> = readonly [T, T];

export interface SnapshotPair {
  readonly nodes: number;
  /** The numbers of the sites asked for; -1 for one that either snapshot lacks. */
  readonly wanted: Int32Array;
  /** For each snapshot, 1 for each node that it has. */
  readonly isIn: Pair<Uint8Array>;
  lists(direction: Direction): Promise<Pair<Csr>>;
}

export async function pairSnapshots(
  graphs: Pair<Graph>,
  sites: readonly string[],
): Promise<SnapshotPair> {
  const numbers = graphs.map((graph) => new Uint32Array(graph.nodes)) as [Uint32Array, Uint32Array];
  const places = new Map(sites.map((site, place) => [site, place]));
  const wanted = new Int32Array(sites.length).fill(-1);
  let nodes = 0;
  for await (const { name, ids } of mergedNames(graphs[0].names, graphs[1].names)) {
    for (const [snapshot, id] of ids.entries()) if (id >= 0) numbers[snapshot][id] = nodes;
    const place = places.get(name);
    if (place !== undefined && ids[0] >= 0 && ids[1] >= 0) wanted[place] = nodes;
    nodes++;
  }
  const isIn = numbers.map((own) => {
    const known = new Uint8Array(nodes);
    for (const node of own) known[node] = 1;
    return known;
  }) as [Uint8Array, Uint8Array];
  return {
    nodes,
    wanted,
    isIn,
    lists: async (direction) => [
      await renumbered(graphs[0][direction], numbers[0], nodes),
      await renumbered(graphs[1][direction], numbers[1], nodes),
    ],
  };
}

/** Every name of either graph once, in byte order; -1 where a graph lacks it. */
async function* mergedNames(
  a: Names,
  b: Names,
): AsyncGenerator<{ name: string; ids: Pair<number> }> {
  const readers = [new NameReader(a), new NameReader(b)] as const;
  for (const reader of readers) await reader.advance();
  for (;;) {
    const [first, second] = readers;
    if (!first.bytes && !second.bytes) return;
    const order = !first.bytes ? 1 : !second.bytes ? -1 : Buffer.compare(first.bytes, second.bytes);
    const name = order <= 0 ? first.name : second.name;
    yield { name, ids: [order <= 0 ? first.id : -1, order >= 0 ? second.id : -1] };
    if (order <= 0) await first.advance();
    if (order >= 0) await second.advance();
  }
}

class NameReader {
  name = '';
  /** Undefined after the last name. */
  bytes: Buffer | undefined;
  id = -1;
  readonly #names: AsyncGenerator<string>;

  constructor(names: Names) {
    this.#names = names.all();
  }

  async advance(): Promise<void> {
    const { value, done } = await this.#names.next();
    const bytes = done ? undefined : Buffer.from(value);
    if (bytes && this.bytes && Buffer.compare(this.bytes, bytes) >= 0)
      throw new RangeError('snapshots are compared by names in byte order');
    this.bytes = bytes;
    this.name = done ? '' : value;
    this.id++;
  }
}

async function renumbered(lists: Adjacency, numbers: Uint32Array, nodes: number): Promise<Csr> {
  const { offsets: ownOffsets, targets: ownTargets } = await lists.load();
  const offsets = new Uint32Array(nodes + 1);
  const targets = new Uint32Array(ownTargets.length);
  let end = 0;
  let node = 0;
  for (let own = 0; own < numbers.length; own++) {
    while (node < numbers[own]) offsets[++node] = end;
    for (let at = ownOffsets[own]; at < ownOffsets[own + 1]; at++)
      if (ownTargets[at] !== own) targets[end++] = numbers[ownTargets[at]];
  }
  while (node < nodes) offsets[++node] = end;
  return { offsets, targets: targets.subarray(0, end) };
}
