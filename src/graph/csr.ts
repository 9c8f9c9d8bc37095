/**
 * Arcs in memory as two arrays: built from pairs, and reversed.
 *
 * Requires  ids below `nodes`, fewer than 2^32 arcs.
 * Ensures   lists strictly increasing, repeats removed.
 * Costs     a counting sort: about 10 ns an arc, more if the lists are long and unsorted.
 */
import { sortUniqueLists } from '../disk/external-sort.ts';
import type { IdArcs } from './arcs.ts';
import type { Csr } from './graph.ts';

export function csrOf(nodes: number, { from, to }: IdArcs): Csr {
  const offsets = startsOf(nodes, from);
  const targets = new Uint32Array(from.length);
  const next = offsets.slice(0, nodes);
  for (let i = 0; i < from.length; i++) targets[next[from[i]]++] = to[i];
  const kept = sortUniqueLists(offsets, nodes, targets);
  return { offsets, targets: targets.subarray(0, kept) };
}

export function transpose(nodes: number, { offsets, targets }: Csr): Csr {
  const starts = startsOf(nodes, targets);
  const sources = new Uint32Array(targets.length);
  const next = starts.slice(0, nodes);
  for (let node = 0; node < nodes; node++) {
    const end = offsets[node + 1];
    for (let at = offsets[node]; at < end; at++) sources[next[targets[at]]++] = node;
  }
  return { offsets: starts, targets: sources };
}

/** The start of each key's list, if there are as many values as keys in `keys`. */
function startsOf(nodes: number, keys: Uint32Array): Uint32Array {
  const starts = new Uint32Array(nodes + 1);
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] >= nodes) throw new RangeError(`${keys[i]} is no node of a graph of ${nodes}`);
    starts[keys[i] + 1]++;
  }
  for (let node = 0; node < nodes; node++) starts[node + 1] += starts[node];
  return starts;
}
