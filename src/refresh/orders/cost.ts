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
import type { Hosts } from './collection.ts';

/**
 * The cost at each alpha, which must rise. `alive` has one entry a page, 1 for living ones. With
 * `hosts` the cost is in requests (requestsFor) instead of tests.
 */
export function costsOf(
  order: Uint32Array,
  alive: Uint8Array,
  alphas: readonly number[],
  hosts?: Hosts,
): Float64Array {
  let living = 0;
  for (const one of alive) living += one;
  const costs = new Float64Array(alphas.length).fill(Number.NaN);
  const requests = hosts && requestsFor(hosts, alive);
  let found = 0;
  let at = 0;
  let spent = 0;
  for (const [a, alpha] of alphas.entries()) {
    const wanted = wantedOf(alpha, living);
    while (found < wanted && at < order.length) {
      const page = order[at++];
      spent += requests?.(page) ?? 1;
      found += alive[page];
    }
    if (found >= wanted && living > 0) costs[a] = spent / (alpha * living);
  }
  return costs;
}

/**
 * The requests that the test of a page takes, if pages are tested in the order of the calls: the
 * page; for the first page of a host its robots.txt; and for its first living page a made-up URL,
 * which shows what its "not found" looks like. (A host whose living pages are all unchanged needs
 * none, and one without an address gets no request at all: the list of living pages does not tell.)
 */
function requestsFor({ count, of }: Hosts, alive: Uint8Array): (page: number) => number {
  const met = new Uint8Array(count);
  const asked = new Uint8Array(count);
  return (page) => {
    const host = of[page];
    let requests = 1;
    if (met[host] === 0) requests++;
    if (alive[page] === 1 && asked[host] === 0) requests++;
    met[host] = 1;
    asked[host] |= alive[page];
    return requests;
  };
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
