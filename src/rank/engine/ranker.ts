/**
 * What a ranking method is: a name, a table of its parameters, and a function from a graph to one
 * score a node.
 *
 * Requires  parameters that `checkParameters` has read: complete, in range.
 * Ensures   one finite score for each node, the greater the better; the same scores for the same
 *           graph and parameters, for any number of threads. order.ts orders nodes by their scores.
 *
 * A method is one file that opens with the definition of the paper it comes from; registry.ts lists
 * them all.
 */

import type { Bytes } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';

export interface RankOptions {
  readonly threads: number;
  /**
   * Limit for everything that grows with the graph. A method that can stream stays below it;
   * another refuses a graph that does not fit.
   */
  readonly memory: Bytes;
  /**
   * Called from time to time with the share of the work that is done, 0 to 1. It may throw, to stop
   * the work.
   */
  readonly onProgress?: (done: number) => void;
}

export interface RankResult {
  /** One score per node. */
  readonly scores: Float64Array;
  /** What orders nodes of equal score, the greater the better; by default their names do. */
  readonly ties?: Float64Array;
  /** Facts about the run: iterations, residual, bytes read. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of an estimate: the least and the most that a score may be in truth, with 95 % certainty. */
  readonly interval?: ((score: number) => readonly [low: number, high: number]) | undefined;
}

/** The best nodes alone, best first. */
export interface BestResult extends Omit<RankResult, 'ties'> {
  readonly nodes: Uint32Array;
}

export interface Ranker<P extends Parameters = Parameters> {
  readonly name: string;
  /** A short title for a table or a plot. */
  readonly title: string;
  /** Whether scores are estimates, with an interval. */
  readonly estimates?: boolean;
  readonly parameters: P;
  run(graph: Graph, values: Values<P>, options: RankOptions): Promise<RankResult>;
  /**
   * Finds the best nodes without memory for the scores of all; undefined if that is not possible
   * with these values and this memory.
   */
  best?(
    graph: Graph,
    values: Values<P>,
    options: RankOptions,
    count: number,
  ): Promise<BestResult | undefined>;
}

/** A parameter. Its key is the name in the library; the flag is the same in kebab case. */
export type Parameter = NumberParameter | ChoiceParameter | NodesParameter;
export type Parameters = Readonly<Record<string, Parameter>>;

interface NumberParameter {
  /** A count is a whole number, and may be written as 20k. */
  readonly kind: 'number' | 'count';
  readonly default: number;
  readonly least: number;
  readonly most: number;
  readonly doc: string;
}

interface ChoiceParameter {
  readonly kind: 'choice';
  readonly of: readonly string[];
  readonly default: string;
  readonly doc: string;
}

/**
 * Nodes of the graph, by name, in an order, each with a weight; on the command line, a file.
 * Optional.
 */
interface NodesParameter {
  readonly kind: 'nodes';
  readonly doc: string;
}

/** The weight of each node, in the order given; 1 by default. */
export type NodeWeights = ReadonlyMap<string, number>;

export type Values<P extends Parameters> = { readonly [K in keyof P]: ValueOf<P[K]> };

type ValueOf<P extends Parameter> = P extends NumberParameter
  ? number
  : P extends ChoiceParameter
    ? P['of'][number]
    : NodeWeights | undefined;

/** Lets TypeScript infer the parameters' types from their table. */
export function defineRanker<const P extends Parameters>(ranker: Ranker<P>): Ranker<P> {
  return ranker;
}
