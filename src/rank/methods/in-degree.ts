/**
 * In-degree, IN: how many other nodes link to a node.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", Eq. 1 with D = 1, h(x) = 1, no additive
 * constant, one iteration): the number of nodes i whose shortest distance to j is 1. The distance
 * of a node to itself is 0, so a link to itself is no support; IRLbot likewise counts "in-degree
 * links from other domains".
 *
 * Costs one reading of the in-lists, and the scores.
 */

import { formatCount } from '../../base/units.ts';
import type { AdjacencyBlock, Graph } from '../../graph/graph.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';

export const ranker = defineRanker({
  name: 'in',
  title: 'In-degree',
  parameters: {},
  run: inDegree,
});

async function inDegree(
  graph: Graph,
  _: object,
  { memory, onProgress }: RankOptions,
): Promise<RankResult> {
  requireMemory(memory, {
    what: `The scores of ${formatCount(graph.nodes)} nodes`,
    bytes: 8 * graph.nodes,
    reach: Number.POSITIVE_INFINITY,
  });
  const scores = new Float64Array(graph.nodes);
  for await (const block of graph.in.scan()) {
    for (let i = 0; i < block.count; i++) scores[block.first + i] = othersInList(block, i);
    onProgress?.((block.first + block.count) / graph.nodes);
  }
  return { scores, facts: { bytesRead: graph.in.bytes } };
}

/**
 * The length of a list without the node itself, which binary search finds: lists are increasing.
 */
export function othersInList({ first, offsets, targets }: AdjacencyBlock, i: number): number {
  let low = offsets[i];
  let high = offsets[i + 1];
  const length = high - low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (targets[middle] < first + i) low = middle + 1;
    else high = middle;
  }
  return length - (low < offsets[i + 1] && targets[low] === first + i ? 1 : 0);
}
