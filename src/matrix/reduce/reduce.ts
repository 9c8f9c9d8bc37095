/**
 * The reduced Google matrix: how some nodes are linked through all others.
 *
 * Definition (Frahm, Shepelyansky 2016, "Reduced Google matrix"): with r the chosen nodes and s the
 * others,
 *
 *   G_R = G_rr + G_rs (1 − G_ss)⁻¹ G_sr,
 *
 * which is a stochastic matrix whose PageRank is that of the graph on r. It has three parts:
 * direct links G_rr; what goes through the leading eigenvector of G_ss, nearly the PageRank of the
 * graph, G_pr = G_rs ψ_R ψ_Lᵀ G_sr / ((1 − λ) ψ_L·ψ_R); and the hidden rest G_qr.
 *
 * Idea      G_ss = αS_ss + u1ᵀ, u = (1 − α)/N. (1 − αS_ss)⁻¹ is a series that shrinks by α or more
 *           in each step, whatever the graph. The rank-one rest is put back exactly (Sherman and
 *           Morrison). With z = (1 − αS_ss)⁻¹ u, δ = 1 − 1ᵀz and y = (1 − αS_ss)⁻¹ αS_sj,
 *
 *             G_R e_j = G_rr e_j + G_rs y + G_rs z · (1 + 1ᵀy)/δ.
 *
 *           δ is |r|/N + α 1ᵀS_rs z/(1 − α), a sum without cancellation. So G_R needs no
 *           eigenvector, and its accuracy does not depend on the gap of G_ss. Only the split does.
 * Requires  at most 1,000 nodes, each once.
 * Ensures   columns sum to 1 within 1e-10; the PageRank of G_R is the graph's on r within 1e-9.
 * Costs     about ln(1e-14)/ln(α) products a node (200 at 0.85), and no pass over nodes beside
 *           them.
 */
import { DrumlinError } from '../../base/errors.ts';
import { stopIfAsked } from '../../base/stop.ts';
import { type Bytes, formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { findNodeSet } from '../../rank/engine/node-set.ts';
import { walk } from '../../rank/engine/random-walk.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import type { GoogleMatrix } from './google-matrix.ts';
import { leftVector } from './left-vector.ts';
import { stationary } from './stationary.ts';
import { SurferOutside } from './surfer-outside.ts';

/** Above it, the matrix itself and the time for it are too large to be looked at. */
const MOST_NODES = 1000;
const MEMORY: Bytes = 2 * 2 ** 30;
const STRONGEST = 20;

export interface ReduceRequest {
  /** The names of the nodes. */
  readonly nodes: readonly string[];
  /** Probability of following a link. Default 0.85. */
  readonly alpha?: number;
  /** The matrix of the reversed arcs. */
  readonly reverse?: boolean;
  readonly threads?: number;
  readonly memory?: Bytes;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

/** A link of the reduced matrix, from column to row. */
export interface ReducedLink {
  readonly from: string;
  readonly to: string;
  readonly total: number;
  /** α/out if `from` links to `to`, and the jump. */
  readonly direct: number;
  readonly pagerank: number;
  readonly hidden: number;
  /** Whether there is an arc. */
  readonly linked: boolean;
}

export interface Reduced {
  /** The nodes found, in the order given. */
  readonly names: readonly string[];
  /** Names that the graph lacks. */
  readonly missing: readonly string[];
  readonly suggestions: ReadonlyMap<string, string>;
  readonly given: number;
  /** G_R by columns: the entry from j to i is `total[j · n + i]`; the parts sum to it. */
  readonly total: Float64Array;
  readonly direct: Float64Array;
  readonly pagerank: Float64Array;
  readonly hidden: Float64Array;
  /** 1 where there is an arc. */
  readonly linked: Uint8Array;
  /** The share of each part: the mean of its column sums. */
  readonly weights: { readonly direct: number; readonly pagerank: number; readonly hidden: number };
  /** The PageRank of G_R. */
  readonly scores: Float64Array;
  /** The strongest hidden links between two nodes. */
  readonly strongest: readonly ReducedLink[];
  readonly facts: ReduceFacts;
}

interface ReduceFacts {
  readonly alpha: number;
  /** The leading eigenvalue of G_ss. */
  readonly eigenvalue: number;
  /** Whether its eigenvectors converged; without them the split is not exact, the total is. */
  readonly converged: 'yes' | 'no';
  /** The greatest difference of a column's sum from 1. */
  readonly columnError: number;
  /** The greatest difference between the PageRank of G_R and that of the graph on the set. */
  readonly pagerankError: number;
  readonly products: number;
  readonly held: 'memory' | 'stream';
}

export async function reduce(graph: Graph, request: ReduceRequest): Promise<Reduced> {
  const alpha = checkedAlpha(request.alpha);
  if (request.nodes.length > MOST_NODES)
    throw new DrumlinError(
      'REDUCE',
      `The set has ${formatCount(request.nodes.length)} names; at most ${formatCount(MOST_NODES)} can be reduced to.`,
      'Name fewer nodes.',
    );
  const set = await findNodeSet(graph, request.nodes);
  const options = optionsOf(request);
  const matrix = {
    nodes: graph.nodes,
    arcs: graph.arcs,
    sources: request.reverse ? graph.out : graph.in,
    links: request.reverse ? graph.in : graph.out,
    alpha,
  };
  const parts = await computeParts(matrix, set.ids, options);
  const n = set.ids.length;
  const scores = stationary(parts.total, n);
  const whole = await pagerankOf(matrix, options);
  return {
    ...set,
    ...parts,
    scores,
    weights: {
      direct: sumOf(parts.direct) / n,
      pagerank: sumOf(parts.pagerank) / n,
      hidden: sumOf(parts.hidden) / n,
    },
    strongest: strongestHidden(parts, set.names),
    facts: {
      ...parts.facts,
      alpha,
      columnError: columnError(parts.total, n),
      pagerankError: differenceOn(scores, whole, set.ids),
    },
  };
}

interface Parts {
  readonly total: Float64Array;
  readonly direct: Float64Array;
  readonly pagerank: Float64Array;
  readonly hidden: Float64Array;
  readonly linked: Uint8Array;
  readonly facts: Pick<ReduceFacts, 'eigenvalue' | 'converged' | 'products' | 'held'>;
}

function optionsOf(request: ReduceRequest): RankOptions {
  const { threads = 1, memory = MEMORY, onProgress, signal } = request;
  return {
    threads: Math.max(1, Math.floor(threads)),
    memory,
    onProgress: (done) => {
      stopIfAsked(signal);
      if (done > 0) onProgress?.(done);
    },
  };
}

async function computeParts(
  matrix: GoogleMatrix,
  set: readonly number[],
  options: RankOptions,
): Promise<Parts> {
  const n = set.length;
  const { nodes, alpha } = matrix;
  const left = await leftVector(matrix, set, options);
  const surfer = await SurferOutside.open(matrix, set, options);
  try {
    const jumps = await surfer.fromJump();
    const leading = await surfer.leadingVector(left.values);
    const total = new Float64Array(n * n);
    const direct = new Float64Array(n * n);
    const pagerank = new Float64Array(n * n);
    const linked = new Uint8Array(n * n);
    const delta = n / nodes + sumOf(jumps.arrived) / (1 - alpha);
    const jump = (1 - alpha) / nodes;
    for (let j = 0; j < n; j++) {
      const { first, arrived, mass } = await surfer.fromNode(set[j]);
      const share = (1 + mass) / delta;
      const through = leading.dot > 0 ? left.entering[j] / (leading.dot * leading.leak) : 0;
      const hasLinks = surfer.hasLinks(set[j]);
      for (let i = 0; i < n; i++) {
        const at = j * n + i;
        linked[at] = hasLinks && first[i] > 0 ? 1 : 0;
        direct[at] = first[i] + jump;
        // G_rs x is αS_rs x, counted while the surfer was outside, and the jump of all its mass.
        const outside = arrived[i] + jump * mass + share * (jumps.arrived[i] + jump * jumps.mass);
        total[at] = direct[at] + outside;
        pagerank[at] = leading.arrived[i] * through;
      }
      options.onProgress?.((j + 1) / n);
    }
    const hidden = total.map((value, at) => value - direct[at] - pagerank[at]);
    const facts = {
      eigenvalue: 1 - leading.leak,
      converged: left.converged && leading.converged ? ('yes' as const) : ('no' as const),
      products: surfer.products + left.products,
      held: surfer.held,
    };
    return { total, direct, pagerank, hidden, linked, facts };
  } finally {
    await surfer.close();
  }
}

function checkedAlpha(alpha = 0.85): number {
  if (alpha > 0 && alpha <= 0.9999) return alpha;
  throw new DrumlinError(
    'VALUE',
    `alpha: ${alpha} is out of range.`,
    'Take a number above 0, at most 0.9999.',
  );
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function columnError(total: Float64Array, n: number): number {
  let worst = 0;
  for (let j = 0; j < n; j++)
    worst = Math.max(worst, Math.abs(sumOf(total.subarray(j * n, (j + 1) * n)) - 1));
  return worst;
}

async function pagerankOf(matrix: GoogleMatrix, options: RankOptions): Promise<Float64Array> {
  const problem = { ...matrix, dangling: 'uniform' as const, iterations: 10_000 };
  const { threads, memory } = options;
  const quiet = { threads, memory };
  return (await walk({ ...problem, tolerance: 1e-14 }, quiet)).scores;
}

function differenceOn(scores: Float64Array, whole: Float64Array, ids: readonly number[]): number {
  const sum = ids.reduce((all, id) => all + whole[id], 0);
  return ids.reduce((most, id, i) => Math.max(most, Math.abs(scores[i] - whole[id] / sum)), 0);
}

function strongestHidden(parts: Parts, names: readonly string[]): ReducedLink[] {
  const n = names.length;
  const found: number[] = [];
  const { hidden } = parts;
  for (let at = 0; at < hidden.length; at++) {
    if (Math.floor(at / n) === at % n) continue;
    if (found.length === STRONGEST && hidden[at] <= hidden[found[STRONGEST - 1]]) continue;
    const place = found.findIndex((other) => hidden[other] < hidden[at]);
    found.splice(place < 0 ? found.length : place, 0, at);
    found.length = Math.min(found.length, STRONGEST);
  }
  return found.map((at) => linkAt(parts, names, at));
}

/** The link at a position of the matrix. */
function linkAt(
  { total, direct, pagerank, hidden, linked }: Omit<Parts, 'facts'>,
  names: readonly string[],
  at: number,
): ReducedLink {
  return {
    from: names[Math.floor(at / names.length)],
    to: names[at % names.length],
    total: total[at],
    direct: direct[at],
    pagerank: pagerank[at],
    hidden: hidden[at],
    linked: linked[at] === 1,
  };
}
