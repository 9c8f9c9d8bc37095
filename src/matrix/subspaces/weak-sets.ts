/**
 * Weakly connected sets of some of the nodes: union by the smaller root, with halved paths.
 *
 * Ensures   nodes have the same root exactly if a path joins them, whatever the direction of its
 *           arcs, on which all nodes are accepted. Arcs to other nodes are ignored.
 * Costs     four bytes a node; nearly linear.
 */
import type { Csr } from '../../graph/graph.ts';

export function weakSets(
  nodes: number,
  { offsets, targets }: Csr,
  accepts: (node: number) => boolean,
): Uint32Array {
  const parent = Uint32Array.from({ length: nodes }, (_, node) => node);
  const rootOf = (start: number): number => {
    let node = start;
    while (parent[node] !== node) {
      parent[node] = parent[parent[node]];
      node = parent[node];
    }
    return node;
  };
  for (let node = 0; node < nodes; node++) {
    if (!accepts(node)) continue;
    let root = rootOf(node);
    for (let at = offsets[node]; at < offsets[node + 1]; at++) {
      if (!accepts(targets[at])) continue;
      const other = rootOf(targets[at]);
      if (other < root) {
        parent[root] = other;
        root = other;
      } else parent[other] = root;
    }
  }
  for (let node = 0; node < nodes; node++) parent[node] = rootOf(node);
  return parent;
}
