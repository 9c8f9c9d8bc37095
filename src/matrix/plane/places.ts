/** PageRank and CheiRank of a graph together, and the places that follow from them. */
import type { Graph } from '../../graph/graph.ts';
import { order } from '../../rank/engine/order.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import { type GoogleMatrixValues, googleMatrix } from '../../rank/methods/cheirank.ts';
import { alongSquares, correlator } from '../../rank/methods/two-d-rank.ts';

export interface Places {
  /** P and P*, by node. */
  readonly known: Float64Array;
  readonly making: Float64Array;
  /** The nodes in the order of K, K* and K₂. */
  readonly byK: Uint32Array;
  readonly byKStar: Uint32Array;
  readonly byK2: Uint32Array;
  /** κ = N Σ P(i) P*(i) − 1. */
  readonly correlator: number;
  readonly converged: 'yes' | 'no';
}

/** Bytes a node for what is kept here, beside what the walks need: P, P*, orders, a sort. */
export const BYTES_PER_NODE = 72;

export async function placesOf(
  graph: Graph,
  values: GoogleMatrixValues,
  options: RankOptions,
): Promise<Places> {
  const half = (begun: number): RankOptions => ({
    ...options,
    onProgress: (done) => options.onProgress?.(begun + done / 2),
  });
  const { scores: known, facts } = await googleMatrix(graph, 'in', values, half(0));
  const { scores: making, facts: others } = await googleMatrix(graph, 'out', values, half(0.5));
  const [byK, byKStar] = [order(known), order(making)];
  const byK2 = new Uint32Array(byK.length);
  alongSquares(byK, byKStar).forEach((place, node) => {
    byK2[place - 1] = node;
  });
  return {
    known,
    making,
    byK,
    byKStar,
    byK2,
    correlator: correlator(known, making),
    converged: facts.converged === 'yes' && others.converged === 'yes' ? 'yes' : 'no',
  };
}

/** The place of each node, from 1, given the nodes in order. */
export function placeOfEach(nodes: Uint32Array): Uint32Array {
  const places = new Uint32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) places[nodes[i]] = i + 1;
  return places;
}
