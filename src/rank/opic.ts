/**
 * OPIC, or weighted in-degree: every node has one unit of authority and shares it equally among the nodes it links to.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", section 2.2): a single iteration of PageRank with alpha = 1 from pi = 1, that
 * is pi_j = sum over i -> j of 1/Y_i, with Y_i the out-degree. As for IN, nodes at distance 0 support nobody: a link to
 * oneself is neither counted nor given a share.
 *
 * Costs one reading of the out-lists, and the scores.
 */
import type { Graph } from '../graph/graph.ts';
import { othersInList } from './in-degree.ts';
import { defineRanker, type RankOptions, type RankResult } from './ranker.ts';

export const ranker = defineRanker({ name: 'opic', title: 'OPIC', parameters: {}, run: opic });

async function opic(graph: Graph, _: object, { onProgress }: RankOptions): Promise<RankResult> {
  const scores = new Float64Array(graph.nodes);
  for await (const block of graph.out.scan()) {
    const { first, count, offsets, targets } = block;
    for (let i = 0; i < count; i++) {
      const share = 1 / othersInList(block, i);
      const end = offsets[i + 1];
      for (let at = offsets[i]; at < end; at++) if (targets[at] !== first + i) scores[targets[at]] += share;
    }
    onProgress?.((first + count) / graph.nodes);
  }
  return { scores, facts: { bytesRead: graph.out.bytes } };
}
