/**
 * LiveRank, double adaptive (`pa+-`): which pages of an old collection are still alive?
 *
 * Definition (Huynh, Mathieu and Viennot, "LiveRank: How to Refresh Old Crawls", section 2.4): some
 * pages were tested. P+ is PageRank whose jump is uniform on those found alive, P- the same walk
 * from those found dead; the probability on dangling nodes is lost (their Eq. 1 has a substochastic
 * matrix). A page scores P+ / P-, where zeros of P- are replaced by its least entry above 0. So a
 * page that living pages lead to and dead ones do not comes first. If all tested pages are alive,
 * or all are dead, nothing can be divided: the score is PageRank.
 *
 * Equal scores, and pages that P+ does not reach, are ordered by PageRank, then by name. Scores
 * that differ only by the rounding of sums are equal: 29 bits of a score count.
 *
 * A ratio is as accurate as its less accurate part, and far from the tested pages both parts are
 * small. So `tolerance` is the error of each score relative to itself, not of their sum.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import { type LiveWalk, liveWalks } from '../engine/live-walks.ts';
import { findNodes } from '../engine/nodes.ts';
import { defineRanker, type NodeWeights } from '../engine/ranker.ts';
import { ALPHA, ITERATIONS } from './pagerank.ts';

const PARAMETERS = {
  alive: { kind: 'nodes', doc: 'pages that were tested and are alive' },
  dead: { kind: 'nodes', doc: 'pages that were tested and are dead' },
  alpha: ALPHA,
  tolerance: {
    kind: 'number',
    default: 1e-5,
    least: 1e-14,
    most: 1,
    doc: 'largest error of a score, relative to that score',
  },
  iterations: ITERATIONS,
} as const;

/** What the walks of all orders share. */
export const LIVE_WALK: LiveWalk = {
  alpha: PARAMETERS.alpha.default,
  tolerance: PARAMETERS.tolerance.default,
  iterations: PARAMETERS.iterations.default,
};

export const ranker = defineRanker({
  name: 'live',
  title: 'LiveRank',
  parameters: PARAMETERS,
  async run(graph, { alive, dead, ...how }, options) {
    const [living, lost] = [await tested(graph, 'alive', alive), await tested(graph, 'dead', dead)];
    const facts = {
      alive: living.ids.length,
      dead: lost.ids.length,
      unknown: living.unknown + lost.unknown,
    };
    const twice = new Set(living.ids);
    const both = lost.ids.find((id) => twice.has(id));
    if (both !== undefined) throw aliveAndDead(await graph.names.name(both));
    if (living.ids.length === 0 || lost.ids.length === 0) {
      const [rank] = await liveWalks(graph, [undefined], how, options);
      return { scores: withoutNoise(rank.scores), facts: { ...facts, ...rank.facts } };
    }
    const jumps = [undefined, living.ids, lost.ids];
    const [rank, plus, minus] = await liveWalks(graph, jumps, how, options);
    return {
      scores: ratioOf(plus.scores, minus.scores),
      ties: withoutNoise(rank.scores),
      facts: { ...facts, ...plus.facts },
    };
  },
});

async function tested(graph: Graph, parameter: string, names: NodeWeights | undefined) {
  if (names === undefined) return { ids: [], unknown: 0 };
  const found = await findNodes(graph, names);
  if (found.ids.length > 0 || names.size === 0) return found;
  throw new DrumlinError(
    'NODES',
    `${parameter}: none of the ${names.size} names is a node of this graph.`,
    'Write the names as the graph has them; "drumlin rank <graph> --by in" shows some.',
  );
}

function aliveAndDead(name: string): DrumlinError {
  return new DrumlinError(
    'NODES',
    `${name} is both alive and dead.`,
    'Name each tested page in one of the two files.',
  );
}

/**
 * plus / minus, with zeros of `minus` replaced by its least entry above 0. `plus` is overwritten.
 */
export function ratioOf(plus: Float64Array, minus: Float64Array): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < minus.length; i++) if (minus[i] > 0 && minus[i] < least) least = minus[i];
  for (let i = 0; i < plus.length; i++)
    plus[i] = Math.min(plus[i] / (minus[i] > 0 ? minus[i] : least), MOST);
  return withoutNoise(plus);
}

/** Splitting multiplies by 2^24 + 1; this leaves room for it. */
const MOST = 1e300;
const SPLITTER = 2 ** 24 + 1;

/**
 * Rounds scores to 29 bits, in place: the same sum in another order ends in other bits, and a tie
 * must stay a tie. (Dekker's split: the upper part of a double.)
 */
export function withoutNoise(scores: Float64Array): Float64Array {
  for (let i = 0; i < scores.length; i++) {
    const scaled = scores[i] * SPLITTER;
    scores[i] = scaled - (scaled - scores[i]);
  }
  return scores;
}
