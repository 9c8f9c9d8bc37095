/**
 * How good a ranking is, as trec_eval computes it, and whether one is better than another.
 *
 * Idea      NDCG uses gains as given and a discount of log2(rank + 1); the ideal ranking has all
 *           judged pages. The paper's "MRR" exceeds 1, so it is the sum of the reciprocal ranks of
 *           all relevant pages; ours is both.
 */
import type { SmallGraph } from '../changed/order.ts';

interface Quality {
  readonly ndcg: number;
  readonly recall: number;
  /** 1 / rank of the first relevant page; 0 if there is none. */
  readonly reciprocalRank: number;
  /** The sum of 1 / rank over all relevant pages. */
  readonly reciprocalRanks: number;
}

/** The quality of a ranking; NDCG and recall are those of its first `cut` pages. */
export function qualityOf(
  ranking: readonly string[],
  gains: ReadonlyMap<string, number>,
  cut: number,
): Quality {
  const relevant = [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a);
  const gainAt = (i: number) => Math.max(0, gains.get(ranking[i]) ?? 0);
  let [sum, found, first, ranks] = [0, 0, 0, 0];
  for (let i = 0; i < ranking.length; i++) {
    const gain = gainAt(i);
    if (gain === 0) continue;
    if (i < cut) {
      sum += gain / Math.log2(i + 2);
      found++;
    }
    if (first === 0) first = 1 / (i + 1);
    ranks += 1 / (i + 1);
  }
  const ideal = relevant
    .slice(0, cut)
    .reduce((total, gain, i) => total + gain / Math.log2(i + 2), 0);
  return {
    ndcg: ideal > 0 ? sum / ideal : 0,
    recall: relevant.length > 0 ? found / relevant.length : 0,
    ...{ reciprocalRank: first, reciprocalRanks: ranks },
  };
}

/** The jump of the walk that should stay inside. */
const WALK_JUMP = 0.15;

/**
 * The share of short walks that begin at any page of a graph and never leave it: a walk ends with
 * probability 0.15 at each page, and otherwise follows one of all links of the page.
 */
export function shareInside({ count, from, to }: SmallGraph, allLinks: readonly number[]): number {
  if (count === 0) return 0;
  let here = new Float64Array(count).fill(1 / count);
  let inside = 0;
  for (let step = 0; step < 200; step++) {
    for (const share of here) inside += WALK_JUMP * share;
    const next = new Float64Array(count);
    for (let i = 0; i < from.length; i++)
      next[to[i]] += ((1 - WALK_JUMP) * here[from[i]]) / Math.max(1, allLinks[from[i]]);
    here = next;
  }
  return inside;
}

/** Draws of the randomisation test. */
const DRAWS = 100_000;

/**
 * How likely a difference of means as great as this is, or a greater one, if it were chance which
 * of two methods has which value: the paired randomisation test, two-sided.
 */
export function chanceOf(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((value, i) => value - other[i]).filter((value) => value !== 0);
  const observed = Math.abs(differences.reduce((a, b) => a + b, 0)) - 1e-12;
  let [state, reached] = [0x9e3779b9, 0];
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (const value of differences) {
      // xorshift32
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum += (state & 0x10000) === 0 ? value : -value;
    }
    if (Math.abs(sum) >= observed) reached++;
  }
  return (reached + 1) / (DRAWS + 1);
}
