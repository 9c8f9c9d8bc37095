/**
 * Products with the matrix S of a part of the nodes, in the space of its classes (part-lists.ts).
 *
 * Idea      A vector has one entry a class: its value on each node of the class, times √size. So
 *           lengths and angles are those of the whole vectors, at half the size. A product spreads
 *           the entries over the nodes, sums over the arcs of each class with the kernel of
 *           ranking, and adds what dangling nodes give to all.
 * Requires  vectors in the kernel's memory or outside; `room` bytes of it are the caller's.
 * Ensures   the same bits for any number of threads, in memory and streamed.
 */
import type { Bytes } from '../../base/units.ts';
import { type HeldArcs, holdArcs } from '../../rank/engine/held-arcs.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import { drawn } from './draw.ts';
import type { Part } from './part-lists.ts';

export class PartMatrix {
  /** The number of entries of a vector. */
  readonly classes: number;
  readonly arcs: HeldArcs;
  readonly #part: Part;
  /** N of the whole graph: a dangling node gives 1/N to each node. */
  readonly #graphNodes: number;
  /** Where each node's entry is in the kernel's vectors. */
  readonly #places: Uint32Array;
  readonly #firsts: Uint32Array;
  readonly #roots: Float64Array;
  /** 1 / (out(j) √size) for each node j, and 0 for dangling ones. */
  readonly #factors: Float64Array;
  /** The number of dangling nodes of each class over √size. */
  readonly #dangling: Float64Array;
  readonly #given: Float64Array;
  readonly #sums: Float64Array;

  static async open(
    part: Part,
    degrees: Uint32Array,
    room: Bytes,
    options: RankOptions,
  ): Promise<PartMatrix> {
    const { nodes, lists, arcs, reads } = part;
    const wanted = { nodes: nodes.length, arcs, lists: [lists], degrees: reads };
    const held = await holdArcs({ ...wanted, vectors: 2, others: 3, bytes: room }, options);
    return new PartMatrix(part, degrees, held);
  }

  private constructor(part: Part, degrees: Uint32Array, arcs: HeldArcs) {
    this.#part = part;
    this.#graphNodes = degrees.length;
    this.arcs = arcs;
    this.classes = part.classes;
    this.#given = arcs.vector();
    this.#sums = arcs.vector();
    const sizes = new Uint32Array(part.classes);
    for (const one of part.classOf) sizes[one]++;
    this.#roots = Float64Array.from(sizes, Math.sqrt);
    this.#dangling = new Float64Array(part.classes);
    this.#firsts = new Uint32Array(part.classes);
    this.#places = new Uint32Array(part.nodes.length);
    this.#factors = new Float64Array(part.nodes.length);
    for (let i = part.nodes.length - 1; i >= 0; i--) {
      const one = part.classOf[i];
      const degree = degrees[part.nodes[i]];
      this.#places[i] = arcs.number(i);
      this.#firsts[one] = this.#places[i];
      if (degree === 0) this.#dangling[one] += 1 / this.#roots[one];
      else this.#factors[i] = 1 / (degree * this.#roots[one]);
    }
  }

  /** `to` = S `from`; one entry a class. */
  async apply(from: Float64Array, to: Float64Array): Promise<void> {
    spread(this.#given, this.#places, this.#factors, this.#part.classOf, from);
    let lost = 0;
    for (let c = 0; c < this.classes; c++) lost += this.#dangling[c] * from[c];
    await this.#sumUp(lost / this.#graphNodes, to);
  }

  /** S u for a random u with one entry a node: a vector that every eigenvector has a part in. */
  async start(seed: number, to: Float64Array): Promise<void> {
    const { nodes, classOf } = this.#part;
    let lost = 0;
    for (let i = 0; i < nodes.length; i++) {
      const value = drawn(nodes[i], seed);
      this.#given[this.#places[i]] = value * this.#factors[i] * this.#roots[classOf[i]];
      if (this.#factors[i] === 0) lost += value;
    }
    await this.#sumUp(lost / this.#graphNodes, to);
  }

  /** The value of each node of the part. */
  byNode(vector: Float64Array): Float64Array {
    return Float64Array.from(this.#part.classOf, (one) => vector[one] / this.#roots[one]);
  }

  close(): Promise<void> {
    return this.arcs.close();
  }

  async #sumUp(toEach: number, to: Float64Array): Promise<void> {
    for await (const { rows, first } of this.arcs.portions(0))
      await this.arcs.kernel.sums(rows, first, this.#given, this.#sums);
    const [sums, firsts, roots] = [this.#sums, this.#firsts, this.#roots];
    for (let c = 0; c < roots.length; c++) to[c] = roots[c] * (sums[firsts[c]] + toEach);
  }
}

/** A function of its own, because it is compiled on its own. */
function spread(
  given: Float64Array,
  places: Uint32Array,
  factors: Float64Array,
  classOf: Uint32Array,
  from: Float64Array,
): void {
  for (let i = 0; i < places.length; i++) given[places[i]] = factors[i] * from[classOf[i]];
}
