/**
 * The stationary distribution of a random walker that follows links with probability alpha and
 * otherwise jumps: the one computation behind PageRank, TrustRank, CheiRank and 2DRank.
 *
 *   x  <-  alpha · (P x + what becomes of dangling nodes) + (1 - alpha) · jump
 *
 * Idea      Power iteration. A step shrinks the distance between two vectors by the factor alpha or
 *           more (in L1). So a step that moved x by r leaves it at most r · alpha / (1 - alpha)
 *           from the solution: the error is known, not guessed, and the walk ends when it is small
 *           enough.
 * Requires  0 <= alpha < 1; `jump`, where given, sums to 1.
 * Ensures   scores within `tolerance` of the solution in L1, up to the rounding of doubles, unless
 *           `iterations` ended it before; `facts.errorBound` has the error reached, and
 *           `facts.converged` whether it is small enough.
 * Costs     4 bytes an arc and 52 a node in memory, 68 with a jump. If that is more than `memory`,
 *           the lists are read again in each step, with 44 or 60 bytes a node.
 */
import type { Adjacency } from '../../graph/graph.ts';
import { Convergence, hasConverged } from './convergence.ts';
import { type HeldArcs, holdArcs } from './held-arcs.ts';
import type { WalkWeights } from './kernel.ts';
import type { RankOptions, RankResult } from './ranker.ts';

/** Where a walker on a node without links goes. */
export type Dangling = 'uniform' | 'teleport' | 'lost';

interface WalkProblem {
  readonly nodes: number;
  readonly arcs: number;
  /** For each node, the nodes that link to it. */
  readonly sources: Adjacency;
  /** For each node, the nodes it links to; only the degrees are read. */
  readonly links: Adjacency;
  /** Where the walker jumps to; by default to all nodes with the same probability. */
  readonly jump?: Float64Array;
  readonly alpha: number;
  readonly dangling: Dangling;
  readonly tolerance: number;
  readonly iterations: number;
}

export async function walk(problem: WalkProblem, options: RankOptions): Promise<RankResult> {
  if (problem.nodes === 0) return { scores: new Float64Array(0), facts: NONE };
  const degrees = await problem.links.degrees();
  const wanted = {
    ...problem,
    lists: [problem.sources],
    degrees,
    vectors: problem.jump ? 5 : 4,
    others: problem.jump ? 1 : 0,
  };
  const arcs = await holdArcs(wanted, options);
  try {
    const walker = new Walker(arcs, degrees, problem.jump);
    const facts = await iterate(walker, problem, options);
    const scores = arcs.byNode(walker.probabilities);
    return { scores, facts: { ...facts, held: arcs.held, bytesRead: arcs.bytesRead } };
  } finally {
    await arcs.close();
  }
}

const NONE = { iterations: 0, residual: 0, errorBound: 0, converged: 'yes', bytesRead: 0 };

async function iterate(walker: Walker, problem: WalkProblem, { onProgress }: RankOptions) {
  const { alpha, tolerance } = problem;
  const convergence = new Convergence(tolerance, problem.iterations, alpha);
  let iterations = 0;
  let residual: number;
  let errorBound: number;
  let done: number;
  do {
    residual = await walker.step(weightsOf(problem, walker.stuck));
    errorBound = (residual * alpha) / (1 - alpha);
    iterations++;
    done = convergence.update(errorBound);
    onProgress?.(done);
  } while (done < 1);
  return { iterations, residual, errorBound, converged: hasConverged(errorBound, tolerance) };
}

function weightsOf({ nodes, jump, alpha, dangling }: WalkProblem, stuck: number): WalkWeights {
  const uniform = (jump ? 0 : 1 - alpha) + (isSpread(dangling, jump) ? alpha * stuck : 0);
  const jumpWeight = jump ? 1 - alpha + (dangling === 'teleport' ? alpha * stuck : 0) : 0;
  return { scale: alpha, base: uniform / nodes, jumpWeight };
}

/** A uniform jump and spreading over all nodes are the same. */
function isSpread(dangling: Dangling, jump: Float64Array | undefined): boolean {
  return dangling === 'uniform' || (dangling === 'teleport' && jump === undefined);
}

/** The vectors of a walker, all in the kernel's memory; `probabilities` is by number. */
export class Walker {
  readonly probabilities: Float64Array;
  /** The probability that is on dangling nodes. */
  stuck = 0;
  readonly #arcs: HeldArcs;
  readonly #shares: Float64Array;
  readonly #jump: Float64Array | undefined;
  /** What each node gives to each node it links to in this step. */
  #given: Float64Array;
  #next: Float64Array;

  constructor(arcs: HeldArcs, degrees: Uint32Array, jump: Float64Array | undefined) {
    this.#arcs = arcs;
    this.probabilities = arcs.vector();
    this.#shares = arcs.vector();
    this.#given = arcs.vector();
    this.#next = arcs.vector();
    this.#jump = jump && arcs.vector();
    for (let node = 0; node < degrees.length; node++) {
      const place = arcs.number(node);
      const value = jump ? jump[node] : 1 / degrees.length;
      const share = degrees[node] === 0 ? 0 : 1 / degrees[node];
      if (this.#jump) this.#jump[place] = value;
      this.probabilities[place] = value;
      this.#shares[place] = share;
      this.#given[place] = value * share;
      if (share === 0) this.stuck += value;
    }
  }

  /** Does a step. Returns the sum of the absolute changes of the probabilities. */
  async step(weights: WalkWeights): Promise<number> {
    const { kernel } = this.#arcs;
    const vectors = {
      given: this.#given,
      result: this.#next,
      values: this.probabilities,
      shares: this.#shares,
      jump: this.#jump,
    };
    let moved = 0;
    let stuck = 0;
    for await (const { rows, first } of this.#arcs.portions(0)) {
      const totals = await kernel.walk(rows, first, vectors, weights);
      moved += totals.moved;
      stuck += totals.stuck;
    }
    this.stuck = stuck;
    [this.#given, this.#next] = [this.#next, this.#given];
    return moved;
  }
}
