/**
 * Supporters of which each group counts once: domains at one address, of one owner, registered
 * together.
 *
 * Definition: the number of groups of which a member supports a node at level two (supp.ts). The
 * group of the node itself does not count. A node without a group is a group of its own.
 *
 * Helps as far as the groups are known: domains of one maker that are spread over addresses like
 * any others count as before.
 * Costs     the in-graph in memory, 4 bytes an arc and 20 a node; as many visits as SUPP.
 */
import { formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { requireMemory } from '../engine/memory.ts';
import { findNodes } from '../engine/nodes.ts';
import { defineRanker, type NodeWeights, type RankResult } from '../engine/ranker.ts';

export const ranker = defineRanker({
  name: 'grouped',
  title: 'Supporting groups',
  parameters: {
    groups: { kind: 'nodes', doc: 'names, each with the number of its group' },
  },
  async run(graph, { groups }, { memory, onProgress }): Promise<RankResult> {
    requireMemory(memory, {
      what: `The in-graph of ${formatCount(graph.nodes)} nodes and their groups`,
      bytes: 4 * graph.arcs + 28 * graph.nodes,
      otherwise: '--by tse, which streams',
    });
    const groupOf = await numbered(graph, groups);
    const { offsets, targets } = await graph.in.load();
    const scores = new Float64Array(graph.nodes);
    const near = new Int32Array(graph.nodes).fill(-1);
    const seen = new Int32Array(graph.nodes).fill(-1);
    for (let x = 0; x < graph.nodes; x++) {
      near[x] = x;
      seen[groupOf[x]] = x;
      for (let at = offsets[x]; at < offsets[x + 1]; at++) near[targets[at]] = x;
      for (let at = offsets[x]; at < offsets[x + 1]; at++) {
        const y = targets[at];
        for (let from = offsets[y]; from < offsets[y + 1]; from++) {
          const z = targets[from];
          if (near[z] === x || seen[groupOf[z]] === x) continue;
          seen[groupOf[z]] = x;
          scores[x]++;
        }
      }
      if (x % 1024 === 0) onProgress?.(x / graph.nodes);
    }
    return { scores, facts: { groups: new Set(groupOf).size, bytesRead: graph.in.bytes } };
  },
});

/** For each node a node of its group, the same for all of the group. */
async function numbered(graph: Graph, groups: NodeWeights | undefined): Promise<Uint32Array> {
  const groupOf = Uint32Array.from({ length: graph.nodes }, (_, node) => node);
  if (!groups) return groupOf;
  const { ids, weights } = await findNodes(graph, groups);
  const first = new Map<number, number>();
  for (const [i, id] of ids.entries()) {
    const leader = first.get(weights[i]) ?? id;
    first.set(weights[i], leader);
    groupOf[id] = leader;
  }
  return groupOf;
}
