/**
 * SUPP-A: exact supporters at level two in the given memory, by reading the in-graph again and
 * again. A reference that shows what TSE saves.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", §6.5): load the in-lists of some nodes x,
 * then scan the whole in-graph; for each in-neighbour y of such an x, the in-neighbours of y go
 * into x's set. One scan completes these nodes; continue with the next. Theorem 6.1 predicts the
 * bytes read, where F is the graph and M the memory: F² / M · (1 + E[SUPP] / E[X]).
 *
 * Here      how many nodes a scan can complete depends on their supporters, which are not known
 *           before. When the sets are full, the second half of the nodes is put back, and the next
 *           scan takes as many nodes as would just have fitted. A list takes up to 20 bytes an arc
 *           and a set 11 a supporter, where the theorem has one label each. The graph on disk is
 *           smaller than its labels, so F² is bytes on disk times bytes of labels.
 */

import { formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { isInList } from '../supporters/list-cursor.ts';

export const ranker = defineRanker({
  name: 'supp-a',
  title: 'Supporters, rescanning',
  parameters: {},
  run: rescan,
});

/** Bytes per arc of a batch, including those of its nodes, of which there may be as many. */
const BYTES_AN_ARC = 20;
const BYTES_AN_ENTRY = 8;
/** The most that a table is filled; beyond this, looking for a free place takes too long. */
const MOST_FULL = 0.7;
const LABEL_BYTES = 4;
/** Most nodes of a batch: together with the number of a node they fit a double exactly. */
const MOST_NODES = 2 ** 20;
const LEAST_ROOM = 1024;

async function rescan(graph: Graph, _: object, options: RankOptions): Promise<RankResult> {
  const { memory, onProgress } = options;
  const room = memory - 8 * graph.nodes;
  refuseBelow(graph, memory, 8 * graph.nodes + LEAST_ROOM);
  const scores = new Float64Array(graph.nodes);
  // A quarter for lists, half for sets, and a quarter for the copy that is made when nodes are put
  // back.
  const mostArcs = Math.floor(room / 4 / BYTES_AN_ARC);
  const table = new PairTable(Math.floor(room / 2 / BYTES_AN_ENTRY));
  const batch = new Batch(graph.nodes, mostArcs);
  let wanted = mostArcs;
  let scans = 0;
  let from = 0;
  while (from < graph.nodes) {
    await batch.load(graph, from, Math.min(wanted, mostArcs));
    const kept = await completeBatch(graph, batch, table, memory, (share) =>
      onProgress?.((from + share * batch.count) / graph.nodes),
    );
    scans++;
    scores.set(batch.supporters.subarray(0, kept), from);
    from += kept;
    // As many arcs as would have filled the table, but without a large step: other nodes may have
    // more supporters.
    const arcs = batch.offsets[kept];
    if (arcs > 0) wanted = Math.ceil(arcs * Math.min(2, table.capacity / Math.max(1, table.size)));
  }
  return { scores, facts: { memoryBytes: memory, scans, ...ioOf(graph, memory, scores, scans) } };
}

/**
 * Bytes by the theorem and as measured: each scan reads everything, and the batches together once
 * more.
 */
function ioOf({ arcs, in: { bytes } }: Graph, memory: number, scores: Float64Array, scans: number) {
  const supporters = scores.reduce((sum, score) => sum + score, 0);
  const asLabels = LABEL_BYTES * (arcs + supporters);
  // The theorem has no limit for large memory; at least one scan is needed.
  const predictedScans = Math.max(1, asLabels / memory);
  return { predictedBytesRead: Math.round(bytes * predictedScans), bytesRead: (scans + 1) * bytes };
}

/** The lists of consecutive nodes, and the same arcs by their in-neighbours. */
class Batch {
  first = 0;
  /** Nodes in it. */
  count = 0;
  /** The list of node first + x is targets[offsets[x] .. offsets[x + 1]). */
  readonly offsets: Uint32Array;
  targets: Uint32Array;
  /** y · MOST_NODES + x of each arc, increasing. */
  byNeighbour: Float64Array;
  readonly supporters: Uint32Array;

  constructor(nodes: number, arcs: number) {
    const most = Math.min(nodes, arcs, MOST_NODES);
    this.offsets = new Uint32Array(most + 1);
    this.targets = new Uint32Array(arcs);
    this.byNeighbour = new Float64Array(arcs);
    this.supporters = new Uint32Array(most);
  }

  /**
   * Loads nodes from `first` on, up to `mostArcs` arcs, but at least one node; for that one it
   * grows if necessary.
   */
  async load(graph: Graph, first: number, mostArcs: number): Promise<void> {
    this.first = first;
    this.count = 0;
    reading: for await (const block of graph.in.scan({
      from: first,
      blockArcs: Math.max(1, mostArcs),
    })) {
      for (let i = 0; i < block.count; i++) {
        const list = block.targets.subarray(block.offsets[i], block.offsets[i + 1]);
        const end = this.offsets[this.count] + list.length;
        if (this.count > 0 && (end > mostArcs || this.count === this.supporters.length))
          break reading;
        this.#add(list);
      }
    }
    this.byNeighbour.subarray(0, this.offsets[this.count]).sort();
    this.supporters.fill(0);
  }

  #add(list: Uint32Array): void {
    const start = this.offsets[this.count];
    if (start + list.length > this.targets.length) {
      this.targets = new Uint32Array(list.length);
      this.byNeighbour = new Float64Array(list.length);
    }
    this.targets.set(list, start);
    for (let i = 0; i < list.length; i++)
      this.byNeighbour[start + i] = list[i] * MOST_NODES + this.count;
    this.offsets[++this.count] = start + list.length;
  }

  get arcs(): number {
    return this.offsets[this.count];
  }
}

/** Scans the graph once. Returns how many nodes of the batch, from the first on, are complete. */
async function completeBatch(
  graph: Graph,
  batch: Batch,
  table: PairTable,
  memory: number,
  onProgress: (share: number) => void,
): Promise<number> {
  const { arcs, byNeighbour, supporters } = batch;
  let kept = batch.count;
  let at = 0;
  table.clear();
  for await (const { first, count, offsets, targets } of graph.in.scan()) {
    for (; at < arcs && byNeighbour[at] < (first + count) * MOST_NODES; at++) {
      const x = byNeighbour[at] % MOST_NODES;
      const y = Math.floor(byNeighbour[at] / MOST_NODES) - first;
      for (let i = offsets[y]; i < offsets[y + 1] && x < kept; i++) {
        if (!isFurther(batch, x, targets[i]) || !table.add(x, targets[i])) continue;
        supporters[x]++;
        if (table.size <= table.capacity) continue;
        if (kept === 1) refuseBelow(graph, memory, 2 * memory);
        kept = Math.ceil(kept / 2);
        table.keepBelow(kept);
      }
    }
    onProgress((first + count) / graph.nodes);
  }
  return kept;
}

/** Whether z is neither x itself nor one of its in-neighbours. */
function isFurther({ first, offsets, targets }: Batch, x: number, z: number): boolean {
  return z !== first + x && !isInList(targets, z, offsets[x], offsets[x + 1]);
}

/**
 * A set of pairs of numbers, the first below MOST_NODES, in one array of doubles; 0 is a free
 * place.
 */
class PairTable {
  readonly #places: Float64Array;
  /** How many pairs it should hold at most. */
  readonly capacity: number;
  size = 0;

  constructor(places: number) {
    this.#places = new Float64Array(places);
    this.capacity = Math.floor(places * MOST_FULL);
  }

  clear(): void {
    this.#places.fill(0);
    this.size = 0;
  }

  /** Adds a pair. Returns whether it was new. */
  add(a: number, b: number): boolean {
    return this.#put(b * MOST_NODES + a + 1);
  }

  #put(code: number): boolean {
    const places = this.#places;
    const hash =
      Math.imul((code % 2 ** 32) | 0, 0x9e3779b1) ^ Math.imul(code / 2 ** 20, 0x85ebca6b);
    let at = Math.floor(((hash >>> 0) / 2 ** 32) * places.length);
    while (places[at] !== 0) {
      if (places[at] === code) return false;
      at = at + 1 === places.length ? 0 : at + 1;
    }
    places[at] = code;
    this.size++;
    return true;
  }

  /** Forgets the pairs whose first number is `limit` or more. */
  keepBelow(limit: number): void {
    const codes = this.#places.filter((code) => code !== 0 && (code - 1) % MOST_NODES < limit);
    this.clear();
    for (const code of codes) this.#put(code);
  }
}

/**
 * The supporters are not known before they are counted: that twice as much is enough is a guess.
 */
function refuseBelow({ nodes }: Graph, memory: number, bytes: number): void {
  const what = `The scores of ${formatCount(nodes)} nodes and the supporters of one`;
  requireMemory(memory, { what, bytes, reach: Number.POSITIVE_INFINITY });
}
