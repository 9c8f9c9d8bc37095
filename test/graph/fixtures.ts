/** Small graphs for tests, and their contents in readable form. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Disk } from '../../src/disk/disk.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

/** Does not wait for the disk: most tests do not end the process. */
export const quickDisk = () => new Disk(new FaultyFileSystem({ skipSync: true }));

/** A file with this text, compressed if its name ends so. */
export function fileOf(
  text: string | Uint8Array,
  name = 'edges.txt',
  folder = temporaryFolder(),
): string {
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

export const newPlace = () => join(temporaryFolder(), 'graph');

/** Every arc of a graph in a folder, by name; and every name. */
export async function contentOf(folder: string): Promise<{ names: string[]; arcs: string[] }> {
  const graph = await openGraph(folder);
  const names: string[] = [];
  for await (const name of graph.names.all()) names.push(name);
  const arcs: string[] = [];
  for await (const { first, count, offsets, targets } of graph.out.scan()) {
    for (let i = 0; i < count; i++)
      for (let at = offsets[i]; at < offsets[i + 1]; at++)
        arcs.push(`${names[first + i]} ${names[targets[at]]}`);
  }
  await graph.close();
  return { names, arcs };
}

export const byteSorted = (texts: Iterable<string>) =>
  [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
