/**
 * Where a random walker is found who follows links with probability alpha and else jumps: the one computation behind PageRank,
 * TrustRank, CheiRank and 2DRank.
 *
 *   x  <-  alpha · (P x + what becomes of dangling nodes) + (1 - alpha) · jump
 *
 * Idea      power iteration. A step brings two vectors nearer to each other by the factor alpha or more (in L1), so a step that
 *           moved x by r leaves it at most r · alpha / (1 - alpha) from the solution: the error is known, not guessed, and
 *           the walk ends when it is small enough.
 * Requires  0 <= alpha < 1; `jump`, where given, sums to 1.
 * Ensures   scores within `tolerance` of the solution in L1, up to the rounding of doubles, unless `iterations` ended it
 *           before: `facts.errorBound` says so.
 * Costs     4 bytes an arc and about 50 a node in memory; where that is more than `memory`, the lists are read again in each step,
 *           with 28 bytes a node.
 */
import { DrumlinError } from '../errors.ts';
import type { Adjacency } from '../graph/graph.ts';
import { formatBytes, formatCount } from '../units.ts';
import type { WalkTotals, WalkWeights } from './kernel.ts';
import { MemoryWalker, memoryWalkBytes } from './random-walk-memory.ts';
import { StreamWalker, streamWalkBytes } from './random-walk-stream.ts';
import type { RankOptions, RankResult } from './ranker.ts';

/** What becomes of a walker on a node without links. */
export type Dangling = 'uniform' | 'teleport' | 'lost';

export interface WalkProblem {
  readonly nodes: number;
  readonly arcs: number;
  /** For each node, who links to it. */
  readonly sources: Adjacency;
  /** For each node, where it links to: only the degrees are read. */
  readonly links: Adjacency;
  /** Where the walker jumps to; without it, anywhere alike. */
  readonly jump?: Float64Array;
  readonly alpha: number;
  readonly dangling: Dangling;
  readonly tolerance: number;
  readonly iterations: number;
}

/** One way to hold the vectors and read the arcs. */
export interface Walker {
  /** The probability that is on dangling nodes at the start. */
  readonly stuck: number;
  step(weights: WalkWeights): Promise<WalkTotals>;
  /** The probabilities, by node. */
  probabilities(): Float64Array;
  close(): Promise<void>;
  readonly bytesRead: number;
}

export async function walk(problem: WalkProblem, options: RankOptions): Promise<RankResult> {
  if (problem.nodes === 0)
    return { scores: new Float64Array(0), facts: { iterations: 0, residual: 0, errorBound: 0 } };
  const held = whereToHold(problem, options.memory);
  const walker = await startWalker(held, problem, options);
  try {
    const { iterations, residual, errorBound } = await iterate(walker, problem, options);
    const facts = { iterations, residual, errorBound, held, bytesRead: walker.bytesRead };
    return { scores: walker.probabilities(), facts };
  } finally {
    await walker.close();
  }
}

async function iterate(walker: Walker, problem: WalkProblem, { onProgress }: RankOptions) {
  const { alpha, tolerance } = problem;
  const errorOf = (residual: number) => (residual * alpha) / (1 - alpha);
  let stuck = walker.stuck;
  let residual = 0;
  let first = 0;
  let iterations = 0;
  do {
    ({ moved: residual, stuck } = await walker.step(weightsOf(problem, stuck)));
    iterations++;
    if (iterations === 1) first = residual;
    onProgress?.(progress(errorOf(first), errorOf(residual), iterations, problem));
  } while (errorOf(residual) > tolerance && iterations < problem.iterations);
  return { iterations, residual, errorBound: errorOf(residual) };
}

function weightsOf({ nodes, jump, alpha, dangling }: WalkProblem, stuck: number): WalkWeights {
  const uniform = (jump ? 0 : 1 - alpha) + (isSpread(dangling, jump) ? alpha * stuck : 0);
  const jumpWeight = jump ? 1 - alpha + (dangling === 'teleport' ? alpha * stuck : 0) : 0;
  return { scale: alpha, base: uniform / nodes, jumpWeight };
}

/** To jump anywhere alike and to be spread over all nodes is the same. */
function isSpread(dangling: Dangling, jump: Float64Array | undefined): boolean {
  return dangling === 'uniform' || (dangling === 'teleport' && jump === undefined);
}

/** The error falls by about the same factor in each step, so its logarithm is what tells the time. */
function progress(
  first: number,
  now: number,
  iterations: number,
  { tolerance, iterations: most }: WalkProblem,
): number {
  if (now <= tolerance) return 1;
  return Math.max(iterations / most, Math.log(first / now) / Math.log(first / tolerance) || 0);
}

function whereToHold(problem: WalkProblem, memory: number): 'memory' | 'stream' {
  if (memoryWalkBytes(problem) <= memory) return 'memory';
  const least = streamWalkBytes(problem);
  if (least <= memory) return 'stream';
  throw new DrumlinError(
    'MEMORY',
    `The vectors of ${formatCount(problem.nodes)} nodes take ${formatBytes(least)}; ${formatBytes(memory)} are given.`,
    `Give --memory ${Math.ceil(least / 1e6)}M or more.`,
  );
}

function startWalker(
  held: 'memory' | 'stream',
  problem: WalkProblem,
  { threads }: RankOptions,
): Promise<Walker> {
  return held === 'memory' ? MemoryWalker.start(problem, threads) : StreamWalker.start(problem);
}
