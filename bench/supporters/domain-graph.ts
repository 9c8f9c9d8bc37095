/**
 * A graph like one of domains, in memory: in-degree heavy-tailed, and out-degree falling with the
 * same rank, as the papers report for IRLbot's and ClueWeb's graphs. Because of that correlation
 * there are far more supporters at distance two than the product of the mean degrees; a graph
 * without it (bench/graphs.ts) has none of what makes SUPP slow.
 *
 * The laws are those of the lab (src/lab/links.ts, domain.ts): rank r is linked to with weight (r +
 * 5)^-0.9 and links to about r^-0.5 others. Nodes are shuffled, so that ids carry no information.
 */

import { transpose } from '../../src/graph/csr.ts';
import type { Adjacency, AdjacencyBlock, Csr, Graph, ScanOptions } from '../../src/graph/graph.ts';
import { DecimalNames } from '../../src/graph/memory-names.ts';

export interface DomainGraphOptions {
  readonly nodes: number;
  /** About this many links per node, before repeats are removed. */
  readonly degree: number;
  readonly seed: number;
}

const SHIFT = 5;
const ROOT = 0.1;
const MOST_LINKS = 20_000;

export function domainGraph({ nodes, degree, seed }: DomainGraphOptions): Graph {
  const random = randomNumbers(seed);
  const nodeOf = shuffled(nodes, random);
  const rankOf = new Uint32Array(nodes);
  nodeOf.forEach((node, rank) => {
    rankOf[node] = rank;
  });
  const links = (rank: number) =>
    Math.min(
      MOST_LINKS,
      nodes - 1,
      Math.max(1, Math.round(0.5 * degree * ((rank + 1) / nodes) ** -0.5)),
    );
  const offsets = new Uint32Array(nodes + 1);
  let most = 0;
  for (let rank = 0; rank < nodes; rank++) most += links(rank);
  const targets = new Uint32Array(most);
  const [low, high] = [SHIFT ** ROOT, (nodes + SHIFT) ** ROOT];
  let end = 0;
  for (let node = 0; node < nodes; node++) {
    const start = end;
    for (let k = links(rankOf[node]); k > 0; k--) {
      const x = low + (high - low) * random();
      const fifth = x * x * x * x * x;
      targets[end++] = nodeOf[Math.min(nodes - 1, Math.max(0, Math.floor(fifth * fifth) - SHIFT))];
    }
    end = settle(targets, start, end, node);
    offsets[node + 1] = end;
  }
  const out = { offsets, targets: targets.subarray(0, end) };
  return graphOf(nodes, out, transpose(nodes, out));
}

/**
 * Sorts the list that ends at `end` and removes repeats and the node itself. Returns its new end.
 */
function settle(targets: Uint32Array, start: number, end: number, node: number): number {
  targets.subarray(start, end).sort();
  let kept = start;
  for (let at = start; at < end; at++) {
    const target = targets[at];
    if (target !== node && (kept === start || target !== targets[kept - 1]))
      targets[kept++] = target;
  }
  return kept;
}

function graphOf(nodes: number, out: Csr, into: Csr): Graph {
  return {
    nodes,
    arcs: out.targets.length,
    out: new HeldLists(nodes, out),
    in: new HeldLists(nodes, into),
    names: new DecimalNames(nodes),
    close: () => Promise.resolve(),
  };
}

/**
 * Lists in memory, split into blocks once, so that a scan costs nothing: the paper's Table 5 does
 * not include reading, either.
 */
class HeldLists implements Adjacency {
  readonly #nodes: number;
  readonly #csr: Csr;
  readonly #blocks = new Map<number, AdjacencyBlock[]>();

  constructor(nodes: number, csr: Csr) {
    this.#nodes = nodes;
    this.#csr = csr;
  }

  get bytes(): number {
    return 4 * (this.#csr.offsets.length + this.#csr.targets.length);
  }

  async *scan({
    from = 0,
    to = this.#nodes,
    blockArcs = 65_536,
  }: ScanOptions = {}): AsyncGenerator<AdjacencyBlock> {
    const cached = from === 0 && to === this.#nodes ? this.#blocks.get(blockArcs) : undefined;
    const blocks = cached ?? [...this.#cut(from, to, blockArcs)];
    if (from === 0 && to === this.#nodes) this.#blocks.set(blockArcs, blocks);
    yield* blocks;
  }

  *#cut(from: number, to: number, blockArcs: number): Generator<AdjacencyBlock> {
    const { offsets, targets } = this.#csr;
    for (let first = from; first < to; ) {
      const base = offsets[first];
      let end = first + 1;
      while (end < to && end - first < blockArcs && offsets[end + 1] - base <= blockArcs) end++;
      const own = offsets.slice(first, end + 1);
      for (let i = 0; i < own.length; i++) own[i] -= base;
      yield {
        first,
        count: end - first,
        offsets: own,
        targets: targets.subarray(base, offsets[end]),
      };
      first = end;
    }
  }

  async degrees(): Promise<Uint32Array> {
    const degrees = new Uint32Array(this.#nodes);
    for (let node = 0; node < degrees.length; node++)
      degrees[node] = this.#csr.offsets[node + 1] - this.#csr.offsets[node];
    return degrees;
  }

  async load(): Promise<Csr> {
    return this.#csr;
  }
}

function shuffled(n: number, random: () => number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const j = Math.floor(random() * (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

/** Numbers in [0, 1): Marsaglia's xorshift with 128 bits of state. */
function randomNumbers(seed: number): () => number {
  let [x, y, z, w] = [seed ^ 0x6c078965, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35];
  const next = () => {
    const t = x ^ (x << 11);
    [x, y, z] = [y, z, w];
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return (w >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 32; i++) next();
  return next;
}
