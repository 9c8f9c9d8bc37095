/**
 * The 176 link features of a site, as Castillo et al. (SIGIR 2007) list them: 41 quantities of its
 * home page (hp) and of its page of greatest PageRank (mp), and what is derived from them.
 *
 * Idea      A derived feature is a name and a function of the quantities of one page, or of both.
 *           The names of the public files are kept, commas and brackets included.
 * Ensures   log x = -50 for x <= 0; x/0 = 1 for x = 0 and else 0. A missing quantity (NaN) makes
 *           what is derived from it missing, and nothing else.
 */

/** The quantities of a page, in the order of a row. */
export const QUANTITIES = [
  'assortativity',
  'avgin_of_out',
  'avgout_of_in',
  'indegree',
  'neighbors_2',
  'neighbors_3',
  'neighbors_4',
  'outdegree',
  'pagerank',
  'prsigma',
  'reciprocity',
  'siteneighbors_1',
  'siteneighbors_2',
  'siteneighbors_3',
  'siteneighbors_4',
  'truncatedpagerank_1',
  'truncatedpagerank_2',
  'truncatedpagerank_3',
  'truncatedpagerank_4',
  'trustrank',
] as const;

export type Quantity = (typeof QUANTITIES)[number];
/** One number for each of the quantities. */
export type PageQuantities = Readonly<Record<Quantity, number>>;

type PageFormula = readonly [name: string, value: (page: PageQuantities) => number];
type SiteFormula = readonly [
  name: string,
  value: (hp: PageQuantities, mp: PageQuantities) => number,
];

/** Stands for the logarithm of nothing. */
const LOG_OF_NOTHING = -50;

export function log(x: number): number {
  return x <= 0 ? LOG_OF_NOTHING : Math.log(x);
}

export function quotient(x: number, y: number): number {
  if (Number.isNaN(x) || y !== 0) return x / y;
  return x === 0 ? 1 : 0;
}

/** Counts by distance; the first stands for distance one. */
const SITE_SUPPORTERS = [1, 2, 3, 4].map((i) => `siteneighbors_${i}` as Quantity);
const SUPPORTERS: readonly Quantity[] = ['indegree', 'neighbors_2', 'neighbors_3', 'neighbors_4'];
const TRUNCATED = [1, 2, 3, 4].map((i) => `truncatedpagerank_${i}` as Quantity);

const logOf = (name: Quantity): PageFormula => [`log(${name})`, (page) => log(page[name])];
const logOfQuotient = (x: Quantity, y: Quantity): PageFormula => [
  `log(${x}/${y})`,
  (page) => log(quotient(page[x], page[y])),
];
const logOfProduct = (x: Quantity, y: Quantity): PageFormula => [
  `log(${x}*${y})`,
  (page) => log(page[x] * page[y]),
];

/** The growth from each distance to the next, the farthest first, and its extremes. */
function growth(counts: readonly Quantity[], family: string): PageFormula[] {
  const steps = [3, 2, 1];
  const factors = (page: PageQuantities) =>
    steps.map((i) => quotient(page[counts[i]], page[counts[i - 1]]));
  const summary = (name: string, of: (factors: number[]) => number): PageFormula => [
    `log(${name}(${family}_i/${family}_i-1, i=2..4))`,
    (page) => log(of(factors(page))),
  ];
  return [
    ...steps.map((i) => logOfQuotient(counts[i], counts[i - 1])),
    summary('min', (all) => Math.min(...all)),
    summary('max', (all) => Math.max(...all)),
    summary('mean', ([a, b, c]) => (a + b + c) / 3),
  ];
}

/** Supporters at each distance exactly, by PageRank. */
function rings(counts: readonly Quantity[]): PageFormula[] {
  return [3, 2, 1].map((i) => [
    `log((${counts[i]}-${counts[i - 1]})/pagerank)`,
    (page) => log(quotient(page[counts[i]] - page[counts[i - 1]], page.pagerank)),
  ]);
}

const byPageRank = (names: readonly Quantity[]) =>
  names.map((name) => logOfQuotient(name, 'pagerank'));

const PAGE_FORMULAS: readonly PageFormula[] = [
  logOf('indegree'),
  logOf('outdegree'),
  logOf('assortativity'),
  logOf('avgin_of_out'),
  logOfProduct('avgin_of_out', 'outdegree'),
  logOf('avgout_of_in'),
  logOfProduct('avgout_of_in', 'indegree'),
  logOf('pagerank'),
  ...byPageRank(['indegree', 'outdegree']),
  logOf('prsigma'),
  ...byPageRank(['prsigma']),
  logOf('trustrank'),
  ...byPageRank(['trustrank']),
  logOfQuotient('trustrank', 'indegree'),
  ...SITE_SUPPORTERS.map(logOf),
  ...byPageRank(SITE_SUPPORTERS),
  ...growth(SITE_SUPPORTERS, 'siteneighbors'),
  ...rings(SITE_SUPPORTERS),
  ...SUPPORTERS.slice(1).map(logOf),
  ...byPageRank(SUPPORTERS.slice(1)),
  ...growth(SUPPORTERS, 'neighbors'),
  ...rings(SUPPORTERS),
  ...TRUNCATED.map(logOf),
  ...byPageRank(TRUNCATED),
  ...growth(TRUNCATED, 'truncatedpagerank'),
];

const mpByHp = (name: Quantity): SiteFormula => [
  `${name}_mp/${name}_hp`,
  (hp, mp) => quotient(mp[name], hp[name]),
];
const hpByMp = (name: Quantity): SiteFormula => [
  `${name}_hp/${name}_mp`,
  (hp, mp) => quotient(hp[name], mp[name]),
];

const FORMULAS: readonly SiteFormula[] = [
  ...QUANTITIES.map((name): SiteFormula => [`${name}_hp`, (hp) => hp[name]]),
  ...QUANTITIES.map((name): SiteFormula => [`${name}_mp`, (_, mp) => mp[name]]),
  ...PAGE_FORMULAS.map(([name, value]): SiteFormula => [`${name}_hp`, (hp) => value(hp)]),
  ...PAGE_FORMULAS.map(([name, value]): SiteFormula => [`${name}_mp`, (_, mp) => value(mp)]),
  mpByHp('pagerank'),
  mpByHp('trustrank'),
  ...SITE_SUPPORTERS.map(hpByMp),
  ...SUPPORTERS.slice(1).map(hpByMp),
  ...TRUNCATED.map(mpByHp),
];

export const LINK_FEATURES: readonly string[] = ['eq_hp_mp', ...FORMULAS.map(([name]) => name)];

/** The features of a site, in the order of `LINK_FEATURES`. */
export function linkValues(hp: PageQuantities, mp: PageQuantities, same: boolean): number[] {
  return [same ? 1 : 0, ...FORMULAS.map(([, value]) => value(hp, mp))];
}
