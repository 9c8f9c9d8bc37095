/** Small random graphs with everything that makes a spectrum hard. */
import fc from 'fast-check';

export interface SmallGraph {
  readonly nodes: number;
  readonly arcs: readonly (readonly [from: number, to: number])[];
}

type Arc = readonly [from: number, to: number];

export const arcsOf = (count: number, arc: (i: number) => Arc): Arc[] =>
  Array.from({ length: count }, (_, i) => arc(i));

/**
 * Sparse arcs at random, cycles and self-links: some nodes are dangling, some closed. Repeated arcs
 * are one.
 */
export function smallGraph(most: number): fc.Arbitrary<SmallGraph> {
  return fc.integer({ min: 1, max: most }).chain((nodes) => {
    const node = fc.integer({ min: 0, max: nodes - 1 });
    const random = fc.array(fc.tuple(node, node), { maxLength: 2 * nodes });
    const cycle = fc
      .uniqueArray(node, { minLength: 1, maxLength: 6 })
      .map((ring) => arcsOf(ring.length, (i) => [ring[i], ring[(i + 1) % ring.length]]));
    return fc
      .tuple(random, fc.array(cycle, { maxLength: 4 }))
      .map(([arcs, cycles]) => ({ nodes, arcs: [...arcs, ...cycles.flat()] }));
  });
}
