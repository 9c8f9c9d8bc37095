import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importGraph } from '../../../src/graph/io/import.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { subspaces } from '../../../src/matrix/subspaces/subspaces.ts';
import { foreignMaterial } from '../../foreign-material.ts';
import { newPlace } from '../../graph/fixtures.ts';
import { leftOut } from '../../left-out.ts';
import { arcsOf, type SmallGraph, smallGraph } from '../small-graphs.ts';

const cnr2000 = await foreignMaterial('cnr2000');

/** What each node reaches, itself included. */
function reachOf(nodes: number, arcs: readonly (readonly [number, number])[]): Set<number>[] {
  return Array.from({ length: nodes }, (_, start) => {
    const reached = new Set([start]);
    for (const node of reached) for (const [from, to] of arcs) if (from === node) reached.add(to);
    return reached;
  });
}

/** The definition, from a walk from every node: the subspaces as sorted lists of nodes. */
function naiveSubspaces({ nodes, arcs }: SmallGraph, share: number): number[][] {
  const dangling = new Set(Array.from({ length: nodes }, (_, node) => node));
  for (const [from] of arcs) dangling.delete(from);
  let sets: Set<number>[] = [];
  for (const reached of reachOf(nodes, arcs)) {
    if (reached.size > share * nodes || [...reached].some((node) => dangling.has(node))) continue;
    const joined = new Set(reached);
    const apart: Set<number>[] = [];
    for (const set of sets) {
      if ([...set].some((node) => joined.has(node))) for (const node of set) joined.add(node);
      else apart.push(set);
    }
    sets = [...apart, joined];
  }
  return sets.map((set) => [...set].sort((a, b) => a - b)).sort((a, b) => a[0] - b[0]);
}

/** Lists of the nodes of each number above 0. */
function groups(numbers: Uint32Array): number[][] {
  const found: number[][] = [];
  numbers.forEach((number, node) => {
    if (number === 0) return;
    found[number] = [...(found[number] ?? []), node];
  });
  return found.filter(Boolean).sort((a, b) => a[0] - b[0]);
}

describe('the invariant subspaces of S', () => {
  test('are those of a walk from every node, in both directions, for any share', async () => {
    await fc.assert(
      fc.asyncProperty(
        smallGraph(40),
        fc.constantFrom(0, 0.1, 0.2, 0.5, 1),
        fc.boolean(),
        async (given, share, reverse) => {
          const graph = reverse
            ? { ...given, arcs: given.arcs.map(([a, b]) => [b, a] as const) }
            : given;
          const found = await subspaces(memoryGraph(given.nodes, given.arcs), { share, reverse });
          const sets = naiveSubspaces(graph, share);
          const sizes = sets.map((set) => set.length).sort((a, b) => b - a);
          expect(groups(found.subspaceOf)).toEqual(sets);
          expect(found.subspaces).toBe(sets.length);
          expect(found.subspaceNodes).toBe(sizes.reduce((sum, size) => sum + size, 0));
          expect(found.largest).toBe(sizes[0] ?? 0);
          expect(found.sizes.flatMap(({ size, count }) => Array(count).fill(size))).toEqual(sizes);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('are decided by counting where nodes reach the same ones on several ways', async () => {
    // Ten layers of two nodes, each linked to both of the next layer; the last has loops.
    const arcs: [number, number][] = [
      [18, 18],
      [19, 19],
    ];
    for (let layer = 0; layer < 9; layer++)
      for (const a of [0, 1]) for (const b of [0, 1]) arcs.push([2 * layer + a, 2 * layer + 2 + b]);
    const { subspaceOf } = await subspaces(memoryGraph(20, arcs), { share: 0.5 });
    // A node of layer i reaches 1 + 2 · (9 − i) nodes: at most 10 from layer 5 on.
    expect([...subspaceOf]).toEqual([...Array(10).fill(0), ...Array(10).fill(1)]);
  });

  test('a closed class counts as often on the circle as its period says', async () => {
    const cycle = (first: number, n: number) =>
      arcsOf(n, (i) => [first + i, first + ((i + 1) % n)]);
    const arcs = [...cycle(0, 4), ...cycle(4, 6), [10, 10], [11, 0], [11, 4]] as [number, number][];
    const found = await subspaces(memoryGraph(12, arcs), { share: 1 });
    expect(found).toMatchObject({ ones: 3, circle: 4 + 6 + 1, coreOnes: 0, subspaces: 2 });
    // A chord of length 4 in the cycle of 6 leaves cycles of 6 and 3: period 3.
    const chord = await subspaces(memoryGraph(12, [...arcs, [4, 8]]), { share: 1 });
    expect(chord).toMatchObject({ ones: 3, circle: 4 + 3 + 1 });
  });

  test('a graph in which all nodes reach a dangling one has the eigenvalue 1 once, in the core', async () => {
    for (const [nodes, arcs] of [
      [1, []],
      [3, []],
      [
        3,
        [
          [0, 1],
          [1, 2],
        ],
      ],
    ] as const) {
      const found = await subspaces(memoryGraph(nodes, arcs));
      expect(found).toMatchObject({ subspaces: 0, ones: 1, circle: 1, coreOnes: 1 });
    }
    expect(await subspaces(memoryGraph(0, []))).toMatchObject({ nodes: 0, ones: 0, circle: 0 });
  });

  test('too little memory and a share beyond 1 are refused with a remedy', async () => {
    const graph = memoryGraph(100, [[0, 1]]);
    await expect(subspaces(graph, { memory: 100 })).rejects.toThrow(/100 nodes.*Give --memory/);
    await expect(subspaces(graph, { share: 2 })).rejects.toThrow('Take a number from 0 to 1');
  });

  test.skipIf(leftOut(cnr2000))(
    'of cnr-2000 are those of a walk from every node in Python',
    async () => {
      const path = join(cnr2000.path, 'cnr-2000.graph');
      const place = newPlace();
      await importGraph([path.replace(/\.graph$/, '')], place, { format: 'bv' });
      const graph = await openGraph(place);
      const found = await subspaces(graph);
      await graph.close();
      expect(found).toMatchObject({ subspaceNodes: 38_653, subspaces: 8_864, largest: 1_059 });
      expect(found).toMatchObject({ ones: 9_994, circle: 10_471, coreOnes: 0 });
    },
  );
});
