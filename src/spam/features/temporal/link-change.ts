/**
 * The set `temporal`: how the links of each site changed between two snapshots of a graph of sites,
 * 33 rates and 21 features for each of two similarities and two directions.
 *
 * Requires  two graphs of sites, the earlier first. More snapshots make more pairs; the last pair
 *           tells of the latest change.
 * Ensures   a site that either snapshot lacks has missing values only. Means and variances are over
 *           the neighbours in the later snapshot that both snapshots have; over none they are 0.
 *           Quotients and logarithms follow the link features: x/0 = 1 for x = 0 and else 0,
 *           log x = -50 for x <= 0.
 * Cost      8 bytes per arc of the larger snapshot, about 150 per node; similarity.ts takes nearly
 *           all of the time.
 */
import { stopIfAsked } from '../../../base/stop.ts';
import type { Csr, Graph } from '../../../graph/graph.ts';
import type { FeatureSet } from '../feature-set.ts';
import { log, quotient } from '../links/formulas.ts';
import { changeRates, clusteringChange, type Rates } from './change-rates.ts';
import { LENGTHS, pSimRank, type Similarities, xJaccard } from './similarity.ts';
import { type Direction, type Pair, pairSnapshots, type SnapshotPair } from './snapshots.ts';

export interface LinkChangeRequest {
  readonly sites: readonly string[];
  /** Random permutations for each similarity. */
  readonly permutations: number;
  readonly seed: number;
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Column = readonly [name: string, values: Float64Array];
const MEASURES = { xjaccard: xJaccard, psimrank: pSimRank } as const;

export async function linkChange(
  graphs: Pair<Graph>,
  request: LinkChangeRequest,
): Promise<FeatureSet> {
  const pair = await pairSnapshots(graphs, request.sites);
  const step = (part: number) => (done: number) => {
    stopIfAsked(request.signal);
    request.onProgress?.((part + done) / 4);
  };
  const outLists = await pair.lists('out');
  const outRates = changeRates(pair.nodes, outLists);
  const clustering = clusteringChange(pair.nodes, outLists, pair.wanted);
  const outward = await similarityColumns(pair, 'out', outLists, request, [step(0), step(1)]);
  const inLists = await pair.lists('in');
  const inRates = changeRates(pair.nodes, inLists);
  const inward = await similarityColumns(pair, 'in', inLists, request, [step(2), step(3)]);
  const columns = [
    ...rateColumns(pair, inLists[1], { I: inRates, O: outRates }),
    ['CRCC', clustering] as const,
    ...outward,
    ...inward,
  ];
  return {
    name: 'temporal',
    columns: columns.map(([name]) => name),
    values: columns.map(([, values]) => values),
  };
}

/** Death and growth of in- and out-links, over in-neighbours too, and what is derived from them. */
function rateColumns(
  pair: SnapshotPair,
  inLists: Csr,
  rates: Readonly<Record<'I' | 'O', Rates>>,
): Column[] {
  const known = new Map<string, Float64Array>();
  for (const side of ['I', 'O'] as const) {
    for (const [letter, values] of [
      ['D', rates[side].death],
      ['G', rates[side].growth],
    ] as const) {
      const spread = overNeighbours(pair, inLists, values);
      known.set(`${side}${letter}R`, ofWanted(pair, values));
      known.set(`${side}${letter}RMean`, spread.mean);
      known.set(`${side}${letter}RVar`, spread.variance);
    }
  }
  const derived = (['I', 'O'] as const).flatMap((side) => {
    const [d, g] = [`${side}DR`, `${side}GR`];
    return [
      [g, '*', d],
      [g, '/', d],
      [`${g}Mean`, '/', g],
      [`${g}Var`, '/', g],
      [`${d}Mean`, '/', d],
      [`${d}Var`, '/', d],
      [`${g}Mean`, '*', `${d}Mean`],
      [`${g}Mean`, '/', `${d}Mean`],
      [`${g}Var`, '*', `${d}Var`],
      [`${g}Var`, '/', `${d}Var`],
    ].map(([x, sign, y]): Column => {
      const divisors = known.get(y) as Float64Array;
      const combine = sign === '*' ? (a: number, b: number) => a * b : quotient;
      const values = (known.get(x) as Float64Array).map((a, i) => combine(a, divisors[i]));
      return [`${x}${sign}${y}`, values];
    });
  });
  return [...known, ...derived];
}

async function similarityColumns(
  pair: SnapshotPair,
  direction: Direction,
  lists: Pair<Csr>,
  { permutations, seed }: LinkChangeRequest,
  progress: readonly ((done: number) => void)[],
): Promise<Column[]> {
  const columns: Column[] = [];
  for (const [i, measure] of (['xjaccard', 'psimrank'] as const).entries()) {
    const draws = { permutations, seed, onProgress: progress[i] };
    const found = await MEASURES[measure](pair.nodes, lists, draws);
    columns.push(...similarityFeatures(pair, `${measure}_${direction}`, lists[1], found));
  }
  return columns;
}

/** The 21 features of a similarity in a direction. */
function similarityFeatures(
  pair: SnapshotPair,
  name: string,
  laterLists: Csr,
  similarities: Similarities,
): Column[] {
  const own = similarities.map((values) => ofWanted(pair, values));
  const spreads = similarities.map((values) => overNeighbours(pair, laterLists, values));
  const factors = own.slice(1).map((values, i) => values.map((x, row) => quotient(x, own[i][row])));
  const summary = (kind: string, of: (factors: readonly number[]) => number): Column => [
    `log(${kind}(${name}_i/${name}_i-1, i=2..${LENGTHS}))`,
    own[0].map((_, row) => log(of(factors.map((values) => values[row])))),
  ];
  const quotientName = (i: number) => `${name}_${i + 2}/${name}_${i + 1}`;
  return [
    ...own.map((values, i): Column => [`${name}_${i + 1}`, values]),
    ...spreads.map(({ mean }, i): Column => [`${name}_${i + 1}_mean`, mean]),
    ...spreads.map(({ variance }, i): Column => [`${name}_${i + 1}_var`, variance]),
    ...factors.map((values, i): Column => [quotientName(i), values]),
    ...factors.map((values, i): Column => [`log(${quotientName(i)})`, values.map(log)]),
    summary('min', (all) => Math.min(...all)),
    summary('max', (all) => Math.max(...all)),
    summary('mean', (all) => all.reduce((sum, one) => sum + one, 0) / all.length),
  ];
}

function ofWanted({ wanted }: SnapshotPair, values: Float64Array): Float64Array {
  return Float64Array.from(wanted, (node) => (node < 0 ? Number.NaN : values[node]));
}

/** Mean and variance of the values of a site's neighbours. */
function overNeighbours(
  { wanted, isIn }: SnapshotPair,
  { offsets, targets }: Csr,
  values: Float64Array,
): { mean: Float64Array; variance: Float64Array } {
  const mean = new Float64Array(wanted.length).fill(Number.NaN);
  const variance = new Float64Array(wanted.length).fill(Number.NaN);
  for (const [row, node] of wanted.entries()) {
    if (node < 0) continue;
    const known = targets
      .subarray(offsets[node], offsets[node + 1])
      .filter((other) => isIn[0][other] === 1 && isIn[1][other] === 1);
    const of = Float64Array.from(known, (other) => values[other]);
    const count = Math.max(1, of.length);
    mean[row] = of.reduce((sum, value) => sum + value, 0) / count;
    variance[row] = of.reduce((sum, value) => sum + (value - mean[row]) ** 2, 0) / count;
  }
  return { mean, variance };
}
