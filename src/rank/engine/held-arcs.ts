/**
 * The arcs of a graph for iterative methods, which sum over them again and again.
 *
 * Idea      If they fit, lists are read once and kept in the kernel's memory, relabelled. If not,
 *           only the vectors are kept, and each sum reads the lists again, a block at a time
 *           through the same kernel. The method does not see the difference.
 * Requires  vectors made by `vector()`, as many as were planned. They are in the order of the
 *           kernel's own numbers of nodes: `number` and `byNode` translate.
 * Costs     in memory: 4 bytes per arc and direction; per node 4 bytes a direction, 8 a vector, and
 *           16 more. Streaming: 8 bytes per node and vector, 12 more per node, and a block.
 */
import { DrumlinError } from '../../base/errors.ts';
import { formatBytes, formatCount } from '../../base/units.ts';
import { type Adjacency, BLOCK_ARCS } from '../../graph/graph.ts';
import { Kernel, planRows, type Rows, rowsBytes, usefulThreads } from './kernel.ts';
import { MOST_BYTES, requireMemory } from './memory.ts';
import type { RankOptions } from './ranker.ts';
import { loadRows, placesByDegree } from './relabel.ts';

/** Rows of the kernel; `first` is the number of the first one among all rows. */
interface Portion {
  readonly rows: Rows;
  readonly first: number;
}

export interface HeldArcs {
  readonly kernel: Kernel;
  /** Whether the lists are in memory or read again for each sum. */
  readonly held: 'memory' | 'stream';
  readonly bytesRead: number;
  /**
   * All rows of one of the directions, in portions; a portion is valid until the next is asked for.
   */
  portions(direction: number): AsyncIterable<Portion>;
  /** `width` numbers a node, side by side: as many of the planned vectors. */
  vector(width?: number): Float64Array;
  /** The kernel's number of a node. */
  number(node: number): number;
  /** A copy by node, outside the kernel's memory; of a wide vector, one `lane`. */
  byNode(vector: Float64Array, width?: number, lane?: number): Float64Array;
  close(): Promise<void>;
}

interface ArcsWanted {
  readonly nodes: number;
  readonly arcs: number;
  /** The directions to sum over. */
  readonly lists: readonly Adjacency[];
  /** How often each node is read. */
  readonly degrees: Uint32Array;
  readonly vectors: number;
  /** Bytes in the kernel's memory beside the vectors. */
  readonly bytes?: number;
  /** Vectors of the same size that the caller keeps elsewhere. */
  readonly others: number;
}

type StreamWanted = Pick<ArcsWanted, 'nodes' | 'lists' | 'vectors' | 'bytes'>;

/**
 * Bytes per node beside the kernel: degrees and numbers while lists are read; degrees, numbers and
 * scores at the end.
 */
const KEPT_BYTES = 16;
/** Bytes per node beside the kernel when streaming: the same without numbers. */
const STREAMED_BYTES = 12;

export async function holdArcs(wanted: ArcsWanted, options: RankOptions): Promise<HeldArcs> {
  const { nodes, arcs, lists, vectors, bytes = 0, others } = wanted;
  const resident = lists.length * rowsBytes(nodes, arcs) + 8 * vectors * nodes + bytes;
  if (resident <= MOST_BYTES && resident + (KEPT_BYTES + 8 * others) * nodes <= options.memory) {
    return ResidentArcs.load(wanted, resident, usefulThreads(options.threads, nodes, arcs));
  }
  const least = (8 * (vectors + others) + STREAMED_BYTES) * nodes + bytes;
  requireMemory(options.memory, {
    what: `The vectors of ${formatCount(nodes)} nodes`,
    bytes: least,
    reach: Number.POSITIVE_INFINITY, // part of it is outside the kernel; StreamedArcs checks that
  });
  return StreamedArcs.open(wanted);
}

/** Arcs for a method that reads the lists once: nothing is kept. */
export function streamArcs(wanted: StreamWanted): Promise<HeldArcs> {
  return StreamedArcs.open(wanted);
}

class ResidentArcs implements HeldArcs {
  readonly held = 'memory';
  readonly bytesRead: number;
  readonly kernel: Kernel;
  readonly #rows: readonly Rows[];
  readonly #places: Uint32Array;

  static async load(
    { lists, arcs, degrees }: ArcsWanted,
    capacity: number,
    threads: number,
  ): Promise<HeldArcs> {
    const kernel = new Kernel(capacity, threads);
    try {
      const places = placesByDegree(degrees);
      const rows: Rows[] = [];
      for (const one of lists) rows.push(await loadRows(kernel, one, arcs, places));
      return new ResidentArcs(
        kernel,
        rows,
        places,
        lists.reduce((sum, one) => sum + one.bytes, 0),
      );
    } catch (error) {
      await kernel.close();
      throw error;
    }
  }

  private constructor(
    kernel: Kernel,
    rows: readonly Rows[],
    places: Uint32Array,
    bytesRead: number,
  ) {
    this.kernel = kernel;
    this.#rows = rows;
    this.#places = places;
    this.bytesRead = bytesRead;
  }

  async *portions(direction: number): AsyncGenerator<Portion> {
    yield { rows: this.#rows[direction], first: 0 };
  }

  vector(width = 1): Float64Array {
    const length = width * this.#places.length;
    return this.kernel.f64(this.kernel.allocate(8 * length), length);
  }

  number(node: number): number {
    return this.#places[node];
  }

  byNode(vector: Float64Array, width = 1, lane = 0): Float64Array {
    const result = new Float64Array(this.#places.length);
    for (let node = 0; node < result.length; node++)
      result[node] = vector[width * this.#places[node] + lane];
    return result;
  }

  close(): Promise<void> {
    return this.kernel.close();
  }
}

class StreamedArcs implements HeldArcs {
  readonly held = 'stream';
  bytesRead = 0;
  readonly kernel: Kernel;
  readonly #nodes: number;
  readonly #lists: readonly Adjacency[];
  readonly #longest: number;
  readonly #rows: Rows;

  static async open(wanted: StreamWanted): Promise<HeldArcs> {
    let longest = BLOCK_ARCS;
    for (const lists of wanted.lists)
      for (const degree of await lists.degrees()) if (degree > longest) longest = degree;
    const { nodes, vectors, bytes = 0 } = wanted;
    const capacity = rowsBytes(BLOCK_ARCS, longest) + 8 * vectors * nodes + bytes;
    if (capacity <= MOST_BYTES) return new StreamedArcs(wanted, longest, capacity);
    throw new DrumlinError(
      'GRAPH_SIZE',
      `The vectors of ${formatCount(wanted.nodes)} nodes take ${formatBytes(capacity)}; at most ${formatBytes(MOST_BYTES)} can be used.`,
      'Rank by in, opic or tse, which need less.',
    );
  }

  /** A block is copied into rows planned for the largest possible block. */
  private constructor({ nodes, lists }: StreamWanted, longest: number, capacity: number) {
    this.#nodes = nodes;
    this.#lists = lists;
    this.#longest = longest;
    this.kernel = new Kernel(capacity, 1);
    this.#rows = planRows(this.kernel, BLOCK_ARCS, longest, () => 0);
  }

  async *portions(direction: number): AsyncGenerator<Portion> {
    const { kernel } = this;
    const rows: Rows = { ...this.#rows, chunks: 1 };
    const offsets = kernel.u32(rows.offsets, BLOCK_ARCS + 1);
    const targets = kernel.u32(rows.targets, this.#longest);
    const bounds = kernel.u32(rows.bounds, 2);
    for await (const block of this.#lists[direction].scan()) {
      offsets.set(block.offsets);
      targets.set(block.targets);
      bounds[1] = block.count;
      yield { rows, first: block.first };
    }
    this.bytesRead += this.#lists[direction].bytes;
  }

  vector(width = 1): Float64Array {
    const length = width * this.#nodes;
    return this.kernel.f64(this.kernel.allocate(8 * length), length);
  }

  number(node: number): number {
    return node;
  }

  byNode(vector: Float64Array, width = 1, lane = 0): Float64Array {
    // A copy, so that the kernel's memory can be freed.
    const result = new Float64Array(this.#nodes);
    for (let node = 0; node < result.length; node++) result[node] = vector[width * node + lane];
    return result;
  }

  close(): Promise<void> {
    return this.kernel.close();
  }
}
