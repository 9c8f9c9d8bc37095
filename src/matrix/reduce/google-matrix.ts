import type { Adjacency } from '../../graph/graph.ts';

/** The matrix of a graph, or of its reversed arcs. */
export interface GoogleMatrix {
  readonly nodes: number;
  readonly arcs: number;
  /** For each node, the nodes that link to it. */
  readonly sources: Adjacency;
  /** For each node, the nodes it links to. */
  readonly links: Adjacency;
  readonly alpha: number;
}
