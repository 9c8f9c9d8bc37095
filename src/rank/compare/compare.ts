/**
 * How alike rankings are, and how good: measures on lists of the best nodes, best first.
 *
 * The measure of quality is that of Cui et al., "Unsupervised Domain Ranking", §3.5: u_r, the
 * number of bad nodes among the first r. A list of bad nodes need not be complete, only unrelated
 * to the methods.
 */

/** The places, from 1, of a set's members in a list: u_r is how many of them are at most r. */
export function placesOf(list: Uint32Array, isMember: (node: number) => boolean): number[] {
  const places: number[] = [];
  for (let i = 0; i < list.length; i++) if (isMember(list[i])) places.push(i + 1);
  return places;
}

/** u_r of increasing places. */
export function countUpTo(places: readonly number[], r: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] <= r) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The share of nodes that two lists have in common; 1 for two empty lists. */
export function overlap(a: Uint32Array, b: Uint32Array): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 1;
  const inA = new Set(a);
  return b.reduce((both, node) => both + (inA.has(node) ? 1 : 0), 0) / longer;
}

/**
 * Kendall's τ_b over all nodes that are in either list; nodes missing from a list are tied behind
 * it. It is 1 for the same list, -1 for the reversed list, about -2/3 for lists without a common
 * node, and 1 if there is nothing to compare.
 *
 * With N pairs of nodes, t pairs tied in one ranking, u in the other and w in both, τ_b = (C - D) /
 * √((N - t)(N - u)), where the pairs in order and in disorder are C + D = N - t - u + w. D is
 * counted by sorting (Knight, 1966): O(k log k).
 */
export function kendallTau(a: Uint32Array, b: Uint32Array): number {
  const places = new Map<number, number>();
  a.forEach((node, i) => {
    places.set(node, i);
  });
  // In the order of b. Nodes of a that are not in b come last, by their places in a, so that they
  // are in no disorder among themselves.
  const inOrderOfB = Array.from(b, (node) => places.get(node) ?? a.length);
  const inB = new Set(b);
  const onlyInA = [...a.keys()].filter((i) => !inB.has(a[i]));
  const onlyInB = inOrderOfB.filter((place) => place === a.length).length;
  const pairs = choose(a.length + onlyInB);
  const [tiedA, tiedB] = [choose(onlyInB), choose(onlyInA.length)];
  if (pairs === tiedA || pairs === tiedB) return 1;
  const disorder = inversions([...inOrderOfB, ...onlyInA]);
  // A pair cannot be tied in both: each node is in one of the lists.
  const untied = pairs - tiedA - tiedB;
  return (untied - 2 * disorder) / Math.sqrt((pairs - tiedA) * (pairs - tiedB));
}

function choose(n: number): number {
  return (n * (n - 1)) / 2;
}

/** Counts the pairs in descending order, by merge sort. */
function inversions(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = values.length >> 1;
  const left = values.slice(0, middle);
  const right = values.slice(middle);
  let count = inversions(left) + inversions(right);
  left.sort((x, y) => x - y);
  right.sort((x, y) => x - y);
  let l = 0;
  for (const value of right) {
    while (l < left.length && left[l] <= value) l++;
    count += left.length - l;
  }
  return count;
}

export interface ErrorByRank {
  /** Mean over the first 1,000, or over all if there are fewer. */
  readonly mean: number;
  readonly worst: number;
  /** Mean errors around a rank: sliding windows, at ranks that grow by a factor. */
  readonly curve: readonly (readonly [rank: number, error: number])[];
}

const TOP = 1000;
const POINTS = 120;
/**
 * A point of the curve averages over the ranks within this factor, and over at least `LEAST_HALF`
 * on either side.
 */
const WINDOW_FACTOR = 1.25;
const LEAST_HALF = 5;

/**
 * Relative errors |estimate / exact - 1| of a list of exact scores, best first; scores of 0 are
 * left out.
 */
export function errorByRank(exact: Float64Array, estimates: Float64Array): ErrorByRank {
  const errors: number[] = [];
  for (let i = 0; i < exact.length && exact[i] > 0; i++)
    errors.push(Math.abs(estimates[i] / exact[i] - 1));
  if (errors.length === 0) return { mean: 0, worst: 0, curve: [] };
  const top = errors.slice(0, TOP);
  const sums = [0];
  for (const error of errors) sums.push(sums[sums.length - 1] + error);
  const around = (rank: number) => {
    const from = Math.max(0, Math.min(rank - LEAST_HALF, Math.round(rank / WINDOW_FACTOR)) - 1);
    const to = Math.min(
      errors.length,
      Math.max(rank + LEAST_HALF, Math.round(rank * WINDOW_FACTOR)),
    );
    return (sums[to] - sums[from]) / (to - from);
  };
  return {
    mean: top.reduce((sum, error) => sum + error, 0) / top.length,
    worst: Math.max(...top),
    curve: ranksUpTo(errors.length).map((rank) => [rank, around(rank)]),
  };
}

/** At most some 120 ranks, each a constant factor further, the first and the last among them. */
export function ranksUpTo(last: number): number[] {
  const ranks = Array.from({ length: POINTS }, (_, i) => Math.round(last ** (i / (POINTS - 1))));
  return [...new Set(ranks)];
}
