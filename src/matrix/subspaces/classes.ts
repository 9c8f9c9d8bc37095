/**
 * Closed classes: components that no arc leaves, with their periods.
 *
 * Idea      The period of a class is the greatest common divisor of the lengths of its cycles: of
 *           level(u) + 1 − level(v) over all its arcs u → v, where a level is the distance from
 *           some node of the class.
 * Costs     8 bytes a node; one pass over the arcs of closed classes.
 */
import type { Condensed } from './condense.ts';

export interface Classes {
  /** The first node of each class. */
  readonly firsts: readonly number[];
  readonly periods: readonly number[];
}

/** A dangling node is no class: S leads on from it. */
export function closedClasses(graph: Condensed): Classes {
  const firsts: number[] = [];
  const periods: number[] = [];
  const levels = new Int32Array(graph.nodes).fill(-1);
  const queue = new Uint32Array(graph.nodes);
  for (let c = 0; c < graph.components; c++) {
    if (!isClosed(graph, c)) continue;
    firsts.push(graph.members[graph.starts[c]]);
    periods.push(periodOf(graph, firsts[firsts.length - 1], levels, queue));
  }
  return { firsts, periods };
}

function isClosed(
  { links: { offsets, targets }, componentOf, starts, members }: Condensed,
  c: number,
): boolean {
  for (let i = starts[c]; i < starts[c + 1]; i++) {
    const node = members[i];
    if (offsets[node] === offsets[node + 1]) return false;
    for (let at = offsets[node]; at < offsets[node + 1]; at++)
      if (componentOf[targets[at]] !== c) return false;
  }
  return true;
}

function periodOf(
  { links: { offsets, targets } }: Condensed,
  first: number,
  levels: Int32Array,
  queue: Uint32Array,
): number {
  let period = 0;
  let queued = 1;
  queue[0] = first;
  levels[first] = 0;
  for (let i = 0; i < queued; i++) {
    const node = queue[i];
    for (let at = offsets[node]; at < offsets[node + 1]; at++) {
      const target = targets[at];
      if (levels[target] < 0) {
        levels[target] = levels[node] + 1;
        queue[queued++] = target;
      } else period = divisor(period, Math.abs(levels[node] + 1 - levels[target]));
    }
  }
  return period;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
