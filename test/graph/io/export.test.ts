import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { writeText } from '../../../src/disk/text-file.ts';
import { edgeListOf } from '../../../src/graph/io/export.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { listsOf, plans } from '../conformance.ts';
import { contentOf, fileOf, newPlace, quickDisk } from '../fixtures.ts';

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString('utf8');
}

test('an edge list has every arc once, by name and in order, whether names fit in memory or not', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.constantFrom(1, 2 ** 20), async (plan, memory) => {
      const names = plan.names ?? Array.from({ length: plan.nodes }, (_, id) => String(id));
      const graph = memoryGraph(plan.nodes, plan.arcs, plan.names);
      const expected = listsOf(plan, 'out').flatMap((list, from) =>
        list.map((to) => `${names[from]}\t${names[to]}\n`),
      );
      expect(await textOf(edgeListOf(graph, { memory }))).toBe(expected.join(''));
    }),
    { numRuns: 30 },
  );
});

test('an exported graph is imported unchanged, except for nodes without arcs', async () => {
  const graph = memoryGraph(
    4,
    [
      [0, 3],
      [3, 0],
      [1, 1],
    ],
    ['a', 'b', 'c', 'ü'],
  );
  const out = newPlace();
  await importGraph([fileOf(await textOf(edgeListOf(graph)), 'e.txt.gz')], out, {
    format: 'edges',
    disk: quickDisk(),
  });
  expect(await contentOf(out)).toEqual({ names: ['a', 'b', 'ü'], arcs: ['a ü', 'b b', 'ü a'] });
});

test('a text file is there complete or not at all, compressed or not', async () => {
  const folder = temporaryFolder();
  const text = Array.from({ length: 3000 }, (_, i) => `line ${(i * 7919) % 3001}, and so on\n`);
  const fill = async (file: { write(bytes: Uint8Array): Promise<void> }) => {
    for (const line of text) await file.write(Buffer.from(line));
  };
  for (const name of ['plain', 'packed.gz']) {
    const path = `${folder}/${name}`;
    const full = new Disk(new FaultyFileSystem({ room: 6000 }));
    await expect(writeText(full, path, fill)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(() => readFileSync(path)).toThrow('ENOENT');
    await writeText(quickDisk(), path, fill);
    const bytes = readFileSync(path);
    expect((name === 'plain' ? bytes : gunzipSync(bytes)).toString()).toBe(text.join(''));
  }
});
