/**
 * TrustRank: PageRank whose jumps all lead to trusted nodes.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", Eq. 3): a whitelist W, t_j = 1/|W| for j
 * in W and 0 for others, and the additive constant of PageRank becomes (1 - alpha) · t_j. The
 * probability on a dangling node also jumps to W. This gives the order of the equation, in which
 * that probability is lost, and scores of sum 1. It does not go anywhere, as in PageRank: spam
 * would profit from it.
 *
 * The paper's three strategies for W (section 5.2), from a list of good names in order of esteem,
 * each with a score where it has one:
 *
 * - single: one highly reputable domain (google.com there): the first of the list that is in the
 *   graph; without a list, the node of the greatest in-degree, which needs no judgement.
 * - top: the first `first` names of the list (Alexa's top 100 there).
 * - scored: all whose score is at least `least` (a toolbar rank of 9 or 10 there).
 *
 * `all` trusts the whole list. `auto` is `all` with a list and `single` without. The paper found
 * `single` the best of the three.
 *
 * Trusted nodes are trivially at the top, so the paper leaves them out of comparisons; `whitelist`
 * returns them.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import { findNodes } from '../engine/nodes.ts';
import { order } from '../engine/order.ts';
import { walk } from '../engine/random-walk.ts';
import {
  defineRanker,
  type NodeWeights,
  type RankOptions,
  type RankResult,
  type Values,
} from '../engine/ranker.ts';
import { ranker as inDegree } from './in-degree.ts';
import { ALPHA, ITERATIONS, TOLERANCE } from './pagerank.ts';

const PARAMETERS = {
  good: { kind: 'nodes', doc: 'trusted names, best first, each with an optional score' },
  whitelist: {
    kind: 'choice',
    of: ['auto', 'all', 'single', 'top', 'scored'],
    default: 'auto',
    doc: 'which of the good names to trust',
  },
  first: {
    kind: 'count',
    default: 100,
    least: 1,
    most: 1e9,
    doc: 'how many names, for --whitelist top',
  },
  least: {
    kind: 'number',
    default: 9,
    least: 0,
    most: 1e300,
    doc: 'the least score, for --whitelist scored',
  },
  alpha: ALPHA,
  tolerance: TOLERANCE,
  iterations: ITERATIONS,
} as const;

export type TrustRankValues = Values<typeof PARAMETERS>;
export const ranker = defineRanker({
  name: 'trustrank',
  title: 'TrustRank',
  parameters: PARAMETERS,
  run: trustRank,
});

async function trustRank(
  graph: Graph,
  values: TrustRankValues,
  options: RankOptions,
): Promise<RankResult> {
  const { nodes, arcs } = graph;
  if (nodes === 0) return { scores: new Float64Array(0), facts: { trusted: 0 } };
  const trusted = await whitelist(graph, values, options);
  const jump = new Float64Array(nodes);
  for (const node of trusted) jump[node] = 1 / trusted.length;
  const problem = {
    ...values,
    nodes,
    arcs,
    sources: graph.in,
    links: graph.out,
    jump,
    dangling: 'teleport' as const,
  };
  const { scores, facts } = await walk(problem, options);
  return { scores, facts: { ...facts, trusted: trusted.length } };
}

/** The trusted nodes, at least one. */
export async function whitelist(
  graph: Graph,
  {
    good,
    whitelist: strategy,
    first,
    least,
  }: Pick<TrustRankValues, 'good' | 'whitelist' | 'first' | 'least'>,
  options: RankOptions,
): Promise<readonly number[]> {
  if (good === undefined) {
    if (strategy === 'auto' || strategy === 'single') return mostLinked(graph, options);
    throw new DrumlinError(
      'WHITELIST',
      `--whitelist ${strategy} needs a list of names.`,
      'Give --good <file>.',
    );
  }
  const names = [...good];
  const chosen =
    strategy === 'top'
      ? names.slice(0, first)
      : strategy === 'scored'
        ? names.filter(([, score]) => score >= least)
        : names;
  const { ids } = await findNodes(graph, new Map(chosen) satisfies NodeWeights);
  if (ids.length > 0) return strategy === 'single' ? ids.slice(0, 1) : ids;
  throw new DrumlinError(
    'WHITELIST',
    `None of the ${chosen.length} names that --whitelist ${strategy} chose is a node of this graph.`,
    'Write the names as the graph has them, or trust more of them.',
  );
}

async function mostLinked(graph: Graph, options: RankOptions): Promise<readonly number[]> {
  const { onProgress: _, ...quietly } = options;
  const { scores } = await inDegree.run(graph, {}, quietly);
  return [order(scores, 1)[0]];
}
