/**
 * What counting supporters costs and how large the errors of estimates are, on a graph in memory:
 * Table 5, section 6.4 and Figure 18(b) of the paper.
 *
 * An estimator runs once for each seed. Its time is that of the fastest run. Its error is the mean
 * over the top nodes, reported as mean and deviation over the seeds.
 */

import { formatCount } from '../../src/base/units.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { type ErrorByRank, errorByRank } from '../../src/rank/compare/compare.ts';
import { order, type Ranking, rank } from '../../src/rank/index.ts';
import { supportersOf } from '../../src/rank/methods/supp.ts';

export interface CostOptions {
  readonly threads: number;
  readonly seeds: number;
  /** Whether to count the supporters of all nodes, or to estimate the time from some. */
  readonly whole: boolean;
}

type Print = (line: string) => void;

const MEMORY = 3.9e9;
const TOP = 1000;
/** Candidates for the exact top: more than the error of the estimate can shuffle. */
const CANDIDATES = 1500;
/** Bit vectors are slow: a few seeds show their error, which is large, well enough. */
const BIT_VECTOR_SEEDS = 3;
/** One node in this many represents all if SUPP does not count all nodes. */
const SAMPLED = 100;

interface Estimator {
  readonly label: string;
  readonly by: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly mostSeeds: number;
  /**
   * Times faster than SUPP on IRLbot and ClueWeb09 (Table 5); mean and worst error of the top 1,000
   * on IRLbot (section 6.4).
   */
  readonly paper: readonly [irlbot: string, clueweb: string, mean: string, worst: string];
}

const tse = (p: number, ...paper: Estimator['paper']): Estimator => ({
  label: `TSE, p = ${p}`,
  by: 'tse',
  parameters: { p },
  mostSeeds: Number.POSITIVE_INFINITY,
  paper,
});

const ESTIMATORS: readonly Estimator[] = [
  tse(0.01, '380', '380', '0.1 %', '0.6 %'),
  {
    label: 'Bit Vector, 2 rounds',
    by: 'bit-vector',
    parameters: { rounds: 2 },
    mostSeeds: BIT_VECTOR_SEEDS,
    paper: ['1,100', '7,600', '6.5 %', '28 %'],
  },
  tse(0.001, '3,600', '3,600', '', ''),
  {
    label: 'QVS',
    by: 'qvs',
    parameters: {},
    mostSeeds: 0,
    paper: ['4,600', '30,000', '1,000 % falling to 200 %', '3,200 %'],
  },
  tse(0.0001, '34,000', '34,000', '1 %', '7.2 %'),
];

interface Measured extends Estimator {
  readonly cpu: number;
  readonly clock: number;
  /** One for each seed. */
  readonly errors: readonly ErrorByRank[];
}

export async function costTables(graph: Graph, options: CostOptions, print: Print): Promise<void> {
  const visits = (await rank(graph, { by: 'qvs', memory: MEMORY })).scores;
  const part = await partOfSupp(graph, options.threads, visits);
  const whole = options.whole ? await wholeSupp(graph, options.threads) : undefined;
  const top = whole?.top ?? (await exactTop(graph, options.threads));
  printShape(graph, { visits, mean: whole?.mean ?? part.mean, top }, print);
  const measured: Measured[] = [];
  for (const estimator of ESTIMATORS)
    measured.push(await measure(graph, estimator, options.seeds, top));
  printTimes(measured, whole ? [whole, part] : [part], print);
  printErrors(measured, top.scores, print);
  printErrorsByRank(measured, print);
}

interface Top {
  readonly list: Uint32Array;
  readonly scores: Float64Array;
}

function printShape(
  { nodes, arcs }: Graph,
  { visits, mean, top }: { visits: Float64Array; mean: number; top: Top },
  print: Print,
): void {
  const own = [arcs / nodes, sum(visits) / nodes, mean].map((value) => formatCount(value));
  const last = top.scores[top.scores.length - 1];
  print('| | nodes | arcs | E[X] | E[Q] | E[SUPP] | SUPP of the first | of the 1,000th |');
  print('|---|---|---|---|---|---|---|---|');
  print(
    `| here | ${formatCount(nodes)} | ${formatCount(arcs)} | ${own.join(' | ')} | ${formatCount(top.scores[0])} | ${formatCount(last)} |`,
  );
  print('| IRLbot | 89M | 1.8G | 20.2 | 34.4k | 21k | 15.5M | |');
  print('| ClueWeb09 | 31M | 415M | 13.5 | 138k | 110k | | |\n');
}

async function measure(
  graph: Graph,
  estimator: Estimator,
  seeds: number,
  top: Top,
): Promise<Measured> {
  const { by, parameters, mostSeeds } = estimator;
  const errors: ErrorByRank[] = [];
  let [cpu, clock] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // At least twice: the first run compiles.
  for (let seed = 1; seed <= Math.max(2, Math.min(seeds, mostSeeds)); seed++) {
    const run = await timed(graph, by, mostSeeds > 0 ? { ...parameters, seed } : parameters, 1);
    const estimates = Float64Array.from(top.list, (node) => run.ranking.scores[node]);
    errors.push(errorByRank(top.scores, estimates));
    [cpu, clock] = [Math.min(cpu, run.cpu), Math.min(clock, run.clock)];
  }
  return { ...estimator, cpu, clock, errors };
}

function printTimes(measured: readonly Measured[], supp: readonly Supp[], print: Print): void {
  print('| Table 5 | CPU s | clock s | times faster than SUPP | IRLbot | ClueWeb09 |');
  print('|---|---|---|---|---|---|');
  for (const { label, cpu, clock } of supp)
    print(`| ${label} | ${cpu.toFixed(1)} | ${clock?.toFixed(1) ?? ''} | 1 | (70 h) | (108 h) |`);
  for (const { label, cpu, clock, paper } of measured) {
    const faster = formatCount(supp[0].cpu / cpu);
    print(
      `| ${label} | ${cpu.toFixed(3)} | ${clock.toFixed(3)} | ${faster} | ${paper[0]} | ${paper[1]} |`,
    );
  }
  print('');
}

/** The mean of |error| for a binomial count is 0.8 of its deviation: √(2/π). */
function expectedError(p: number, supporters: Float64Array): number {
  return meanOf(supporters.map((count) => Math.sqrt((2 / Math.PI) * ((1 - p) / (p * count)))));
}

function printErrors(measured: readonly Measured[], supporters: Float64Array, print: Print): void {
  print(
    '| top 1,000 | seeds | mean error ± deviation over seeds | 0.8·√((1−p)/(p·SUPP)) | ratio | worst | IRLbot: mean | worst |',
  );
  print('|---|---|---|---|---|---|---|---|');
  for (const { label, by, parameters, mostSeeds, errors, paper } of measured) {
    const means = Float64Array.from(errors, ({ mean }) => mean);
    const theory = by === 'tse' ? expectedError(parameters.p, supporters) : undefined;
    const cells = [
      mostSeeds > 0 ? errors.length : '',
      mostSeeds > 0
        ? `${percent(meanOf(means))} ± ${percent(deviationOf(means))}`
        : percent(means[0]),
      theory === undefined ? '' : percent(theory),
      theory === undefined ? '' : ratio(means, theory),
      percent(Math.max(...errors.map(({ worst }) => worst))),
      paper[2],
      paper[3],
    ];
    print(`| ${label} | ${cells.join(' | ')} |`);
  }
  print('');
}

/** A ratio with the standard error of the mean, which shows how much is chance. */
function ratio(means: Float64Array, theory: number): string {
  const chance = deviationOf(means) / Math.sqrt(means.length) / theory;
  return `${(meanOf(means) / theory).toFixed(2)} ± ${chance.toFixed(2)}`;
}

const SHOWN_RANKS = [1, 10, 100, 1000];

/** Means over the seeds of the sliding averages. */
function printErrorsByRank(measured: readonly Measured[], print: Print): void {
  print(
    `| Figure 18(b): error around rank | ${SHOWN_RANKS.map(formatCount).join(' | ')} | IRLbot |`,
  );
  print(`|---|${'---|'.repeat(SHOWN_RANKS.length + 1)}`);
  for (const { label, errors, paper } of measured) {
    const cells = SHOWN_RANKS.map((rank) => {
      const around = errors.map(({ curve }) => curve.find(([at]) => at >= rank)?.[1] ?? Number.NaN);
      return percent(meanOf(Float64Array.from(around)));
    });
    print(`| ${label} | ${cells.join(' | ')} | ${paper[2]} |`);
  }
  print('');
}

/** The results of SUPP, as far as it was computed. */
interface Supp {
  readonly label: string;
  readonly cpu: number;
  readonly clock?: number;
  /** Mean number of supporters of a node. */
  readonly mean: number;
}

async function wholeSupp(graph: Graph, threads: number): Promise<Supp & { readonly top: Top }> {
  const { ranking, cpu, clock } = await timed(graph, 'supp', {}, threads);
  const list = order(ranking.scores, TOP);
  const scores = Float64Array.from(list, (node) => ranking.scores[node]);
  return {
    label: 'SUPP',
    cpu,
    clock,
    mean: Number(ranking.facts.meanSupporters),
    top: { list, scores },
  };
}

/**
 * Counts one node in a hundred, and scales the time of a visit to the visits of all. Ids are
 * shuffled, so these nodes are random.
 */
async function partOfSupp(graph: Graph, threads: number, visits: Float64Array): Promise<Supp> {
  const options = { threads, memory: MEMORY };
  const some = Uint32Array.from(
    { length: Math.ceil(graph.nodes / SAMPLED) },
    (_, i) => SAMPLED * i,
  );
  const cpuOf = async (nodes: Uint32Array): Promise<[cpu: number, counts: Uint32Array]> => {
    const start = process.cpuUsage();
    const counts = await supportersOf(graph, nodes, 2, options);
    const { user, system } = process.cpuUsage(start);
    return [(user + system) / 1e6, counts];
  };
  const [loading] = await cpuOf(some.subarray(0, 1));
  const [counting, counts] = await cpuOf(some);
  const visited = sum(Float64Array.from(some, (node) => visits[node]));
  return {
    label: 'SUPP, estimated from 1 % of the nodes',
    cpu: loading + ((counting - loading) / visited) * sum(visits),
    mean: meanOf(Float64Array.from(counts)),
  };
}

/**
 * The best supported nodes and their supporters, without counting all: the top of an estimate,
 * counted exactly.
 */
async function exactTop(graph: Graph, threads: number): Promise<Top> {
  const { scores } = await rank(graph, { by: 'tse', p: 0.01, threads, memory: MEMORY });
  const candidates = order(scores, CANDIDATES);
  const exact = Float64Array.from(
    await supportersOf(graph, candidates, 2, { threads, memory: MEMORY }),
  );
  const best = order(exact, TOP);
  return { list: best.map((i) => candidates[i]), scores: Float64Array.from(best, (i) => exact[i]) };
}

interface Timed {
  readonly ranking: Ranking;
  readonly cpu: number;
  readonly clock: number;
}

async function timed(
  graph: Graph,
  by: string,
  parameters: Estimator['parameters'],
  threads: number,
): Promise<Timed> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  const ranking = await rank(graph, { by, threads, memory: MEMORY, ...parameters });
  const { user, system } = process.cpuUsage(cpuStart);
  return { ranking, cpu: (user + system) / 1e6, clock: (performance.now() - start) / 1e3 };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function meanOf(values: Float64Array): number {
  return sum(values) / values.length;
}

/** The deviation of a sample. */
function deviationOf(values: Float64Array): number {
  const mean = meanOf(values);
  return Math.sqrt(
    sum(values.map((value) => (value - mean) ** 2)) / Math.max(1, values.length - 1),
  );
}

function percent(value: number): string {
  return `${Number((value * 100).toPrecision(value < 1 ? 2 : 3))} %`;
}
