/**
 * HyperBall: harmonic centrality, estimated with a counter of a few bytes a node.
 *
 * Definition (Boldi and Vigna, "In-Core Computation of Geometric Centralities with HyperBall",
 * 2013): B(x, t) is the ball of nodes from which x can be reached within t arcs. A HyperLogLog
 * counter estimates its size; the counter of B(x, t + 1) has the greater register, one by one, of
 * those of B(x, t) and of B(y, t) for each in-neighbour y. Then H(x) = Σ (|B(x, t)| −
 * |B(x, t − 1)|)/t.
 *
 * Error     H is a sum of sizes with positive weights, Σ |B(x, t)|·(1/t − 1/(t + 1)), so its
 *           relative standard error is at most that of a size: 1.04/√registers, 13 % with 64. The
 *           facts state it as `standardError`.
 * Costs     a sweep over the in-lists for each distance. RAM two counters, two sizes and two marks
 *           a node: 146 bytes with 64 registers; lists are kept if 4 bytes an arc fit, too.
 */
import { formatCount } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { usefulThreads } from '../engine/kernel.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { Sweep } from '../supporters/balls.ts';
import { InLists, streamBytes } from '../supporters/in-lists.ts';
import { SupportersKernel } from '../supporters/supporters-kernel.ts';

export const ranker = defineRanker({
  name: 'hyperball',
  title: 'Harmonic centrality, estimated',
  estimates: true,
  parameters: {
    registers: {
      kind: 'choice',
      of: ['16', '32', '64', '128', '256', '512', '1024'],
      default: '64',
      doc: 'bytes of a counter; four times as many halve the error',
    },
    distance: {
      kind: 'count',
      default: 1000,
      least: 1,
      most: 2 ** 31,
      doc: 'the longest path that counts',
    },
    seed: {
      kind: 'count',
      default: 1,
      least: 0,
      most: 2 ** 32 - 1,
      doc: 'another seed gives other errors',
    },
  },
  run: estimate,
});

interface Values {
  readonly registers: string;
  readonly distance: number;
  readonly seed: number;
}

/** Size and score, the marks of two sweeps, and the copy of the score that is returned. */
const BYTES_BESIDE = 8 + 8 + 2 + 8;

async function estimate(graph: Graph, values: Values, options: RankOptions): Promise<RankResult> {
  const { nodes } = graph;
  const registers = Number(values.registers);
  const hands = usefulThreads(options.threads, nodes, graph.arcs);
  const least = (2 * registers + BYTES_BESIDE) * nodes + streamBytes(graph, hands);
  requireMemory(options.memory, {
    what: `The counters of ${formatCount(nodes)} nodes and blocks to read`,
    bytes: least,
    otherwise: 'fewer --registers',
  });
  const kernel = new SupportersKernel(hands);
  try {
    const lists = await InLists.open(kernel, graph, options.memory - least);
    const [near, far] = [0, 0].map(() => kernel.allocate(registers * nodes));
    const [changed, changes] = [0, 0].map(() => kernel.allocate(nodes));
    const [sizes, scores] = [0, 0].map(() => kernel.allocate(8 * nodes));
    const fields = { near, far, registers, changed, changes, sizes, scores };
    const sweep = new Sweep(kernel, fields);
    drawCounters(kernel.u8(near, registers * nodes), registers, values.seed);
    kernel.u8(changed, nodes).fill(1);
    await kernel.call(0, ['sizesOf', near, registers, sizes, 0, nodes]);
    const standardError = 1.04 / Math.sqrt(registers);
    const reached = await grow(lists, sweep, values.distance, options);
    return {
      scores: kernel.f64(scores, nodes).slice(),
      facts: {
        ...values,
        registers,
        longestDistance: reached.distance,
        complete: reached.complete ? 'yes' : 'no',
        standardError,
        held: lists.held,
        bytesRead: lists.bytesRead,
      },
      interval: (score) => [
        score / (1 + 2 * standardError),
        score / Math.max(0, 1 - 2 * standardError),
      ],
    };
  } finally {
    await kernel.close();
  }
}

async function grow(
  lists: InLists,
  sweep: Sweep,
  most: number,
  options: RankOptions,
): Promise<{ distance: number; complete: boolean }> {
  for (let distance = 1; distance <= most; distance++) {
    sweep.begin(distance);
    await lists.sweep(({ first, count, offsets, targets }) => [
      'growLists',
      ...([sweep.address, first, count, offsets, targets] as const),
    ]);
    if (!sweep.grew) return { distance: distance - 1, complete: true };
    sweep.exchange('near', 'far');
    sweep.exchange('changed', 'changes');
    // How many sweeps remain is not known; most webs need fewer than thirty.
    options.onProgress?.(distance / (distance + 10));
  }
  return { distance: most, complete: false };
}

/** Every node alone in its counter: one register, with the place of the first bit of its hash. */
function drawCounters(counters: Uint8Array, registers: number, seed: number): void {
  const bits = Math.log2(registers);
  // Mixed first: small seeds would only exchange the numbers of neighbouring nodes.
  const [lowSeed, highSeed] = [mixed(seed), mixed(~seed)];
  for (let node = 0; node * registers < counters.length; node++) {
    const low = mixed(node ^ lowSeed);
    const high = mixed(node ^ highSeed);
    const rest = low >>> bits;
    const zeros = rest === 0 ? 32 - bits + trailingZeros(high) : trailingZeros(rest);
    counters[node * registers + (low & (registers - 1))] = zeros + 1;
  }
}

function trailingZeros(word: number): number {
  return word === 0 ? 32 : 31 - Math.clz32(word & -word);
}

/** 32 well mixed bits of a number (the finaliser of MurmurHash3, twice). */
function mixed(number: number): number {
  let word = number;
  for (let round = 0; round < 2; round++) {
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) + 0x6d2b79f5;
    word ^= word >>> 16;
  }
  return word >>> 0;
}
