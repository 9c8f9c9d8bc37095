/**
 * Graphs for measurements: seeded, in typed arrays, the same on every run; and what they cost to
 * build, to store and to read.
 *
 *   npm run bench -- graphs [--nodes 1M] [--arcs 20M] [--scale 20] [--kronecker-arcs 31M]
 *                           [--memory 256Mi] [--dir folder]
 *
 * `heavyTailedGraph` is shaped like a graph of domains: in- and out-degrees follow power laws
 * (exponents 2.25 and 2.7), a third of the nodes have no out-links, hubs are spread over the ids,
 * no arc is there twice. `kroneckerGraph` is R-MAT with the parameters of Graph500 (a = .57, b = c
 * = .19), with nodes shuffled; it has repeats, which the builder removes (about 6 % at the default
 * size).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseBytes, parseCount } from '../src/base/units.ts';
import type { IdArcs } from '../src/graph/arcs.ts';
import { buildGraph } from '../src/graph/build.ts';
import type { Adjacency } from '../src/graph/graph.ts';
import { openGraph } from '../src/graph/open-graph.ts';

export type { IdArcs } from '../src/graph/arcs.ts';

export interface HeavyTailedOptions {
  readonly nodes?: number;
  readonly arcs?: number;
  readonly seed?: number;
}

/** Weight of the r-th node in the order of in-degrees: r^-IN, and likewise for out-degrees. */
const IN = 0.8;
const OUT = 0.6;
const LINKING_SHARE = 2 / 3;
/** No page or domain links to more than this share of all. */
const LARGEST_SHARE = 1 / 8;
/** Arcs passed on at a time. */
const BATCH_ARCS = 65_536;
/** The most draws per arc of a list, before it is left shorter; only tiny graphs reach it. */
const PATIENCE = 64;

export function heavyTailedGraph(options: HeavyTailedOptions = {}): IdArcs {
  const { nodes = 1_000_000, arcs = 20_000_000, seed = 1 } = options;
  const random = randomSource(seed);
  const byInDegree = shuffled(nodes, random);
  const degrees = outDegrees(nodes, arcs, random);
  const rankOf = powerLawRanks(nodes, IN);
  const from = new Uint32Array(arcs);
  const to = new Uint32Array(arcs);
  /** The last node that got a link to this one, plus one. */
  const linkedBy = new Uint32Array(nodes);
  let n = 0;
  for (let node = 0; node < nodes; node++) {
    const end = n + degrees[node];
    for (let tries = degrees[node] * PATIENCE; n < end && tries > 0; tries--) {
      const target = byInDegree[rankOf(random())];
      if (linkedBy[target] === node + 1) continue;
      linkedBy[target] = node + 1;
      from[n] = node;
      to[n++] = target;
    }
  }
  return { from: from.subarray(0, n), to: to.subarray(0, n) };
}

/**
 * Arcs by the same laws, each drawn independently, in no order and some twice: for graphs that are
 * too large for memory.
 */
export function* heavyTailedArcs(options: HeavyTailedOptions): Generator<IdArcs> {
  const { nodes = 1_000_000, arcs = 20_000_000, seed = 1 } = options;
  const random = randomSource(seed);
  const byInDegree = shuffled(nodes, random);
  const byOutDegree = shuffled(nodes, random);
  const inRank = powerLawRanks(nodes, IN);
  const outRank = powerLawRanks(Math.max(1, Math.round(nodes * LINKING_SHARE)), OUT);
  for (let left = arcs; left > 0; left -= BATCH_ARCS) {
    const length = Math.min(left, BATCH_ARCS);
    const from = Uint32Array.from({ length }, () => byOutDegree[outRank(random())]);
    yield { from, to: from.map(() => byInDegree[inRank(random())]) };
  }
}

function outDegrees(nodes: number, arcs: number, random: () => number): Uint32Array {
  const order = shuffled(nodes, random);
  const linking = Math.max(1, Math.round(nodes * LINKING_SHARE));
  const degrees = new Uint32Array(nodes);
  const most = Math.max(1, Math.floor(nodes * LARGEST_SHARE));
  let total = 0;
  for (let rank = 0; rank < linking; rank++) total += (rank + 1) ** -OUT;
  let reached = 0;
  let given = 0;
  for (let rank = 0; rank < linking; rank++) {
    reached += ((rank + 1) ** -OUT * arcs) / total;
    const degree = Math.min(most, Math.round(reached) - given);
    degrees[order[rank]] = degree;
    given += degree;
  }
  return degrees;
}

/**
 * Turns 32 random bits into a rank below `n`, rank r with weight (r + 1)^-exponent: a table of
 * 65,536 quantiles with linear interpolation.
 */
function powerLawRanks(n: number, exponent: number): (bits: number) => number {
  const quantiles = new Float64Array(65_537);
  for (let i = 0; i <= 65_536; i++) quantiles[i] = n * (i / 65_536) ** (1 / (1 - exponent));
  return (bits) => {
    const low = quantiles[bits >>> 16];
    return Math.floor(low + ((quantiles[(bits >>> 16) + 1] - low) * (bits & 0xffff)) / 65_536);
  };
}

export interface KroneckerOptions {
  /** 2^scale nodes. */
  readonly scale?: number;
  readonly arcs?: number;
  readonly seed?: number;
}

/**
 * The corners of the matrix, in 65,536ths: up to A top left, to AB top right, to ABC bottom left,
 * the rest bottom right.
 */
const A = Math.round(0.57 * 65_536);
const AB = Math.round(0.76 * 65_536);
const ABC = Math.round(0.95 * 65_536);

export function kroneckerGraph(options: KroneckerOptions = {}): IdArcs {
  const { scale = 20, arcs = 31_000_000, seed = 1 } = options;
  const random = randomSource(seed);
  const order = shuffled(2 ** scale, random);
  const from = new Uint32Array(arcs);
  const to = new Uint32Array(arcs);
  for (let i = 0; i < arcs; i++) {
    let row = 0;
    let column = 0;
    let bits = 0;
    for (let level = 0; level < scale; level++) {
      bits = level % 2 === 0 ? random() : bits >>> 16;
      const draw = bits & 0xffff;
      // Without branches, which could not be predicted: the sign bit tells on which side of a limit
      // the draw is.
      const below = (AB - 1 - draw) >>> 31;
      row = (row << 1) | below;
      column = (column << 1) | (((A - 1 - draw) >>> 31) ^ below ^ ((ABC - 1 - draw) >>> 31));
    }
    from[i] = order[row];
    to[i] = order[column];
  }
  return { from, to };
}

function shuffled(n: number, random: () => number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const j = Math.floor((random() / 2 ** 32) * (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

/** 32 bits at a time: Marsaglia's xorshift with 128 bits of state, seeded from the seed. */
function randomSource(seed: number): () => number {
  const spread = (i: number) => Math.imul((seed + i) ^ 0x9e3779b9, 0x85ebca6b) ^ (i * 0x6c078965);
  let x = spread(1);
  let y = spread(2);
  let z = spread(3);
  let w = spread(4) | 1;
  const next = () => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  };
  for (let i = 0; i < 16; i++) next();
  return next;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '1M' },
      arcs: { type: 'string', default: '20M' },
      scale: { type: 'string', default: '20' },
      'kronecker-arcs': { type: 'string', default: '31M' },
      memory: { type: 'string', default: '256Mi' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const folder = mkdtempSync(join(values.dir, 'drumlin-graphs-'));
  const memory = parseBytes(values.memory);
  try {
    const heavy = { nodes: parseCount(values.nodes), arcs: parseCount(values.arcs) };
    await measure(
      'heavy-tailed',
      join(folder, 'heavy'),
      heavy.nodes,
      heavyTailedGraph(heavy),
      memory,
    );
    const kronecker = {
      scale: parseCount(values.scale),
      arcs: parseCount(values['kronecker-arcs']),
    };
    await measure(
      'Kronecker',
      join(folder, 'kronecker'),
      2 ** kronecker.scale,
      kroneckerGraph(kronecker),
      memory,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SCANS = 5;

async function measure(
  name: string,
  folder: string,
  nodes: number,
  arcs: IdArcs,
  memory: number,
): Promise<void> {
  const batches = async function* () {
    for (let at = 0; at < arcs.from.length; at += BATCH_ARCS)
      yield {
        from: arcs.from.subarray(at, at + BATCH_ARCS),
        to: arcs.to.subarray(at, at + BATCH_ARCS),
      };
  };
  const building = cpuSeconds();
  await buildGraph(folder, { ids: batches(), nodes }, { memory });
  const built = building();
  const graph = await openGraph(folder);
  print(`${name}: ${formatCount(nodes)} nodes, ${formatCount(graph.arcs)} arcs`);
  print(
    `  build      ${((built / arcs.from.length) * 1e9).toFixed(0)} ns of processor an arc given`,
  );
  for (const direction of ['out', 'in'] as const) {
    const lists = graph[direction];
    const bytes = `${(lists.bytes / graph.arcs).toFixed(2)} bytes an arc (${formatBytes(lists.bytes)})`;
    const nanos = (await scanNanos(lists, graph.arcs)).toFixed(2);
    print(`  ${direction.padEnd(10)} ${bytes}, scanned in ${nanos} ns of processor an arc`);
  }
  await graph.close();
}

/** The fastest of several scans: the others show how busy the machine is. */
async function scanNanos(lists: Adjacency, arcs: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SCANS; i++) {
    const scanning = cpuSeconds();
    let seen = 0;
    for await (const { targets } of lists.scan()) seen += targets.length;
    if (seen !== arcs) throw new Error(`${seen} arcs were read, there are ${arcs}`);
    times.push((scanning() / arcs) * 1e9);
  }
  return Math.min(...times);
}

/** Processor time of the whole process, including the threads that read files. */
function cpuSeconds(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
