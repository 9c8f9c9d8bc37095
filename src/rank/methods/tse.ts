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
 *           in-graph.
 * Error     sampling-error.ts gives the standard error and the interval of an estimate. With
 *           `error`, samples of growing size are drawn until one is large enough: the last costs
 *           most.
 */

import { formatCount } from '../../base/units.ts';
import { BLOCK_ARCS, type Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { MOST_BYTES, requireMemory } from '../engine/memory.ts';
import { order } from '../engine/order.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
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
  run: estimate,
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

async function estimate(graph: Graph, values: Values, options: RankOptions): Promise<RankResult> {
  let bytesRead = 0;
  for (let p = values.error === 0 ? values.p : FIRST_SHARE; ; ) {
    const { scores, facts } = await estimateWith(graph, { ...values, p }, options);
    bytesRead += Number(facts.bytesRead);
    const { at, score } = atPlace(scores, values.at);
    const wanted = score * p < ENOUGH_DRAWN ? largerShare(p, score) : shareFor(score, values.error);
    if (values.error > 0 && p < Math.min(1, wanted)) {
      p = Math.min(1, 1.05 * wanted); // a little more: the score was an estimate, too
      continue;
    }
    const standardError = score === 0 ? 0 : standardErrorOf(score, p);
    return {
      scores,
      facts: { ...facts, at, standardError, bytesRead },
      interval: (estimated) => supportersBetween(estimated, p),
    };
  }
}

/** The share that would draw enough, if the estimate is any good: two to ten times as large. */
function largerShare(p: number, score: number): number {
  return Math.min(10 * p, Math.max(2 * p, ENOUGH_DRAWN / score));
}

/** The score at a place, or at the last place whose score is above 0. */
function atPlace(scores: Float64Array, place: number): { at: number; score: number } {
  const best = order(scores, Math.min(place, scores.length));
  let at = best.length;
  while (at > 0 && scores[best[at - 1]] === 0) at--;
  return { at, score: at === 0 ? 0 : scores[best[at - 1]] };
}

async function estimateWith(
  graph: Graph,
  values: Values,
  options: RankOptions,
): Promise<RankResult> {
  const blockArcs = Math.min(BLOCK_ARCS, Math.max(graph.nodes, graph.arcs));
  const hands = usefulThreads(options.threads, graph.nodes, graph.arcs);
  const mostArcs = arcsThatFit(graph, values.p, blockArcs, hands, options.memory);
  const scores = new Float64Array(graph.nodes);
  const kernel = new SupportersKernel(hands);
  try {
    const sampled = await drawSources(graph, values, sampler(values.p, values.seed));
    let parts = 0;
    let sources = 0;
    let arcs = 0;
    let sampleBytes = 0;
    for (let from: number | undefined = 0; from !== undefined && from < graph.nodes; parts++) {
      const part = await retain(graph.out.scan({ from, blockArcs }), sampled, mostArcs);
      const empty = kernel.bytes;
      const index = buildIndex(kernel, graph.nodes, part);
      sampleBytes = Math.max(sampleBytes, kernel.bytes - empty);
      const done = from / graph.nodes;
      const share = (part.next ?? graph.nodes) / graph.nodes - done;
      const inLists = graph.in.scan({ blockArcs });
      await countSampled(kernel, index, inLists, blockArcs, (first, counts) => {
        for (let i = 0; i < counts.length; i++) scores[first + i] += counts[i];
        options.onProgress?.(done + (share * first) / graph.nodes);
      });
      kernel.release(empty);
      sources += part.sources.length;
      arcs += part.arcs;
      from = part.next;
    }
    for (let node = 0; node < scores.length; node++) scores[node] /= values.p;
    const bytesRead = graph.out.bytes + parts * graph.in.bytes;
    const { seed, sample } = values;
    return {
      scores,
      facts: {
        p: values.p,
        seed,
        sample,
        sources,
        sampledArcs: arcs,
        sampleBytes,
        parts,
        bytesRead,
      },
    };
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
): number {
  const fixed = nodes * (8 + 1 / 8 + 1 / 4) + blockBytes(hands, blockArcs, nodes);
  requireMemory(memory, {
    what: `The scores of ${formatCount(nodes)} nodes, blocks to read and a hundredth of the sample`,
    bytes: fixed + BYTES_PER_ARC * Math.ceil((p * arcs) / MOST_PARTS),
    otherwise: 'a smaller --p',
  });
  return Math.floor((Math.min(memory, MOST_BYTES) - fixed) / BYTES_PER_ARC);
}
