/**
 * A surfer outside a set r: what arrives in the set, step by step, until nothing is left outside.
 *
 * Idea      The kernel of PageRank does a step. Nodes of r have share 0: they give nothing, so the
 *           mass on them has arrived and is gone in the next step. What is left outside follows
 *           from what arrives, so no pass over the nodes is needed between steps.
 */
import { type HeldArcs, holdArcs } from '../../rank/engine/held-arcs.ts';
import type { WalkWeights } from '../../rank/engine/kernel.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import type { GoogleMatrix } from './google-matrix.ts';

/** Mass outside that is left where the series ends. */
const LEFT = 1e-15;
const TOLERANCE = 1e-14;
const MOST_STEPS = 1000;

/** Sums over all steps outside: (1 − αS_ss)⁻¹ applied to where the surfer began. */
interface Stay {
  /** αS_rs of the sum: what arrives at each node of r by links. */
  readonly arrived: Float64Array;
  /** The sum of the masses. */
  readonly mass: number;
}

interface Leading {
  /** G_rs ψ_R, for ψ_R of sum 1. */
  readonly arrived: Float64Array;
  /** 1 − λ, the sum of these. */
  readonly leak: number;
  /** ψ_L · ψ_R. */
  readonly dot: number;
  readonly converged: boolean;
}

export class SurferOutside {
  products = 0;
  readonly #matrix: GoogleMatrix;
  readonly #arcs: HeldArcs;
  readonly #degrees: Uint32Array;
  readonly #set: readonly number[];
  /** The kernel's numbers of the set. */
  readonly #places: readonly number[];
  readonly #values: Float64Array;
  readonly #shares: Float64Array;
  #given: Float64Array;
  #next: Float64Array;
  readonly #onProgress: RankOptions['onProgress'];
  /** Mass on dangling nodes outside. */
  #dangling = 0;
  /** What the last step brought to the nodes of r, and the sum. */
  readonly #arrived: Float64Array;
  #arrivedSum = 0;

  static async open(
    matrix: GoogleMatrix,
    set: readonly number[],
    options: RankOptions,
  ): Promise<SurferOutside> {
    const { nodes, arcs, sources, links } = matrix;
    const degrees = await links.degrees();
    const wanted = { nodes, arcs, lists: [sources], degrees, vectors: 4, others: 1 };
    const held = await holdArcs(wanted, options);
    return new SurferOutside(matrix, set, held, degrees, options);
  }

  private constructor(
    matrix: GoogleMatrix,
    set: readonly number[],
    arcs: HeldArcs,
    degrees: Uint32Array,
    { onProgress }: RankOptions,
  ) {
    this.#matrix = matrix;
    this.#arcs = arcs;
    this.#degrees = degrees;
    this.#set = set;
    this.#places = set.map((node) => arcs.number(node));
    this.#arrived = new Float64Array(set.length);
    this.#onProgress = onProgress;
    this.#values = arcs.vector();
    this.#shares = arcs.vector();
    this.#given = arcs.vector();
    this.#next = arcs.vector();
    for (let node = 0; node < degrees.length; node++)
      this.#shares[arcs.number(node)] = degrees[node] > 0 ? 1 / degrees[node] : 0;
    for (const place of this.#places) this.#shares[place] = 0;
  }

  get held(): HeldArcs['held'] {
    return this.#arcs.held;
  }

  hasLinks(node: number): boolean {
    return this.#degrees[node] > 0;
  }

  /** From a node of r by its links: what arrives in the first step, and later from outside. */
  async fromNode(node: number): Promise<Stay & { first: Float64Array }> {
    const { alpha, nodes } = this.#matrix;
    const degree = this.#degrees[node];
    this.#given.fill(0);
    if (degree > 0) this.#given[this.#arcs.number(node)] = 1 / degree;
    await this.#step({ scale: alpha, base: degree > 0 ? 0 : alpha / nodes, jumpWeight: 0 });
    const first = this.#arrived.slice();
    return { first, ...(await this.#stay(alpha - this.#arrivedSum)) };
  }

  /** From outside, where jumps lead: (1 − α)/N on each node. */
  async fromJump(): Promise<Stay> {
    const { alpha, nodes } = this.#matrix;
    const jump = (1 - alpha) / nodes;
    this.#begin(jump);
    return this.#stay(jump * (nodes - this.#set.length));
  }

  /** The leading eigenvector of G_ss, by power iteration. */
  async leadingVector(left: Float64Array): Promise<Leading> {
    const { alpha, nodes } = this.#matrix;
    const outside = nodes - this.#set.length;
    if (outside === 0)
      return { arrived: new Float64Array(nodes), leak: 1, dot: 0, converged: true };
    this.#begin(1 / outside);
    let mass = 1;
    let moved = Number.POSITIVE_INFINITY;
    for (let step = 0; step < MOST_STEPS && moved > TOLERANCE; step++) {
      const base = ((alpha * this.#dangling) / mass + 1 - alpha) / nodes;
      const before = moved;
      moved = await this.#step({ scale: alpha / mass, base, jumpWeight: 0 });
      // Summed, not 1 − what arrived: there an error would grow by 1/λ in each step.
      mass = -this.#arrivedSum;
      for (let i = 0; i < nodes; i++) mass += this.#values[i];
      this.#onProgress?.(0);
      if (step > 1 && moved < 1e-12 && moved >= before) break; // as near as rounding allows
    }
    const right = this.#arcs.byNode(this.#values);
    let dot = 0;
    for (let node = 0; node < nodes; node++) dot += left[node] * (right[node] / mass);
    const arrived = this.#arrived.slice();
    return { arrived, leak: this.#arrivedSum, dot, converged: moved < 1e-10 };
  }

  close(): Promise<void> {
    return this.#arcs.close();
  }

  /** The same mass on each node outside. */
  #begin(each: number): void {
    this.#dangling = 0;
    for (let i = 0; i < this.#given.length; i++) this.#given[i] = this.#shares[i] * each;
    for (const degree of this.#degrees) if (degree === 0) this.#dangling += each;
    for (const node of this.#set) if (this.#degrees[node] === 0) this.#dangling -= each;
  }

  async #stay(begun: number): Promise<Stay> {
    const { alpha, nodes } = this.#matrix;
    const arrived = new Float64Array(this.#set.length);
    let mass = 0;
    // The mass falls by alpha or more in each step.
    for (let left = begun; left > LEFT; ) {
      mass += left;
      await this.#step({ scale: alpha, base: (alpha * this.#dangling) / nodes, jumpWeight: 0 });
      for (let i = 0; i < arrived.length; i++) arrived[i] += this.#arrived[i];
      left = alpha * left - this.#arrivedSum;
      this.#onProgress?.(0);
    }
    return { arrived, mass };
  }

  /** Does a step. Returns how much all values changed. */
  async #step(weights: WalkWeights): Promise<number> {
    this.products++;
    const vectors = {
      given: this.#given,
      result: this.#next,
      values: this.#values,
      shares: this.#shares,
      jump: undefined,
    };
    let [moved, stuck] = [0, 0];
    for await (const { rows, first } of this.#arcs.portions(0)) {
      const totals = await this.#arcs.kernel.walk(rows, first, vectors, weights);
      moved += totals.moved;
      stuck += totals.stuck;
    }
    this.#arrivedSum = 0;
    for (let i = 0; i < this.#arrived.length; i++)
      this.#arrivedSum += this.#arrived[i] = this.#values[this.#places[i]];
    // Stuck is what lies on nodes of share 0: the dangling ones and the set.
    this.#dangling = Math.max(0, stuck - this.#arrivedSum);
    [this.#given, this.#next] = [this.#next, this.#given];
    return moved;
  }
}
