/**
 * Strongly connected components: sets of nodes each of which can be reached from each other (Tarjan
 * 1972).
 *
 * Idea      one depth-first search, its stack written out, because the path from a root can be as
 *           long as the graph has nodes.
 * Requires  the out-lists in memory.
 * Costs     O(nodes + arcs); 20 bytes a node beside the lists.
 */
import type { Csr } from './graph.ts';

export interface Components {
  readonly count: number;
  /** Nodes of the largest. */
  readonly largest: number;
}

export const BYTES_PER_NODE = 20;

/** Stands in `low` for nodes whose component is known. */
const SETTLED = 2 ** 32 - 1;

export function strongComponents(nodes: number, { offsets, targets }: Csr): Components {
  /** In which order nodes were met, from 1; 0 is not yet. */
  const met = new Uint32Array(nodes);
  /** The earliest met that is known to be reached from a node, and to reach it. */
  const low = new Uint32Array(nodes);
  /** The next arc of each node on the path. */
  const next = offsets.slice(0, nodes);
  const path = new Uint32Array(nodes);
  /** Nodes met whose component is not known yet. */
  const open = new Uint32Array(nodes);
  let opened = 0;
  let order = 0;
  let count = 0;
  let largest = 0;

  for (let root = 0; root < nodes; root++) {
    if (met[root] !== 0) continue;
    let depth = 0;
    let arriving = root;
    for (;;) {
      if (arriving >= 0) {
        met[arriving] = low[arriving] = ++order;
        path[depth++] = arriving;
        open[opened++] = arriving;
      }
      const node = path[depth - 1];
      arriving = -1;
      while (next[node] < offsets[node + 1] && arriving < 0) {
        const target = targets[next[node]++];
        if (met[target] === 0) arriving = target;
        else if (low[target] !== SETTLED && met[target] < low[node]) low[node] = met[target];
      }
      if (arriving >= 0) continue;
      depth--;
      if (depth > 0 && low[node] < low[path[depth - 1]]) low[path[depth - 1]] = low[node];
      if (low[node] === met[node]) {
        const before = opened;
        do low[open[--opened]] = SETTLED;
        while (open[opened] !== node);
        count++;
        largest = Math.max(largest, before - opened);
      }
      if (depth === 0) break;
    }
  }
  return { count, largest };
}
