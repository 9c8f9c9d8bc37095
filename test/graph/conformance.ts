/** The conformance suite of graphs: every kind of graph must pass it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Adjacency, Graph } from '../../src/graph/graph.ts';

export type Arc = readonly [number, number];

/** Nodes, arcs (with repeats and loops) and optionally names in byte order. */
export interface Plan {
  readonly nodes: number;
  readonly arcs: readonly Arc[];
  readonly names: readonly string[] | undefined;
}

export type MakeGraph = (plan: Plan) => Promise<Graph>;

export const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * Letters whose order in UTF-8 is not that of JavaScript, names that begin like others, and long
 * ones.
 */
const name = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'b', '.', 'ü', '\u{fffd}', '\u{1f600}'),
    minLength: 1,
    maxLength: 6,
  }),
  fc.nat(200).map((n) => `${'https://example.org/folder/'.repeat(1 + (n % 7))}${n}`),
);

export const plans: fc.Arbitrary<Plan> = fc
  .tuple(fc.oneof(fc.nat(12), fc.nat(700)), fc.boolean())
  .chain(([nodes, named]) =>
    fc.record({
      nodes: fc.constant(nodes),
      arcs:
        nodes === 0
          ? fc.constant<Arc[]>([])
          : fc.array(fc.tuple(skewed(nodes), skewed(nodes)), { maxLength: 600, size: 'max' }),
      names: named
        ? fc
            .uniqueArray(name, { minLength: nodes, maxLength: nodes, size: 'max' })
            .map((names) => names.sort(byteOrder))
        : fc.constant(undefined),
    }),
  )
  .filter(({ nodes, names }) => names === undefined || nodes <= 150);

/** Hubs, neighbours, and others. */
const skewed = (nodes: number) =>
  fc.oneof(fc.nat(Math.min(nodes - 1, 2)), fc.nat(nodes - 1), fc.nat(nodes - 1));

export function listsOf({ nodes, arcs }: Plan, direction: 'out' | 'in'): number[][] {
  const lists = Array.from({ length: nodes }, () => new Set<number>());
  for (const [from, to] of arcs) direction === 'out' ? lists[from].add(to) : lists[to].add(from);
  return lists.map((list) => [...list].sort((a, b) => a - b));
}

export async function readLists(
  adjacency: Adjacency,
  options?: { from?: number; to?: number; blockArcs?: number },
): Promise<number[][]> {
  const lists: number[][] = [];
  let next = options?.from ?? 0;
  for await (const { first, count, offsets, targets } of adjacency.scan(options)) {
    expect(first).toBe(next);
    expect(offsets.length).toBe(count + 1);
    expect([offsets[0], offsets[count]]).toEqual([0, targets.length]);
    if (options?.blockArcs !== undefined) {
      expect(count).toBeLessThanOrEqual(options.blockArcs);
      if (count > 1) expect(targets.length).toBeLessThanOrEqual(options.blockArcs);
    }
    for (let i = 0; i < count; i++) lists.push([...targets.subarray(offsets[i], offsets[i + 1])]);
    next += count;
  }
  return lists;
}

export function describeGraph(kind: string, make: MakeGraph, runs = 60): void {
  const forAll = (check: (graph: Graph, plan: Plan) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const graph = await make(plan);
        try {
          await check(graph, plan);
        } finally {
          await graph.close();
        }
      }),
      { numRuns: runs },
    );

  describe(`a graph ${kind}`, () => {
    test('has the arcs it was given, each once, loops among them, in both directions', () =>
      forAll(async (graph, plan) => {
        expect(await readLists(graph.out)).toEqual(listsOf(plan, 'out'));
        expect(await readLists(graph.in)).toEqual(listsOf(plan, 'in'));
        expect(graph.nodes).toBe(plan.nodes);
        expect(graph.arcs).toBe(listsOf(plan, 'out').flat().length);
      }));

    test('scans any range in blocks of any size, and never splits a list', async () => {
      await fc.assert(
        fc.asyncProperty(
          plans,
          fc.nat(),
          fc.nat(),
          fc.integer({ min: 1, max: 40 }),
          async (plan, a, b, blockArcs) => {
            const graph = await make(plan);
            const [from, to] = [a % (plan.nodes + 1), b % (plan.nodes + 1)].sort((x, y) => x - y);
            const expected = listsOf(plan, 'in').slice(from, to);
            expect(await readLists(graph.in, { from, to, blockArcs })).toEqual(expected);
            await graph.close();
          },
        ),
        { numRuns: runs },
      );
    });

    test('knows the length of every list, and loads them all, in shared memory on request', () =>
      forAll(async (graph, plan) => {
        const lists = listsOf(plan, 'out');
        expect([...(await graph.out.degrees())]).toEqual(lists.map((list) => list.length));
        for (const shared of [false, true]) {
          const { offsets, targets } = await graph.out.load({ shared });
          expect(lists.map((_, i) => [...targets.subarray(offsets[i], offsets[i + 1])])).toEqual(
            lists,
          );
          expect([offsets.length, offsets[plan.nodes]]).toEqual([plan.nodes + 1, targets.length]);
          expect(
            [offsets, targets].map(({ buffer }) => buffer instanceof SharedArrayBuffer),
          ).toEqual([shared, shared]);
        }
      }));

    test('finds names by id and ids by name, and recognises names that are not its own', () =>
      forAll(async (graph, plan) => {
        const expected = plan.names ?? Array.from({ length: plan.nodes }, (_, id) => String(id));
        const all: string[] = [];
        for await (const text of graph.names.all()) all.push(text);
        expect(all).toEqual(expected);
        for (const [id, text] of expected.entries()) {
          expect(await graph.names.name(id)).toBe(text);
          expect(await graph.names.id(text)).toBe(id);
        }
        for (const stranger of [
          '',
          '!',
          'b ',
          '00',
          '-1',
          '1e1',
          String(plan.nodes),
          '\u{1ffff}',
          'zzz',
        ])
          expect(await graph.names.id(stranger)).toBe(undefined);
      }));

    test('refuses ids that it does not have', async () => {
      const graph = await make({ nodes: 3, arcs: [[0, 1]], names: undefined });
      for (const id of [-1, 3, 0.5]) await expect(graph.names.name(id)).rejects.toThrow(RangeError);
      await graph.close();
    });

    test('can be read by several readers at once, and left before the end', async () => {
      const arcs = Array.from({ length: 3000 }, (_, i): Arc => [(i * 7) % 300, (i * 11) % 300]);
      const plan = { nodes: 300, arcs, names: undefined };
      const graph = await make(plan);
      const first = graph.out.scan({ blockArcs: 10 });
      await first.next();
      const both = await Promise.all([
        readLists(graph.out, { blockArcs: 7 }),
        readLists(graph.out, { blockArcs: 900 }),
      ]);
      expect(both).toEqual([listsOf(plan, 'out'), listsOf(plan, 'out')]);
      await first.return(undefined);
      await graph.close();
    });
  });
}
