/**
 * Trusted supporters: supporters at level two, limited by what each in-neighbour may pass on and by
 * the trust that reaches a node from the seeds; links that a node returns count less.
 *
 * Definition: trusted-score.ts. It answers attacks that raise the number of supporters alone: rings
 * whose members support each other over two links, and single links from famous domains. Without
 * the two limits it is TSE.
 *
 * Here      sources are drawn as in tse.ts; with p = 1 the result is exact. The trust of nodes is
 *           walked on the links of the drawn sources only. Without `seeds`, the walk begins at the
 *           `SEEDS` nodes of the greatest in-degree.
 * Costs     one pass over the out-lists, two over the in-lists. 100 bytes a node, 20 a sampled arc.
 */
import { flatOut } from '../../base/pacer.ts';
import { formatCount } from '../../base/units.ts';
import { BLOCK_ARCS, type Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { requireMemory } from '../engine/memory.ts';
import { findNodes } from '../engine/nodes.ts';
import { order } from '../engine/order.ts';
import {
  defineRanker,
  type NodeWeights,
  type RankOptions,
  type RankResult,
  type Values,
} from '../engine/ranker.ts';
import { blockBytes } from '../supporters/blocks.ts';
import { sampler } from '../supporters/sample.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';
import { type WalkedArcs, walkTrust } from '../supporters/trust-walk.ts';
import { CAP, PassedOn, WORTH } from '../supporters/trusted-score.ts';
import { BYTES_PER_ARC, countSampled, retain } from '../supporters/tse-core.ts';
import { buildIndex } from '../supporters/tse-index.ts';
import { drawSources, ranker as tse } from './tse.ts';

const PARAMETERS = {
  seeds: { kind: 'nodes', doc: 'where trust begins, such as the domains of the seeds of a crawl' },
  cap: {
    kind: 'number',
    default: CAP,
    least: 0,
    most: 1e12,
    doc: 'the most supporters that one in-neighbour passes on (0: no limit)',
  },
  worth: {
    kind: 'number',
    default: WORTH,
    least: 0,
    most: 1e12,
    doc: 'how many supporters the trust of a mean link is worth (0: trust limits nothing)',
  },
  p: { ...tse.parameters.p, default: 1 },
  seed: tse.parameters.seed,
  sample: tse.parameters.sample,
} as const;

export const ranker = defineRanker({
  name: 'trusted',
  title: 'Trusted supporters',
  parameters: PARAMETERS,
  run: trusted,
});

const SEEDS = 100;
/** Scores, supporters, sums, trust, degrees. */
const BYTES_A_NODE = 100;

async function trusted(
  graph: Graph,
  values: Values<typeof PARAMETERS>,
  options: RankOptions,
): Promise<RankResult> {
  const { nodes } = graph;
  const { p, cap, worth } = values;
  const blockArcs = Math.min(BLOCK_ARCS, Math.max(1, nodes, graph.arcs));
  const hands = usefulThreads(options.threads, nodes, graph.arcs);
  requireMemory(options.memory, {
    what: `The trust and scores of ${formatCount(nodes)} nodes and the sampled links`,
    bytes:
      BYTES_A_NODE * nodes +
      (BYTES_PER_ARC + 4) * Math.ceil(p * graph.arcs) +
      blockBytes(hands, blockArcs, nodes),
    otherwise: 'a smaller --p',
  });
  const kernel = new SupportersKernel(hands);
  try {
    const sampled = await drawSources(graph, values, sampler(p, values.seed));
    const part = await retain(graph.out.scan({ blockArcs }), sampled, Infinity);
    const arcs = walkedArcs(nodes, part);
    const linked = linkedBy(arcs);
    const seeds = await seedsOf(graph, values.seeds);
    const known = new Set(part.sources);
    const trust = await walkTrust(
      arcs,
      seeds.filter((node) => known.has(node) || linked[node] > 0),
      flatOut,
    );
    options.onProgress?.(1 / 3);
    const passed = new PassedOn(nodes, { p, cap, worth, trust, arcs });
    await addLinks(graph, blockArcs, linked, numbersOf(arcs), passed);
    options.onProgress?.(2 / 3);
    const index = buildIndex(kernel, nodes, part);
    const scores = new Float64Array(nodes);
    await countSampled(kernel, index, graph.in.scan({ blockArcs }), blockArcs, (first, counts) => {
      for (let i = 0; i < counts.length; i++)
        scores[first + i] = passed.score(first + i, counts[i]);
    });
    const bytesRead = graph.out.bytes + 2 * graph.in.bytes;
    return { scores, facts: { p, seeds: seeds.length, sources: arcs.sources.length, bytesRead } };
  } finally {
    await kernel.close();
  }
}

interface Part {
  readonly sources: readonly number[];
  readonly lengths: readonly number[];
  readonly pieces: readonly Uint32Array[];
  readonly arcs: number;
}

function walkedArcs(nodes: number, { sources, lengths, pieces, arcs }: Part): WalkedArcs {
  const targets = new Uint32Array(arcs);
  let at = 0;
  for (const piece of pieces) {
    targets.set(piece, at);
    at += piece.length;
  }
  const ends = new Float64Array(sources.length);
  let end = 0;
  for (const [i, length] of lengths.entries()) {
    end += length;
    ends[i] = end;
  }
  return { nodes, sources, begins: ends.map((after, i) => after - lengths[i]), ends, targets };
}

/** How many other drawn sources link to each node. */
function linkedBy({ nodes, sources, begins, ends, targets }: WalkedArcs): Uint32Array {
  const linked = new Uint32Array(nodes);
  for (let i = 0; i < sources.length; i++) {
    for (let at = begins[i]; at < ends[i]; at++)
      if (targets[at] !== sources[i]) linked[targets[at]]++;
  }
  return linked;
}

/** The number of each node among the sources; -1 if it was not drawn. */
function numbersOf({ nodes, sources }: WalkedArcs): Int32Array {
  const byNode = new Int32Array(nodes).fill(-1);
  for (let i = 0; i < sources.length; i++) byNode[sources[i]] = i;
  return byNode;
}

async function addLinks(
  graph: Graph,
  blockArcs: number,
  linked: Uint32Array,
  numbers: Int32Array,
  passed: PassedOn,
): Promise<void> {
  for await (const { first, count, offsets, targets } of graph.in.scan({ blockArcs })) {
    for (let i = 0; i < count; i++) {
      const x = first + i;
      passed.begin(x, numbers[x]);
      for (let at = offsets[i]; at < offsets[i + 1]; at++) {
        const y = targets[at];
        if (y !== x && numbers[y] >= 0) passed.add(x, linked[y], numbers[y]);
      }
    }
  }
}

async function seedsOf(graph: Graph, named: NodeWeights | undefined): Promise<readonly number[]> {
  if (named) return (await findNodes(graph, named)).ids;
  const degrees = await graph.in.degrees();
  return [...order(Float64Array.from(degrees), SEEDS)];
}
