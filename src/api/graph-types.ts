/** Graphs as a program sees them. */

/** What the nodes of a graph are. */
export type GraphLevel = 'page' | 'host' | 'domain';

/**
 * A directed graph. Nodes are the numbers from 0 to `nodes - 1`, in byte order of their names. No
 * arc is there twice.
 */
export interface Graph {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of arcs. */
  readonly arcs: number;
  /** For each node, the nodes that it links to. */
  readonly out: Adjacency;
  /** For each node, the nodes that link to it. */
  readonly in: Adjacency;
  /** The names of the nodes. */
  readonly names: Names;
  /** Closes the files of the graph. */
  close(): Promise<void>;
}

/** A graph in a folder. */
export interface DiskGraph extends Graph {
  /** What the nodes are; undefined if it was not stored. */
  readonly level: GraphLevel | undefined;
  /** Whether nodes have names of their own; otherwise their numbers are their names. */
  readonly named: boolean;
  /** The size of the names on disk, in bytes. */
  readonly nameBytes: number;
  /** Reads the number of hosts of each node; undefined if it is not known. */
  readonly hosts: (() => Promise<Uint32Array>) | undefined;
}

/** The names of the nodes of a graph. */
export interface Names {
  /** The name of a node. */
  name(id: number): Promise<string>;
  /** The node with a name; undefined if there is none. */
  id(name: string): Promise<number | undefined>;
  /** All names, in the order of nodes. */
  all(): AsyncGenerator<string>;
}

/** The arcs of a graph in one direction: a strictly increasing list for each node. */
export interface Adjacency {
  /** Reads lists in order and in bounded memory. A block is valid until the next is asked for. */
  scan(options?: ScanOptions): AsyncGenerator<AdjacencyBlock>;
  /** The length of the list of each node. */
  degrees(): Promise<Uint32Array>;
  /** Loads all lists into memory. */
  load(options?: LoadOptions): Promise<Csr>;
  /** The size of the lists, in bytes: on disk, or in memory for a graph without a folder. */
  readonly bytes: number;
}

/** Which lists to read. */
export interface ScanOptions {
  /** The first node. Default: 0. */
  readonly from?: number;
  /** The node after the last. Default: the number of nodes. */
  readonly to?: number;
  /** The arcs in a block, about; a longer list has a block of its own. Default: 65,536. */
  readonly blockArcs?: number;
}

/** How to load lists. */
export interface LoadOptions {
  /** Whether to use shared memory, for other threads. Default: false. */
  readonly shared?: boolean;
}

/** Lists of consecutive nodes: that of `first + i` is `targets[offsets[i] .. offsets[i + 1])`. */
export interface AdjacencyBlock {
  /** The first node. */
  readonly first: number;
  /** The number of nodes. */
  readonly count: number;
  /** Where each list begins in `targets`: `count + 1` numbers, from 0. */
  readonly offsets: Uint32Array;
  /** The lists, one after the other. */
  readonly targets: Uint32Array;
}

/** All lists in memory: that of node `i` is `targets[offsets[i] .. offsets[i + 1])`. */
export interface Csr {
  /** Where each list begins in `targets`: one number more than there are nodes. */
  readonly offsets: Uint32Array;
  /** The lists, one after the other. */
  readonly targets: Uint32Array;
}

/** What is stored about a graph. */
export interface GraphFacts {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of arcs. */
  readonly arcs: number;
  /** Whether nodes have names of their own; otherwise their numbers are their names. */
  readonly named: boolean;
  /** What the nodes are; absent if it was not stored. */
  readonly level?: GraphLevel;
  /** Whether the number of hosts of each node is known. */
  readonly hosts?: boolean;
}

/** A description of a graph. */
export interface GraphInfo {
  /** The number of nodes. */
  readonly nodes: number;
  /** The number of arcs. */
  readonly arcs: number;
  /** The out-degrees. */
  readonly out: DegreeFacts;
  /** The in-degrees. */
  readonly in: DegreeFacts;
  /** The number of nodes without links to others. */
  readonly dangling: number;
  /** The number of nodes without links from others. */
  readonly unreferenced: number;
  /** The number of nodes without links to or from others. */
  readonly isolated: number;
  /** The number of arcs from a node to itself. */
  readonly loops: number;
  /** Of the other arcs, the share whose reverse is there too, 0 to 1. */
  readonly reciprocity: number;
  /** Strongly connected components; absent if the memory was too small. */
  readonly components?: Components;
  /** The memory that finding components needs, in bytes. */
  readonly componentMemory: number;
  /** The size of the lists of both directions, in bytes. */
  readonly bytes: {
    /** The lists of links to others. */
    readonly out: number;
    /** The lists of links from others. */
    readonly in: number;
  };
}

/** How degrees are distributed. */
export interface DegreeFacts {
  /** The mean. */
  readonly mean: number;
  /** The standard deviation. */
  readonly deviation: number;
  /** The third central moment over the third power of the deviation; 0 if all degrees are equal. */
  readonly skewness: number;
  /** The largest degree. */
  readonly largest: number;
  /** The name of the first node with the largest degree; absent in a graph without nodes. */
  readonly largestNode?: string;
}

/** Strongly connected components: sets of nodes that can all reach each other. */
export interface Components {
  /** The number of components. */
  readonly count: number;
  /** The number of nodes of the largest. */
  readonly largest: number;
}
