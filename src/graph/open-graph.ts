/**
 * Opens a graph in a folder. This reads only `graph.json`, the first bytes of each file, and the
 * end of the lengths.
 */
import { Disk } from '../disk/disk.ts';
import { HEADER_BYTES, requireFormat } from '../disk/format.ts';
import type { Graph, Names } from './graph.ts';
import { type GraphLevel, readGraphFile } from './graph-file.ts';
import { DiskAdjacency } from './list-reader.ts';
import { DecimalNames } from './memory-names.ts';
import { HOSTS_FORMAT, hostsPath } from './name-format.ts';
import { DiskNames } from './name-reader.ts';

export interface DiskGraph extends Graph {
  readonly level: GraphLevel | undefined;
  readonly named: boolean;
  /** Size of the names on disk. */
  readonly nameBytes: number;
  /** Reads the number of hosts of each node; undefined if it is not known. */
  readonly hosts: (() => Promise<Uint32Array>) | undefined;
}

export async function openGraph(folder: string, disk: Disk = new Disk()): Promise<DiskGraph> {
  const facts = await readGraphFile(disk, folder);
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened) await part.close();
  };
  try {
    const out = await DiskAdjacency.open(disk, folder, 'out', facts);
    opened.push(out);
    const into = await DiskAdjacency.open(disk, folder, 'in', facts);
    opened.push(into);
    await out.requireArcs();
    await into.requireArcs();
    let names: Names = new DecimalNames(facts.nodes);
    let nameBytes = 0;
    if (facts.named) {
      const stored = await DiskNames.open(disk, folder, facts.nodes);
      opened.push(stored);
      names = stored;
      nameBytes = stored.bytes;
    }
    const { nodes, arcs, named, level } = facts;
    const hosts = facts.hosts ? () => readHosts(disk, folder, nodes) : undefined;
    return { nodes, arcs, named, level, out, in: into, names, nameBytes, hosts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readHosts(disk: Disk, folder: string, nodes: number): Promise<Uint32Array> {
  const file = await disk.open(hostsPath(folder), 'read');
  try {
    await requireFormat(file, HOSTS_FORMAT);
    const counts = new Uint32Array(nodes);
    await file.readAll(new Uint8Array(counts.buffer), HEADER_BYTES);
    return counts;
  } finally {
    await file.close();
  }
}
