/** A graph in memory, for tests, generators and small graphs. */
import type { IdArcs } from './arcs.ts';
import { csrOf, transpose } from './csr.ts';
import {
  type Adjacency,
  type AdjacencyBlock,
  BLOCK_ARCS,
  type Csr,
  type Graph,
  type ScanOptions,
} from './graph.ts';
import { DecimalNames, MemoryNames } from './memory-names.ts';

/** `names`, if given, must be unique and in byte order, as the ids require. */
export function memoryGraph(
  nodes: number,
  arcs: Iterable<readonly [number, number]> | IdArcs,
  names?: readonly string[],
): Graph {
  const pairs = 'from' in arcs ? arcs : columns(arcs);
  for (const target of pairs.to) {
    if (target >= nodes) throw new RangeError(`${target} is no node of a graph of ${nodes}`);
  }
  if (names !== undefined && names.length !== nodes)
    throw new RangeError('as many names as nodes are needed');
  const out = csrOf(nodes, pairs);
  return {
    nodes,
    arcs: out.targets.length,
    out: new MemoryAdjacency(nodes, out),
    in: new MemoryAdjacency(nodes, transpose(nodes, out)),
    names: names === undefined ? new DecimalNames(nodes) : new MemoryNames(names),
    close: () => Promise.resolve(),
  };
}

function columns(arcs: Iterable<readonly [number, number]>): IdArcs {
  const pairs = [...arcs];
  return {
    from: Uint32Array.from(pairs, ([from]) => from),
    to: Uint32Array.from(pairs, ([, to]) => to),
  };
}

class MemoryAdjacency implements Adjacency {
  readonly #nodes: number;
  readonly #csr: Csr;

  constructor(nodes: number, csr: Csr) {
    this.#nodes = nodes;
    this.#csr = csr;
  }

  get bytes(): number {
    return this.#csr.offsets.byteLength + this.#csr.targets.byteLength;
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<AdjacencyBlock> {
    const { from = 0, to = this.#nodes, blockArcs = BLOCK_ARCS } = options;
    const { offsets, targets } = this.#csr;
    let first = from;
    while (first < to) {
      const base = offsets[first];
      let end = first + 1;
      while (end < to && end - first < blockArcs && offsets[end + 1] - base <= blockArcs) end++;
      yield {
        first,
        count: end - first,
        offsets: offsets.slice(first, end + 1).map((offset) => offset - base),
        targets: targets.subarray(base, offsets[end]),
      };
      first = end;
    }
  }

  async degrees(): Promise<Uint32Array> {
    const { offsets } = this.#csr;
    return Uint32Array.from(
      { length: this.#nodes },
      (_, node) => offsets[node + 1] - offsets[node],
    );
  }

  async load({ shared = false }: { shared?: boolean } = {}): Promise<Csr> {
    return shared
      ? { offsets: onSharedMemory(this.#csr.offsets), targets: onSharedMemory(this.#csr.targets) }
      : this.#csr;
  }
}

function onSharedMemory(values: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
