/**
 * How the term weights of sites change over snapshots: Ave, AveDiff, Dev, DevDiff and Decay of
 * section 3.2 of "The classification power of Web features".
 *
 *   Ave     = 1/T · sum of t(i)                       Dev     = 1/(T-1) · sum of (t(i) - Ave)²
 *   AveDiff = 1/(T-1) · sum of |t(i+1) - t(i)|        DevDiff = 1/(T-2) · sum of (|t(i+1) - t(i)| -
 *                                                     AveDiff)²
 *   Decay   = sum of λ e^(-λ (T-i)) t(i)              λ = ln 2
 *
 * The paper's Decay has no minus sign: the oldest snapshot would count most. It gives no λ; with ln
 * 2 a weight counts half as much with each newer snapshot.
 *
 * Requires  weights of the same terms in the same order in each snapshot, the oldest first; 0 where
 *           a site has no text.
 * Ensures   with fewer than three snapshots there is no DevDiff, with fewer than two only Ave and
 *           Decay: a variance of one value is none.
 */

/** The greatest distance in snapshots has the least weight. */
const DECAY_RATE = Math.LN2;

export const TERM_CHANGES = ['ave', 'avediff', 'dev', 'devdiff', 'decay'] as const;
export type TermChange = (typeof TERM_CHANGES)[number];

/** What can be said of so many snapshots. */
export function termChangesOf(snapshots: number): readonly TermChange[] {
  return TERM_CHANGES.filter(
    (kind) =>
      (kind !== 'devdiff' || snapshots > 2) &&
      (!['avediff', 'dev'].includes(kind) || snapshots > 1),
  );
}

/** A change of one term's weight over the snapshots, the oldest first. */
export function termChange(kind: TermChange, weights: readonly number[]): number {
  const steps = weights.slice(1).map((weight, i) => Math.abs(weight - weights[i]));
  switch (kind) {
    case 'ave':
      return mean(weights);
    case 'avediff':
      return mean(steps);
    case 'dev':
      return variance(weights);
    case 'devdiff':
      return variance(steps);
    case 'decay':
      return weights.reduce(
        (sum, weight, i) =>
          sum + DECAY_RATE * Math.exp(-DECAY_RATE * (weights.length - 1 - i)) * weight,
        0,
      );
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Divided by one less than the number of values. */
function variance(values: readonly number[]): number {
  const center = mean(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}
