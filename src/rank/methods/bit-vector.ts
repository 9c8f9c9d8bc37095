/**
 * Bit Vector, BV: supporters at level D, estimated from 64 bits a node.
 *
 * Definition (Becchetti et al., "Using Rank Propagation and Probabilistic Counting for Link-Based
 * Spam Detection", WebKDD 2006; as Cui et al., "Unsupervised Domain Ranking", §6.2 and §6.4, use
 * it): every node draws 64 bits, each 1 with probability ε. D times every node ORs into its own
 * bits those of its in-neighbours: then they are the union of the bits drawn by all nodes within
 * distance D. Of N nodes none drew a given bit with probability (1 - ε)^N, so the zeros determine
 * N.
 *
 * Level one is removed: with z(d) the bits that are still zero within distance d, the nodes at
 * distance D exactly are ln(z(D) / z(D - 1)) / ln(1 - ε).
 *
 * Rounds adapt ε: 64 bits determine N well only if N · ε is near 1. The first round has ε = 1 / n,
 * each next one twice as much. A node is ready when N · ε seems to be 1/2, and its final estimate
 * is that of the next round: its bits are drawn anew, so that no estimate is chosen for being high.
 * The best supported nodes are final first, and `rounds` counts from the first round in which a
 * node becomes final. Other nodes keep the estimate of the last round.
 *
 * Costs     D readings of the in-lists a round, or one in all if 4 bytes an arc fit beside 29 a
 *           node. The mean relative error is 13 %.
 */

import { onesIn } from '../../base/bits.ts';
import { formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { InLists, streamBytes } from '../supporters/in-lists.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';
import { drawBits } from './bit-vector-draw.ts';

export const ranker = defineRanker({
  name: 'bit-vector',
  title: 'Bit vector',
  parameters: {
    rounds: {
      kind: 'count',
      default: 64,
      least: 1,
      most: 64,
      doc: 'rounds, from the first with a final estimate; 2 are enough for the top 1,000',
    },
    depth: {
      kind: 'count',
      default: 2,
      least: 1,
      most: 1000,
      doc: 'the distance at which supporters are counted',
    },
    seed: {
      kind: 'count',
      default: 1,
      least: 0,
      most: 2 ** 32 - 1,
      doc: 'another seed draws other bits',
    },
  },
  run: estimate,
});

interface Values {
  readonly rounds: number;
  readonly depth: number;
  readonly seed: number;
}

const BITS = 64;
/** The share of the remaining bits that is set if N · ε is 1/2. */
const READY = 1 - Math.exp(-1 / 2);
/** The largest ε: half of all bits are drawn, and more would make no estimate better. */
const GREATEST_CHANCE = 0.5;
/** Two vectors of 64 bits, the score, and its stage. */
const BYTES_A_NODE = 8 + 8 + 8 + 1;

async function estimate(graph: Graph, values: Values, options: RankOptions): Promise<RankResult> {
  const { nodes } = graph;
  const vectors = await Vectors.open(graph, options);
  try {
    const scores = new Float64Array(nodes);
    const stages = new Uint8Array(nodes);
    let settled = 0;
    let round = 0;
    let counted = 0;
    for (let chance = 1 / nodes; settled < nodes && counted < values.rounds; chance *= 2) {
      const ofRound = Math.min(chance, GREATEST_CHANCE);
      drawBits(vectors.far, ofRound, values.seed, round++);
      for (let level = 0; level < values.depth; level++) await vectors.spread();
      settled += updateEstimates(vectors, scores, stages, ofRound);
      if (settled > 0) counted++;
      options.onProgress?.(settled / nodes);
      if (chance >= GREATEST_CHANCE) break;
    }
    const { held, bytesRead } = vectors;
    return { scores, facts: { ...values, rounds: round, settled, held, bytesRead } };
  } finally {
    await vectors.close();
  }
}

/** The bits of all nodes, two u32 a node: of nodes within a distance, and within one more step. */
class Vectors {
  readonly #kernel: SupportersKernel;
  readonly #nodes: number;
  readonly #lists: InLists;
  #near: number;
  #far: number;

  static async open(graph: Graph, options: RankOptions): Promise<Vectors> {
    const hands = usefulThreads(options.threads, graph.nodes, graph.arcs);
    const least = BYTES_A_NODE * graph.nodes + streamBytes(graph, hands);
    requireMemory(options.memory, {
      what: `The bits and scores of ${formatCount(graph.nodes)} nodes and blocks to read`,
      bytes: least,
    });
    const kernel = new SupportersKernel(hands);
    try {
      const lists = await InLists.open(kernel, graph, options.memory - least);
      return new Vectors(kernel, graph.nodes, lists);
    } catch (error) {
      await kernel.close();
      throw error;
    }
  }

  private constructor(kernel: SupportersKernel, nodes: number, lists: InLists) {
    this.#kernel = kernel;
    this.#nodes = nodes;
    this.#lists = lists;
    this.#near = kernel.allocate(8 * nodes);
    this.#far = kernel.allocate(8 * nodes);
  }

  get held(): 'memory' | 'stream' {
    return this.#lists.held;
  }

  get bytesRead(): number {
    return this.#lists.bytesRead;
  }

  get near(): Uint32Array {
    return this.#kernel.u32(this.#near, 2 * this.#nodes);
  }

  get far(): Uint32Array {
    return this.#kernel.u32(this.#far, 2 * this.#nodes);
  }

  /** One step: far becomes near, and the new far adds what the in-neighbours have. */
  async spread(): Promise<void> {
    [this.#near, this.#far] = [this.#far, this.#near];
    await this.#lists.sweep(({ first, count, offsets, targets }) => [
      'orLists',
      ...([this.#near, this.#far, first, count, offsets, targets] as const),
    ]);
  }

  close(): Promise<void> {
    return this.#kernel.close();
  }
}

const STAGE = { begun: 0, ready: 1, final: 2 } as const;

/** Updates the estimates that are not final. Returns how many became final. */
function updateEstimates(
  { near, far }: Vectors,
  scores: Float64Array,
  stages: Uint8Array,
  chance: number,
): number {
  const scale = 1 / Math.log1p(-chance);
  let settled = 0;
  for (let node = 0; node < scores.length; node++) {
    if (stages[node] === STAGE.final) continue;
    const before = zeros(near, node);
    const after = zeros(far, node);
    // If nodes at smaller distances have set all bits, the estimate of the round before is better.
    if (before > 0)
      scores[node] = after === before ? 0 : Math.log(Math.max(after, 0.5) / before) * scale;
    if (stages[node] === STAGE.ready) {
      stages[node] = STAGE.final;
      settled++;
    } else if (before - after >= READY * before) stages[node] = STAGE.ready;
  }
  return settled;
}

function zeros(bits: Uint32Array, node: number): number {
  return BITS - onesIn(bits[2 * node]) - onesIn(bits[2 * node + 1]);
}
