/** The strongly connected components of a graph with their nodes. */
import { strongComponents } from '../../graph/components.ts';
import type { Csr } from '../../graph/graph.ts';

export interface Condensed {
  readonly nodes: number;
  readonly links: Csr;
  readonly components: number;
  /** The component of each node. Arcs lead to the same component or to a smaller number. */
  readonly componentOf: Uint32Array;
  /** The nodes of component c are `members[starts[c] .. starts[c + 1])`, in increasing order. */
  readonly starts: Uint32Array;
  readonly members: Uint32Array;
}

export function condense(nodes: number, links: Csr): Condensed {
  const componentOf = new Uint32Array(nodes);
  const { count: components } = strongComponents(nodes, links, componentOf);
  const starts = new Uint32Array(components + 1);
  for (let node = 0; node < nodes; node++) starts[componentOf[node] + 1]++;
  for (let c = 0; c < components; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const members = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) members[next[componentOf[node]]++] = node;
  return { nodes, links, components, componentOf, starts, members };
}
