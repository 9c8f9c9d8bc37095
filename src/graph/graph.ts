/**
 * A directed graph of the web, as all readers see it: names, and arcs in both directions.
 *
 * Idea      Nodes are the numbers 0 .. nodes - 1, in byte order of their names, so an order of ids
 *           is an order of names. Arcs are read block by block, in order: a ranker needs memory
 *           only for its own data.
 * Ensures   lists are strictly increasing: no arc is there twice. An arc from a node to itself is
 *           an arc like any other. `in` holds exactly the arcs of `out`, reversed.
 *
 * docs/graph.md gives the format of the folder.
 */

export interface Graph {
  readonly nodes: number;
  readonly arcs: number;
  /** For each node, the nodes it links to. */
  readonly out: Adjacency;
  /** For each node, the nodes that link to it. */
  readonly in: Adjacency;
  readonly names: Names;
  close(): Promise<void>;
}

/**
 * In a graph without names, a node's name is its id in decimal: there, and only there, 10 comes
 * after 2.
 */
export interface Names {
  name(id: number): Promise<string>;
  id(name: string): Promise<number | undefined>;
  /** All names, in the order of ids. */
  all(): AsyncGenerator<string>;
}

/** Arcs by node, read in order and in bounded memory. */
export interface Adjacency {
  /**
   * Blocks of consecutive nodes that cover [from, to), each of about `blockArcs` arcs and at most
   * as many nodes. A list is never split: one that is longer than `blockArcs` is alone in its
   * block. A block is valid until the next is asked for.
   */
  scan(options?: ScanOptions): AsyncGenerator<AdjacencyBlock>;
  /** The length of every list. */
  degrees(): Promise<Uint32Array>;
  /** Everything in memory; on request in shared memory, for other threads. */
  load(options?: { shared?: boolean }): Promise<Csr>;
  /** Size of the lists: on disk, or in memory if there are no files. */
  readonly bytes: number;
}

export interface ScanOptions {
  readonly from?: number;
  readonly to?: number;
  readonly blockArcs?: number;
}

/** The list of node `first + i` is `targets[offsets[i] .. offsets[i + 1])`. */
export interface AdjacencyBlock {
  readonly first: number;
  readonly count: number;
  /** `count + 1` offsets, from 0. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** The list of node `i` is `targets[offsets[i] .. offsets[i + 1])`; at most 2^32 - 1 arcs. */
export interface Csr {
  /** `nodes + 1` offsets. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** 256 KB of targets: they fit the cache of a core, and the fixed cost of a block is negligible. */
export const BLOCK_ARCS = 65_536;
