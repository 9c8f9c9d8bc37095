/** A random walk with all arcs in memory, on threads: the lists are read once, relabelled, and kept in a kernel. */
import {
  Kernel,
  MOST_BYTES,
  type Rows,
  rowsBytes,
  type WalkTotals,
  type WalkVectors,
  type WalkWeights,
} from './kernel.ts';
import type { Walker, WalkProblem } from './random-walk.ts';
import { byNode, loadRows, placesByDegree } from './relabel.ts';

/** Four vectors in the kernel, and one more for the jump. */
const vectorBytes = ({ nodes, jump }: WalkProblem) => (jump ? 40 : 32) * nodes;
const kernelBytes = (problem: WalkProblem) => rowsBytes(problem.nodes, problem.arcs) + vectorBytes(problem);

/** Beside the kernel: numbers and degrees while reading, numbers and scores at the end; the jump by node. */
export function memoryWalkBytes(problem: WalkProblem): number {
  const bytes = kernelBytes(problem) + (problem.jump ? 24 : 16) * problem.nodes;
  return kernelBytes(problem) <= MOST_BYTES ? bytes : Number.POSITIVE_INFINITY;
}

export class MemoryWalker implements Walker {
  readonly stuck: number;
  readonly bytesRead: number;
  readonly #kernel: Kernel;
  readonly #rows: Rows;
  readonly #places: Uint32Array;
  #vectors: WalkVectors;

  static async start(problem: WalkProblem, threads: number): Promise<MemoryWalker> {
    const kernel = new Kernel(kernelBytes(problem), threads);
    try {
      const degrees = await problem.links.degrees();
      const places = placesByDegree(degrees);
      const rows = await loadRows(kernel, problem.sources, problem.arcs, places);
      return new MemoryWalker(problem, kernel, rows, places, degrees);
    } catch (error) {
      await kernel.close();
      throw error;
    }
  }

  private constructor(
    { nodes, jump, sources }: WalkProblem,
    kernel: Kernel,
    rows: Rows,
    places: Uint32Array,
    degrees: Uint32Array,
  ) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#places = places;
    this.bytesRead = sources.bytes;
    const [given, result, values, shares] = Array.from({ length: 4 }, () => kernel.allocate(8 * nodes));
    this.#vectors = { given, result, values, shares, jump: jump ? kernel.allocate(8 * nodes) : 0 };
    const vector = (address: number) => kernel.f64(address, nodes);
    let stuck = 0;
    for (let node = 0; node < nodes; node++) {
      const place = places[node];
      const value = jump ? jump[node] : 1 / nodes;
      const share = degrees[node] === 0 ? 0 : 1 / degrees[node];
      if (share === 0) stuck += value;
      if (jump) vector(this.#vectors.jump)[place] = value;
      vector(values)[place] = value;
      vector(shares)[place] = share;
      vector(given)[place] = value * share;
    }
    this.stuck = stuck;
  }

  async step(weights: WalkWeights): Promise<WalkTotals> {
    const vectors = this.#vectors;
    const totals = await this.#kernel.walk(this.#rows, vectors, weights);
    this.#vectors = { ...vectors, given: vectors.result, result: vectors.given };
    return totals;
  }

  probabilities(): Float64Array {
    return byNode(this.#kernel.f64(this.#vectors.values, this.#places.length), this.#places);
  }

  close(): Promise<void> {
    return this.#kernel.close();
  }
}
