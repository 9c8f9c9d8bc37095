/**
 * What rankings cost: PageRank in nanoseconds of processor time per arc and iteration, on one
 * thread and on two, compared with a plain loop over typed arrays and with graph libraries; and the
 * total cost of every method asked for.
 *
 *   npm run bench -- rank [--nodes 1M] [--arcs 20M] [--kronecker] [--iterations 20]
 *                         [--by in,opic,pagerank,hits] [--peer-nodes 50k] [--peer-arcs 1M]
 *                         [--no-peers]
 *
 * The graph is heavy-tailed like one of domains. --kronecker uses an R-MAT graph instead (by
 * default 2^20 nodes and 31M arcs), made symmetric as in GAP. Peers get a smaller graph, because
 * they need hundreds of bytes an arc. drumlin is measured on that, too, and the ratio is computed
 * there, once for one more iteration and once for a whole call, in which graphology indexes the
 * graph and drumlin loads it. This file installs graphology into bench/peers; networkx is measured
 * if python3-networkx is present.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, formatDuration, parseCount } from '../src/base/units.ts';
import type { Csr, Graph } from '../src/graph/graph.ts';
import { memoryGraph } from '../src/graph/memory-graph.ts';
import { rank } from '../src/rank/index.ts';
import { heavyTailedGraph, type IdArcs, kroneckerGraph } from './graphs.ts';

const PEERS = join(import.meta.dirname, 'peers', 'rank');
const MEMORY = 64 * 2 ** 30;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '1M' },
      arcs: { type: 'string' },
      kronecker: { type: 'boolean', default: false },
      iterations: { type: 'string', default: '20' },
      by: { type: 'string', default: 'in,opic,pagerank,trustrank,cheirank,2drank,hits' },
      'peer-nodes': { type: 'string', default: '50k' },
      'peer-arcs': { type: 'string', default: '1M' },
      'no-peers': { type: 'boolean', default: false },
    },
  });
  const iterations = parseCount(values.iterations);
  const graph = makeGraph(values.kronecker, parseCount(values.nodes), values.arcs);
  print(`${cpus()[0].model}; ${formatCount(graph.nodes)} nodes, ${formatCount(graph.arcs)} arcs\n`);
  await pagerankTable(graph, iterations);
  await methodTable(graph, values.by.split(','));
  if (!values['no-peers'])
    await peerTable(parseCount(values['peer-nodes']), parseCount(values['peer-arcs']));
}

function makeGraph(kronecker: boolean, nodes: number, arcs: string | undefined): Graph {
  if (!kronecker)
    return memoryGraph(nodes, heavyTailedGraph({ nodes, arcs: parseCount(arcs ?? '20M') }));
  const scale = Math.round(Math.log2(nodes));
  // Half the arcs are drawn and all are reversed; about one in fifteen is drawn twice.
  const drawn = Math.round(parseCount(arcs ?? '31.4M') / 2 / 0.936);
  return memoryGraph(2 ** scale, symmetric(kroneckerGraph({ scale, arcs: drawn })));
}

function symmetric({ from, to }: IdArcs): IdArcs {
  const joined = (first: Uint32Array, second: Uint32Array) => {
    const both = new Uint32Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
  };
  return { from: joined(from, to), to: joined(to, from) };
}

/** Nanoseconds per arc and iteration: of processor time over all threads, and by the clock. */
interface Costs {
  readonly cpu: number[];
  readonly wall: number[];
  readonly loading: number;
}

async function pagerankCosts(graph: Graph, iterations: number, threads: number): Promise<Costs> {
  const marks: { cpu: number; wall: number }[] = [];
  const start = performance.now();
  const onProgress = () => void marks.push({ cpu: cpuMillis(), wall: performance.now() });
  await rank(graph, {
    by: 'pagerank',
    iterations,
    tolerance: 1e-14,
    threads,
    memory: MEMORY,
    onProgress,
  });
  const perArc = (from: number, to: number) => ((to - from) * 1e6) / graph.arcs;
  const steps = marks.slice(1, -1); // the last mark is the end of everything
  return {
    cpu: steps.map(({ cpu }, i) => perArc(marks[i].cpu, cpu)),
    wall: steps.map(({ wall }, i) => perArc(marks[i].wall, wall)),
    loading: marks[0].wall - start,
  };
}

async function pagerankTable(graph: Graph, iterations: number): Promise<void> {
  print('| PageRank, ns an arc and iteration | CPU: best | mean ± sd | clock: best | loading |');
  print('|---|---|---|---|---|');
  const loop = plainLoop(
    graph,
    await graph.in.load(),
    await graph.out.degrees(),
    Math.min(5, iterations),
  );
  print(
    `| plain loop over typed arrays | ${statistics(loop)} | ${Math.min(...loop).toFixed(2)} | |`,
  );
  for (const threads of [1, 2]) {
    const { cpu, wall, loading } = await pagerankCosts(graph, iterations, threads);
    const clock = Math.min(...wall).toFixed(2);
    print(
      `| drumlin, ${threads === 1 ? 'one thread' : 'two threads'} | ${statistics(cpu)} | ${clock} | ${formatDuration(loading)} |`,
    );
  }
  print('');
}

/** The obvious implementation: no kernel, no relabelling. */
function plainLoop(
  { nodes, arcs }: Graph,
  lists: Csr,
  degrees: Uint32Array,
  iterations: number,
): number[] {
  const x = new Float64Array(nodes).fill(1 / nodes);
  const given = new Float64Array(nodes);
  plainStep(lists, degrees, x, given);
  return Array.from({ length: iterations }, () => {
    const start = cpuMillis();
    plainStep(lists, degrees, x, given);
    return ((cpuMillis() - start) * 1e6) / arcs;
  });
}

function plainStep(
  { offsets, targets }: Csr,
  degrees: Uint32Array,
  x: Float64Array,
  given: Float64Array,
): void {
  let stuck = 0;
  for (let i = 0; i < x.length; i++) {
    if (degrees[i] === 0) stuck += x[i];
    else given[i] = x[i] / degrees[i];
  }
  for (let i = 0; i < x.length; i++) {
    const end = offsets[i + 1];
    let sum = 0;
    for (let at = offsets[i]; at < end; at++) sum += given[targets[at]];
    x[i] = 0.85 * (sum + stuck / x.length) + 0.15 / x.length;
  }
}

async function methodTable(graph: Graph, methods: readonly string[]): Promise<void> {
  print('| method | CPU | clock | iterations | ns of CPU an arc, in total |');
  print('|---|---|---|---|---|');
  for (const by of methods) {
    const cpuStart = cpuMillis();
    const start = performance.now();
    const { facts } = await rank(graph, { by, threads: 2, memory: MEMORY });
    const cpu = cpuMillis() - cpuStart;
    const clock = formatDuration(performance.now() - start);
    print(
      `| ${by} | ${formatDuration(cpu)} | ${clock} | ${facts.iterations ?? ''} | ${((cpu * 1e6) / graph.arcs).toFixed(1)} |`,
    );
  }
  print('');
}

/** Seconds of processor time for a whole call with few and with many iterations. */
interface PeerResult {
  readonly few: number;
  readonly many: number;
  readonly maxRssBytes?: number;
  readonly form?: string;
}

const FEW = 1;
const MANY = 21;

async function peerTable(nodes: number, arcs: number): Promise<void> {
  const pairs = heavyTailedGraph({ nodes, arcs });
  const graph = memoryGraph(nodes, pairs);
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  const file = join(folder, 'arcs.u32');
  writeFileSync(file, interleaved(pairs));
  print(
    `PageRank on ${formatCount(nodes)} nodes and ${formatCount(graph.arcs)} arcs: ns of CPU an arc\n`,
  );
  print(
    `| | one iteration more | drumlin is | a call of ${MANY} iterations | drumlin is | memory |`,
  );
  print('|---|---|---|---|---|---|');
  try {
    const ours = await ownResult(graph);
    printPeer('drumlin, one thread', ours, ours, graph.arcs);
    for (const [name, command] of [
      ['graphology 0.26.0', graphology()],
      ['networkx', ['python3', join(PEERS, 'networkx_peer.py')]],
    ] as const) {
      const result = runPeer([...command, file, String(nodes), String(FEW), String(MANY)]);
      if (typeof result === 'string') print(`| ${name} | not measured: ${result} | | | | |`);
      else printPeer(result.form ? `${name} (${result.form})` : name, result, ours, graph.arcs);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function printPeer(name: string, theirs: PeerResult, ours: PeerResult, arcs: number): void {
  const nanos = (seconds: number) => ((seconds * 1e9) / arcs).toPrecision(3);
  const iteration = ({ few, many }: PeerResult) => (many - few) / (MANY - FEW);
  const [inIteration, inCall] = [iteration(theirs) / iteration(ours), theirs.many / ours.many];
  const cells = [nanos(iteration(theirs)), times(inIteration), nanos(theirs.many), times(inCall)];
  print(
    `| ${name} | ${cells.join(' | ')} | ${theirs.maxRssBytes ? formatBytes(theirs.maxRssBytes) : ''} |`,
  );
}

const times = (ratio: number) => (ratio === 1 ? '' : `${ratio.toFixed(ratio < 10 ? 1 : 0)}×`);

async function ownResult(graph: Graph): Promise<PeerResult> {
  const call = async (iterations: number) => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) {
      const start = cpuMillis();
      await rank(graph, { by: 'pagerank', iterations, tolerance: 1e-14, memory: MEMORY });
      best = Math.min(best, (cpuMillis() - start) / 1000);
    }
    return best;
  };
  return { few: await call(FEW), many: await call(MANY) };
}

function graphology(): string[] {
  if (!existsSync(join(PEERS, 'node_modules'))) {
    execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts'], {
      cwd: PEERS,
      stdio: 'inherit',
    });
  }
  return [process.execPath, '--max-old-space-size=8192', join(PEERS, 'graphology_peer.mjs')];
}

function runPeer([program, ...args]: string[]): PeerResult | string {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout) as PeerResult;
  return stderr?.trim().split('\n').at(-1) || 'it did not start';
}

function interleaved({ from, to }: IdArcs): Uint32Array {
  const pairs = new Uint32Array(2 * from.length);
  for (let i = 0; i < from.length; i++) {
    pairs[2 * i] = from[i];
    pairs[2 * i + 1] = to[i];
  }
  return pairs;
}

function statistics(costs: readonly number[]): string {
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const sd = Math.sqrt(costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / costs.length);
  return `${Math.min(...costs).toFixed(2)} | ${mean.toFixed(2)} ± ${sd.toFixed(2)}`;
}

function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
