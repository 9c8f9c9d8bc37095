/**
 * The plane of PageRank and CheiRank: how known a node is, and how much it makes others known (Eom,
 * Frahm, Benczúr and Shepelyansky 2013, section 2).
 *
 *   P(K), P*(K*)   the probabilities by place, with fitted exponents (Figure 1)
 *   density        of nodes over ln K and ln K* (Figure 2), and its ridge ln K* = ln K + c
 *   κ              = N Σ P(i) P*(i) − 1 (Eq. 3)
 *
 * Costs     a PageRank and a CheiRank, and 72 bytes a node.
 */
import { DrumlinError } from '../../base/errors.ts';
import { stopIfAsked } from '../../base/stop.ts';
import { type Bytes, formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { ranksUpTo } from '../../rank/compare/compare.ts';
import { requireMemory } from '../../rank/engine/memory.ts';
import { checkParameters } from '../../rank/engine/parameters.ts';
import { GOOGLE_MATRIX } from '../../rank/methods/cheirank.ts';
import { type Density, densityOf } from './density.ts';
import { type Exponent, exponentOf } from './exponent.ts';
import { BYTES_PER_NODE, placeOfEach, placesOf } from './places.ts';
import { type Ridge, ridgeOf } from './ridge.ts';

const MEMORY: Bytes = 2 * 2 ** 30;
const FIRST = 10;

export interface PlaneRequest {
  /** Probability of following a link. Default 0.85. */
  readonly alpha?: number;
  readonly tolerance?: number;
  readonly iterations?: number;
  readonly threads?: number;
  readonly memory?: Bytes;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface PlaneCurve {
  /** Places, equidistant in their logarithms, and the probability there. */
  readonly points: readonly (readonly [place: number, probability: number])[];
  /** Absent in a graph of one node. */
  readonly exponent?: Exponent;
  /** The names of the first ten. */
  readonly first: readonly string[];
}

export interface Plane {
  readonly nodes: number;
  readonly arcs: number;
  readonly alpha: number;
  readonly converged: 'yes' | 'no';
  readonly correlator: number;
  readonly pagerank: PlaneCurve;
  readonly cheirank: PlaneCurve;
  /** The first ten by 2DRank. */
  readonly first2d: readonly string[];
  readonly density: Density;
  /** Absent if no line has more nodes than by chance. */
  readonly ridge?: Ridge;
}

export async function plane(graph: Graph, request: PlaneRequest = {}): Promise<Plane> {
  const { nodes, arcs } = graph;
  const { alpha, tolerance, iterations, threads = 1, memory = MEMORY } = request;
  requireNodes(nodes);
  const values = checkParameters('matrix plane', GOOGLE_MATRIX, { alpha, tolerance, iterations });
  requireMemory(memory, {
    what: `The places of ${formatCount(nodes)} nodes`,
    bytes: BYTES_PER_NODE * nodes,
    reach: Number.POSITIVE_INFINITY,
  });
  const found = await placesOf(graph, values, {
    threads: Math.max(1, Math.floor(threads)),
    memory,
    onProgress: (done) => {
      stopIfAsked(request.signal);
      request.onProgress?.(done);
    },
  });
  const [k, kStar] = [placeOfEach(found.byK), placeOfEach(found.byKStar)];
  const density = densityOf(k, kStar);
  const ridge = ridgeOf(k, kStar);
  return {
    nodes,
    arcs,
    alpha: values.alpha,
    converged: found.converged,
    correlator: found.correlator,
    pagerank: await curveOf(graph, found.known, found.byK),
    cheirank: await curveOf(graph, found.making, found.byKStar),
    first2d: await namesOf(graph, found.byK2),
    density,
    ...(ridge && { ridge }),
  };
}

/** A graph without nodes has no matrix. */
function requireNodes(nodes: number): void {
  if (nodes > 0) return;
  throw new DrumlinError('MATRIX', 'The graph has no nodes.', 'Give a graph with at least one.');
}

async function curveOf(
  graph: Graph,
  scores: Float64Array,
  nodes: Uint32Array,
): Promise<PlaneCurve> {
  const falling = Float64Array.from(nodes, (node) => scores[node]);
  const exponent = exponentOf(falling);
  return {
    points: ranksUpTo(falling.length).map((place) => [place, falling[place - 1]] as const),
    ...(exponent && { exponent }),
    first: await namesOf(graph, nodes),
  };
}

async function namesOf(graph: Graph, nodes: Uint32Array): Promise<string[]> {
  const names: string[] = [];
  for (const node of nodes.subarray(0, FIRST)) names.push(await graph.names.name(node));
  return names;
}
