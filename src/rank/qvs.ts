/**
 * Quick-Visit Supporters, QVS: how many links a breadth-first search of depth two from a node would follow on its second level.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", Eq. 4): Q_j = Σ X_i over the nodes i at distance one of j, X being the in-degree. It counts
 * a supporter as often as it can be reached, and those at distance one too: no estimate of supporters, but what counting
 * them costs. The distance of a node to itself is 0, so links to oneself count neither in the sum nor in X, as in IN.
 *
 * Costs two readings of the in-lists, and 12 bytes a node.
 */
import { DrumlinError } from '../errors.ts';
import type { Graph } from '../graph/graph.ts';
import { formatBytes, formatCount } from '../units.ts';
import { othersInList } from './in-degree.ts';
import { defineRanker, type RankOptions, type RankResult } from './ranker.ts';

export const ranker = defineRanker({
  name: 'qvs',
  title: 'Quick-visit supporters',
  parameters: {},
  run: quickVisit,
});

const BYTES_A_NODE = 12;

async function quickVisit(graph: Graph, _: object, { memory, onProgress }: RankOptions): Promise<RankResult> {
  const needed = BYTES_A_NODE * graph.nodes;
  if (needed > memory) {
    throw new DrumlinError(
      'MEMORY',
      `The degrees and scores of ${formatCount(graph.nodes)} nodes take ${formatBytes(needed)}; ${formatBytes(memory)} are given.`,
      `Give --memory ${Math.ceil(needed / 1e6)}M or more.`,
    );
  }
  const degrees = new Uint32Array(graph.nodes);
  for await (const block of graph.in.scan()) {
    for (let i = 0; i < block.count; i++) degrees[block.first + i] = othersInList(block, i);
    onProgress?.((0.5 * (block.first + block.count)) / graph.nodes);
  }
  const scores = new Float64Array(graph.nodes);
  for await (const { first, count, offsets, targets } of graph.in.scan()) {
    for (let i = 0; i < count; i++) {
      let visits = 0;
      for (let at = offsets[i]; at < offsets[i + 1]; at++)
        if (targets[at] !== first + i) visits += degrees[targets[at]];
      scores[first + i] = visits;
    }
    onProgress?.(0.5 + (0.5 * (first + count)) / graph.nodes);
  }
  return { scores, facts: { bytesRead: 2 * graph.in.bytes } };
}
