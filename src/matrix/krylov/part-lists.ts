/**
 * The lists of a part of a graph's nodes, each distinct list once.
 *
 * Idea      Nodes of the part with the same sources in it have the same value in S x, whatever x
 *           is. So they are one class: an eigenvector of λ ≠ 0 is constant on it. Only the first
 *           node of a class keeps its list; the others have empty ones. On web graphs this halves
 *           the rows and the basis, because pages made from one template share their in-links.
 * Requires  the part's nodes in increasing order.
 * Ensures   nodes are numbered 0 .. n − 1 within the part. Two nodes are in one class exactly if
 *           their lists are equal: lists are compared by length and 64 bits of hash, which differ
 *           for different lists but for a chance of n² / 2⁶⁵.
 * Costs     one scan; 12 bytes a node of the part and 4 a node of the graph.
 */
import type { Adjacency, AdjacencyBlock, Csr, ScanOptions } from '../../graph/graph.ts';

/** Marks nodes outside the part. */
const OUTSIDE = 2 ** 32 - 1;

export interface Part {
  readonly nodes: Uint32Array;
  /** For each node of the part, its sources in the part; empty but for the first of a class. */
  readonly lists: Adjacency;
  readonly arcs: number;
  /** The class of each node, numbered by first nodes. */
  readonly classOf: Uint32Array;
  readonly classes: number;
  /** How often each node is read. */
  readonly reads: Uint32Array;
}

export async function partOf(
  graphNodes: number,
  sources: Adjacency,
  nodes: Uint32Array,
): Promise<Part> {
  const numberOf = new Uint32Array(graphNodes).fill(OUTSIDE);
  nodes.forEach((node, i) => {
    numberOf[node] = i;
  });
  const classOf = new Uint32Array(nodes.length);
  const degrees = new Uint32Array(nodes.length);
  const reads = new Uint32Array(nodes.length);
  const known = new Map<string, number>();
  let arcs = 0;
  for await (const block of sources.scan()) {
    forEachList(block, numberOf, (number, sorted, length) => {
      const key = keyOf(sorted, length);
      const found = known.get(key);
      if (found !== undefined) {
        classOf[number] = found;
        return;
      }
      classOf[number] = known.size;
      known.set(key, known.size);
      degrees[number] = length;
      arcs += length;
      for (let i = 0; i < length; i++) reads[sorted[i]]++;
    });
  }
  const lists = new PartLists(sources, numberOf, degrees);
  return { nodes, lists, arcs, classOf, classes: known.size, reads };
}

/** Calls with the number of each node of the part in a block and the numbers of its sources. */
function forEachList(
  { first, count, offsets, targets }: AdjacencyBlock,
  numberOf: Uint32Array,
  take: (number: number, list: Uint32Array, length: number) => void,
): void {
  let list = new Uint32Array(1024);
  for (let i = 0; i < count; i++) {
    const number = numberOf[first + i];
    if (number === OUTSIDE) continue;
    if (offsets[i + 1] - offsets[i] > list.length)
      list = new Uint32Array(2 * (offsets[i + 1] - offsets[i]));
    let length = 0;
    for (let at = offsets[i]; at < offsets[i + 1]; at++) {
      const source = numberOf[targets[at]];
      if (source !== OUTSIDE) list[length++] = source;
    }
    take(number, list, length);
  }
}

function keyOf(list: Uint32Array, length: number): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < length; i++) {
    a = Math.imul(a ^ list[i], 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b + list[i], 0x85ebca77);
    b = (b << 13) | (b >>> 19);
    b = Math.imul(b, 5) + 0x6b64;
  }
  return String.fromCharCode(
    a & 0xffff,
    a >>> 16,
    b & 0xffff,
    b >>> 16,
    length & 0xffff,
    length >>> 16,
  );
}

class PartLists implements Adjacency {
  readonly #sources: Adjacency;
  readonly #numberOf: Uint32Array;
  readonly #degrees: Uint32Array;

  constructor(sources: Adjacency, numberOf: Uint32Array, degrees: Uint32Array) {
    this.#sources = sources;
    this.#numberOf = numberOf;
    this.#degrees = degrees;
  }

  get bytes(): number {
    return this.#sources.bytes;
  }

  async degrees(): Promise<Uint32Array> {
    return this.#degrees;
  }

  /** Always all nodes of the part: `from` and `to` have no meaning here. */
  async *scan({ blockArcs }: ScanOptions = {}): AsyncGenerator<AdjacencyBlock> {
    for await (const block of this.#sources.scan(blockArcs === undefined ? {} : { blockArcs })) {
      const offsets = new Uint32Array(block.count + 1);
      const targets = new Uint32Array(block.targets.length);
      let first = -1;
      let count = 0;
      forEachList(block, this.#numberOf, (number, list, length) => {
        if (first < 0) first = number;
        const kept = this.#degrees[number] === 0 ? 0 : length;
        targets.set(list.subarray(0, kept), offsets[count]);
        offsets[count + 1] = offsets[count] + kept;
        count++;
      });
      if (count === 0) continue;
      const end = offsets[count];
      yield {
        first,
        count,
        offsets: offsets.subarray(0, count + 1),
        targets: targets.subarray(0, end),
      };
    }
  }

  async load(): Promise<Csr> {
    const offsets = new Uint32Array(this.#degrees.length + 1);
    this.#degrees.forEach((degree, i) => {
      offsets[i + 1] = offsets[i] + degree;
    });
    const targets = new Uint32Array(offsets[this.#degrees.length]);
    for await (const block of this.scan()) targets.set(block.targets, offsets[block.first]);
    return { offsets, targets };
  }
}
