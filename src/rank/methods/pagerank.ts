/**
 * PageRank: the probability of finding a random surfer on a node.
 *
 * Definition (Google matrix, Eom et al., "Time evolution of Wikipedia network ranking", Eq. 1): S
 * is the matrix of links, each column normalised to sum to one, columns of dangling nodes replaced
 * by 1/N;
 *
 *   G_ij = alpha · S_ij + (1 - alpha)/N,   alpha = 0.85,
 *
 * and PageRank is the eigenvector P = G P, of sum 1.
 *
 * The same as the limit of Eqs. 1 and 2 of Cui et al., "Unsupervised Domain Ranking": pi_j = sum
 * over i -> j of alpha · pi_i/Y_i, plus (1 - alpha)/n, where Y_i is the out-degree; those equations
 * say nothing of dangling nodes, whose probability then leaves the graph (`lost`). The personalised
 * form (Göbölös-Szabó and Benczúr, Eq. 3) jumps to nodes by given weights instead of uniformly.
 *
 * With `teleport`, dangling nodes jump like all others. `teleport` and `lost` give the same scores
 * up to a common factor; with a uniform jump so does `uniform`. So the order is the same. A link
 * from a node to itself is a link.
 */
import type { Graph } from '../../graph/graph.ts';
import { weightsById } from '../engine/nodes.ts';
import { type Dangling, walk } from '../engine/random-walk.ts';
import {
  defineRanker,
  type NodeWeights,
  type RankOptions,
  type RankResult,
} from '../engine/ranker.ts';

export const ALPHA = {
  kind: 'number',
  default: 0.85,
  least: 0,
  most: 0.9999,
  doc: 'probability of following a link instead of jumping',
} as const;

export const TOLERANCE = {
  kind: 'number',
  default: 1e-9,
  least: 1e-14,
  most: 1,
  doc: 'largest error of all scores together (their sum is 1)',
} as const;

export const ITERATIONS = {
  kind: 'count',
  default: 1000,
  least: 1,
  most: 1e9,
  doc: 'stop after this many iterations, whatever the error',
} as const;

const DANGLING = {
  kind: 'choice',
  of: ['uniform', 'teleport', 'lost'],
  doc: 'where a walker on a node without links goes: anywhere, where jumps go, or nowhere',
} as const;

export const ranker = defineRanker({
  name: 'pagerank',
  title: 'PageRank',
  parameters: {
    alpha: ALPHA,
    tolerance: TOLERANCE,
    iterations: ITERATIONS,
    dangling: { ...DANGLING, default: 'uniform' },
    teleport: { kind: 'nodes', doc: 'jump to these nodes only, by their weights' },
  },
  run: (graph, values, options) => pagerank(graph, values, options),
});

interface PageRankValues {
  readonly alpha: number;
  readonly tolerance: number;
  readonly iterations: number;
  readonly dangling: Dangling;
  readonly teleport?: NodeWeights | undefined;
}

async function pagerank(
  graph: Graph,
  values: PageRankValues,
  options: RankOptions,
): Promise<RankResult> {
  const { nodes, arcs } = graph;
  const jump = values.teleport && (await weightsById(graph, values.teleport, 'teleport'));
  const problem = { ...values, nodes, arcs, sources: graph.in, links: graph.out };
  const { scores, facts } = await walk(
    jump ? { ...problem, jump: jump.weights } : problem,
    options,
  );
  return { scores, facts: { ...facts, ...jump?.facts } };
}
