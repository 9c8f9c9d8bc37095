/**
 * The eigenvalues of subspaces: of each strongly connected component by itself.
 *
 * Idea      S_ss is block triangular by components, so its eigenvalues are those of the diagonal
 *           blocks. A node without a loop is a 0; one with a loop is 1/out. Rows with the same
 *           sources are one (as in krylov/part-lists.ts), and equal matrices, which copies of one
 *           site give (alike-order.ts), are solved once: matrices are compared by 64 bits of hash.
 * Requires  a component with at most `DENSE` different rows; larger ones are the caller's.
 * Costs     the memory of one block at a time. Vectors are not kept: a block whose vectors are
 *           wanted is solved again.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type Bytes, formatCount } from '../../base/units.ts';
import { xxh64Bytes } from '../../base/xxh64.ts';
import { requireMemory } from '../../rank/engine/memory.ts';
import { type Eigenpair, solveDense } from '../dense/solve.ts';
import type { Condensed } from '../subspaces/condense.ts';
import { alikeOrder } from './alike-order.ts';

/** Up to this size a matrix is solved densely. */
export const DENSE = 2000;
/** Components up to this size are solved without giving the event loop a turn. */
const QUICK = 100;
/** Smaller components are solved faster than they are put in order. */
const ORDERED = 24;
/** Larger components keep their order: to find another takes memory by their nodes and links. */
const MOST_ORDERED = 50_000;

/** Bytes an entry: the matrix, its block, T and Q, and both in the kernel. */
const BYTES = 48;

/** Refuses a matrix of n rows that does not fit. */
export function requireDenseRoom(memory: Bytes, n: number): void {
  requireMemory(memory, {
    what: `The matrices of a block of ${formatCount(n)} rows`,
    bytes: BYTES * n * n,
    reach: Number.POSITIVE_INFINITY,
  });
}

/** An eigenvalue as `solveDense` finds it, without its vector. */
export type BlockValue = Pick<Eigenpair, 're' | 'im' | 'residual' | 'condition'>;

interface BlockSolution {
  /** The nodes of the component. */
  readonly nodes: Uint32Array;
  readonly values: readonly BlockValue[];
  readonly zeros: number;
  /** The vector of a value, by its place in `values`; the block is solved again. */
  vector(place: number): { readonly re: Float64Array; readonly im: Float64Array };
}

interface Blocks {
  readonly solved: readonly BlockSolution[];
  /** Nodes of components with more rows than `DENSE`. */
  readonly large: readonly Uint32Array[];
  /** Nodes that are an eigenvalue 0 by themselves. */
  readonly zeros: number;
}

export async function solveBlocks(
  graph: Condensed,
  subspaceOf: Uint32Array,
  memory: Bytes,
  onProgress: (done: number) => void,
): Promise<Blocks> {
  const { components, starts, members, links } = graph;
  const solved: BlockSolution[] = [];
  const large: Uint32Array[] = [];
  const solve = rememberValues();
  let zeros = 0;
  const work = componentWork(graph, subspaceOf);
  let done = 0;
  for (let c = 0; c < components; c++) {
    const nodes = members.subarray(starts[c], starts[c + 1]);
    if (subspaceOf[nodes[0]] === 0) continue;
    if (nodes.length === 1 && !hasLoop(links, nodes[0])) {
      zeros++;
      continue;
    }
    const isOrdered = nodes.length >= ORDERED && nodes.length <= MOST_ORDERED;
    const ordered = isOrdered ? alikeOrder(graph, nodes) : nodes;
    const rows = distinctRows(graph, ordered);
    if (rows.count > DENSE) large.push(nodes);
    else {
      requireDenseRoom(memory, rows.count);
      const values = solve(matrixOf(graph, ordered, rows), rows.count);
      const zeros = nodes.length - values.length;
      const vector = (place: number) => vectorOf(graph, ordered, place);
      solved.push({ nodes: ordered, values, zeros, vector });
    }
    done += nodes.length ** 3 / work;
    if (nodes.length <= QUICK) continue;
    onProgress(Math.min(1, done));
    await turn();
  }
  return { solved, large, zeros };
}

function componentWork({ components, starts, members }: Condensed, subspaceOf: Uint32Array) {
  let work = 1;
  for (let c = 0; c < components; c++)
    if (subspaceOf[members[starts[c]]] !== 0) work += (starts[c + 1] - starts[c]) ** 3;
  return work;
}

function hasLoop({ offsets, targets }: Condensed['links'], node: number): boolean {
  return targets.subarray(offsets[node], offsets[node + 1]).includes(node);
}

interface Rows {
  readonly count: number;
  readonly entryOf: Uint32Array;
  readonly scaleOf: Float64Array;
  /** The first node of each row, by its place in the component. */
  readonly firsts: readonly number[];
  /** The sources of each place, by place. */
  readonly sources: readonly (readonly number[])[];
}

function distinctRows({ links, componentOf }: Condensed, nodes: Uint32Array): Rows {
  const placeOf = new Map<number, number>();
  nodes.forEach((node, i) => void placeOf.set(node, i));
  const sources = Array.from(nodes, () => [] as number[]);
  nodes.forEach((node, i) => {
    for (let at = links.offsets[node]; at < links.offsets[node + 1]; at++) {
      const target = links.targets[at];
      if (componentOf[target] === componentOf[node]) sources[placeOf.get(target) as number].push(i);
    }
  });
  const known = new Map<string, number>();
  const firsts: number[] = [];
  const entryOf = Uint32Array.from(sources, (list, i) => {
    const key = list.join();
    const entry = known.get(key) ?? firsts.push(i) - 1;
    known.set(key, entry);
    return entry;
  });
  const sizes = new Uint32Array(firsts.length);
  for (const entry of entryOf) sizes[entry]++;
  const scaleOf = Float64Array.from(entryOf, (entry) => 1 / Math.sqrt(sizes[entry]));
  return { count: firsts.length, entryOf, scaleOf, firsts, sources };
}

function matrixOf({ links }: Condensed, nodes: Uint32Array, rows: Rows): Float64Array {
  const { count, entryOf, scaleOf, firsts, sources } = rows;
  const matrix = new Float64Array(count * count);
  firsts.forEach((first, row) => {
    for (const i of sources[first]) {
      const degree = links.offsets[nodes[i] + 1] - links.offsets[nodes[i]];
      matrix[row * count + entryOf[i]] += scaleOf[i] / (degree * scaleOf[first]);
    }
  });
  return matrix;
}

/** Solves each different matrix once, and keeps its values. */
function rememberValues(): (matrix: Float64Array, count: number) => readonly BlockValue[] {
  const known = new Map<bigint, readonly BlockValue[]>();
  return (matrix, count) => {
    const key = xxh64Bytes(new Uint8Array(matrix.buffer));
    const values =
      known.get(key) ??
      solveDense(matrix, count).pairs.map(({ re, im, residual, condition }) => ({
        re,
        im,
        residual,
        condition,
      }));
    known.set(key, values);
    return values;
  };
}

function vectorOf(graph: Condensed, nodes: Uint32Array, place: number) {
  const rows = distinctRows(graph, nodes);
  const { re, im } = solveDense(matrixOf(graph, nodes, rows), rows.count).pairs[place].vector();
  const byNode = (vector: Float64Array) =>
    rows.scaleOf.map((scale, i) => vector[rows.entryOf[i]] * scale);
  return { re: byNode(re), im: byNode(im) };
}
