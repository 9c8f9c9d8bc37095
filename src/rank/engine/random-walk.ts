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
 *           With `relative`, the error of each score counts, relative to that score. The greatest
 *           relative change of a step never grows: |next change| <= alpha P |change|, and that is
 *           at most the same multiple of alpha P x, which is part of the next x. Once all nodes in
 *           reach have a score, each change is about alpha times the one before, so what is still
 *           missing of a score is about alpha / (1 - alpha) times its last change. A node k links
 *           from the jump has no score before step k, and its first change is all of its score: so
 *           the walk does not end before it has reached every node that can be reached.
 * Requires  0 <= alpha < 1; `jump`, where given, sums to 1.
 * Ensures   scores within `tolerance` of the solution in L1 (or each of its own, with `relative`),
 *           up to the rounding of doubles, unless `iterations` ended it before;
 *           `facts.errorBound` has the error reached.
 * Costs     4 bytes an arc and 52 a node in memory, 68 with a jump. If that is more than `memory`,
 *           the lists are read again in each step, with 44 or 60 bytes a node.
 */
import type { Adjacency } from '../../graph/graph.ts';
import { Convergence } from './convergence.ts';
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
  /** `tolerance` is of each score, relative to that score, instead of all scores together. */
  readonly relative?: boolean;
  readonly iterations: number;
}

export async function walk(problem: WalkProblem, options: RankOptions): Promise<RankResult> {
  const [result] = await walks(problem, [problem.jump], options);
  return result;
}

/**
 * The same walk with several jumps, one after the other: the arcs are read once. `undefined` is a
 * uniform jump.
 */
export async function walks(
  problem: Omit<WalkProblem, 'jump'>,
  jumps: readonly (Float64Array | undefined)[],
  options: RankOptions,
): Promise<RankResult[]> {
  if (problem.nodes === 0) return jumps.map(() => ({ scores: new Float64Array(0), facts: NONE }));
  const anyJump = jumps.some((jump) => jump !== undefined);
  const degrees = await problem.links.degrees();
  const wanted = {
    ...problem,
    lists: [problem.sources],
    degrees,
    vectors: anyJump ? 5 : 4,
    others: jumps.filter((jump) => jump !== undefined).length + jumps.length - 1,
  };
  const arcs = await holdArcs(wanted, options);
  try {
    const walker = new Walker(arcs, degrees, anyJump);
    const results: RankResult[] = [];
    for (const [i, jump] of jumps.entries()) {
      walker.start(jump);
      const facts = await iterate(walker, jump ? { ...problem, jump } : problem, {
        ...options,
        onProgress: (done) => options.onProgress?.((i + done) / jumps.length),
      });
      const scores = arcs.byNode(walker.probabilities);
      results.push({ scores, facts: { ...facts, held: arcs.held, bytesRead: arcs.bytesRead } });
    }
    return results;
  } finally {
    await arcs.close();
  }
}

const NONE = { iterations: 0, residual: 0, errorBound: 0 };

async function iterate(walker: Walker, problem: WalkProblem, { onProgress }: RankOptions) {
  const { alpha, tolerance, relative = false } = problem;
  const convergence = new Convergence(tolerance, problem.iterations, alpha);
  let iterations = 0;
  let residual: number;
  let errorBound: number;
  let done: number;
  do {
    const change = await walker.step(weightsOf(problem, walker.stuck));
    residual = relative ? change.relative : change.moved;
    errorBound = (residual * alpha) / (1 - alpha);
    iterations++;
    done = convergence.update(errorBound);
    onProgress?.(done);
  } while (done < 1);
  return { iterations, residual, errorBound };
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

/** The walker's vectors, all in the kernel's memory. */
class Walker {
  readonly probabilities: Float64Array;
  /** The probability that is on dangling nodes. */
  stuck = 0;
  readonly #arcs: HeldArcs;
  readonly #degrees: Uint32Array;
  readonly #shares: Float64Array;
  readonly #jumps: Float64Array | undefined;
  #jump: Float64Array | undefined;
  /** What each node gives to each node it links to in this step. */
  #given: Float64Array;
  #next: Float64Array;

  constructor(arcs: HeldArcs, degrees: Uint32Array, anyJump: boolean) {
    this.#arcs = arcs;
    this.#degrees = degrees;
    this.probabilities = arcs.vector();
    this.#shares = arcs.vector();
    this.#given = arcs.vector();
    this.#next = arcs.vector();
    this.#jumps = anyJump ? arcs.vector() : undefined;
    for (let node = 0; node < degrees.length; node++)
      this.#shares[arcs.number(node)] = degrees[node] === 0 ? 0 : 1 / degrees[node];
  }

  /** Begins a walk: the walker is where a jump leads. */
  start(jump: Float64Array | undefined): void {
    const nodes = this.#degrees.length;
    this.stuck = 0;
    this.#jump = jump && this.#jumps;
    for (let node = 0; node < nodes; node++) {
      const place = this.#arcs.number(node);
      const value = jump ? jump[node] : 1 / nodes;
      const share = this.#shares[place];
      if (this.#jump) this.#jump[place] = value;
      this.probabilities[place] = value;
      this.#given[place] = value * share;
      if (share === 0) this.stuck += value;
    }
  }

  /** Does a step. Returns how much the probabilities changed: all together, and the most of one. */
  async step(weights: WalkWeights): Promise<{ moved: number; relative: number }> {
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
    let relative = 0;
    for await (const { rows, first } of this.#arcs.portions(0)) {
      const totals = await kernel.walk(rows, first, vectors, weights);
      moved += totals.moved;
      stuck += totals.stuck;
      relative = Math.max(relative, totals.relative);
    }
    this.stuck = stuck;
    [this.#given, this.#next] = [this.#next, this.#given];
    return { moved, relative };
  }
}
