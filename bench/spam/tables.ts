/** Which features each line of the tables has, and what the paper has for it. */

export interface Cell {
  readonly name: string;
  readonly content?: 'a' | 'aa' | 'b';
  /** Of the first pages only. */
  readonly early?: boolean;
  readonly terms?: boolean;
  /** Which changes of term weights, by the names of their sets. */
  readonly changes?: RegExp;
  /** Which columns of other sets, by their names. */
  readonly sets?: Readonly<Record<string, RegExp>>;
  /** AUC in the paper: UK2007, DC2010, ClueWeb09. */
  readonly paper?: string;
}

const ANY = /./;
const RATES = /^(?!.*(?:xjaccard|psimrank))/;
const SIMILARITIES = /xjaccard|psimrank/;
/** All sets of numbers beside content and terms. */
export const STATIC = { links: ANY, names: ANY, neighbours: ANY };

/** Tables 6 and 7. */
export const CELLS: readonly Cell[] = [
  { name: 'content (A)', content: 'a', paper: '0.859, 0.757, 0.829' },
  { name: 'content (Aa)', content: 'aa', paper: '0.841, 0.726, 0.635' },
  { name: 'content (B)', content: 'b', paper: '0.879, 0.799, 0.827' },
  { name: 'BM25', terms: true, paper: '-, 0.876, 0.845' },
  { name: 'BM25 + (B)', content: 'b', terms: true, paper: '0.893, 0.891, 0.870' },
  { name: 'links', sets: { links: ANY }, paper: '0.759, 0.587, 0.806' },
  { name: 'links + (B)', content: 'b', sets: { links: ANY }, paper: '-, 0.812, 0.848' },
  { name: 'names', sets: { names: ANY } },
  { name: 'neighbours', sets: { neighbours: ANY } },
  { name: 'all', content: 'b', terms: true, sets: STATIC, paper: '0.902, 0.885, 0.876' },
];

/** Table 10, on UK2007. */
export const TEMPORAL: readonly Cell[] = [
  { name: 'growth and death rates', sets: { temporal: RATES }, paper: '0.617' },
  { name: 'XJaccard + PSimRank', sets: { temporal: SIMILARITIES }, paper: '0.625' },
  {
    name: 'links + growth and death rates',
    sets: { links: ANY, temporal: RATES },
    paper: '0.758',
  },
  {
    name: 'links + XJaccard + PSimRank',
    sets: { links: ANY, temporal: SIMILARITIES },
    paper: '0.769',
  },
  { name: 'all links', sets: { links: ANY, temporal: ANY }, paper: '0.765' },
];

/** Table 11: one learner, bagged cost-sensitive trees. */
export const BAGGED: readonly Cell[] = [
  { name: 'growth and death rates', sets: { temporal: RATES }, paper: '0.605' },
  { name: 'XJaccard', sets: { temporal: /xjaccard/ }, paper: '0.626' },
  { name: 'PSimRank', sets: { temporal: /psimrank/ }, paper: '0.593' },
  { name: 'XJaccard + PSimRank', sets: { temporal: SIMILARITIES }, paper: '0.610' },
  { name: 'links', sets: { links: ANY }, paper: '0.731' },
  {
    name: 'links + growth and death rates',
    sets: { links: ANY, temporal: RATES },
    paper: '0.696',
  },
  {
    name: 'links + XJaccard + PSimRank',
    sets: { links: ANY, temporal: SIMILARITIES },
    paper: '0.710',
  },
  { name: 'all links', sets: { links: ANY, temporal: ANY }, paper: '0.707' },
];

/** Table 12, on UK2007. */
export const CHANGES: readonly Cell[] = [
  { name: 'BM25', terms: true, paper: '0.736' },
  { name: 'Ave', changes: /-ave$/, paper: '0.749' },
  { name: 'AveDiff', changes: /-avediff$/, paper: '0.737' },
  { name: 'Dev', changes: /-dev$/, paper: '0.767' },
  { name: 'DevDiff', changes: /-devdiff$/, paper: '0.752' },
  { name: 'Decay', changes: /-decay$/, paper: '0.709' },
  { name: 'all changes', changes: ANY, paper: '0.782' },
  { name: 'all changes + BM25', terms: true, changes: ANY, paper: '0.789' },
  { name: 'all changes + (B)', content: 'b', changes: ANY, paper: '0.901' },
  { name: 'all changes + BM25 + (B)', content: 'b', terms: true, changes: ANY, paper: '0.902' },
];
