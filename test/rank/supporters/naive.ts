/**
 * The methods of counting supporters for small graphs, written only to be plainly right.
 */
import fc from 'fast-check';
import type { Graph } from '../../../src/graph/graph.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { range, type SmallGraph } from '../methods/naive.ts';

/**
 * The shortest distance from each node to each other, by relaxing until nothing changes; Infinity
 * if there is no path.
 */
export function distances({ nodes, arcs }: SmallGraph): number[][] {
  const far = range(nodes).map((from) =>
    range(nodes).map((to) => (from === to ? 0 : Number.POSITIVE_INFINITY)),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const row of far) {
      for (const [from, to] of arcs) {
        if (row[from] + 1 >= row[to]) continue;
        row[to] = row[from] + 1;
        changed = true;
      }
    }
  }
  return far;
}

/** How many of the nodes for which `counts` holds are at distance `depth` of each node. */
export function supporters(
  graph: SmallGraph,
  depth: number,
  counts = (_: number) => true,
): number[] {
  const far = distances(graph);
  return range(graph.nodes).map(
    (x) => range(graph.nodes).filter((z) => counts(z) && far[z][x] === depth).length,
  );
}

export function quickVisits({ nodes, arcs }: SmallGraph): number[] {
  const inOf = (node: number) =>
    arcs.filter(([from, to]) => to === node && from !== node).map(([from]) => from);
  return range(nodes).map((x) => inOf(x).reduce((sum, y) => sum + inOf(y).length, 0));
}

/**
 * A few dozen nodes, one of them linked from everywhere and one linking everywhere: lists of all
 * lengths.
 */
export const mediumGraph: fc.Arbitrary<SmallGraph> = fc
  .record({ nodes: fc.integer({ min: 30, max: 120 }), seed: fc.nat(), hubs: fc.boolean() })
  .map(({ nodes, seed, hubs }) => {
    const arcs = new Map<number, readonly [number, number]>();
    const add = (from: number, to: number) => arcs.set(from * nodes + to, [from, to]);
    let state = seed;
    const below = (n: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    for (let i = 0; i < 3 * nodes; i++) add(below(nodes), below(nodes));
    if (hubs)
      for (let node = 1; node < nodes; node += 2) add(node, 0).set(2 * nodes + node, [2, node]);
    return { nodes, arcs: [...arcs.values()] };
  });

/** The same, in which every n-th link is returned. */
export const returningGraph: fc.Arbitrary<SmallGraph> = fc
  .tuple(mediumGraph, fc.constantFrom(1, 2, 5, Infinity))
  .map(([{ nodes, arcs }, n]) => {
    const back = arcs.filter((_, i) => i % n === 0).map(([from, to]) => [to, from] as const);
    const all = new Map([...arcs, ...back].map((arc) => [arc[0] * nodes + arc[1], arc]));
    return { nodes, arcs: [...all.values()] };
  });

/** Names in byte order, as ids require. */
export const nameOf = (node: number) => `n${String(node).padStart(3, '0')}.example`;

export function graphOf({ nodes, arcs }: SmallGraph): Graph {
  return memoryGraph(nodes, arcs, range(nodes).map(nameOf));
}
