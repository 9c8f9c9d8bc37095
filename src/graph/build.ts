/**
 * Builds the folder of a graph, in the given memory.
 *
 * Idea      Arcs come in any order. Names are numbered by byte order (name-runs.ts), arcs are
 *           sorted by source (external-sort.ts) and written. While they are written they enter a
 *           second sort by target, which gives the lists of the other direction.
 * Ensures   repeated arcs count once, arcs from a node to itself are kept. The folder appears when
 *           it is complete and durable; if anything fails, nothing is left.
 * Costs     for ids, 8 bytes an arc on disk, at most two copies at a time, written four times if
 *           there are more than a million; about 0.3 µs an arc. For names, in addition, the cost of
 *           NameRuns.
 */

import { DrumlinError } from '../base/errors.ts';
import { stopIfAsked } from '../base/stop.ts';
import type { Bytes } from '../base/units.ts';
import { VERSION } from '../base/version.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { type Groups, PairSorter } from '../disk/external-sort.ts';
import { makeWhole } from '../disk/whole-folder.ts';
import type { IdArcs, NameArcs, NameBatch } from './arcs.ts';
import { GRAPH_FILE, GRAPH_FORMAT, type GraphFacts, type GraphLevel } from './graph-file.ts';
import { type Direction, MAX_NODES } from './list-format.ts';
import { ListWriter } from './list-writer.ts';
import { NameRuns } from './name-runs.ts';
import { HostWriter, NameWriter } from './name-writer.ts';
import { NamedArcs } from './named-arcs.ts';
import { addRenumbered } from './renumber.ts';

/** The input of a graph. */
type GraphSource =
  /**
   * Nodes are numbers without other names: `nodes` of them, or as many as the largest number
   * requires.
   */
  | { readonly ids: AsyncIterable<IdArcs>; readonly nodes?: number }
  /** Nodes have names. */
  | { readonly names: AsyncIterable<NameArcs> }
  /**
   * Nodes are numbered from 0 in the order of their names here; the graph numbers them anew. After
   * each name, or after none, there may be a tab and the number of its hosts.
   */
  | { readonly numbered: AsyncIterable<NameBatch>; readonly arcs: AsyncIterable<IdArcs> };

/** The steps of a build. The reader reports `reading`, the builder the rest. */
export type BuildStep =
  | 'reading'
  | 'numbering names'
  | 'translating arcs'
  | 'writing out-lists'
  | 'writing in-lists';

export interface BuildOptions {
  /** Memory limit. Default 256 MiB. */
  readonly memory?: Bytes;
  /** What the nodes are; stored in graph.json. */
  readonly level?: GraphLevel | undefined;
  readonly disk?: Disk;
  /** Called from time to time with the share of a step that is done. */
  readonly onProgress?: (step: BuildStep, share: number) => void;
  readonly signal?: AbortSignal;
}

export const DEFAULT_MEMORY: Bytes = 256 * 2 ** 20;

export async function buildGraph(
  folder: string,
  source: GraphSource,
  options: BuildOptions = {},
): Promise<GraphFacts> {
  const disk = options.disk ?? new Disk();
  return makeWhole(disk, folder, (building, scratch) =>
    new GraphBuilder(disk, building, scratch, options).build(source),
  );
}

class GraphBuilder {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #scratch: string;
  readonly #options: BuildOptions;
  readonly #memory: number;
  /** Buffer of each file that is written. */
  readonly #bufferBytes: number;
  #hasHosts = false;

  constructor(disk: Disk, folder: string, scratch: string, options: BuildOptions) {
    this.#disk = disk;
    this.#folder = folder;
    this.#scratch = scratch;
    this.#options = options;
    this.#memory = options.memory ?? DEFAULT_MEMORY;
    this.#bufferBytes = Math.max(4096, Math.min(256 * 1024, Math.floor(this.#memory / 64)));
  }

  async build(source: GraphSource): Promise<GraphFacts> {
    // The names and the sorter of arcs are in memory at the same time for a while.
    const sorter = this.#sorter('out', 'ids' in source ? this.#memory : this.#memory / 2);
    try {
      const nodes = await this.#take(source, sorter);
      const arcs = await this.#writeLists(nodes, sorter);
      const { level } = this.#options;
      const named = !('ids' in source);
      const hosts = this.#hasHosts && { hosts: true };
      const facts: GraphFacts = { nodes, arcs, named, ...(level && { level }), ...hosts };
      const content = { drumlin: 'graph', format: GRAPH_FORMAT, version: VERSION, ...facts };
      const text = `${JSON.stringify(content, null, 2)}\n`;
      await replaceFile(this.#disk, this.#folder, GRAPH_FILE, Buffer.from(text));
      return facts;
    } finally {
      await sorter.abandon();
    }
  }

  #sorter(direction: Direction, memory: number): PairSorter {
    return new PairSorter(this.#disk, this.#scratch, direction, memory, (share) =>
      this.#report(`writing ${direction}-lists`, share),
    );
  }

  /** Puts all arcs into the sorter, by the numbers of the graph. Returns the number of nodes. */
  #take(source: GraphSource, sorter: PairSorter): Promise<number> {
    if ('ids' in source) return this.#takeIds(source.ids, source.nodes, sorter);
    if ('names' in source) return this.#takeNames(source.names, sorter);
    return this.#takeNumbered(source.numbered, source.arcs, sorter);
  }

  async #takeIds(
    arcs: AsyncIterable<IdArcs>,
    nodes: number | undefined,
    sorter: PairSorter,
  ): Promise<number> {
    let largest = -1;
    for await (const { from, to } of arcs) {
      this.#mayStop();
      largest = Math.max(largest, largestOf(from), largestOf(to));
      if (largest >= (nodes ?? MAX_NODES))
        throw new RangeError(`${largest} is no number of a node`);
      await sorter.add(from, to);
    }
    if (nodes === undefined && largest > SPARSE_NODES + SPARSE_FACTOR * sorter.pairs)
      throw tooSparse(largest, sorter.pairs);
    return nodes ?? largest + 1;
  }

  async #takeNames(batches: AsyncIterable<NameArcs>, sorter: PairSorter): Promise<number> {
    const runs = new NameRuns(this.#disk, this.#scratch, this.#memory / 2);
    const arcs = await NamedArcs.create(this.#disk, this.#scratch, runs);
    try {
      for await (const batch of batches) {
        this.#mayStop();
        await arcs.add(batch);
      }
      await arcs.endRun(true);
      const nodes = await this.#writeNames(runs);
      for await (const { from, to } of arcs.ranked()) {
        await sorter.add(from, to);
        this.#report('translating arcs', sorter.pairs / arcs.arcs);
      }
      return nodes;
    } finally {
      await arcs.abandon();
      await runs.close();
    }
  }

  async #takeNumbered(
    names: AsyncIterable<NameBatch>,
    arcs: AsyncIterable<IdArcs>,
    sorter: PairSorter,
  ): Promise<number> {
    const runs = new NameRuns(this.#disk, this.#scratch, this.#memory / 2);
    try {
      for await (const { bytes, spans, count } of names) {
        this.#mayStop();
        for (let i = 0; i < count; ) {
          if (runs.append(bytes, spans[2 * i], spans[2 * i + 1]) >= 0) i++;
          else await runs.endRun(false);
        }
      }
      await runs.endRun(true);
      const nodes = await this.#writeNames(runs, (name) => {
        throw new RepeatedNameError(name);
      });
      const room = { disk: this.#disk, scratch: this.#scratch, memory: this.#memory / 2 };
      await addRenumbered(this.#within(arcs, nodes), runs, sorter, room);
      return nodes;
    } finally {
      await runs.close();
    }
  }

  async *#within(arcs: AsyncIterable<IdArcs>, nodes: number): AsyncGenerator<IdArcs> {
    for await (const batch of arcs) {
      this.#mayStop();
      const largest = Math.max(largestOf(batch.from), largestOf(batch.to));
      if (largest >= nodes) throw new RangeError(`${largest} is no number of a node`);
      yield batch;
    }
  }

  /** Writes all names. Returns how many there are. */
  async #writeNames(runs: NameRuns, repeated: (name: string) => void = () => {}): Promise<number> {
    let total = 0;
    for (let run = 0; run < runs.runs; run++) total += runs.names(run);
    const writer = await NameWriter.create(this.#disk, this.#folder, this.#bufferBytes);
    const hosts = new HostWriter(this.#disk, this.#folder);
    let done = 0;
    const flush = async () => {
      await writer.flush();
      await hosts.flush();
    };
    try {
      const nodes = await runs.merge(
        (bytes, length) => {
          done++;
          const end = hosts.take(bytes, length);
          if (end < 0) repeated(Buffer.from(bytes.buffer, 0, bytes.indexOf(TAB)).toString('utf8'));
          if (!writer.add(bytes, 0, end)) return undefined;
          this.#report('numbering names', done / total);
          return flush();
        },
        (bytes, length) => {
          done++;
          const [name] = Buffer.from(bytes.buffer, 0, length).toString('utf8').split('\t');
          repeated(name);
        },
      );
      if (nodes > MAX_NODES) throw tooManyNodes(nodes);
      await writer.finish();
      this.#hasHosts = hosts.isUsed;
      await hosts.finish();
      return nodes;
    } finally {
      await writer.abandon();
      await hosts.abandon();
    }
  }

  /** Writes both directions. Returns the number of arcs. */
  async #writeLists(nodes: number, sorter: PairSorter): Promise<number> {
    const turned = this.#sorter('in', this.#memory);
    try {
      const arcs = await this.#writeDirection('out', nodes, sorter, (groups) =>
        addTurned(groups, turned),
      );
      await this.#writeDirection('in', nodes, turned);
      return arcs;
    } finally {
      await turned.abandon();
    }
  }

  async #writeDirection(
    direction: Direction,
    nodes: number,
    sorter: PairSorter,
    alsoTo: (groups: Groups) => Promise<void> = async () => {},
  ): Promise<number> {
    const writer = await ListWriter.create(this.#disk, this.#folder, direction, this.#bufferBytes);
    try {
      for await (const groups of sorter.sorted()) {
        await writer.append(groups);
        await alsoTo(groups);
      }
      await writer.finish(nodes);
      return writer.arcs;
    } finally {
      await writer.abandon();
    }
  }

  #report(step: BuildStep, share: number): void {
    this.#mayStop();
    this.#options.onProgress?.(step, share);
  }

  #mayStop(): void {
    stopIfAsked(this.#options.signal);
  }
}

const TAB = 9;
const SLICE_ARCS = 16_384;

/** Adds the arcs of groups with their ends exchanged: by target. */
async function addTurned(
  { first, count, offsets, values }: Groups,
  sorter: PairSorter,
): Promise<void> {
  const sources = new Uint32Array(SLICE_ARCS);
  let start = 0;
  for (let i = 0; i < count; i++) {
    const end = offsets[i + 1];
    for (let at = offsets[i]; at < end; ) {
      const stop = Math.min(end, start + SLICE_ARCS);
      sources.fill(first + i, at - start, stop - start);
      at = stop;
      if (stop - start < SLICE_ARCS) continue;
      await sorter.add(values.subarray(start, stop), sources, SLICE_ARCS);
      start = stop;
    }
  }
  await sorter.add(values.subarray(start), sources, offsets[count] - start);
}

function largestOf(ids: Uint32Array): number {
  let largest = -1;
  for (let i = 0; i < ids.length; i++) if (ids[i] > largest) largest = ids[i];
  return largest;
}

/**
 * A graph of numbers has a node for every number up to the largest. More nodes per arc than this
 * are most likely a mistake.
 */
const SPARSE_FACTOR = 64;
const SPARSE_NODES = 1_000_000;

function tooSparse(largest: number, arcs: number): DrumlinError {
  return new DrumlinError(
    'GRAPH_SPARSE',
    `The numbers of the nodes go up to ${largest}, but there are only ${arcs} arcs.`,
    'Read the numbers as names (--names), so that only numbers that occur become nodes.',
  );
}

function tooManyNodes(nodes: number): DrumlinError {
  return new DrumlinError(
    'GRAPH_TOO_LARGE',
    `${nodes} nodes are more than a graph can have (${MAX_NODES}).`,
    'Build a graph of hosts or of domains.',
  );
}

/** Two nodes have the same name where names must be unique. */
export class RepeatedNameError extends DrumlinError {
  readonly repeated: string;

  constructor(repeated: string) {
    super(
      'GRAPH_NAMES',
      `The name "${repeated}" occurs twice.`,
      'Give each node a name of its own.',
    );
    this.repeated = repeated;
  }
}
