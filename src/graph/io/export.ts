/**
 * Exports a graph as text: an edge list, or Common Crawl's vertices and edges.
 *
 * Costs     names are kept in memory if they fit in the given memory. Otherwise each is looked up
 *           on disk, which bounds memory but takes some 20 µs an arc. Common Crawl has another
 *           order, so names and arcs are sorted again (name-runs.ts, external-sort.ts).
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import { stopIfAsked } from '../../base/stop.ts';
import type { Bytes } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { PairSorter } from '../../disk/external-sort.ts';
import { type TextFile, writeText } from '../../disk/text-file.ts';
import { makeWhole } from '../../disk/whole-folder.ts';
import { arcsOf, type IdArcs } from '../arcs.ts';
import { DEFAULT_MEMORY } from '../build.ts';
import type { Graph, Names } from '../graph.ts';
import type { GraphLevel } from '../graph-file.ts';
import { MAX_NAME_BYTES } from '../name-format.ts';
import { NameRuns } from '../name-runs.ts';
import { NameTable } from '../name-table.ts';
import type { DiskGraph } from '../open-graph.ts';
import { addRenumbered, allRanks } from '../renumber.ts';
import { reversed } from './common-crawl.ts';

interface ExportOptions {
  readonly memory?: Bytes;
  /** Called with about the share that is done. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

const CHUNK_BYTES = 64 * 1024;
const TAB = 9;
const LF = 10;

/** Lines `from⇥to`, by name, in order. Nodes without arcs are left out. */
export async function* edgeListOf(
  graph: Graph,
  options: ExportOptions = {},
): AsyncGenerator<Uint8Array> {
  const names = await NameBytes.of(graph.names, options.memory ?? DEFAULT_MEMORY);
  const chunk = new Chunk();
  for await (const { first, count, offsets, targets } of graph.out.scan()) {
    for (let i = 0; i < count; i++) {
      if (offsets[i] === offsets[i + 1]) continue;
      const from = names.held(first + i) ?? (await names.fetch(first + i));
      for (let at = offsets[i]; at < offsets[i + 1]; at++) {
        const to = names.held(targets[at]) ?? (await names.fetch(targets[at]));
        chunk.add(from, TAB);
        chunk.add(to, LF);
        if (chunk.isFull) yield chunk.take();
      }
    }
    report(options, (first + count) / graph.nodes);
  }
  yield chunk.take();
}

function report({ onProgress, signal }: ExportOptions, share: number): void {
  stopIfAsked(signal);
  onProgress?.(share);
}

/** Names as bytes: kept in memory if all fit, otherwise read one by one. */
class NameBytes {
  readonly #names: Names;
  readonly #table: NameTable | undefined;

  private constructor(names: Names, table: NameTable | undefined) {
    this.#names = names;
    this.#table = table;
  }

  static async of(names: Names, memory: number): Promise<NameBytes> {
    const table = new NameTable(memory);
    for await (const name of names.all()) {
      const bytes = Buffer.from(name);
      if (table.append(bytes, 0, bytes.length) < 0) return new NameBytes(names, undefined);
    }
    return new NameBytes(names, table);
  }

  held(id: number): Uint8Array | undefined {
    return this.#table?.bytesOf(id);
  }

  async fetch(id: number): Promise<Uint8Array> {
    return Buffer.from(await this.#names.name(id));
  }
}

/** A piece of text under construction. */
class Chunk {
  #bytes = new Uint8Array(CHUNK_BYTES + 2 * MAX_NAME_BYTES + 64);
  #filled = 0;

  get isFull(): boolean {
    return this.#filled >= CHUNK_BYTES;
  }

  add(field: Uint8Array, end: number): void {
    for (let i = 0; i < field.length; i++) this.#bytes[this.#filled++] = field[i];
    this.#bytes[this.#filled++] = end;
  }

  addNumber(value: number, end: number): void {
    this.add(Buffer.from(String(value)), end);
  }

  take(): Uint8Array {
    const text = this.#bytes.slice(0, this.#filled);
    this.#filled = 0;
    return text;
  }
}

/** Writes a folder with the two files, complete or not at all. */
export async function exportCommonCrawl(
  graph: DiskGraph,
  folder: string,
  options: ExportOptions & { readonly disk?: Disk } = {},
): Promise<void> {
  if (!graph.named || graph.level === 'page') throw noHosts(graph.level);
  const disk = options.disk ?? new Disk();
  const memory = (options.memory ?? DEFAULT_MEMORY) / 2;
  const prefix = graph.level === undefined ? '' : `${graph.level}-`;
  await makeWhole(disk, folder, async (building, scratch) => {
    const runs = new NameRuns(disk, scratch, memory);
    const sorter = new PairSorter(disk, scratch, 'edges', memory, (share) =>
      options.onProgress?.(0.5 + share / 2),
    );
    try {
      await collectReversed(graph.names, runs, await graph.hosts?.());
      await writeText(disk, join(building, `${prefix}vertices.txt.gz`), (file) =>
        writeVertices(runs, file),
      );
      await addRenumbered(arcsIn(graph, options), runs, sorter, { disk, scratch, memory });
      await writeText(disk, join(building, `${prefix}edges.txt.gz`), (file) =>
        writeEdges(sorter, file),
      );
    } finally {
      await sorter.abandon();
      await runs.close();
    }
  });
}

/**
 * The place of each node in the order of Common Crawl, which is that of the reversed names. Uses an
 * empty folder for temporary files.
 */
export async function reversedPlaces(
  graph: Graph,
  disk: Disk,
  scratch: string,
  memory: Bytes,
): Promise<Uint32Array> {
  const runs = new NameRuns(disk, scratch, memory);
  try {
    await collectReversed(graph.names, runs);
    await runs.merge(() => undefined);
    return await allRanks(runs, graph.nodes);
  } finally {
    await runs.close();
  }
}

/** With numbers of hosts, each follows its name. */
async function collectReversed(names: Names, runs: NameRuns, hosts?: Uint32Array): Promise<void> {
  let id = 0;
  for await (const name of names.all()) {
    const bytes = Buffer.from(reversed(name) + (hosts ? `\t${hosts[id]}` : ''));
    id++;
    if (runs.append(bytes, 0, bytes.length) >= 0) continue;
    await runs.endRun(false);
    runs.append(bytes, 0, bytes.length);
  }
  await runs.endRun(true);
}

async function* arcsIn(graph: Graph, options: ExportOptions): AsyncGenerator<IdArcs> {
  for await (const block of graph.out.scan()) {
    yield arcsOf(block);
    report(options, (block.first + block.count) / graph.nodes / 2);
  }
}

/** Writes `id⇥reversed.name`, and hosts if there are, in byte order of the reversed names. */
async function writeVertices(runs: NameRuns, file: TextFile): Promise<void> {
  const chunk = new Chunk();
  let id = 0;
  await runs.merge((bytes, length) => {
    chunk.addNumber(id++, TAB);
    chunk.add(bytes.subarray(0, length), LF);
    return chunk.isFull ? file.write(chunk.take()) : undefined;
  });
  await file.write(chunk.take());
}

async function writeEdges(sorter: PairSorter, file: TextFile): Promise<void> {
  const chunk = new Chunk();
  for await (const { first, count, offsets, values } of sorter.sorted()) {
    for (let i = 0; i < count; i++) {
      for (let at = offsets[i]; at < offsets[i + 1]; at++) {
        chunk.addNumber(first + i, TAB);
        chunk.addNumber(values[at], LF);
        if (chunk.isFull) await file.write(chunk.take());
      }
    }
  }
  await file.write(chunk.take());
}

function noHosts(level: GraphLevel | undefined): DrumlinError {
  return new DrumlinError(
    'GRAPH_EXPORT',
    `Common Crawl's files name hosts or domains, but this graph's nodes are ${level === 'page' ? 'pages' : 'numbers'}.`,
    'Export it with --format edges.',
  );
}
