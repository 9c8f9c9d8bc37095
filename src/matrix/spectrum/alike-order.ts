/**
 * An order of a component's nodes that does not depend on their numbers: copies of one site get the
 * same matrix, which is then solved once.
 *
 * Idea      Each node has a colour: a hash of its number of links, and again and again of the
 *           colours around it, until no more nodes can be told apart. Nodes are sorted by colour.
 *           Nodes of one colour keep their order; then copies may get different matrices, and are
 *           only solved more than once.
 * Costs     the arcs of the component for each round; rounds are about its diameter.
 */
import type { Condensed } from '../subspaces/condense.ts';

const ROUNDS = 64;

export function alikeOrder({ links, componentOf }: Condensed, nodes: Uint32Array): Uint32Array {
  const { offsets, targets } = links;
  const placeOf = new Map<number, number>();
  nodes.forEach((node, i) => void placeOf.set(node, i));
  const arcs: number[] = [];
  let colours: Uint32Array = Uint32Array.from(nodes, (node, i) => {
    for (let at = offsets[node]; at < offsets[node + 1]; at++)
      if (componentOf[targets[at]] === componentOf[node])
        arcs.push(i, placeOf.get(targets[at]) as number);
    return mixed(offsets[node + 1] - offsets[node]);
  });
  let known = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const distinct = new Set(colours).size;
    if (distinct === known || distinct === nodes.length) break;
    known = distinct;
    colours = refined(colours, arcs);
  }
  return nodes
    .map((_, i) => i)
    .sort((a, b) => colours[a] - colours[b] || a - b)
    .map((i) => nodes[i]);
}

/** Sums do not depend on the order of neighbours. */
function refined(colours: Uint32Array, arcs: readonly number[]): Uint32Array {
  const next = colours.map((colour) => mixed(colour));
  for (let at = 0; at < arcs.length; at += 2) {
    const [from, to] = [arcs[at], arcs[at + 1]];
    next[to] += mixed(colours[from] ^ 0x5bd1e995);
    next[from] += mixed(colours[to] ^ 0x3c6ef372);
  }
  return next;
}

function mixed(x: number): number {
  let h = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
