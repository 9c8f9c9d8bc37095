/**
 * Walks that follow links with probability alpha and otherwise jump to one of a few nodes; the
 * probability on dangling nodes is lost. Three of them cost little more than one.
 *
 *   x  <-  alpha · P x + (1 - alpha) · jump
 *
 * Idea      An iteration waits for memory: it reads one number per arc, at random. So the numbers
 *           of three walks stand side by side, and one read serves all three. What is iterated is
 *           not x but what each node gives to each of its links, x / degree: it changes by the same
 *           share, and needs no second vector. A dangling node gives nothing, so its list is read
 *           once, in a last step that turns what is given into x.
 *
 *           The error of each score counts, relative to that score. The greatest relative change
 *           of a step never grows: |next change| <= alpha P |change|, and that is at most the same
 *           multiple of alpha P x, which is part of the next x. Once all nodes in reach have a
 *           score, each change is about alpha times the one before, so what is still missing of a
 *           score is about alpha / (1 - alpha) times its last change. A node k links from the jump
 *           has no score before step k, and its first change is all of its score: so the walk does
 *           not end before it has reached every node that can be reached.
 * Requires  0 <= alpha < 1; jumps name each node at most once.
 * Ensures   each score within about `tolerance` of itself, unless `iterations` ended it before;
 *           `facts.errorBound` has the error reached. A node out of reach scores 0. Nodes with the
 *           same in-links have the same score, up to rounding: all rows of a step read the vector
 *           of the step before.
 * Costs     4 bytes an arc and 101 a node in memory, 24 of them for the scores of three walks. If
 *           that is more than `memory`, the lists are read again in each step, with 93 bytes a
 *           node.
 */
import type { Graph } from '../../graph/graph.ts';
import { Convergence, hasConverged } from './convergence.ts';
import { type HeldArcs, holdArcs } from './held-arcs.ts';
import { LANES } from './kernel.ts';
import type { RankOptions, RankResult } from './ranker.ts';

/** The nodes that a walk jumps to, each with the same probability; `undefined` for all nodes. */
export type Jump = ArrayLike<number> | undefined;

export interface LiveWalk {
  readonly alpha: number;
  /** Largest error of a score, relative to that score. */
  readonly tolerance: number;
  readonly iterations: number;
}

/** One result for each jump. */
export async function liveWalks(
  graph: Graph,
  jumps: readonly Jump[],
  how: LiveWalk,
  options: RankOptions,
): Promise<RankResult[]> {
  if (graph.nodes === 0) return jumps.map(() => ({ scores: new Float64Array(0), facts: NONE }));
  const { nodes } = graph;
  const degrees = await graph.out.degrees();
  const wanted = {
    nodes,
    arcs: graph.arcs,
    lists: [graph.in],
    degrees,
    vectors: 2 * LANES + 1,
    bytes: nodes + 8 * LANES * 2 ** LANES,
    others: jumps.length,
  };
  const arcs = await holdArcs(wanted, options);
  try {
    const walker = new Walker(arcs, degrees);
    const results: RankResult[] = [];
    for (let first = 0; first < jumps.length; first += LANES) {
      const some = jumps.slice(first, first + LANES);
      walker.start(some, how.alpha);
      const facts = await iterate(walker, how, (done) =>
        options.onProgress?.((first + done * some.length) / jumps.length),
      );
      await walker.finish();
      for (const lane of some.keys()) {
        const scores = arcs.byNode(walker.given, LANES, lane);
        results.push({ scores, facts: { ...facts, held: arcs.held, bytesRead: arcs.bytesRead } });
      }
    }
    return results;
  } finally {
    await arcs.close();
  }
}

const NONE = { iterations: 0, errorBound: 0, converged: 'yes', bytesRead: 0 };

async function iterate(walker: Walker, how: LiveWalk, onProgress: (done: number) => void) {
  const { alpha, tolerance } = how;
  const convergence = new Convergence(tolerance, how.iterations, alpha);
  let iterations = 0;
  let errorBound: number;
  let done: number;
  do {
    errorBound = ((await walker.step()) * alpha) / (1 - alpha);
    iterations++;
    done = convergence.update(errorBound);
    onProgress(done);
  } while (done < 1);
  return { iterations, errorBound, converged: hasConverged(errorBound, tolerance) };
}

/** The vectors of `LANES` walks, all in the kernel's memory. */
class Walker {
  /** What each node gives to each node it links to; after `finish`, the scores. */
  given: Float64Array;
  #next: Float64Array;
  #alpha = 0;
  readonly #arcs: HeldArcs;
  readonly #degrees: Uint32Array;
  readonly #shares: Float64Array;
  /** Bit i of a node's byte says that walk i jumps to it. */
  readonly #jumps: Uint8Array;
  /** What a node gets in each walk besides what is given to it, for each value of its byte. */
  readonly #additions: Float64Array;

  constructor(arcs: HeldArcs, degrees: Uint32Array) {
    const { kernel } = arcs;
    const nodes = degrees.length;
    this.#arcs = arcs;
    this.#degrees = degrees;
    this.given = arcs.vector(LANES);
    this.#next = arcs.vector(LANES);
    this.#shares = arcs.vector();
    this.#jumps = new Uint8Array(kernel.buffer, kernel.allocate(nodes), nodes);
    const additions = LANES * 2 ** LANES;
    this.#additions = kernel.f64(kernel.allocate(8 * additions), additions);
    for (let node = 0; node < nodes; node++)
      this.#shares[arcs.number(node)] = degrees[node] === 0 ? 0 : 1 / degrees[node];
  }

  /** Begins walks, at most `LANES`: each walker is where its jump leads. The other lanes idle. */
  start(jumps: readonly Jump[], alpha: number): void {
    const nodes = this.#degrees.length;
    this.#alpha = alpha;
    this.#additions.fill(0);
    this.#jumps.fill(0);
    for (const [lane, jump] of jumps.entries()) {
      const weight = 1 / (jump ? jump.length : nodes);
      for (let byte = 0; byte < 2 ** LANES; byte++)
        if (jump === undefined || (byte >> lane) & 1)
          this.#additions[LANES * byte + lane] = (1 - alpha) * weight;
      for (let i = 0; jump && i < jump.length; i++)
        this.#jumps[this.#arcs.number(jump[i])] |= 1 << lane;
    }
    const scale = 1 / (1 - alpha);
    for (let place = 0; place < nodes; place++) {
      const from = LANES * this.#jumps[place];
      for (let lane = 0; lane < LANES; lane++)
        this.given[LANES * place + lane] =
          this.#additions[from + lane] * scale * this.#shares[place];
    }
    this.#next.fill(0); // a step writes nothing where a node gives nothing
  }

  /** Does a step. Returns the greatest change of a score, relative to that score. */
  step(): Promise<number> {
    return this.#pass(this.#shares);
  }

  /** Does a last step, which computes the scores of all nodes. */
  async finish(): Promise<void> {
    await this.#pass(undefined);
  }

  async #pass(shares: Float64Array | undefined): Promise<number> {
    const vectors = {
      given: this.given,
      result: this.#next,
      shares,
      jumps: this.#jumps,
      additions: this.#additions,
    };
    let most = 0;
    for await (const { rows, first } of this.#arcs.portions(0))
      most = Math.max(most, await this.#arcs.kernel.walks(rows, first, vectors, this.#alpha));
    [this.given, this.#next] = [this.#next, this.given];
    return most;
  }
}
