/**
 * Top Supporters Estimation, TSE: the supporters at level two of every node, estimated from a
 * sample of sources.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", §6.3): keep each source with probability
 * p, together with its whole out-list; count the kept sources at distance two of each node; divide
 * by p. tse-core.ts explains why this works and what it costs.
 *
 * Here      a hash draws the sources (supporters/sample.ts): by number, or by name. By name, a node
 *           stays in or out while the graph grows and numbers shift, but all names must be read. A
 *           sample that does not fit the memory is drawn in parts, each with a pass over the
 *           in-graph. If only the best nodes are wanted and the sample fits as a whole, no score is
 *           kept but theirs: memory is that of the sample, as in the paper, and 3 bits a node.
 * Error     sampling-error.ts gives the standard error and the interval of an estimate. With
 *           `error`, samples of growing size are drawn until one is large enough: the last costs
 *           most.
 */

import { formatCount } from '../../base/units.ts';
import { BLOCK_ARCS, type Graph } from '../../graph/graph.ts';
import { BestNodes } from '../engine/best-nodes.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { MOST_BYTES, requireMemory } from '../engine/memory.ts';
import { order } from '../engine/order.ts';
import {
  type BestResult,
  defineRanker,
  type RankOptions,
  type RankResult,
} from '../engine/ranker.ts';
import { blockBytes } from '../supporters/blocks.ts';
import { nameBits, type Sampler, sampler } from '../supporters/sample.ts';
import { shareFor, standardErrorOf, supportersBetween } from '../supporters/sampling-error.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';
import { BYTES_PER_ARC, countSampled, retain } from '../supporters/tse-core.ts';
import { buildIndex } from '../supporters/tse-index.ts';

const PARAMETERS = {
  p: {
    kind: 'number',
    default: 0.01,
    least: 1e-9,
    most: 1,
    doc: 'the share of the sources that is sampled',
  },
  error: {
    kind: 'number',
    default: 0,
    least: 0,
    most: 1,
    doc: 'choose --p for this standard error, such as 3%, at the place --at (0: take --p)',
  },
  at: {
    kind: 'count',
    default: 1000,
    least: 1,
    most: 2 ** 32,
    doc: 'the place whose standard error counts; the last with supporters if there are fewer',
  },
  seed: {
    kind: 'count',
    default: 1,
    least: 0,
    most: 2 ** 32 - 1,
    doc: 'another seed draws another sample',
  },
  sample: {
    kind: 'choice',
    of: ['id', 'name'],
    default: 'id',
    doc: 'draw sources by number, or by name, which is slower but keeps the sample as the graph grows',
  },
} as const;

export const ranker = defineRanker({
  name: 'tse',
  title: 'Top supporters estimation',
  estimates: true,
  parameters: PARAMETERS,
  run: (graph, values, options) =>
    searched(values, (drawn) => scoresOf(graph, drawn, options)) as Promise<RankResult>,
  best: (graph, values, options, count) =>
    searched(values, (drawn) => bestOf(graph, drawn, options, count)),
});

interface Values {
  readonly p: number;
  readonly error: number;
  readonly at: number;
  readonly seed: number;
  readonly sample: 'name' | 'id';
}

/**
 * About how often the in-graph may be read: beyond that, a smaller p or more memory is the better
 * choice.
 */
const MOST_PARTS = 100;

/** The first share that is tried for a wanted error, and how many drawn supporters tell enough. */
const FIRST_SHARE = 0.001;
const ENOUGH_DRAWN = 25;

/** An estimate with one sample: all scores, or those of the best nodes in order. */
interface Estimate {
  readonly scores: Float64Array;
  readonly nodes?: Uint32Array;
  readonly facts: RankResult['facts'];
  /** The score at a place, or at the last place whose score is above 0. */
  atPlace(place: number): { readonly at: number; readonly score: number };
}

/** Draws once, or until the error is as wanted; undefined if `draw` cannot. */
async function searched<E extends Estimate>(
  values: Values,
  draw: (values: Values) => Promise<E | undefined>,
): Promise<(Omit<E, 'atPlace'> & Pick<RankResult, 'interval'>) | undefined> {
  let bytesRead = 0;
  for (let p = values.error === 0 ? values.p : FIRST_SHARE; ; ) {
    const estimate = await draw({ ...values, p });
    if (!estimate) return undefined;
    const { atPlace, ...rest } = estimate;
    bytesRead += Number(rest.facts.bytesRead);
    const { at, score } = atPlace(values.at);
    const wanted = score * p < ENOUGH_DRAWN ? largerShare(p, score) : shareFor(score, values.error);
    if (values.error > 0 && p < Math.min(1, wanted)) {
      p = Math.min(1, 1.05 * wanted); // a little more: the score was an estimate, too
      continue;
    }
    const standardError = score === 0 ? 0 : standardErrorOf(score, p);
    return {
      ...rest,
      facts: { ...rest.facts, at, standardError, bytesRead },
      interval: (estimated) => supportersBetween(estimated, p),
    };
  }
}

async function scoresOf(graph: Graph, values: Values, options: RankOptions): Promise<Estimate> {
  const scores = new Float64Array(graph.nodes);
  const facts = await countDrawn(graph, values, options, 8, (first, counts) => {
    for (let i = 0; i < counts.length; i++) scores[first + i] += counts[i];
  });
  for (let node = 0; node < scores.length; node++) scores[node] /= values.p;
  const atPlace = (place: number) => {
    const best = order(scores, Math.min(place, scores.length));
    return lastAbove0(best.length, (i) => scores[best[i]]);
  };
  return { scores, facts: facts as RankResult['facts'], atPlace };
}

async function bestOf(
  graph: Graph,
  values: Values,
  options: RankOptions,
  count: number,
): Promise<(Estimate & BestResult) | undefined> {
  const most = Math.min(graph.nodes, Math.max(count, values.at));
  const best = new BestNodes(most);
  const add = (first: number, counts: Uint32Array) => {
    for (let i = 0; i < counts.length; i++) best.add(first + i, counts[i]);
  };
  const facts = await countDrawn(graph, values, options, (24 * most) / graph.nodes, add, true);
  if (!facts) return undefined;
  const { nodes, scores } = best.take();
  for (let i = 0; i < scores.length; i++) scores[i] /= values.p;
  const atPlace = (place: number) => lastAbove0(Math.min(place, scores.length), (i) => scores[i]);
  return { nodes, scores, facts, atPlace };
}

function lastAbove0(count: number, scoreAt: (i: number) => number): { at: number; score: number } {
  let at = count;
  while (at > 0 && scoreAt(at - 1) === 0) at--;
  return { at, score: at === 0 ? 0 : scoreAt(at - 1) };
}

/** The share that would draw enough, if the estimate is any good: two to ten times as large. */
function largerShare(p: number, score: number): number {
  return Math.min(10 * p, Math.max(2 * p, ENOUGH_DRAWN / score));
}

/**
 * Counts the drawn supporters of all nodes, part by part of the sample, and calls `add` with the
 * counts of some. With `whole`, gives up if the sample is not one part.
 */
async function countDrawn(
  graph: Graph,
  values: Values,
  options: RankOptions,
  bytesANode: number,
  add: (first: number, counts: Uint32Array) => void,
  whole = false,
): Promise<RankResult['facts'] | undefined> {
  const blockArcs = Math.min(BLOCK_ARCS, Math.max(graph.nodes, graph.arcs));
  const hands = usefulThreads(options.threads, graph.nodes, graph.arcs);
  const { p, seed, sample } = values;
  const mostArcs = arcsThatFit(graph, p, blockArcs, hands, options.memory, bytesANode);
  const kernel = new SupportersKernel(hands);
  try {
    const sampled = await drawSources(graph, values, sampler(p, seed));
    let parts = 0;
    let sources = 0;
    let arcs = 0;
    let sampleBytes = 0;
    for (let from: number | undefined = 0; from !== undefined && from < graph.nodes; parts++) {
      const part = await retain(graph.out.scan({ from, blockArcs }), sampled, mostArcs);
      if (whole && part.next !== undefined) return undefined;
      const empty = kernel.bytes;
      const index = buildIndex(kernel, graph.nodes, part);
      sampleBytes = Math.max(sampleBytes, kernel.bytes - empty);
      const done = from / graph.nodes;
      const share = (part.next ?? graph.nodes) / graph.nodes - done;
      const inLists = graph.in.scan({ blockArcs });
      await countSampled(kernel, index, inLists, blockArcs, (first, counts) => {
        add(first, counts);
        options.onProgress?.(done + (share * first) / graph.nodes);
      });
      kernel.release(empty);
      sources += part.sources.length;
      arcs += part.arcs;
      from = part.next;
    }
    const bytesRead = graph.out.bytes + parts * graph.in.bytes;
    return { p, seed, sample, sources, sampledArcs: arcs, sampleBytes, parts, bytesRead };
  } finally {
    await kernel.close();
  }
}

/**
 * Whether a node is in the sample. By name it takes a bit per node: names can only be read in
 * order.
 */
export async function drawSources(
  graph: Graph,
  { sample }: Pick<Values, 'sample'>,
  isIn: Sampler,
): Promise<(node: number) => boolean> {
  if (sample === 'id') return isIn;
  const bits = new Uint32Array(Math.ceil(graph.nodes / 32));
  let node = 0;
  for await (const name of graph.names.all()) {
    if (isIn(nameBits(name))) bits[node >>> 5] |= 1 << (node & 31);
    node++;
  }
  return (id) => ((bits[id >>> 5] >>> (id & 31)) & 1) === 1;
}

/**
 * How many arcs of the sample fit beside the scores, the bits of sample and index, and the blocks
 * in use.
 */
function arcsThatFit(
  { nodes, arcs }: Graph,
  p: number,
  blockArcs: number,
  hands: number,
  memory: number,
  bytesANode: number,
): number {
  const fixed = nodes * (bytesANode + 1 / 8 + 1 / 4) + blockBytes(hands, blockArcs, nodes);
  requireMemory(memory, {
    what: `The scores of ${formatCount(nodes)} nodes, blocks to read and a hundredth of the sample`,
    bytes: fixed + BYTES_PER_ARC * Math.ceil((p * arcs) / MOST_PARTS),
    otherwise: 'a smaller --p',
  });
  return Math.floor((Math.min(memory, MOST_BYTES) - fixed) / BYTES_PER_ARC);
}
