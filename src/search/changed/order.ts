/**
 * Orders of the pages of a small graph by relevance, change and links: sections 2.3 to 2.5 of the
 * paper.
 *
 *   p(u) = α · IR(u)/maxIR + (1 − α) · change(u)/(change(u) + T)
 *
 *   none             p
 *   pagerank         PPR(v) = (1 − c) Σ PPR(u)/out(u) + c · p(v), c = 0.9: what `rank` calls alpha
 *                    is 1 − c
 *   hits-authority   authorities and hubs with a supersource: in each step it gives every page its
 *   hits-hub         share of 200 by p, then all are divided by the greatest. A link weighs 1.
 *   combined         the mean of p and PPR, each divided by its greatest. The paper does not define
 *                    its "Combined"; this is ours.
 *
 * Requires  Pages numbered from 0, links among them.
 * Cost      Linear in the links for each step; PageRank takes about 13 steps.
 */

export const ORDERS = ['none', 'pagerank', 'hits-authority', 'hits-hub', 'combined'] as const;
export type Order = (typeof ORDERS)[number];

export interface ChangedOptions {
  /** Pages by BM25 to begin with. */
  readonly seeds: number;
  /** Neighbours to add. */
  readonly expand: number;
  /** The share of the text; the rest is that of the change. */
  readonly alpha: number;
  readonly by: Order;
}

export const CHANGED: ChangedOptions = {
  ...{ seeds: 100, expand: 100, alpha: 0.5, by: 'combined' },
};

/** The change at which half of its share is reached: T. */
const SATURATION = 10;
/** The share of PageRank's jump: c. */
const JUMP = 0.9;
/** What the supersource of HITS gives in each step. */
const SUPERSOURCE = 200;
const MOST_STEPS = 1000;
const TOLERANCE = 1e-13;

export interface SmallGraph {
  readonly count: number;
  /** Links between the pages. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** p(u) of each page. */
export function relevance(
  scores: readonly number[],
  changes: readonly number[],
  alpha: number,
): Float64Array {
  const most = Math.max(0, ...scores);
  return Float64Array.from(scores, (score, i) => {
    const text = most > 0 ? score / most : 0;
    return alpha * text + ((1 - alpha) * changes[i]) / (changes[i] + SATURATION);
  });
}

/** The score of each page in an order. */
export function scoresBy(order: Order, graph: SmallGraph, p: Float64Array): Float64Array {
  switch (order) {
    case 'none':
      return p;
    case 'pagerank':
      return personalPageRank(graph, p, JUMP);
    case 'hits-authority':
      return hits(graph, p).authorities;
    case 'hits-hub':
      return hits(graph, p).hubs;
    case 'combined': {
      const [one, two] = [p, personalPageRank(graph, p, JUMP)].map(byGreatest);
      return one.map((value, i) => (value + two[i]) / 2);
    }
  }
}

/** Personalised PageRank with a jump of share `c` to `p`; the walk ends where no link leads on. */
function personalPageRank({ count, from, to }: SmallGraph, p: Float64Array, c: number) {
  const out = new Uint32Array(count);
  for (const page of from) out[page]++;
  let rank = p.map((value) => c * value);
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = p.map((value) => c * value);
    for (let i = 0; i < from.length; i++) next[to[i]] += ((1 - c) * rank[from[i]]) / out[from[i]];
    const isEnd = distance(rank, next) < TOLERANCE;
    rank = next;
    if (isEnd) break;
  }
  return rank;
}

function hits({ from, to }: SmallGraph, p: Float64Array) {
  const sum = p.reduce((total, value) => total + value, 0);
  const given = p.map((value) => (sum > 0 ? (SUPERSOURCE * value) / sum : 0));
  let [authorities, hubs] = [p, byGreatest(p)];
  for (let step = 0; step < MOST_STEPS; step++) {
    const nextAuthorities = given.slice();
    for (let i = 0; i < from.length; i++) nextAuthorities[to[i]] += hubs[from[i]];
    authorities = byGreatest(nextAuthorities);
    const nextHubs = given.slice();
    for (let i = 0; i < from.length; i++) nextHubs[from[i]] += authorities[to[i]];
    const before = hubs;
    hubs = byGreatest(nextHubs);
    if (distance(before, hubs) < TOLERANCE) break;
  }
  return { authorities, hubs };
}

function byGreatest(values: Float64Array): Float64Array {
  const greatest = values.reduce((most, value) => Math.max(most, value), 0);
  return greatest > 0 ? values.map((value) => value / greatest) : values.slice();
}

function distance(a: Float64Array, b: Float64Array): number {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}
