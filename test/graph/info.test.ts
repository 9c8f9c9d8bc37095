import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { strongComponents } from '../../src/graph/components.ts';
import { csrOf } from '../../src/graph/csr.ts';
import { graphInfo } from '../../src/graph/info.ts';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import { type Arc, listsOf, plans } from './conformance.ts';

/** Nodes that reach each other, by a search from each node. */
function components(nodes: number, lists: number[][]): number[] {
  const reached = lists.map((_, start) => {
    const seen = new Set([start]);
    for (const node of seen) for (const target of lists[node]) seen.add(target);
    return seen;
  });
  const sizes: number[] = [];
  const done = new Set<number>();
  for (let node = 0; node < nodes; node++) {
    if (done.has(node)) continue;
    const own = [...reached[node]].filter((other) => reached[other].has(node));
    for (const other of own) done.add(other);
    sizes.push(own.length);
  }
  return sizes;
}

const arcs = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 60, size: 'max' });

describe('strongly connected components', () => {
  test('are those that a search from every node finds', () => {
    fc.assert(
      fc.property(arcs, (pairs: Arc[]) => {
        const plan = { nodes: 20, arcs: pairs, names: undefined };
        const sizes = components(20, listsOf(plan, 'out'));
        const csr = csrOf(20, {
          from: Uint32Array.from(pairs, ([a]) => a),
          to: Uint32Array.from(pairs, ([, b]) => b),
        });
        expect(strongComponents(20, csr)).toEqual({
          count: sizes.length,
          largest: Math.max(...sizes),
        });
      }),
      { numRuns: 300 },
    );
  });

  test('are found along a path longer than any stack', () => {
    const n = 300_000;
    const from = Uint32Array.from({ length: n }, (_, i) => i);
    const ring = csrOf(n, { from, to: from.map((node) => (node + 1) % n) });
    expect(strongComponents(n, ring)).toEqual({ count: 1, largest: n });
    const path = csrOf(n, { from: from.subarray(1), to: from.subarray(0, n - 1) });
    expect(strongComponents(n, path)).toEqual({ count: n, largest: 1 });
    expect(
      strongComponents(0, csrOf(0, { from: new Uint32Array(0), to: new Uint32Array(0) })),
    ).toEqual({
      count: 0,
      largest: 0,
    });
  });
});

describe('the facts of a graph', () => {
  test('are what counting by hand gives', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const [out, into] = [listsOf(plan, 'out'), listsOf(plan, 'in')];
        const pairs = out.flatMap((list, node) => list.map((target) => [node, target]));
        const loops = pairs.filter(([a, b]) => a === b).length;
        const mutual = pairs.filter(([a, b]) => a !== b && out[b].includes(a)).length;
        const info = await graphInfo(memoryGraph(plan.nodes, plan.arcs, plan.names));
        expect(info).toMatchObject({
          nodes: plan.nodes,
          arcs: pairs.length,
          loops,
          dangling: out.filter((list) => list.length === 0).length,
          unreferenced: into.filter((list) => list.length === 0).length,
          isolated: out.filter((list, node) => list.length + into[node].length === 0).length,
          out: { largest: Math.max(0, ...out.map((list) => list.length)) },
        });
        expect(info.reciprocity).toBeCloseTo(
          pairs.length > loops ? mutual / (pairs.length - loops) : 0,
          12,
        );
      }),
      { numRuns: 40 },
    );
  });

  test('include the moments of the degrees, and the node with the largest', async () => {
    // In-degrees 0, 0, 1, 3: mean 1, squares 1 + 1 + 0 + 4, cubes -1 - 1 + 0 + 8.
    const graph = memoryGraph(
      4,
      [
        [0, 3],
        [1, 3],
        [2, 3],
        [3, 2],
      ],
      ['a', 'b', 'c', 'd'],
    );
    const { in: facts, components: found } = await graphInfo(graph);
    expect(facts).toMatchObject({ mean: 1, largest: 3, largestNode: 'd' });
    expect(facts.deviation).toBeCloseTo(Math.sqrt(1.5), 12);
    expect(facts.skewness).toBeCloseTo(1.5 / 1.5 ** 1.5, 12);
    expect(found).toEqual({ count: 3, largest: 2 });
  });

  test('leave out the components if memory is too small, and state how much is needed', async () => {
    const info = await graphInfo(memoryGraph(4, [[0, 3]]), { memory: 99 });
    expect([info.components, info.componentMemory]).toEqual([undefined, 100]);
    expect((await graphInfo(memoryGraph(4, [[0, 3]]), { memory: 100 })).components).toEqual({
      count: 4,
      largest: 1,
    });
  });
});
