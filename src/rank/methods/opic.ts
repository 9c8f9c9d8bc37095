/**
 * OPIC, or weighted in-degree: every node has one unit of authority and shares it equally among the
 * nodes it links to.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", section 2.2): a single iteration of
 * PageRank with alpha = 1 from pi = 1, that is pi_j = sum over i -> j of 1/Y_i, with Y_i the
 * out-degree. As for IN, nodes at distance 0 are no supporters: a link of a node to itself is
 * neither counted nor given a share.
 *
 * Costs one reading of the out-lists, and the scores twice, in the kernel and out of it.
 */

import { formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { streamArcs } from '../engine/held-arcs.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';

export const ranker = defineRanker({ name: 'opic', title: 'OPIC', parameters: {}, run: opic });

async function opic(
  graph: Graph,
  _: object,
  { memory, onProgress }: RankOptions,
): Promise<RankResult> {
  requireMemory(memory, {
    what: `The scores of ${formatCount(graph.nodes)} nodes, twice,`,
    bytes: 16 * graph.nodes,
    reach: Number.POSITIVE_INFINITY, // only half of it is in the kernel
  });
  const arcs = await streamArcs({ nodes: graph.nodes, lists: [graph.out], vectors: 1 });
  try {
    const scores = arcs.vector();
    for await (const { rows, first } of arcs.portions(0)) {
      await arcs.kernel.share(rows, first, scores);
      onProgress?.(first / graph.nodes);
    }
    return { scores: arcs.byNode(scores), facts: { bytesRead: arcs.bytesRead } };
  } finally {
    await arcs.close();
  }
}
