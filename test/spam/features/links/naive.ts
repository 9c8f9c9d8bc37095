/** Link features by their definitions, on dense matrices and sets. */
import fc from 'fast-check';
import type { PageQuantities } from '../../../../src/spam/features/links/formulas.ts';

export interface SmallWeb {
  /** In byte order. */
  readonly urls: readonly string[];
  readonly arcs: readonly (readonly [number, number])[];
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Few hosts, some of one domain, some without a home page; links of pages to themselves too. */
export const smallWeb: fc.Arbitrary<SmallWeb> = fc
  .uniqueArray(
    fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom('a.com', 'www.a.com', 'b.a.com', 'c.org', 'd.net'),
        fc.constantFrom('/', '/x', '/y', '/?q'),
      )
      .map(([scheme, host, path]) => `${scheme}://${host}${path}`),
    { minLength: 1, maxLength: 14 },
  )
  .chain((urls) =>
    fc.record({
      urls: fc.constant([...urls].sort(byBytes)),
      arcs: fc.array(fc.tuple(fc.nat({ max: urls.length - 1 }), fc.nat({ max: urls.length - 1 })), {
        maxLength: 40,
      }),
    }),
  );

export const range = (length: number) => Array.from({ length }, (_, i) => i);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const mean = (values: readonly number[]) => (values.length === 0 ? 0 : sum(values) / values.length);
const ALPHA = 0.85;

/** The terms (1 - α) α^t x(t); their sum is PageRank. A walker without links begins anew. */
function walkTerms({ arcs, urls }: SmallWeb, start: readonly number[]): number[][] {
  const nodes = range(urls.length);
  const out = nodes.map((x) => new Set(arcs.filter(([from]) => from === x).map(([, to]) => to)));
  const chance = (from: number, to: number) =>
    out[from].size === 0 ? start[to] : out[from].has(to) ? 1 / out[from].size : 0;
  const matrix = nodes.map((to) => nodes.map((from) => chance(from, to)));
  let at = [...start];
  return range(160).map((t) => {
    if (t > 0) at = matrix.map((row) => sum(row.map((one, from) => one * at[from])));
    return at.map((here) => (1 - ALPHA) * ALPHA ** t * here);
  });
}

const sumOfTerms = (terms: readonly number[][], node: number) =>
  sum(terms.map((term) => term[node]));

/** All quantities of every page; `trusted` are pages. */
export function naiveQuantities(
  web: SmallWeb,
  siteOf: (url: string) => string,
  trusted: readonly number[],
): PageQuantities[] {
  const nodes = range(web.urls.length);
  const others = web.arcs.filter(([from, to]) => from !== to);
  const out = nodes.map((x) => new Set(others.filter(([f]) => f === x).map(([, to]) => to)));
  const into = nodes.map((x) => new Set(others.filter(([, t]) => t === x).map(([f]) => f)));
  const degree = (x: number) => out[x].size + into[x].size;
  const terms = walkTerms(
    web,
    nodes.map(() => 1 / nodes.length),
  );
  const trust = walkTerms(
    web,
    nodes.map((x) => (trusted.includes(x) ? 1 / trusted.length : 0)),
  );
  const pagerank = nodes.map((x) => sumOfTerms(terms, x));
  const supporters = (x: number, distance: number) => {
    let reached = new Set([x]);
    for (let d = 0; d < distance; d++)
      reached = new Set([...reached, ...[...reached].flatMap((y) => [...into[y]])]);
    reached.delete(x);
    return reached;
  };
  const sites = (x: number, distance: number) => {
    const found = new Set([...supporters(x, distance)].map((y) => siteOf(web.urls[y])));
    found.delete(siteOf(web.urls[x]));
    return found.size;
  };
  const truncated = (x: number, t: number) => sumOfTerms(terms.slice(t + 1), x) / ALPHA ** (t + 1);
  return nodes.map((x) => {
    const neighbours = [...new Set([...out[x], ...into[x]])];
    const ranks = [...into[x]].map((y) => pagerank[y]);
    return {
      indegree: into[x].size,
      outdegree: out[x].size,
      reciprocity: mean([...out[x]].map((y) => (into[x].has(y) ? 1 : 0))),
      assortativity: neighbours.length === 0 ? 1 : degree(x) / mean(neighbours.map(degree)),
      avgin_of_out: mean([...out[x]].map((y) => into[y].size)),
      avgout_of_in: mean([...into[x]].map((y) => out[y].size)),
      pagerank: pagerank[x],
      prsigma: Math.sqrt(mean(ranks.map((rank) => (rank - mean(ranks)) ** 2))),
      trustrank: sumOfTerms(trust, x),
      truncatedpagerank_1: truncated(x, 1),
      truncatedpagerank_2: truncated(x, 2),
      truncatedpagerank_3: truncated(x, 3),
      truncatedpagerank_4: truncated(x, 4),
      neighbors_2: supporters(x, 2).size,
      neighbors_3: supporters(x, 3).size,
      neighbors_4: supporters(x, 4).size,
      siteneighbors_1: sites(x, 1),
      siteneighbors_2: sites(x, 2),
      siteneighbors_3: sites(x, 3),
      siteneighbors_4: sites(x, 4),
    };
  });
}

/** The value of a feature, computed from its name: names are formulas. */
export function valueByName(name: string, hp: PageQuantities, mp: PageQuantities): number {
  const known = (quantity: string, page: 'hp' | 'mp'): number => {
    const from = page === 'hp' ? hp : mp;
    return quantity === 'neighbors_1' ? from.indegree : from[quantity as keyof PageQuantities];
  };
  const over = (x: number, y: number) =>
    y === 0 ? (x === 0 ? 1 : Number.isNaN(x) ? x : 0) : x / y;
  const evaluate = (text: string, page: 'hp' | 'mp'): number => {
    const log = /^log\((.*)\)$/.exec(text);
    if (log) {
      const x = evaluate(log[1], page);
      return x <= 0 ? -50 : Math.log(x);
    }
    const growth = /^(min|max|mean)\((\w+)_i\/\w+_i-1, i=2\.\.4\)$/.exec(text);
    if (growth) {
      const [, how, family] = growth;
      const factors = [2, 3, 4].map((i) =>
        over(known(`${family}_${i}`, page), known(`${family}_${i - 1}`, page)),
      );
      return how === 'mean' ? sum(factors) / 3 : Math[how as 'min' | 'max'](...factors);
    }
    const ring = /^\((\w+)-(\w+)\)\/(\w+)$/.exec(text);
    if (ring) return over(known(ring[1], page) - known(ring[2], page), known(ring[3], page));
    const [, x, sign, y] = /^(\w+)([*/])(\w+)$/.exec(text) ?? [];
    if (x)
      return sign === '*' ? known(x, page) * known(y, page) : over(known(x, page), known(y, page));
    return known(text, page);
  };
  const between = /^(\w+)_(hp|mp)\/(\w+)_(hp|mp)$/.exec(name);
  if (between) {
    const [, x, of, y, by] = between;
    return over(known(x, of as 'hp' | 'mp'), known(y, by as 'hp' | 'mp'));
  }
  return evaluate(name.slice(0, -3), name.slice(-2) as 'hp' | 'mp');
}
