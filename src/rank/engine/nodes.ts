/**
 * Nodes that a user names: found in the graph, with weights that sum to 1. Names that are not in
 * the graph are counted, not refused: lists of good and bad domains are longer than any crawl. It
 * is an error if no name is in the graph.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import type { NodeWeights } from './ranker.ts';

interface FoundNodes {
  /** The nodes found, in the order given. */
  readonly ids: readonly number[];
  readonly weights: readonly number[];
  /** How many names are not in the graph. */
  readonly unknown: number;
}

export async function findNodes({ names }: Graph, wanted: NodeWeights): Promise<FoundNodes> {
  const ids: number[] = [];
  const weights: number[] = [];
  for (const [name, weight] of wanted) {
    const id = await names.id(name);
    if (id === undefined) continue;
    ids.push(id);
    weights.push(weight);
  }
  return { ids, weights, unknown: wanted.size - ids.length };
}

/** One weight for each node, with sum 1; `parameter` is named in errors. */
export async function weightsById(
  graph: Graph,
  wanted: NodeWeights,
  parameter: string,
): Promise<{ weights: Float64Array; facts: Readonly<Record<string, number>> }> {
  const found = await findNodes(graph, wanted);
  const total = found.weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) {
    throw new DrumlinError(
      'NODES',
      `${parameter}: none of the ${wanted.size} names is a node of this graph with a weight above 0.`,
      'Write the names as the graph has them; "drumlin rank <graph> --by in" shows some.',
    );
  }
  const weights = new Float64Array(graph.nodes);
  found.ids.forEach((id, i) => {
    weights[id] = found.weights[i] / total;
  });
  return {
    weights,
    facts: { [`${parameter}Found`]: found.ids.length, [`${parameter}Unknown`]: found.unknown },
  };
}
