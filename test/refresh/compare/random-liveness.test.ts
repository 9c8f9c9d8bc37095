/** Liveness drawn at random has nothing to do with links: an order that gains by it peeks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heavyTailedGraph } from '../../../bench/graphs.ts';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { buildGraph } from '../../../src/graph/build.ts';
import { type DiskGraph, openGraph } from '../../../src/graph/open-graph.ts';
import { wholeOrder } from '../../../src/refresh/compare/compare.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { costsOf } from '../../../src/refresh/orders/cost.ts';
import { findOrder, ORDER_NAMES } from '../../../src/refresh/orders/registry.ts';

const NODES = 150_000;
const ARCS = 1_000_000;

describe('with liveness drawn at random', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-liveness-'));
  let graph: DiskGraph;
  let collection: Collection;
  let alive: Uint8Array;

  beforeAll(async () => {
    const ids = ReadableStream.from([heavyTailedGraph({ nodes: NODES, arcs: ARCS })]);
    await buildGraph(join(folder, 'graph'), { ids, nodes: NODES }, { memory: 2 ** 28 });
    graph = await openGraph(join(folder, 'graph'));
    collection = new Collection(graph);
    const random = randomNumbers(99);
    alive = Uint8Array.from({ length: graph.nodes }, () => (random() < 0.3 ? 1 : 0));
  });

  afterAll(async () => {
    await graph?.close();
    rmSync(folder, { recursive: true });
  });

  test.each(ORDER_NAMES)('%s costs n / n_a, within 4 %', async (name) => {
    const size = { by: 'random' as const, z: 1758, seed: 1 };
    const order = await wholeOrder(collection, findOrder(name), size, alive);
    const all = graph.nodes / alive.reduce((sum, one) => sum + one, 0);
    for (const cost of costsOf(order, alive, [0.1, 0.2, 0.5, 0.8, 1]))
      expect(Math.abs(cost / all - 1)).toBeLessThan(0.04);
  });
});
