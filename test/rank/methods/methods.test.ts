import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rank } from '../../../src/rank/index.ts';
import {
  graphOf,
  hits,
  inDegrees,
  nameOf,
  opic,
  orderOf,
  pagerank,
  range,
  reversed,
  type SmallGraph,
  smallGraph,
  twoDPlaces,
} from './naive.ts';

const RUNS = { numRuns: 100 };
const alpha = fc.constantFrom(0, 0.2, 0.5, 0.85, 0.95);
/** Memory for the vectors only: the arcs are then read again in each step. */
const little = (graph: SmallGraph, vectors: number) => ({
  memory: (8 * vectors + 12) * graph.nodes,
});
const inMemoryOrNot = fc.boolean();
const uniform = (nodes: number) => range(nodes).map(() => 1 / nodes);
const distance = (a: Float64Array, b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0);
/** Nodes with weights, at least one above 0; and the same as a distribution. */
const weighted = (nodes: number) =>
  fc
    .array(fc.nat(3), { minLength: nodes, maxLength: nodes })
    .filter((weights) => weights.some((w) => w > 0));
const distribution = (weights: readonly number[]) => {
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
};
const named = (weights: readonly number[]) =>
  new Map(weights.map((weight, node) => [nameOf(node), weight]));
const withWeights = smallGraph
  .filter((graph) => graph.nodes > 0)
  .chain((graph) => fc.record({ graph: fc.constant(graph), weights: weighted(graph.nodes) }));

describe('in-degree', () => {
  test('counts the other nodes that link to a node', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, async (graph) => {
        const { scores } = await rank(graphOf(graph), { by: 'in' });
        expect([...scores]).toEqual(inDegrees(graph));
      }),
      RUNS,
    );
  });
});

describe('OPIC', () => {
  test('shares one unit of every node among the others it links to', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, async (graph) => {
        const { scores } = await rank(graphOf(graph), { by: 'opic' });
        expect(distance(scores, opic(graph))).toBeLessThan(1e-12);
      }),
      RUNS,
    );
  });
});

describe('PageRank', () => {
  test('is the solution of its equations, with arcs in memory or read again', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, alpha, inMemoryOrNot, async (graph, alpha, inMemory) => {
        const limits = inMemory ? {} : little(graph, 4);
        const { scores, facts } = await rank(graphOf(graph), { by: 'pagerank', alpha, ...limits });
        if (graph.nodes > 0) expect(facts.held).toBe(inMemory ? 'memory' : 'stream');
        const spread = uniform(graph.nodes);
        expect(distance(scores, pagerank(graph, alpha, spread, spread))).toBeLessThanOrEqual(1e-9);
      }),
      RUNS,
    );
  });

  test('jumps to given nodes by their weights, for any treatment of dangling nodes', async () => {
    const dangling = fc.constantFrom('uniform', 'teleport', 'lost');
    await fc.assert(
      fc.asyncProperty(
        withWeights,
        alpha,
        dangling,
        inMemoryOrNot,
        async ({ graph, weights }, alpha, dangling, inMemory) => {
          const jump = distribution(weights);
          const goes = { uniform: uniform(graph.nodes), teleport: jump, lost: jump.map(() => 0) }[
            dangling
          ];
          const { scores } = await rank(graphOf(graph), {
            by: 'pagerank',
            alpha,
            dangling,
            teleport: named(weights),
            ...(inMemory ? {} : little(graph, 6)),
          });
          expect(distance(scores, pagerank(graph, alpha, jump, goes))).toBeLessThanOrEqual(1e-9);
        },
      ),
      RUNS,
    );
  });

  test('keeps the error within the bound it reports, however early it is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, fc.integer({ min: 1, max: 30 }), async (graph, iterations) => {
        const { scores, facts } = await rank(graphOf(graph), {
          by: 'pagerank',
          tolerance: 1e-14,
          iterations,
        });
        const spread = uniform(graph.nodes);
        const error = distance(scores, pagerank(graph, 0.85, spread, spread));
        expect(error).toBeLessThanOrEqual(Number(facts.errorBound) + 1e-14);
        expect(facts.iterations).toBeLessThanOrEqual(iterations);
      }),
      RUNS,
    );
  });

  test('the three treatments of dangling nodes give one order unless jumps lead to dangling nodes', async () => {
    const graph = graphOf({
      nodes: 5,
      arcs: [
        [0, 1],
        [2, 1],
        [1, 3],
        [4, 3],
        [4, 0],
      ],
    });
    const orders = await Promise.all(
      ['uniform', 'teleport', 'lost'].map(async (dangling) =>
        (await rank(graph, { by: 'pagerank', dangling })).order(),
      ),
    );
    expect(orders[1]).toEqual(orders[0]);
    expect(orders[2]).toEqual(orders[0]);
  });
});

describe('TrustRank', () => {
  const trustOf = (nodes: number, trusted: readonly number[]) =>
    range(nodes).map((node) => (trusted.includes(node) ? 1 / trusted.length : 0));
  const expectTrust = async (graph: SmallGraph, trusted: readonly number[], request: object) => {
    const { scores, facts } = await rank(graphOf(graph), { by: 'trustrank', ...request });
    const trust = trustOf(graph.nodes, trusted);
    expect(distance(scores, pagerank(graph, 0.85, trust, trust))).toBeLessThanOrEqual(1e-9);
    expect(facts.trusted).toBe(trusted.length);
  };
  const unknown = 'nowhere.example';

  test('trusts all names of the list equally', async () => {
    await fc.assert(
      fc.asyncProperty(withWeights, async ({ graph, weights }) => {
        const trusted = range(graph.nodes).filter((node) => weights[node] > 0);
        await expectTrust(graph, trusted, { good: [unknown, ...trusted.map(nameOf)] });
      }),
      RUNS,
    );
  });

  test('single trusts the first name that the graph has', async () => {
    await fc.assert(
      fc.asyncProperty(withWeights, async ({ graph, weights }) => {
        const listed = range(graph.nodes).filter((node) => weights[node] > 0);
        await expectTrust(graph, [listed[0]], {
          whitelist: 'single',
          good: [unknown, ...listed.map(nameOf)],
        });
      }),
      RUNS,
    );
  });

  test('single without a list trusts the node that most others link to', async () => {
    await fc.assert(
      fc.asyncProperty(withWeights, async ({ graph }) => {
        await expectTrust(graph, [orderOf(inDegrees(graph))[0]], {});
      }),
      RUNS,
    );
  });

  test('top trusts the beginning of the list, whether or not the graph has it', async () => {
    const graph: SmallGraph = {
      nodes: 4,
      arcs: [
        [0, 1],
        [1, 2],
        [3, 0],
      ],
    };
    const good = [nameOf(3), unknown, nameOf(1), nameOf(0)];
    await expectTrust(graph, [3, 1], { whitelist: 'top', first: 3, good });
  });

  test('scored trusts the names whose score is high enough', async () => {
    await fc.assert(
      fc.asyncProperty(withWeights, fc.nat(3), async ({ graph, weights }, least) => {
        const trusted = range(graph.nodes).filter((node) => weights[node] >= least);
        fc.pre(trusted.length > 0);
        await expectTrust(graph, trusted, { whitelist: 'scored', least, good: named(weights) });
      }),
      RUNS,
    );
  });

  test('a whitelist without nodes is refused', async () => {
    const graph = graphOf({ nodes: 2, arcs: [[0, 1]] });
    await expect(rank(graph, { by: 'trustrank', good: [unknown] })).rejects.toThrow(
      /None of the 1 names/,
    );
    await expect(rank(graph, { by: 'trustrank', whitelist: 'top' })).rejects.toThrow(
      /needs a list of names/,
    );
    const scored = { by: 'trustrank', whitelist: 'scored', good: [nameOf(0)] };
    await expect(rank(graph, scored)).rejects.toThrow(/None of the 0 names/);
  });
});

describe('CheiRank', () => {
  test('is the PageRank of the reversed graph', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, alpha, inMemoryOrNot, async (graph, alpha, inMemory) => {
        const limits = inMemory ? {} : little(graph, 4);
        const { scores } = await rank(graphOf(graph), { by: 'cheirank', alpha, ...limits });
        const spread = uniform(graph.nodes);
        expect(
          distance(scores, pagerank(reversed(graph), alpha, spread, spread)),
        ).toBeLessThanOrEqual(1e-9);
      }),
      RUNS,
    );
  });
});

describe('2DRank', () => {
  test('counts nodes in the order in which they appear on the ribs of growing squares', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, async (small) => {
        const graph = graphOf(small);
        const places = async (by: string) => [...(await rank(graph, { by, alpha: 0.5 })).order()];
        const { scores } = await rank(graph, { by: '2drank', alpha: 0.5 });
        const expected = twoDPlaces(await places('pagerank'), await places('cheirank'));
        expect([...scores]).toEqual(expected.map((place) => 1 / place));
      }),
      RUNS,
    );
  });

  test('gives the correlator of PageRank and CheiRank', async () => {
    // All links lead from one node to the others: no node is both known and makes others known.
    const star = graphOf({
      nodes: 4,
      arcs: [
        [0, 1],
        [0, 2],
        [0, 3],
      ],
    });
    const [known, making] = await Promise.all([
      rank(star, { by: 'pagerank' }),
      rank(star, { by: 'cheirank' }),
    ]);
    const kappa = 4 * known.scores.reduce((sum, p, i) => sum + p * making.scores[i], 0) - 1;
    expect(kappa).toBeLessThan(0);
    expect((await rank(star, { by: '2drank' })).facts.correlator).toBeCloseTo(kappa, 12);
  });
});

describe('HITS', () => {
  const vectors = fc.constantFrom('authority' as const, 'hub' as const);

  test('plain: does its iterations and reports the change of the last', async () => {
    await fc.assert(
      fc.asyncProperty(
        smallGraph,
        vectors,
        fc.integer({ min: 1, max: 20 }),
        inMemoryOrNot,
        async (graph, vector, most, inMemory) => {
          const limits = inMemory ? {} : little(graph, 3);
          const { scores, facts } = await rank(graphOf(graph), {
            by: 'hits',
            vector,
            iterations: most,
            ...limits,
          });
          const { authorities, hubs } = hits(
            graph,
            Number(facts.iterations),
            range(graph.nodes).map(() => 0),
          );
          const expected = vector === 'hub' ? hubs : authorities;
          expect(
            Math.max(0, ...expected.map((value, i) => Math.abs(value - scores[i]))),
          ).toBeLessThan(1e-12);
          expect(facts.converged === 'yes' || facts.iterations === most).toBe(true);
        },
      ),
      RUNS,
    );
  });

  test('personalised: the supersource gives to nodes by their weights', async () => {
    await fc.assert(
      fc.asyncProperty(
        withWeights,
        vectors,
        fc.constantFrom(0.5, 5, 200),
        inMemoryOrNot,
        async ({ graph, weights }, vector, c, inMemory) => {
          const { scores, facts } = await rank(graphOf(graph), {
            by: 'hits',
            vector,
            c,
            personal: named(weights),
            ...(inMemory ? {} : little(graph, 5)),
          });
          const source = distribution(weights).map((share) => c * share);
          const { authorities, hubs } = hits(graph, Number(facts.iterations), source);
          const expected = vector === 'hub' ? hubs : authorities;
          expect(
            Math.max(0, ...expected.map((value, i) => Math.abs(value - scores[i]))),
          ).toBeLessThan(1e-12);
        },
      ),
      RUNS,
    );
  });

  test('a graph without arcs gives every node the score 0', async () => {
    expect([...(await rank(graphOf({ nodes: 2, arcs: [] }), { by: 'hits' })).scores]).toEqual([
      0, 0,
    ]);
  });
});
