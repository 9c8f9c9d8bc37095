/**
 * What a sample of supporters says about how many there are.
 *
 * Idea      Each of N supporters is drawn with probability p, so the number drawn is binomial with
 *           mean Np and variance Np(1 − p). The estimate drawn/p has the relative standard error
 *           √((1 − p)/(pN)). The interval is the N for which the number drawn lies within 2.2
 *           standard deviations of its mean: a quadratic equation in √N.
 */

/** Deviations on either side: 97 % of all samples, so that 95 % holds for small numbers, too. */
const DEVIATIONS = 2.2;

/** The relative standard error of an estimate; infinite if it is 0 and p is below 1. */
export function standardErrorOf(estimate: number, p: number): number {
  return p >= 1 ? 0 : Math.sqrt((1 - p) / (p * estimate));
}

/** The least share p with this standard error. */
export function shareFor(estimate: number, error: number): number {
  return 1 / (1 + error ** 2 * estimate);
}

/** The supporters that a node may have, for an estimate by the share p: least and most. */
export function supportersBetween(estimate: number, p: number): readonly [number, number] {
  const drawn = estimate * p;
  const spread = DEVIATIONS ** 2 * (1 - p);
  const half = Math.sqrt(spread * (4 * drawn + spread));
  const [low, high] = [-half, half].map((side) => (2 * drawn + spread + side) / (2 * p));
  return [Math.max(drawn, low), high];
}
