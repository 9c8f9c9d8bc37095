/**
 * Sums over the arcs of a graph, in both directions, with the arcs in memory or read again each time: what an iterative method needs
 * when it is more than a random walk.
 *
 * Requires  vectors made by `vector()`; they are in an order of nodes of their own, which only `fromNodes` and `byNode` know.
 * Costs     8 bytes an arc and 16 a node in memory, and the vectors; else the vectors only, and one reading of the graph a sum.
 */
import { DrumlinError } from '../errors.ts';
import type { Adjacency, Graph } from '../graph/graph.ts';
import { formatBytes, formatCount } from '../units.ts';
import { Kernel, MOST_BYTES, type Rows, rowsBytes } from './kernel.ts';
import type { RankOptions } from './ranker.ts';
import { byNode, loadRows, placesByDegree } from './relabel.ts';

export interface ArcSums {
  readonly held: 'memory' | 'stream';
  readonly bytesRead: number;
  vector(): Float64Array;
  /** result[v] = Σ given[u] over the arcs u → v (`in`) or v → u (`out`). */
  sum(direction: 'in' | 'out', given: Float64Array, result: Float64Array): Promise<void>;
  fromNodes(values: Float64Array): Float64Array;
  byNode(vector: Float64Array): Float64Array;
  close(): Promise<void>;
}

/** Plans for `vectors` vectors in all. */
export async function openArcSums(graph: Graph, vectors: number, options: RankOptions): Promise<ArcSums> {
  const { nodes, arcs } = graph;
  const capacity = 2 * rowsBytes(nodes, arcs) + 8 * vectors * nodes;
  if (capacity <= MOST_BYTES && capacity + 16 * nodes <= options.memory)
    return loadSums(graph, capacity, options.threads);
  const least = 8 * vectors * nodes;
  if (least <= options.memory) return new StreamSums(graph);
  throw new DrumlinError(
    'MEMORY',
    `The vectors of ${formatCount(nodes)} nodes take ${formatBytes(least)}; ${formatBytes(options.memory)} are given.`,
    `Give --memory ${Math.ceil(least / 1e6)}M or more.`,
  );
}

async function loadSums(graph: Graph, capacity: number, threads: number): Promise<ArcSums> {
  const kernel = new Kernel(capacity, threads);
  try {
    const places = placesByDegree(await graph.out.degrees());
    const rows = {
      in: await loadRows(kernel, graph.in, graph.arcs, places),
      out: await loadRows(kernel, graph.out, graph.arcs, places),
    };
    return new MemorySums(kernel, rows, places, graph.in.bytes + graph.out.bytes);
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

class MemorySums implements ArcSums {
  readonly held = 'memory';
  readonly bytesRead: number;
  readonly #kernel: Kernel;
  readonly #rows: Readonly<Record<'in' | 'out', Rows>>;
  readonly #places: Uint32Array;

  constructor(
    kernel: Kernel,
    rows: Readonly<Record<'in' | 'out', Rows>>,
    places: Uint32Array,
    bytesRead: number,
  ) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#places = places;
    this.bytesRead = bytesRead;
  }

  vector(): Float64Array {
    const nodes = this.#places.length;
    return this.#kernel.f64(this.#kernel.allocate(8 * nodes), nodes);
  }

  sum(direction: 'in' | 'out', given: Float64Array, result: Float64Array): Promise<void> {
    return this.#kernel.sums(this.#rows[direction], given.byteOffset, result.byteOffset);
  }

  fromNodes(values: Float64Array): Float64Array {
    const vector = this.vector();
    for (let node = 0; node < values.length; node++) vector[this.#places[node]] = values[node];
    return vector;
  }

  byNode(vector: Float64Array): Float64Array {
    return byNode(vector, this.#places);
  }

  close(): Promise<void> {
    return this.#kernel.close();
  }
}

class StreamSums implements ArcSums {
  readonly held = 'stream';
  bytesRead = 0;
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  vector(): Float64Array {
    return new Float64Array(this.#graph.nodes);
  }

  async sum(direction: 'in' | 'out', given: Float64Array, result: Float64Array): Promise<void> {
    const lists: Adjacency = this.#graph[direction];
    for await (const { first, count, offsets, targets } of lists.scan()) {
      for (let i = 0; i < count; i++) {
        const end = offsets[i + 1];
        let sum = 0;
        for (let at = offsets[i]; at < end; at++) sum += given[targets[at]];
        result[first + i] = sum;
      }
    }
    this.bytesRead += lists.bytes;
  }

  fromNodes(values: Float64Array): Float64Array {
    return values;
  }

  byNode(vector: Float64Array): Float64Array {
    return vector;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
