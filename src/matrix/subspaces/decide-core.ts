/**
 * Which nodes are core: they reach a dangling node, or more than `limit` nodes.
 *
 * Idea      Three steps, each for what the one before left open. Components that reach a dangling
 *           node are core. A weakly connected part of the others with at most `limit` nodes has no
 *           core. In larger parts, components are decided in the order of their numbers, from
 *           bounds of what they reach: at least the most that one successor reaches, at most the
 *           sum. Where these leave it open, the component is walked from, and its number is exact.
 */
import type { Condensed } from './condense.ts';
import { weakSets } from './weak-sets.ts';

/** 1 for each node that is core. */
export function decideCore(graph: Condensed, limit: number): Uint8Array {
  const { nodes, links, componentOf, starts, members } = graph;
  const core = reachingDangling(graph);
  const sets = weakSets(nodes, links, (node) => core[componentOf[node]] === 0);
  const sizes = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) sizes[sets[node]]++;
  const isOpen = (component: number) => sizes[sets[members[starts[component]]]] > limit;
  decideLarge(graph, limit, core, isOpen);
  return Uint8Array.from(componentOf, (component) => core[component]);
}

function reachingDangling(graph: Condensed): Uint8Array {
  const { components, componentOf, starts, members } = graph;
  const { offsets, targets } = graph.links;
  const core = new Uint8Array(components);
  for (let c = 0; c < components; c++) {
    for (let i = starts[c]; i < starts[c + 1] && core[c] === 0; i++) {
      const node = members[i];
      if (offsets[node] === offsets[node + 1]) core[c] = 1;
      for (let at = offsets[node]; at < offsets[node + 1] && core[c] === 0; at++)
        core[c] = core[componentOf[targets[at]]];
    }
  }
  return core;
}

function decideLarge(
  { links, components, componentOf, starts, members }: Condensed,
  limit: number,
  core: Uint8Array,
  isOpen: (component: number) => boolean,
): void {
  const least = new Float64Array(components);
  const most = new Float64Array(components);
  const seenFor = new Int32Array(components).fill(-1);
  const successors = function* (c: number, mark: number): Generator<number> {
    for (let i = starts[c]; i < starts[c + 1]; i++) {
      const node = members[i];
      for (let at = links.offsets[node]; at < links.offsets[node + 1]; at++) {
        const next = componentOf[links.targets[at]];
        if (next === c || seenFor[next] === mark) continue;
        seenFor[next] = mark;
        yield next;
      }
    }
  };
  /** How many nodes a component reaches, counted up to the first beyond the limit. */
  const walk = (from: number): number => {
    const mark = components + from;
    const stack = [from];
    let reached = 0;
    for (let c = stack.pop(); c !== undefined && reached <= limit; c = stack.pop()) {
      reached += starts[c + 1] - starts[c];
      for (const next of successors(c, mark)) stack.push(next);
    }
    return reached;
  };
  for (let c = 0; c < components; c++) {
    if (core[c] === 1 || !isOpen(c)) continue;
    const size = starts[c + 1] - starts[c];
    least[c] = most[c] = size;
    for (const next of successors(c, c)) {
      if (core[next] === 1) core[c] = 1;
      least[c] = Math.max(least[c], size + least[next]);
      most[c] += most[next];
    }
    if (core[c] === 0 && least[c] <= limit && most[c] > limit) least[c] = most[c] = walk(c);
    if (least[c] > limit) core[c] = 1;
  }
}
