/**
 * 2DRank: PageRank and CheiRank combined.
 *
 * Definition (Eom et al., "Time evolution of Wikipedia network ranking"): K is a node's place by
 * PageRank, K* its place by CheiRank; "2DRank K2 is obtained by counting nodes in order of their
 * appearance on ribs of squares in (K, K*) plane with their size growing from K = 1 to K = N". So a
 * node appears when the square reaches max(K, K*). At most two nodes appear at once; then the one
 * on the rib of PageRank, which has that K, comes first.
 *
 * The score is 1/K2. The facts give the paper's correlator, kappa = N · sum of P(i) P*(i) - 1: how
 * strongly being known and making others known go together.
 */
import type { Graph } from '../../graph/graph.ts';
import { order } from '../engine/order.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { GOOGLE_MATRIX, type GoogleMatrixValues, googleMatrix } from './cheirank.ts';

export const ranker = defineRanker({
  name: '2drank',
  title: '2DRank',
  parameters: GOOGLE_MATRIX,
  run: twoDRank,
});

async function twoDRank(
  graph: Graph,
  values: GoogleMatrixValues,
  options: RankOptions,
): Promise<RankResult> {
  const known = await googleMatrix(graph, 'in', values, halfOf(options, 0));
  const making = await googleMatrix(graph, 'out', values, halfOf(options, 0.5));
  const places = alongSquares(order(known.scores), order(making.scores));
  const iterations = Number(known.facts.iterations) + Number(making.facts.iterations);
  return {
    scores: places.map((place) => 1 / place),
    facts: {
      iterations,
      residual: Math.max(Number(known.facts.residual), Number(making.facts.residual)),
      errorBound: Math.max(Number(known.facts.errorBound), Number(making.facts.errorBound)),
      converged: known.facts.converged === 'yes' && making.facts.converged === 'yes' ? 'yes' : 'no',
      correlator: correlator(known.scores, making.scores),
      bytesRead: Number(known.facts.bytesRead) + Number(making.facts.bytesRead),
    },
  };
}

function halfOf(options: RankOptions, begun: number): RankOptions {
  const { onProgress } = options;
  return onProgress ? { ...options, onProgress: (done) => onProgress(begun + done / 2) } : options;
}

/** The place of each node, from 1, given the nodes in the order of K and in that of K*. */
export function alongSquares(byK: Uint32Array, byKStar: Uint32Array): Float64Array {
  const places = new Float64Array(byK.length);
  let place = 0;
  const reached = new Uint8Array(byK.length);
  // A node is on the square when its second coordinate is reached.
  const reach = (node: number) => {
    if (++reached[node] === 2) places[node] = ++place;
  };
  for (let size = 0; size < byK.length; size++) {
    reach(byK[size]);
    reach(byKStar[size]);
  }
  return places;
}

export function correlator(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += p[i] * q[i];
  return p.length * sum - 1;
}
