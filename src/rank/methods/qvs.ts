/**
 * Quick-Visit Supporters, QVS: how many links a breadth-first search of depth two from a node would
 * follow on its second level.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", Eq. 4): Q_j = Σ X_i over the nodes i at
 * distance one of j, where X is the in-degree. It counts a supporter once per path, and also those
 * at distance one. So it is not an estimate of supporters, but the cost of counting them. The
 * distance of a node to itself is 0, so links of a node to itself count neither in the sum nor in
 * X, as in IN.
 *
 * Costs two readings of the in-lists, 20 bytes a node, and 8 for each arc of the longest.
 */

import { formatCount } from '../../base/units.ts';
import { BLOCK_ARCS, type Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { blockBytes, feedBlocks } from '../supporters/blocks.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';
import { othersInList } from './in-degree.ts';

export const ranker = defineRanker({
  name: 'qvs',
  title: 'Quick-visit supporters',
  parameters: {},
  run: quickVisit,
});

/** Degrees, sums, and the scores made of them. */
const BYTES_A_NODE = 4 + 8 + 8;

async function quickVisit(graph: Graph, _: object, options: RankOptions): Promise<RankResult> {
  const { nodes, in: lists } = graph;
  const { onProgress } = options;
  const hands = usefulThreads(options.threads, nodes, graph.arcs);
  const blockArcs = Math.min(BLOCK_ARCS, Math.max(1, nodes, graph.arcs));
  requireMemory(options.memory, {
    what: `The degrees and scores of ${formatCount(nodes)} nodes and blocks to read`,
    bytes: BYTES_A_NODE * nodes + blockBytes(hands, blockArcs, nodes),
  });
  const kernel = new SupportersKernel(hands);
  try {
    const degreesAt = kernel.allocate(4 * nodes);
    const sumsAt = kernel.allocate(8 * nodes);
    const degrees = kernel.u32(degreesAt, nodes);
    for await (const block of lists.scan({ blockArcs })) {
      for (let i = 0; i < block.count; i++) degrees[block.first + i] = othersInList(block, i);
      onProgress?.((0.5 * (block.first + block.count)) / nodes);
    }
    await feedBlocks(
      kernel,
      lists.scan({ blockArcs }),
      blockArcs,
      ({ first, count, offsets, targets }) => [
        'sumLists',
        degreesAt,
        sumsAt,
        first,
        count,
        offsets,
        targets,
      ],
      ({ first, count }) => onProgress?.(0.5 + (0.5 * (first + count)) / nodes),
    );
    return {
      scores: Float64Array.from(kernel.f64(sumsAt, nodes)),
      facts: { bytesRead: 2 * lists.bytes },
    };
  } finally {
    await kernel.close();
  }
}
