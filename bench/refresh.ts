/**
 * `pa+-` over a graph of ten million pages and about 200 million links: processor time and peak of
 * memory, each command in its own process.
 *
 *   npm run bench -- refresh [--nodes 10M] [--arcs 208M] [--threads 1] [--memory 2Gi] [--dir
 *   folder]
 *
 * The peer is PageRank of the same graph in the same run. `pa+-` is three such walks in one pass:
 * one from the living pages of the sample, one from the dead, one that settles ties. Both ends of
 * an arc are drawn by power laws (graphs.ts); about one in twenty-five is drawn twice, and counts
 * once. The sample is 0.54 % of the pages, one in sixteen of them alive. At most 120 s of processor
 * time and 2 GiB are allowed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatCount, parseCount } from '../src/base/units.ts';
import { buildGraph } from '../src/graph/build.ts';
import { heavyTailedArcs } from './graphs.ts';
import { drumlin } from './large-graph.ts';

const SAMPLE = 0.0054;
const ALIVE = 1 / 16;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      arcs: { type: 'string', default: '208M' },
      nodes: { type: 'string', default: '10M' },
      memory: { type: 'string', default: '2Gi' },
      threads: { type: 'string', default: '1' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const folder = mkdtempSync(join(values.dir, 'drumlin-refresh-'));
  try {
    const nodes = parseCount(values.nodes);
    const arcs = heavyTailedArcs({ nodes, arcs: parseCount(values.arcs) });
    const graph = join(folder, 'graph');
    const facts = await buildGraph(graph, { ids: inTurn(arcs), nodes }, { memory: 2 ** 30 });
    print(`${cpus()[0].model}; ${formatCount(nodes)} nodes, ${formatCount(facts.arcs)} arcs\n`);
    const [alive, dead] = writeSample(folder, nodes);
    await drumlin(['rank', '--list'], () => {}); // compiles the sources, if they are newer
    print('| | CPU | clock | peak of memory | |');
    print('|---|---|---|---|---|');
    const limits = ['--memory', values.memory, '--threads', values.threads, '--top', '10'];
    await drumlin(['rank', graph, '--by', 'pagerank', ...limits], (row) =>
      print(`| PageRank | ${row} |`),
    );
    const lists = ['--alive', alive, '--dead', dead];
    await drumlin(['rank', graph, '--by', 'live', ...lists, ...limits], (row) =>
      print(`| pa+- | ${row} |`),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Pages spread evenly over the numbers, which say nothing of the links. */
function writeSample(folder: string, nodes: number): [alive: string, dead: string] {
  const [alive, dead]: string[][] = [[], []];
  const count = Math.round(SAMPLE * nodes);
  for (let i = 0; i < count; i++)
    (i % Math.round(1 / ALIVE) === 0 ? alive : dead).push(`${Math.floor((i * nodes) / count)}\n`);
  const paths: [string, string] = [join(folder, 'alive.txt'), join(folder, 'dead.txt')];
  writeFileSync(paths[0], alive.join(''));
  writeFileSync(paths[1], dead.join(''));
  return paths;
}

async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
