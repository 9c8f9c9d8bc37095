/**
 * Truncated PageRank of some nodes: PageRank without the contribution of near supporters.
 *
 * Definition (Becchetti et al., "Using rank propagation and probabilistic counting for link-based
 * spam detection", WebKDD 2006): PageRank is the sum over t >= 0 of (1 - α) α^t x(t), where x(t) is
 * where a walker is after t links from a start anywhere. Truncated PageRank leaves out the first
 * terms, t <= T, and is scaled to sum 1: the sum over t > T of (1 - α) α^(t - T - 1) x(t). A link
 * farm supports its target from within a few links, so there the two differ most.
 *
 * Idea      One walk gives all T. Terms are added one by one, and nothing is subtracted: a node
 *           that no walker reaches has exactly 0.
 * Ensures   an error of at most `TOLERANCE` in the sum over all nodes, for T = 4; less for others.
 * Cost      as PageRank (src/rank/engine/random-walk.ts), 132 steps.
 */
import type { Graph } from '../../../graph/graph.ts';
import { holdArcs } from '../../../rank/engine/held-arcs.ts';
import { Walker } from '../../../rank/engine/random-walk.ts';
import type { RankOptions } from '../../../rank/engine/ranker.ts';

const TRUNCATIONS = [1, 2, 3, 4] as const;
const ALPHA = 0.85;
const TOLERANCE = 1e-9;
const LAST = TRUNCATIONS.length;
const STEPS = LAST + Math.ceil(Math.log(TOLERANCE) / Math.log(ALPHA));

/** For each T, the scores of the nodes in `wanted`. */
export async function truncatedPageRank(
  graph: Graph,
  wanted: Uint32Array,
  options: RankOptions,
): Promise<readonly Float64Array[]> {
  const { nodes, arcs } = graph;
  const degrees = await graph.out.degrees();
  const needs = { nodes, arcs, lists: [graph.in], degrees, vectors: 4, others: 0 };
  const held = await holdArcs(needs, options);
  try {
    const walker = new Walker(held, degrees, undefined);
    const places = wanted.map((node) => held.number(node));
    const terms = TRUNCATIONS.map(() => new Float64Array(wanted.length));
    for (let step = 1; step <= STEPS; step++) {
      const base = (ALPHA * walker.stuck) / nodes;
      await walker.step({ scale: ALPHA, base, jumpWeight: 0 });
      // Sum number T - 1 begins with the term of T + 1 and ends before that of T + 2.
      if (step > 1) addAt(terms[Math.min(step - 1, LAST) - 1], walker.probabilities, places);
      options.onProgress?.(step / STEPS);
    }
    return scaledTails(terms);
  } finally {
    await held.close();
  }
}

function addAt(sums: Float64Array, values: Float64Array, places: Uint32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] += values[places[i]];
}

/** From the terms between two truncations to the sums beyond each. */
function scaledTails(terms: readonly Float64Array[]): readonly Float64Array[] {
  for (let t = LAST - 1; t > 0; t--)
    for (let i = 0; i < terms[t].length; i++) terms[t - 1][i] += terms[t][i];
  return terms.map((sum, t) => sum.map((value) => (value * (1 - ALPHA)) / ALPHA ** (t + 2)));
}
