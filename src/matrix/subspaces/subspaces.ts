/**
 * The invariant subspaces of S, and the core: S = [[S_ss, S_sc], [0, S_cc]] (Eom, Frahm, Benczúr
 * and Shepelyansky 2013, Eq. 4).
 *
 *   A node is core if what it reaches contains a dangling node or more than share · N nodes. What
 *   any other node reaches is invariant. Sets with a common node are one subspace.
 *
 * Idea      Nodes of one strongly connected component reach the same nodes, so components are
 *           decided, each after those that it links to. A subspace is a weakly connected part of
 *           what is not core: a node that is not core links only to such nodes. A closed class of
 *           period p has p eigenvalues on the unit circle, one of them 1; no other component has
 *           any (Perron and Frobenius). So they are counted, not computed.
 * Requires  the links of every node in memory.
 * Ensures   the same as a walk from every node.
 * Costs     O(nodes + arcs), and 40 bytes a node beside the links. Only where a weakly connected
 *           part has more than share · N nodes and no dangling one, components with several ways
 *           on are walked from.
 */
import { DrumlinError } from '../../base/errors.ts';
import { stopIfAsked } from '../../base/stop.ts';
import { type Bytes, formatCount } from '../../base/units.ts';
import { BYTES_PER_NODE } from '../../graph/components.ts';
import type { Csr, Graph } from '../../graph/graph.ts';
import { requireMemory } from '../../rank/engine/memory.ts';
import { type Classes, closedClasses } from './classes.ts';
import { type Condensed, condense } from './condense.ts';
import { decideCore } from './decide-core.ts';
import { weakSets } from './weak-sets.ts';

interface SubspaceOptions {
  /** Of the matrix with all arcs reversed. */
  readonly reverse?: boolean;
  /** A node that reaches more than this share of all nodes is core. Default 0.1. */
  readonly share?: number;
  /** Limit for everything that grows with the graph. Default 2 GiB. */
  readonly memory?: Bytes;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface Subspaces {
  /** N and the number of arcs. */
  readonly nodes: number;
  readonly arcs: number;
  readonly dangling: number;
  /** N_s: nodes in subspaces. */
  readonly subspaceNodes: number;
  /** N_d: the number of subspaces. */
  readonly subspaces: number;
  /** d_max: the size of the largest. */
  readonly largest: number;
  /** N_1: eigenvalues 1 of S. */
  readonly ones: number;
  /** N_circ: eigenvalues of S on the unit circle. */
  readonly circle: number;
  /** How many of them belong to the core. */
  readonly coreOnes: number;
  readonly coreCircle: number;
  /** How many subspaces have each size, the greatest first. */
  readonly sizes: readonly { readonly size: number; readonly count: number }[];
  /** The subspace of each node, from 1, the largest first; 0 is the core. */
  readonly subspaceOf: Uint32Array;
}

export const MEMORY: Bytes = 2 * 2 ** 30;
const SHARE = 0.1;

export async function subspaces(graph: Graph, options: SubspaceOptions = {}): Promise<Subspaces> {
  const { reverse = false, memory = MEMORY, onProgress, signal } = options;
  requireLinkMemory(graph, memory);
  const share = checkedShare(options.share);
  const links = await (reverse ? graph.in : graph.out).load();
  onProgress?.(0.3);
  stopIfAsked(signal);
  return findSubspaces(graph.nodes, links, share).subspaces;
}

/** The links are all in memory at once. */
export function requireLinkMemory({ nodes, arcs }: Graph, memory: Bytes): void {
  requireMemory(memory, {
    what: `The links of ${formatCount(nodes)} nodes and the marks of their components`,
    bytes: 4 * arcs + nodes * (4 + BYTES_PER_NODE + 20),
    reach: Number.POSITIVE_INFINITY,
  });
}

/** The subspaces, and the components from which they follow. */
export function findSubspaces(
  nodes: number,
  links: Csr,
  share: number,
): { readonly subspaces: Subspaces; readonly condensed: Condensed } {
  const graph = condense(nodes, links);
  const core = decideCore(graph, share * nodes);
  const { subspaceOf, sizes } = numberSubspaces(nodes, links, core);
  const classes = closedClasses(graph);
  const found = { ...counts(nodes, links, subspaceOf, classes), ...sizeFacts(sizes), subspaceOf };
  return { subspaces: found, condensed: graph };
}

/** Numbers subspaces from 1: the larger first, equal ones by their first nodes. */
function numberSubspaces(nodes: number, links: Csr, core: Uint8Array) {
  const setOf = weakSets(nodes, links, (node) => core[node] === 0);
  const sizeOf = new Uint32Array(nodes);
  const roots: number[] = [];
  for (let node = 0; node < nodes; node++) {
    if (core[node] === 1) continue;
    if (sizeOf[setOf[node]]++ === 0) roots.push(setOf[node]);
  }
  roots.sort((a, b) => sizeOf[b] - sizeOf[a]); // stable: roots come by their first nodes
  const numberOf = new Uint32Array(nodes);
  roots.forEach((root, i) => {
    numberOf[root] = i + 1;
  });
  const subspaceOf = setOf.map((root, node) => (core[node] === 1 ? 0 : numberOf[root]));
  return { subspaceOf, sizes: roots.map((root) => sizeOf[root]) };
}

function sizeFacts(sizes: readonly number[]) {
  const counted = new Map<number, number>();
  for (const size of sizes) counted.set(size, (counted.get(size) ?? 0) + 1);
  return {
    subspaceNodes: sizes.reduce((sum, size) => sum + size, 0),
    subspaces: sizes.length,
    largest: sizes[0] ?? 0,
    sizes: [...counted].map(([size, count]) => ({ size, count })),
  };
}

/**
 * Dangling nodes link to all nodes in S. If no other class is closed, everything reaches a dangling
 * node and is reached from it: one class, of period 1. Otherwise a dangling node can leave for a
 * closed class, and belongs to none.
 */
function counts(
  nodes: number,
  { offsets, targets }: Csr,
  subspaceOf: Uint32Array,
  { firsts, periods }: Classes,
) {
  let dangling = 0;
  for (let node = 0; node < nodes; node++) if (offsets[node] === offsets[node + 1]) dangling++;
  let [ones, circle, coreOnes, coreCircle] = [0, 0, 0, 0];
  firsts.forEach((first, i) => {
    ones++;
    circle += periods[i];
    if (subspaceOf[first] !== 0) return;
    coreOnes++;
    coreCircle += periods[i];
  });
  if (firsts.length === 0 && dangling > 0) ones = circle = coreOnes = coreCircle = 1;
  return { nodes, arcs: targets.length, dangling, ones, circle, coreOnes, coreCircle };
}

export function checkedShare(share = SHARE): number {
  if (share >= 0 && share <= 1) return share;
  throw new DrumlinError('VALUE', `share: ${share} is out of range.`, 'Take a number from 0 to 1.');
}
