/**
 * Strongly connected components: sets of nodes in which every node can be reached from every other
 * (Tarjan 1972).
 *
 * Idea      One depth-first search with an explicit stack, because the path from a root can be as
 *           long as the graph has nodes.
 * Requires  the out-lists in memory.
 * Costs     O(nodes + arcs); 20 bytes a node beside the lists.
 */
import type { Csr } from './graph.ts';

export interface Components {
  readonly count: number;
  /** Nodes of the largest component. */
  readonly largest: number;
}

export const BYTES_PER_NODE = 20;

/** Marks in `low` the nodes whose component is known. */
const SETTLED = 2 ** 32 - 1;

/**
 * `componentOf` gets the number of each node's component. Arcs lead from a component to itself or
 * to one with a smaller number.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a recursion written as a loop.
export function strongComponents(
  nodes: number,
  { offsets, targets }: Csr,
  componentOf?: Uint32Array,
): Components {
  /** The order in which nodes were visited, from 1; 0 means not yet. */
  const visited = new Uint32Array(nodes);
  /** The earliest visited node known to be in the same component. */
  const low = new Uint32Array(nodes);
  /** The next arc of each node on the path. */
  const next = offsets.slice(0, nodes);
  const path = new Uint32Array(nodes);
  /** Visited nodes whose component is not known yet. */
  const open = new Uint32Array(nodes);
  let opened = 0;
  let order = 0;
  let count = 0;
  let largest = 0;

  for (let root = 0; root < nodes; root++) {
    if (visited[root] !== 0) continue;
    let depth = 0;
    let arriving = root;
    for (;;) {
      if (arriving >= 0) {
        visited[arriving] = low[arriving] = ++order;
        path[depth++] = arriving;
        open[opened++] = arriving;
      }
      const node = path[depth - 1];
      arriving = -1;
      while (next[node] < offsets[node + 1] && arriving < 0) {
        const target = targets[next[node]++];
        if (visited[target] === 0) arriving = target;
        else if (low[target] !== SETTLED && visited[target] < low[node])
          low[node] = visited[target];
      }
      if (arriving >= 0) continue;
      depth--;
      if (depth > 0 && low[node] < low[path[depth - 1]]) low[path[depth - 1]] = low[node];
      if (low[node] === visited[node]) {
        const before = opened;
        do {
          low[open[--opened]] = SETTLED;
          if (componentOf) componentOf[open[opened]] = count;
        } while (open[opened] !== node);
        count++;
        largest = Math.max(largest, before - opened);
      }
      if (depth === 0) break;
    }
  }
  return { count, largest };
}
