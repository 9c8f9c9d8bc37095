import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryGraph } from '../../../../src/graph/memory-graph.ts';
import { supportersWithin } from '../../../../src/spam/features/links/supporters.ts';
import { range } from './naive.ts';

/** More nodes than the bits of a word, so that batches and words have more than one. */
const graph = fc.integer({ min: 1, max: 90 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    arcs: fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 160, size: 'max' }),
    sites: fc.integer({ min: 1, max: 12 }),
  }),
);

test('supporters equal those of a search from each node, in one batch or many, read once or often', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.constantFrom(0, 1, 2), async ({ nodes, arcs, sites }, room) => {
      const siteOf = Uint32Array.from(range(nodes), (x) => (x * 7) % sites);
      const wanted = Uint32Array.from(range(nodes).filter((x) => x % 5 !== 1));
      const word = 4 * (2 * nodes + sites);
      const csr = 4 * (nodes + 1 + arcs.length);
      // One word and lists that are read again; two words; everything.
      const memory = [nodes + word, 2 * (csr + word) + nodes, 1e7][room];
      const within = await supportersWithin(memoryGraph(nodes, arcs), {
        wanted,
        siteOf,
        sites,
        memory,
      });
      for (const [i, x] of wanted.entries()) {
        let reached = new Set([x]);
        for (const distance of range(4)) {
          const next = arcs.filter(([, to]) => reached.has(to)).map(([from]) => from);
          reached = new Set([...reached, ...next]);
          expect(within.nodes[distance][i]).toBe(reached.size - 1);
          const known = new Set([...reached].map((y) => siteOf[y]));
          expect(within.sites[distance][i]).toBe(known.size - 1);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('without room for 32 searches at once, it says how much is needed', async () => {
  const asked = supportersWithin(memoryGraph(1000, [[0, 1]]), {
    wanted: Uint32Array.of(1),
    memory: 5000,
  });
  await expect(asked).rejects.toMatchObject({ code: 'MEMORY' });
});
