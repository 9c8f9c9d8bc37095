/**
 * What a spectrum costs, beside a plain Arnoldi in numpy and SciPy's `eigs` on the same core from
 * the same start vector, and whether they agree.
 *
 *   npm run bench -- matrix [--graph FOLDER] [--reverse] [--dimension 200] [--values 20]
 *                           [--nodes 20k] [--arcs 200k] [--python python3]
 *   npm run bench -- matrix --random 20 [--python python3]
 *
 * Without --graph, a heavy-tailed random graph. Processor time is compared: that of drumlin is for
 * everything from the graph on disk to all eigenvalues, subspaces included; that of the peers is
 * for the core alone, without loading it. Peers run on one thread; they are left out with a message
 * where python has no scipy. `--values 0` leaves `eigs` out, which on some graphs does not end.
 *
 * --random compares all eigenvalues of so many random graphs of 1,000 nodes with those of LAPACK.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatCount, parseCount } from '../src/base/units.ts';
import type { Graph } from '../src/graph/graph.ts';
import { memoryGraph } from '../src/graph/memory-graph.ts';
import { openGraph } from '../src/graph/open-graph.ts';
import { drawn } from '../src/matrix/krylov/draw.ts';
import { partOf } from '../src/matrix/krylov/part-lists.ts';
import type { SpectrumOptions } from '../src/matrix/spectrum/options.ts';
import { type Spectrum, spectrum } from '../src/matrix/spectrum/spectrum.ts';
import { subspaces } from '../src/matrix/subspaces/subspaces.ts';
import { heavyTailedGraph } from './graphs.ts';
import { compareRandomGraphs } from './matrix/random-graphs.ts';

const PEER = join(import.meta.dirname, 'peers', 'matrix', 'arnoldi_peer.py');
const SEED = 1;
/** Progress at which subspaces are solved and the core begins. */
const FIRST = 0.2;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      graph: { type: 'string' },
      reverse: { type: 'boolean', default: false },
      dimension: { type: 'string', default: '200' },
      values: { type: 'string', default: '20' },
      nodes: { type: 'string', default: '20k' },
      arcs: { type: 'string', default: '200k' },
      random: { type: 'string' },
      python: { type: 'string', default: 'python3' },
    },
  });
  if (values.random !== undefined)
    return compareRandomGraphs(parseCount(values.random), values.python);
  const { reverse, python } = values;
  const nodes = parseCount(values.nodes);
  const opened = values.graph === undefined ? undefined : await openGraph(values.graph);
  const graph =
    opened ?? memoryGraph(nodes, heavyTailedGraph({ nodes, arcs: parseCount(values.arcs) }));
  const folder = mkdtempSync(join(tmpdir(), 'bench-matrix-'));
  try {
    await writeCore(graph, reverse, folder);
    print(`${formatCount(graph.nodes)} nodes, ${formatCount(graph.arcs)} arcs\n`);
    print('| | CPU | residual below 1e-4 | below 1e-8 |\n|---|---|---|---|');
    await arnoldiRows(graph, { reverse, dimension: parseCount(values.dimension) }, python, folder);
    const wanted = parseCount(values.values);
    if (wanted > 0) await eigsRows(graph, { reverse, values: wanted }, python, folder);
  } finally {
    rmSync(folder, { recursive: true });
    await opened?.close();
  }
}

async function arnoldiRows(
  graph: Graph,
  options: SpectrumOptions & { readonly dimension: number },
  python: string,
  folder: string,
): Promise<void> {
  const ours = await measured(graph, options);
  const below = (limit: number) =>
    coreOf(ours.found).filter(({ residual }) => residual < limit).length;
  print(`| drumlin, all | ${seconds(ours.cpu)} | ${below(1e-4)} | ${below(1e-8)} |`);
  print(`| drumlin, the core | ${seconds(ours.core)} | | |`);
  const peer = askPeer(python, [folder, 'arnoldi', String(options.dimension)]);
  if (typeof peer === 'string') print(`| numpy | not measured: ${peer} | | |`);
  else
    print(
      `| numpy, the core | ${seconds(peer.seconds)} | ${peer['below1e-4']} | ${peer['below1e-8']} |`,
    );
}

async function eigsRows(
  graph: Graph,
  options: SpectrumOptions & { readonly values: number },
  python: string,
  folder: string,
): Promise<void> {
  const ours = await measured(graph, options);
  print(`\n| ${options.values} values of greatest modulus | CPU | greatest difference |`);
  print('|---|---|---|');
  print(`| drumlin, all | ${seconds(ours.cpu)} | |`);
  const peer = askPeer(python, [folder, 'eigs', String(options.values)]);
  if (typeof peer === 'string') print(`| SciPy | not measured: ${peer} | |`);
  else {
    const off = furthest(coreOf(ours.found), peer.values ?? []);
    print(`| SciPy, the core | ${seconds(peer.seconds)} | ${off.toExponential(1)} |`);
  }
}

const coreOf = ({ eigenvalues }: Spectrum) => eigenvalues.filter(({ subspace }) => subspace === 0);

const seconds = (value: number) => `${value.toFixed(1)} s`;

async function measured(graph: Graph, options: SpectrumOptions) {
  const start = process.cpuUsage();
  const spent = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  let blocks = 0;
  const onProgress = (done: number) => {
    if (done <= FIRST) blocks = spent();
  };
  const found = await spectrum(graph, { ...options, seed: SEED, onProgress });
  return { found, cpu: spent(), core: spent() - blocks };
}

/** The greatest distance of one of theirs to the nearest of ours that is not taken yet. */
function furthest(
  ours: readonly { readonly re: number; readonly im: number }[],
  theirs: readonly (readonly [number, number])[],
): number {
  const left = [...ours];
  let most = 0;
  // At the last modulus, copies and conjugates may be cut.
  const last = Math.min(...theirs.map(([re, im]) => Math.hypot(re, im)));
  for (const [re, im] of theirs) {
    if (Math.hypot(re, im) < last + 1e-9) continue;
    const far = left.map((value) => Math.hypot(value.re - re, value.im - im));
    const nearest = Math.min(...far);
    left.splice(far.indexOf(nearest), 1);
    most = Math.max(most, nearest);
  }
  return most;
}

/** The core as raw arrays, all its nodes, with the start vector that `spectrum` draws. */
async function writeCore(graph: Graph, reverse: boolean, folder: string): Promise<void> {
  const { subspaceOf } = await subspaces(graph, { reverse });
  const nodes = Uint32Array.from(subspaceOf.keys()).filter((node) => subspaceOf[node] === 0);
  const [links, sources] = reverse ? [graph.in, graph.out] : [graph.out, graph.in];
  const { classOf, lists } = await partOf(graph.nodes, sources, nodes);
  const { offsets, targets } = await lists.load();
  // The part has each distinct list once; the peer gets it for every node.
  const firsts = new Map<number, number>();
  classOf.forEach((one, i) => void (firsts.has(one) || firsts.set(one, i)));
  const starts = new Uint32Array(nodes.length + 1);
  const rows: Uint32Array[] = [];
  classOf.forEach((one, i) => {
    const first = firsts.get(one) as number;
    const row = targets.subarray(offsets[first], offsets[first + 1]);
    starts[i + 1] = starts[i] + row.length;
    rows.push(row);
  });
  const all = new Uint32Array(starts[nodes.length]);
  rows.forEach((row, i) => void all.set(row, starts[i]));
  const degrees = await links.degrees();
  const factors = Float64Array.from(nodes, (node) => (degrees[node] > 0 ? 1 / degrees[node] : 0));
  const write = (name: string, array: Uint32Array | Float64Array) =>
    writeFileSync(join(folder, name), new Uint8Array(array.buffer));
  write('offsets.u32', starts);
  write('targets.u32', all);
  write('factors.f64', factors);
  write(
    'drawn.f64',
    Float64Array.from(nodes, (node) => drawn(node, SEED)),
  );
  writeFileSync(join(folder, 'facts.json'), JSON.stringify({ nodes: graph.nodes }));
}

interface PeerResult {
  readonly seconds: number;
  readonly 'below1e-4'?: number;
  readonly 'below1e-8'?: number;
  readonly values?: readonly (readonly [number, number])[];
}

/** What the peer says, or why it could not. */
function askPeer(python: string, args: readonly string[]): PeerResult | string {
  const { stdout, stderr, status, error } = spawnSync(python, [PEER, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (error) return error.message;
  if (status === 0) return JSON.parse(stdout) as PeerResult;
  if (/No module named/.test(stderr)) return 'python has no scipy; pip install scipy';
  return stderr.trim().split('\n').at(-1) ?? 'it failed';
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
