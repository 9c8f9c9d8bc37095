/**
 * How many pages of a collection are alive, from a random sample of them.
 *
 * Wilson's interval for a share, with the variance of a draw without replacement: it holds for
 * small samples, for shares near 0 and 1, and shrinks to a point when everything was tested.
 */

/** Two-sided, 95 %. */
const Z95 = 1.959964;

export interface Estimate {
  readonly living: number;
  /** With 95 % confidence the number is between these two. */
  readonly low: number;
  readonly high: number;
}

/** `alive` of `tested` pages live; the sample was drawn at random from `pages`. */
export function estimateLiving(alive: number, tested: number, pages: number): Estimate {
  if (tested === 0) return { living: 0, low: 0, high: pages };
  const share = alive / tested;
  const left = pages > 1 ? (pages - tested) / (pages - 1) : 0;
  const z2 = Z95 * Z95 * left;
  const middle = (share + z2 / (2 * tested)) / (1 + z2 / tested);
  const half =
    (Math.sqrt(z2) / (1 + z2 / tested)) *
    Math.sqrt((share * (1 - share)) / tested + z2 / (4 * tested * tested));
  // What was seen is certain.
  const least = alive;
  const most = pages - (tested - alive);
  return {
    living: share * pages,
    low: Math.max(least, (middle - half) * pages),
    high: Math.min(most, (middle + half) * pages),
  };
}
