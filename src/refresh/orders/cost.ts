/**
 * What an order costs: tests for each living page found.
 *
 * Definition (LiveRank, section 2.1): n pages of which n_a are alive, 0 < alpha <= 1,
 *
 *   cost(L, alpha) = i / (alpha · n_a),
 *
 * where i is the length of the least prefix of L that holds alpha · n_a living pages or more. (The
 * paper prints |L_i| / n_a >= alpha; its text means the living pages of L_i.) A perfect order costs
 * 1, a random one n / n_a.
 */
import { DrumlinError } from '../../base/errors.ts';

/** The cost at each alpha, which must rise. `alive` has one entry a page, 1 for living ones. */
export function costsOf(
  order: Uint32Array,
  alive: Uint8Array,
  alphas: readonly number[],
): Float64Array {
  let living = 0;
  for (const one of alive) living += one;
  const costs = new Float64Array(alphas.length).fill(Number.NaN);
  let found = 0;
  let at = 0;
  for (const [a, alpha] of alphas.entries()) {
    const wanted = wantedOf(alpha, living);
    while (found < wanted && at < order.length) found += alive[order[at++]];
    if (found >= wanted && living > 0) costs[a] = at / (alpha * living);
  }
  return costs;
}

/**
 * The living pages that make up a share alpha of all: the least whole number that is not below
 * alpha · n_a. (0.15 · 20 is a little more than 3 in doubles, and means 3.)
 */
export function wantedOf(alpha: number, living: number): number {
  checkAlpha(alpha);
  return Math.ceil(alpha * living * (1 - 2 ** -50));
}

export function checkAlpha(alpha: number): number {
  if (alpha > 0 && alpha <= 1) return alpha;
  throw new DrumlinError(
    'ALPHA',
    `The share of living pages to find is ${alpha}.`,
    'Take more than 0 and at most 1, such as 0.75 or 75%.',
  );
}
