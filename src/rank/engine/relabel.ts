/**
 * A numbering in which the nodes that are read most often are neighbours in memory.
 *
 * Idea      A sum over arcs reads one number per arc, at random, and a few nodes have most of the
 *           arcs. If these are stored together, their numbers stay in the cache. Nodes are grouped
 *           by the power of two of their degree, greatest first. They keep their order within a
 *           group, so neighbours by name, which often link to each other, stay near.
 * Costs     two passes over the nodes; one array.
 */
import type { Adjacency, AdjacencyBlock } from '../../graph/graph.ts';
import { type Kernel, planRows, type Rows } from './kernel.ts';

/** Degrees 0, 1, 2-3, 4-7 and so on: one more than a u32 has bits. */
const GROUPS = 33;

/** The new number of each node. */
export function placesByDegree(degrees: Uint32Array): Uint32Array {
  const next = new Uint32Array(GROUPS + 1);
  for (let node = 0; node < degrees.length; node++) next[Math.clz32(degrees[node]) + 1]++;
  for (let group = 0; group < GROUPS; group++) next[group + 1] += next[group];
  const places = new Uint32Array(degrees.length);
  for (let node = 0; node < degrees.length; node++)
    places[node] = next[Math.clz32(degrees[node])]++;
  return places;
}

/** Reads all lists of a graph into a kernel's memory, rows and targets by their new numbers. */
export async function loadRows(
  kernel: Kernel,
  lists: Adjacency,
  arcs: number,
  places: Uint32Array,
): Promise<Rows> {
  const degrees = new Uint32Array(places.length);
  const byNode = await lists.degrees();
  for (let node = 0; node < places.length; node++) degrees[places[node]] = byNode[node];
  const rows = planRows(kernel, places.length, arcs, (row) => degrees[row]);
  const offsets = kernel.u32(rows.offsets, places.length + 1);
  const targets = kernel.u32(rows.targets, arcs);
  for await (const block of lists.scan()) copyLists(block, places, offsets, targets);
  return rows;
}

/**
 * A function of its own, because it is compiled on its own: twice as fast as the same loop in an
 * async function.
 */
function copyLists(
  block: AdjacencyBlock,
  places: Uint32Array,
  offsets: Uint32Array,
  targets: Uint32Array,
): void {
  const { first, count, offsets: starts, targets: list } = block;
  for (let i = 0; i < count; i++) {
    const end = starts[i + 1];
    let to = offsets[places[first + i]];
    for (let at = starts[i]; at < end; at++) targets[to++] = places[list[at]];
  }
}
