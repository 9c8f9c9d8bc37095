/** A random walk that reads the lists again in each step: memory for the nodes only. */
import type { Adjacency } from '../graph/graph.ts';
import type { WalkTotals, WalkWeights } from './kernel.ts';
import type { Walker, WalkProblem } from './random-walk.ts';

/** Three vectors, the degrees, and one more vector for the jump. */
export function streamWalkBytes({ nodes, jump }: WalkProblem): number {
  return (jump ? 36 : 28) * nodes;
}

export class StreamWalker implements Walker {
  readonly stuck: number;
  bytesRead = 0;
  readonly #sources: Adjacency;
  readonly #degrees: Uint32Array;
  readonly #jump: Float64Array | undefined;
  readonly #values: Float64Array;
  /** What each node gives to each of those it links to. */
  #given: Float64Array;
  #next: Float64Array;

  static async start(problem: WalkProblem): Promise<StreamWalker> {
    return new StreamWalker(problem, await problem.links.degrees());
  }

  private constructor({ nodes, jump, sources }: WalkProblem, degrees: Uint32Array) {
    this.#sources = sources;
    this.#degrees = degrees;
    this.#jump = jump;
    this.#values = jump ? jump.slice() : new Float64Array(nodes).fill(1 / nodes);
    this.#given = new Float64Array(nodes);
    this.#next = new Float64Array(nodes);
    let stuck = 0;
    for (let node = 0; node < nodes; node++)
      stuck += give(this.#values[node], degrees[node], this.#given, node);
    this.stuck = stuck;
  }

  async step({ scale, base, jumpWeight }: WalkWeights): Promise<WalkTotals> {
    const jump = this.#jump;
    const given = this.#given;
    let moved = 0;
    let stuck = 0;
    for await (const { first, count, offsets, targets } of this.#sources.scan()) {
      for (let i = 0; i < count; i++) {
        const node = first + i;
        const end = offsets[i + 1];
        let sum = 0;
        for (let at = offsets[i]; at < end; at++) sum += given[targets[at]];
        const value = scale * sum + base + (jump ? jumpWeight * jump[node] : 0);
        moved += Math.abs(value - this.#values[node]);
        this.#values[node] = value;
        stuck += give(value, this.#degrees[node], this.#next, node);
      }
    }
    [this.#given, this.#next] = [this.#next, this.#given];
    this.bytesRead += this.#sources.bytes;
    return { moved, stuck };
  }

  probabilities(): Float64Array {
    return this.#values;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Shares a node's probability among its links; returns what it cannot give. */
function give(value: number, degree: number, given: Float64Array, node: number): number {
  given[node] = degree === 0 ? 0 : value / degree;
  return degree === 0 ? value : 0;
}
