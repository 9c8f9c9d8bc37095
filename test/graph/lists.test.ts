import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../src/graph/build.ts';
import { csrOf } from '../../src/graph/csr.ts';
import { MAX_NODES } from '../../src/graph/list-format.ts';
import { DiskAdjacency } from '../../src/graph/list-reader.ts';
import { ListWriter } from '../../src/graph/list-writer.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { readLists } from './conformance.ts';
import { newPlace, quickDisk } from './fixtures.ts';

async function written(lists: number[][], nodes: number): Promise<string> {
  const folder = temporaryFolder();
  const writer = await ListWriter.create(quickDisk(), folder, 'out', 4096);
  for (const [first, list] of lists.entries()) {
    const half = Math.floor(list.length / 2);
    // A list in two pieces, like the sorter's pieces of very long lists.
    for (const values of [list.slice(0, half), list.slice(half)])
      await writer.append({
        first,
        count: 1,
        offsets: Uint32Array.of(0, values.length),
        values: Uint32Array.from(values),
      });
  }
  await writer.finish(nodes);
  return folder;
}

describe('adjacency lists', () => {
  test('hold differences of every width, up to the largest a graph can have', async () => {
    const target = fc.oneof(
      fc.nat(300),
      fc.nat(70_000),
      fc.nat(2 ** 24),
      fc.nat(MAX_NODES - 1),
      fc.constantFrom(
        0,
        255,
        256,
        257,
        65_535,
        65_536,
        2 ** 24 - 1,
        2 ** 24,
        2 ** 30,
        MAX_NODES - 1,
      ),
    );
    const list = fc
      .uniqueArray(target, { maxLength: 20, size: 'max' })
      .map((values) => values.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(fc.array(list, { maxLength: 30, size: 'max' }), async (lists) => {
        const folder = await written(lists, 300);
        const counts = { nodes: MAX_NODES, arcs: lists.flat().length };
        const adjacency = await DiskAdjacency.open(quickDisk(), folder, 'out', counts);
        const got = await readLists(adjacency, { to: 256, blockArcs: 16 });
        expect(got.slice(0, lists.length)).toEqual(lists);
        await adjacency.close();
      }),
      { numRuns: 50 },
    );
  });

  test('that are far longer than a block, and nodes without arcs by the thousand, are written in pieces and read correctly', async () => {
    const long = Array.from({ length: 50_000 }, (_, i) => 2 * i + (i % 2));
    const lists: number[][] = Array.from({ length: 40_000 }, (_, i) =>
      i % 13_000 === 5 ? long.slice(i % 7) : [],
    );
    const folder = await written(lists, 100_000);
    const arcs = lists.flat().length;
    const adjacency = await DiskAdjacency.open(quickDisk(), folder, 'out', {
      nodes: 100_000,
      arcs,
    });
    const got = await readLists(adjacency, { blockArcs: 1000 });
    expect(got.length).toBe(100_000);
    expect(got.slice(0, 40_000)).toEqual(lists);
    expect(
      (await readLists(adjacency, { from: 26_004, to: 26_006 })).map((list) => list.length),
    ).toEqual([0, lists[26_005].length]);
    await adjacency.close();
  });
});

test('lists can be read from any node on, in whatever group of four its first arc is', async () => {
  const lists = Array.from({ length: 1100 }, (_, node) =>
    Array.from({ length: (node * 7) % 5 }, (_, i) => (node % 3) * 400 + i * 99),
  );
  const folder = await written(lists, lists.length);
  const counts = { nodes: lists.length, arcs: lists.flat().length };
  const adjacency = await DiskAdjacency.open(quickDisk(), folder, 'out', counts);
  for (let from = 0; from < lists.length; from += 13) {
    const to = Math.min(lists.length, from + 300);
    expect(await readLists(adjacency, { from, to })).toEqual(lists.slice(from, to));
  }
  await adjacency.close();
});

test('both directions hold the same arcs when there are far more than are reversed at a time', async () => {
  const out = newPlace();
  const from = Uint32Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 3000);
  const to = from.map((node, i) => (node * 31 + Math.floor(i / 3000) * 17) % 3000);
  await buildGraph(
    out,
    {
      ids: (async function* () {
        yield { from, to };
      })(),
    },
    { disk: quickDisk() },
  );
  const graph = await openGraph(out);
  const [lists, turned] = [await graph.out.load(), await graph.in.load()];
  expect(lists).toEqual(csrOf(3000, { from, to }));
  expect(turned).toEqual(csrOf(3000, { from: to, to: from }));
  await graph.close();
});

describe('a damaged graph', () => {
  async function graphFolder(): Promise<string> {
    const out = newPlace();
    const from = Uint32Array.from({ length: 2000 }, (_, i) => i % 500);
    const to = Uint32Array.from({ length: 2000 }, (_, i) => (i * 7919) % 500);
    await buildGraph(
      out,
      {
        ids: (async function* () {
          yield { from, to };
        })(),
        nodes: 500,
      },
      { disk: quickDisk() },
    );
    return out;
  }

  const change = (folder: string, file: string, edit: (bytes: Buffer) => Buffer) =>
    writeFileSync(join(folder, file), edit(readFileSync(join(folder, file))));

  async function read(folder: string): Promise<void> {
    const graph = await openGraph(folder);
    try {
      await graph.out.degrees();
      await graph.out.load();
    } finally {
      await graph.close();
    }
  }

  test.each<[string, string, (bytes: Buffer) => Buffer, string]>([
    ['no graph.json', 'graph.json', () => Buffer.from('{}'), 'GRAPH_MISSING'],
    ['no JSON', 'graph.json', () => Buffer.from('{'), 'GRAPH_MISSING'],
    [
      'another format',
      'graph.json',
      (b) => Buffer.from(b.toString().replace('"format": 1', '"format": 9')),
      'FILE_VERSION',
    ],
    [
      'nonsense in it',
      'graph.json',
      (b) => Buffer.from(b.toString().replace(/"nodes": \d+/, '"nodes": -1')),
      'GRAPH_MISSING',
    ],
    [
      'a file of another type',
      'out.gaps',
      (b) => Buffer.concat([Buffer.from('DRML\x01xyz'), b.subarray(8)]),
      'FILE_FORMAT',
    ],
    [
      'a file of another version',
      'in.index',
      (b) => Buffer.concat([Buffer.from('DRML\x02gix'), b.subarray(8)]),
      'FILE_VERSION',
    ],
    ['no bytes at all', 'out.widths', () => Buffer.alloc(0), 'FILE_FORMAT'],
    ['gaps cut off', 'out.gaps', (b) => b.subarray(0, b.length - 30), 'GRAPH_DAMAGED'],
    ['widths cut off', 'out.widths', (b) => b.subarray(0, b.length - 10), 'GRAPH_DAMAGED'],
    ['lengths cut off', 'out.lengths', (b) => b.subarray(0, b.length - 1), 'GRAPH_DAMAGED'],
    [
      'other lengths',
      'out.lengths',
      (b) => Buffer.concat([b.subarray(0, 8), Buffer.alloc(b.length - 8)]),
      'GRAPH_DAMAGED',
    ],
    ['lengths beyond the nodes', 'out.lengths', (b) => b.fill(255, 8), 'GRAPH_DAMAGED'],
    ['targets beyond the nodes', 'out.gaps', (b) => b.fill(255, 8), 'GRAPH_DAMAGED'],
    [
      'more arcs than it says',
      'graph.json',
      (b) => Buffer.from(b.toString().replace(/"arcs": \d+/, '"arcs": 3')),
      'GRAPH_DAMAGED',
    ],
  ])('is refused by name: %s', async (_, file, edit, code) => {
    const folder = await graphFolder();
    change(folder, file, edit);
    await expect(read(folder)).rejects.toMatchObject({ code, exitCode: 5 });
  });

  test('is refused if a file is missing, or if it is not a folder', async () => {
    await expect(openGraph('/nowhere')).rejects.toMatchObject({
      code: 'GRAPH_MISSING',
      exitCode: 5,
    });
  });

  test('refuses ranges that it does not have', async () => {
    const graph = await openGraph(await graphFolder());
    for (const options of [{ from: -1 }, { to: 501 }, { blockArcs: 0 }])
      await expect(graph.out.scan(options).next()).rejects.toThrow(RangeError);
    expect(await readLists(graph.out, { from: 500 })).toEqual([]);
    await graph.close();
  });

  test('is refused when it is opened, if graph.json counts other arcs, be it one', async () => {
    const { arcs } = JSON.parse(readFileSync(join(await graphFolder(), 'graph.json'), 'utf8'));
    for (const wrong of [arcs - 1, arcs + 1, 0]) {
      const folder = await graphFolder();
      change(folder, 'graph.json', (b) =>
        Buffer.from(b.toString().replace(/"arcs": \d+/, `"arcs": ${wrong}`)),
      );
      await expect(openGraph(folder)).rejects.toMatchObject({ code: 'GRAPH_DAMAGED' });
    }
  });
});
