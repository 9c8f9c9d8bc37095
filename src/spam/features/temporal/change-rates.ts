/**
 * How fast links appear and disappear (Shen et al. 2006, as section 3.1.1 of "The classification
 * power of Web features" has it), for every node of two snapshots.
 *
 *   death(a)  = (|L0| - |L0 ∩ L1|) / |L0|      L0, L1: the links of a, earlier and later
 *   growth(a) = (|L1| - |L0 ∩ L1|) / |L0|
 *   CC(a)     = linked ordered pairs among the nodes that a links to / all such pairs
 *
 * A denominator of 0 counts as 1: a site without earlier links has no death, and grows by the
 * number of its new links. CC of fewer than two links is 0.
 */
import type { Csr } from '../../../graph/graph.ts';
import type { Pair } from './snapshots.ts';

export interface Rates {
  readonly death: Float64Array;
  readonly growth: Float64Array;
}

export function changeRates(nodes: number, [earlier, later]: Pair<Csr>): Rates {
  const death = new Float64Array(nodes);
  const growth = new Float64Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const [before, after] = [lengthOf(earlier, node), lengthOf(later, node)];
    const kept = commonLength(earlier, later, node);
    death[node] = (before - kept) / Math.max(1, before);
    growth[node] = (after - kept) / Math.max(1, before);
  }
  return { death, growth };
}

/** The relative change of the clustering coefficient of some nodes, by out-lists. */
export function clusteringChange(
  nodes: number,
  [earlier, later]: Pair<Csr>,
  wanted: Int32Array,
): Float64Array {
  const [before, after] = [earlier, later].map((lists) => clustering(nodes, lists, wanted));
  return before.map((value, i) => (after[i] - value) / (value === 0 ? 1 : value));
}

function clustering(nodes: number, { offsets, targets }: Csr, wanted: Int32Array): Float64Array {
  const markOf = new Int32Array(nodes).fill(-1);
  return Float64Array.from(wanted, (node) => {
    if (node < 0) return Number.NaN;
    const [start, end] = [offsets[node], offsets[node + 1]];
    if (end - start < 2) return 0;
    for (let at = start; at < end; at++) markOf[targets[at]] = node;
    let linked = 0;
    for (let at = start; at < end; at++) {
      const stop = offsets[targets[at] + 1];
      for (let to = offsets[targets[at]]; to < stop; to++)
        if (markOf[targets[to]] === node) linked++;
    }
    return linked / ((end - start) * (end - start - 1));
  });
}

function lengthOf({ offsets }: Csr, node: number): number {
  return offsets[node + 1] - offsets[node];
}

/** How many nodes are in both lists, which are increasing. */
function commonLength(a: Csr, b: Csr, node: number): number {
  let common = 0;
  let other = b.offsets[node];
  const end = b.offsets[node + 1];
  for (let at = a.offsets[node]; at < a.offsets[node + 1]; at++) {
    while (other < end && b.targets[other] < a.targets[at]) other++;
    if (other < end && b.targets[other] === a.targets[at]) common++;
  }
  return common;
}
