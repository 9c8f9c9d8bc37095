/**
 * Supporters, exact and estimated, beside the figures of Cui et al., "Unsupervised Domain Ranking in Large-Scale Web Crawls": what each method costs
 * (their Table 5), how far the estimates are off (Figure 18b), what they read and hold (Table 6), and whom the rankings admit (section 5.3).
 *
 *   npm run bench -- supporters [--nodes 1M] [--degree 20] [--seed 1] [--no-whole] [--threads 1] [--lab 100k]
 *
 * --no-whole does not count the supporters of all nodes, which at 10M takes a quarter of an hour: its time is then told from one node in a hundred, the
 * errors from the exact top.
 * --threads are for SUPP; the estimators run on one. --lab 0 leaves out the lab. Graphs are in memory, as in the paper's Table 5; Table 6 reads one from disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { arcsOf } from '../src/graph/arcs.ts';
import { buildGraph } from '../src/graph/build.ts';
import { type Graph, openGraph } from '../src/graph/graph.ts';
import { errorByRank } from '../src/rank/compare.ts';
import { peakMemory } from '../src/rank/compare-memory.ts';
import { order, type Ranking, rank } from '../src/rank/index.ts';
import { supportersOf } from '../src/rank/supp.ts';
import { formatBytes, formatCount, parseCount } from '../src/units.ts';
import { domainGraph } from './supporters/domain-graph.ts';
import { labTable } from './supporters/lab.ts';

const MEMORY = 3.9e9;
const TOP = 1000;
/** Candidates for the exact top: more than the error of the estimate can shuffle. */
const CANDIDATES = 3000;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '1M' },
      degree: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      threads: { type: 'string', default: '1' },
      'no-whole': { type: 'boolean', default: false },
      lab: { type: 'string', default: '100k' },
    },
  });
  print(`${cpus()[0].model}, ${cpus().length} cores; CPU is the processor time of all threads\n`);
  const nodes = parseCount(values.nodes);
  const seed = parseCount(values.seed);
  const graph = domainGraph({ nodes, degree: Number(values.degree), seed });
  await costTable(graph, parseCount(values.threads), !values['no-whole']);
  await diskTable(domainGraph({ nodes: Math.min(nodes, 5000), degree: Number(values.degree), seed }));
  if (parseCount(values.lab) > 0) await labTable(parseCount(values.lab), print);
}

interface Estimator {
  readonly label: string;
  readonly by: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  /** Of IRLbot: times faster than SUPP (Table 5), and the mean error of the top 1,000 (section 6.4). */
  readonly paper: { readonly faster: string; readonly error: string };
}

const tse = (p: number, faster: string, error: string): Estimator => ({
  label: `TSE, p = ${p}`,
  by: 'tse',
  parameters: { p },
  paper: { faster, error },
});

const ESTIMATORS: readonly Estimator[] = [
  tse(0.01, '380', '0.1 %'),
  {
    label: 'Bit Vector, 2 rounds',
    by: 'bit-vector',
    parameters: { rounds: 2 },
    paper: { faster: '1,100', error: '6.5 %' },
  },
  tse(0.001, '3,600', ''),
  { label: 'QVS', by: 'qvs', parameters: {}, paper: { faster: '4,600', error: '200 to 1,000 %' } },
  tse(0.0001, '34,000', '1 %'),
];

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

/** Table 5 and Figure 18(b). */
async function costTable(graph: Graph, threads: number, whole: boolean): Promise<void> {
  const { nodes, arcs } = graph;
  const visits = (await rank(graph, { by: 'qvs' })).scores;
  const supp = whole ? await wholeSupp(graph, threads) : await partOfSupp(graph, threads, visits);
  print(
    `${formatCount(nodes)} nodes, ${formatCount(arcs)} arcs: E[X] = ${(arcs / nodes).toFixed(1)}, E[Q] = ${formatCount(sum(visits) / nodes)}, E[SUPP] = ${formatCount(supp.mean)}`,
  );
  print('IRLbot: 89M nodes, 1.8G arcs, 20.2, 34.4k, 21k; ClueWeb09: 31M, 415M, 13.5, 138k, 110k\n');
  const { top } = supp;
  print(
    `supporters of the first: ${formatCount(top.scores[0])}, of the ${formatCount(TOP)}th: ${formatCount(top.scores[top.scores.length - 1])} (IRLbot: 15.5M of 89M for the first)\n`,
  );
  print(
    '| | CPU s | clock s | faster than SUPP | IRLbot | mean error, top 1,000 | sampling theory | worst | IRLbot |',
  );
  print('|---|---|---|---|---|---|---|---|---|');
  print(`| ${supp.label} | ${supp.cpu.toFixed(2)} | ${supp.clock} | 1 | 70 h | | | | |`);
  for (const { label, by, parameters, paper } of ESTIMATORS) {
    await timed(graph, by, parameters, 1); // the first run compiles
    const runs = [];
    for (let i = 0; i < 3; i++) runs.push(await timed(graph, by, parameters, 1));
    const { ranking, cpu, clock } = runs.reduce((best, next) => (next.cpu < best.cpu ? next : best));
    const { mean, worst } = errorByRank(
      top.scores,
      Float64Array.from(top.list, (x) => ranking.scores[x]),
    );
    const theory = by === 'tse' ? percent(expectedError(Number(parameters.p), top.scores)) : '';
    print(
      `| ${label} | ${cpu.toFixed(3)} | ${clock.toFixed(3)} | ${formatCount(supp.cpu / cpu)} | ${paper.faster} | ${percent(mean)} | ${theory} | ${percent(worst)} | ${paper.error} |`,
    );
  }
  print('');
}

/** SUPP, as far as it was computed. */
interface Supp {
  readonly label: string;
  readonly cpu: number;
  readonly clock: string;
  /** Supporters of a node in the mean. */
  readonly mean: number;
  readonly top: { readonly list: Uint32Array; readonly scores: Float64Array };
}

async function wholeSupp(graph: Graph, threads: number): Promise<Supp> {
  const { ranking, cpu, clock } = await timed(graph, 'supp', {}, threads);
  const list = order(ranking.scores, TOP);
  return {
    label: 'SUPP',
    cpu,
    clock: clock.toFixed(2),
    mean: Number(ranking.facts.meanSupporters),
    top: { list, scores: Float64Array.from(list, (x) => ranking.scores[x]) },
  };
}

/** One node in a hundred, and the time of a visit there, which is scaled to the visits of all. Ids tell nothing here, so these are any nodes. */
async function partOfSupp(graph: Graph, threads: number, visits: Float64Array): Promise<Supp> {
  const options = { threads, memory: MEMORY };
  const some = Uint32Array.from({ length: Math.ceil(graph.nodes / 100) }, (_, i) => 100 * i);
  const cpuOf = async (nodes: Uint32Array): Promise<[cpu: number, counts: Uint32Array]> => {
    const start = process.cpuUsage();
    const counts = await supportersOf(graph, nodes, 2, options);
    const { user, system } = process.cpuUsage(start);
    return [(user + system) / 1e6, counts];
  };
  const [loading] = await cpuOf(some.subarray(0, 1));
  const [counting, counts] = await cpuOf(some);
  const visited = sum(Float64Array.from(some, (x) => visits[x]));
  return {
    label: 'SUPP, from 1 % of the nodes',
    cpu: ((counting - loading) / visited) * sum(visits),
    clock: '',
    mean: sum(Float64Array.from(counts)) / counts.length,
    top: await exactTop(graph, threads),
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The mean of |error| for a binomial count: √(2/π) of its deviation. */
function expectedError(p: number, supporters: Float64Array): number {
  const errors = supporters.map((count) => Math.sqrt(2 / Math.PI) * Math.sqrt((1 - p) / (p * count)));
  return sum(errors) / errors.length;
}

/** The best supported nodes and their supporters, without counting those of all: the top of an estimate, counted exactly. */
async function exactTop(graph: Graph, threads: number): Promise<{ list: Uint32Array; scores: Float64Array }> {
  const { scores } = await rank(graph, { by: 'tse', p: 0.01, threads, memory: MEMORY });
  const candidates = order(scores, CANDIDATES);
  const exact = Float64Array.from(await supportersOf(graph, candidates, 2, { threads, memory: MEMORY }));
  const best = order(exact, TOP);
  return { list: best.map((i) => candidates[i]), scores: Float64Array.from(best, (i) => exact[i]) };
}

/** Table 6, on a graph on disk that is small enough for SUPP-A and SUPP-B to end. */
async function diskTable(source: Graph): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  async function* blocks() {
    for await (const block of source.out.scan()) yield arcsOf(block);
  }
  try {
    await buildGraph(join(folder, 'graph'), { ids: blocks(), nodes: source.nodes });
    const graph = await openGraph(join(folder, 'graph'));
    const labels = 4 * graph.arcs;
    print(
      `${formatCount(graph.nodes)} nodes, ${formatCount(graph.arcs)} arcs: ${formatBytes(labels)} as labels of 4 bytes, ${formatBytes(graph.in.bytes)} on disk\n`,
    );
    print(
      '| | memory given | read | predicted | written | predicted | sample or vectors | RAM at the peak |',
    );
    print('|---|---|---|---|---|---|---|---|');
    for (const memory of [8e6, 2e6, 1e6]) {
      await diskRow(graph, 'supp-a', {}, memory);
      await diskRow(graph, 'supp-b', {}, memory);
    }
    await diskRow(graph, 'bit-vector', { rounds: 2 }, 25 * graph.nodes);
    await diskRow(graph, 'qvs', {}, 8e6);
    for (const p of [0.01, 0.001]) await diskRow(graph, 'tse', { p }, 8e6);
    await graph.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
  print('');
}

async function diskRow(
  graph: Graph,
  by: string,
  parameters: Estimator['parameters'],
  memory: number,
): Promise<void> {
  const { result, bytes } = await peakMemory(() => rank(graph, { by, memory, ...parameters }));
  const { facts } = result;
  const size = (fact: string) => (fact in facts ? formatBytes(Number(facts[fact])) : '');
  const label = 'p' in parameters ? `${by}, p = ${parameters.p}` : by;
  print(
    `| ${label} | ${formatBytes(memory)} | ${size('bytesRead')} | ${size('predictedBytesRead')} | ${size('bytesWritten')} | ${size('predictedBytesWritten')} | ${size('sampleBytes')} | ${formatBytes(bytes)} |`,
  );
}

function percent(value: number): string {
  return `${Number((value * 100).toPrecision(value < 1 ? 2 : 3))} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
