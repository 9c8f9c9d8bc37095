/**
 * The methods for small graphs, written only to be plainly right. Arcs are pairs, each there once.
 */
import fc from 'fast-check';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';

export interface SmallGraph {
  readonly nodes: number;
  readonly arcs: readonly (readonly [number, number])[];
}

/** None, one or several nodes, with self-loops, dangling nodes and parts that are not connected. */
export const smallGraph: fc.Arbitrary<SmallGraph> = fc.nat(9).chain((nodes) => {
  const node = fc.nat(Math.max(0, nodes - 1));
  const arc = fc.tuple(node, node);
  const arcs = fc.uniqueArray(arc, {
    maxLength: nodes === 0 ? 0 : 24,
    size: 'max',
    selector: ([a, b]) => a * 10 + b,
  });
  return fc.record({ nodes: fc.constant(nodes), arcs });
});

/** Names in byte order, as ids require. */
export const nameOf = (node: number) => `n${node}.example`;

export function graphOf({ nodes, arcs }: SmallGraph) {
  return memoryGraph(
    nodes,
    arcs,
    Array.from({ length: nodes }, (_, node) => nameOf(node)),
  );
}

export function reversed({ nodes, arcs }: SmallGraph): SmallGraph {
  return { nodes, arcs: arcs.map(([from, to]) => [to, from]) };
}

export function inDegrees({ nodes, arcs }: SmallGraph): number[] {
  return range(nodes).map(
    (node) => arcs.filter(([from, to]) => to === node && from !== node).length,
  );
}

export function opic({ nodes, arcs }: SmallGraph): number[] {
  const others = arcs.filter(([from, to]) => from !== to);
  const degree = (node: number) => others.filter(([from]) => from === node).length;
  return range(nodes).map((node) =>
    others.filter(([, to]) => to === node).reduce((sum, [from]) => sum + 1 / degree(from), 0),
  );
}

/** Solves x = alpha · (S x + dangling) + (1 - alpha) · jump, as one system of linear equations. */
export function pagerank(
  { nodes, arcs }: SmallGraph,
  alpha: number,
  jump: readonly number[],
  dangling: readonly number[],
): number[] {
  const matrix = range(nodes).map((row) =>
    range(nodes).map((column) => {
      const links = arcs.filter(([from]) => from === column);
      const share =
        links.length === 0
          ? dangling[row]
          : links.filter(([, to]) => to === row).length / links.length;
      return (row === column ? 1 : 0) - alpha * share;
    }),
  );
  return solve(
    matrix,
    jump.map((share) => (1 - alpha) * share),
  );
}

/** Gaussian elimination with the greatest pivot. */
function solve(matrix: number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  const n = rows.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column; row < n; row++)
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = rows[row][column] / rows[column][column];
      for (let k = column; k <= n; k++) rows[row][k] -= factor * rows[column][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/**
 * The definition, literally: for each square, the nodes on its ribs, that of K first. Places begin
 * at 1.
 */
export function twoDPlaces(byK: readonly number[], byKStar: readonly number[]): number[] {
  const found: number[] = [];
  for (let size = 1; size <= byK.length; size++) {
    const onRib = [byK[size - 1], byKStar[size - 1]].filter(
      (node) => byK.indexOf(node) < size && byKStar.indexOf(node) < size && !found.includes(node),
    );
    found.push(...new Set(onRib));
  }
  return byK.map((_, node) => found.indexOf(node) + 1);
}

/** Eqs. 7 and 8, `iterations` times. */
export function hits(
  { nodes, arcs }: SmallGraph,
  iterations: number,
  source: readonly number[],
): { authorities: number[]; hubs: number[] } {
  const divided = (vector: number[]) => {
    const greatest = Math.max(0, ...vector);
    return greatest > 0 ? vector.map((value) => value / greatest) : vector;
  };
  let authorities: number[] = range(nodes).map(() => 1);
  let hubs = authorities;
  for (let i = 0; i < iterations; i++) {
    const before = hubs;
    authorities = divided(
      range(nodes).map(
        (v) => source[v] + sum(arcs.filter(([, to]) => to === v).map(([u]) => before[u])),
      ),
    );
    const now = authorities;
    hubs = divided(
      range(nodes).map(
        (v) => source[v] + sum(arcs.filter(([from]) => from === v).map(([, u]) => now[u])),
      ),
    );
  }
  return { authorities, hubs };
}

export const orderOf = (scores: readonly number[]) =>
  range(scores.length).sort((a, b) => scores[b] - scores[a] || a - b);

export const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
