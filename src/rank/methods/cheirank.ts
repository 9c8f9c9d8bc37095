/**
 * CheiRank: PageRank of the graph with all links reversed. PageRank finds nodes that are well
 * known, CheiRank nodes that make others known.
 *
 * Definition (Eom et al., "Time evolution of Wikipedia network ranking"): the Google matrix G* is
 * built from A_ij -> A_ji "using the same value of alpha"; CheiRank is its eigenvector P* = G* P*.
 * Dangling here is a node without in-links; the walker on it goes anywhere.
 */
import type { Graph } from '../../graph/graph.ts';
import { walk } from '../engine/random-walk.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { ALPHA, ITERATIONS, TOLERANCE } from './pagerank.ts';

export const GOOGLE_MATRIX = {
  alpha: ALPHA,
  tolerance: TOLERANCE,
  iterations: ITERATIONS,
} as const;

export interface GoogleMatrixValues {
  readonly alpha: number;
  readonly tolerance: number;
  readonly iterations: number;
}

export const ranker = defineRanker({
  name: 'cheirank',
  title: 'CheiRank',
  parameters: GOOGLE_MATRIX,
  run: (graph, values, options) => googleMatrix(graph, 'out', values, options),
});

/**
 * The eigenvector of the matrix whose columns are shared along the links (`in`) or against them
 * (`out`).
 */
export function googleMatrix(
  graph: Graph,
  sources: 'in' | 'out',
  values: GoogleMatrixValues,
  options: RankOptions,
): Promise<RankResult> {
  const { nodes, arcs } = graph;
  const links = sources === 'in' ? 'out' : 'in';
  const problem = {
    nodes,
    arcs,
    sources: graph[sources],
    links: graph[links],
    dangling: 'uniform' as const,
  };
  return walk({ ...values, ...problem }, options);
}
