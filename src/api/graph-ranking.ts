/** Rankings of a graph as a program sees them. */

/** A ranking method. */
export type RankingMethod =
  | 'in'
  | 'opic'
  | 'pagerank'
  | 'trustrank'
  | 'cheirank'
  | '2drank'
  | 'hits'
  | 'supp'
  | 'supp-a'
  | 'supp-b'
  | 'qvs'
  | 'bit-vector'
  | 'harmonic'
  | 'hyperball'
  | 'tse'
  | 'trusted'
  | 'grouped'
  | 'live';

/** How to rank the nodes of a graph. */
export interface RankRequest {
  /** The method, such as `pagerank`, `trustrank`, `hits` or `tse`. */
  readonly by: RankingMethod;
  /** The number of threads. Default: 1. */
  readonly threads?: number;
  /** The memory for everything that grows with the graph, in bytes. Default: 2 GiB. */
  readonly memory?: number;
  /** Called now and then with the share of the work that is done, 1 at the end. */
  readonly onProgress?: (done: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
  /**
   * Parameters of the method, such as `alpha` of `pagerank`: a number, text, or names of nodes (a
   * list, or {@link NodeWeights}). `drumlin rank --list` prints the parameters of each method.
   */
  readonly [parameter: string]: unknown;
}

/** Weights of nodes by name. */
export type NodeWeights = ReadonlyMap<string, number>;

/** The result of a ranking. */
export interface Ranking {
  /** The method. */
  readonly by: string;
  /** The score of each node; greater is better. */
  readonly scores: Float64Array;
  /** Facts about the run, such as its iterations. */
  readonly facts: Readonly<Record<string, number | string>>;
  /**
   * If scores are estimates: the least and the most that a score may be in truth, with 95 %
   * certainty.
   */
  readonly interval?: ((score: number) => readonly [low: number, high: number]) | undefined;
  /** The numbers of the best nodes, best first; all nodes if `top` is left out. */
  order(top?: number): Uint32Array;
  /** The best nodes with their names, best first; all nodes if `count` is left out. */
  top(count?: number): AsyncGenerator<RankedNode>;
  /** The nodes of a set with their names, best first: places in the set beside those among all. */
  among(nodes: Iterable<number>): AsyncGenerator<RankedMember>;
}

/** A node and its place in a ranking. */
export interface RankedNode {
  /** Its rank, from 1. */
  readonly rank: number;
  /** Its name. */
  readonly name: string;
  /** Its score. */
  readonly score: number;
  /** If the score is an estimate: the least that it may be in truth, with 95 % certainty. */
  readonly low?: number;
  /** If the score is an estimate: the most that it may be in truth, with 95 % certainty. */
  readonly high?: number;
}

/** A node of a set, its place in the set and its place among all nodes. */
export interface RankedMember extends RankedNode {
  /** Its rank among all nodes, from 1; `rank` is that within the set. */
  readonly overall: number;
}
