/**
 * Rankings of a graph's nodes: `rank(graph, { by: 'pagerank', alpha: 0.9 })`.
 *
 * A method takes a graph and gives each node a score (ranker.ts). Scores are ordered greatest
 * first, ties by name (order.ts). registry.ts knows the methods by name. docs/ranking.md explains
 * what each is good for and what it costs.
 */

import { stopIfAsked } from '../base/stop.ts';
import type { Bytes } from '../base/units.ts';
import type { Graph } from '../graph/graph.ts';
import { order, orderedPieces, placesAmongAll } from './engine/order.ts';
import { checkParameters, type Given } from './engine/parameters.ts';
import type { RankResult } from './engine/ranker.ts';
import { findRanker } from './registry.ts';

export { order } from './engine/order.ts';
export type { NodeWeights, Ranker, RankResult } from './engine/ranker.ts';
export { findRanker, RANKER_NAMES } from './registry.ts';

const MEMORY: Bytes = 2 * 2 ** 30;

export interface RankRequest {
  /** The method: in, opic, pagerank, trustrank, cheirank, 2drank, hits … */
  readonly by: string;
  readonly threads?: number;
  readonly memory?: Bytes;
  /** Called with the share of the work that is done; it only grows, and is 1 at the end. */
  readonly onProgress?: (done: number) => void;
  /** Stops the work the next time it reports progress; temporary files are deleted. */
  readonly signal?: AbortSignal;
  /** The method's own parameters; `drumlin rank --list` prints them. */
  readonly [parameter: string]: Given | ((done: number) => void) | AbortSignal;
}

export interface RankedNode {
  /** Place in the ranking, from 1. */
  readonly rank: number;
  readonly name: string;
  readonly score: number;
  /** Of an estimate: what the score may be in truth, with 95 % certainty. */
  readonly low?: number;
  readonly high?: number;
}

export interface RankedMember extends RankedNode {
  /** Place among all nodes, from 1; `rank` is the place within the set. */
  readonly overall: number;
}

export interface Ranking extends Omit<RankResult, 'ties'> {
  readonly by: string;
  /** The ids of the best nodes, best first. */
  order(top?: number): Uint32Array;
  /** The best nodes, best first, named one by one as they are asked for. */
  top(count?: number): AsyncGenerator<RankedNode>;
  /** The nodes of a set, best first. */
  among(nodes: Iterable<number>): AsyncGenerator<RankedMember>;
}

export async function rank(graph: Graph, request: RankRequest): Promise<Ranking> {
  const { by, threads = 1, memory = MEMORY, onProgress, signal, ...given } = request;
  const ranker = await findRanker(by);
  const values = checkParameters(by, ranker.parameters, given as Readonly<Record<string, Given>>);
  const { scores, ties, facts, interval } = await ranker.run(graph, values, {
    threads: Math.max(1, Math.floor(threads)),
    memory,
    onProgress: onlyForward(onProgress, signal),
  });
  onProgress?.(1);
  const scoreOf = (id: number) => {
    const score = scores[id];
    if (interval === undefined) return { score };
    const [low, high] = interval(score);
    return { score, low, high };
  };
  return {
    by,
    scores,
    facts,
    interval,
    order: (top) => order(scores, top, ties),
    async *top(count) {
      let place = 0;
      const kept = scores.byteLength + (ties?.byteLength ?? 0);
      const room = Math.max(0, memory - kept);
      for (const ids of orderedPieces(scores, { top: count, room, ties })) {
        for (const id of ids)
          yield { rank: ++place, name: await graph.names.name(id), ...scoreOf(id) };
      }
    },
    async *among(wanted) {
      const { nodes, places } = placesAmongAll(scores, wanted, ties);
      for (const [i, id] of nodes.entries()) {
        const name = await graph.names.name(id);
        yield { rank: i + 1, overall: places[i], name, ...scoreOf(id) };
      }
    },
  };
}

/** The best nodes of a ranking. */
type BestNodes = Pick<Ranking, 'facts' | 'top'>;

/**
 * The same as `rank`, for a caller that wants the best `count` nodes and nothing else: some methods
 * then need far less memory.
 */
export async function rankBest(
  graph: Graph,
  request: RankRequest,
  count: number,
): Promise<BestNodes> {
  const { by, threads = 1, memory = MEMORY, onProgress, signal, ...given } = request;
  const ranker = await findRanker(by);
  if (!ranker.best || count > graph.nodes * SHORT_LIST) return rank(graph, request);
  const values = checkParameters(by, ranker.parameters, given as Readonly<Record<string, Given>>);
  const forward = onlyForward(onProgress, signal);
  const options = { threads: Math.max(1, Math.floor(threads)), memory, onProgress: forward };
  const best = await ranker.best(graph, values, options, count);
  if (!best) return rank(graph, request);
  onProgress?.(1);
  const { nodes, scores, facts, interval } = best;
  return {
    facts,
    async *top(most = count) {
      for (let i = 0; i < Math.min(most, count, nodes.length); i++) {
        const [low, high] = interval?.(scores[i]) ?? [];
        const range = low === undefined || high === undefined ? {} : { low, high };
        const name = await graph.names.name(nodes[i]);
        yield { rank: i + 1, name, score: scores[i], ...range };
      }
    },
  };
}

/** Up to this share of all nodes, the best are found without the scores of all. */
const SHORT_LIST = 1 / 64;

/**
 * Passes progress on only when it grows, because estimates may fall. The caller reports the end.
 */
function onlyForward(
  onProgress: RankRequest['onProgress'],
  signal: AbortSignal | undefined,
): (done: number) => void {
  let furthest = 0;
  return (done) => {
    stopIfAsked(signal);
    if (done >= 1 || !(done > furthest)) return;
    furthest = done;
    onProgress?.(done);
  };
}
