/**
 * Harmonic centrality of a large graph in a given memory: HyperBall by the command line, in a
 * process of its own, and its error at nodes whose exact score a search from each gives. Then TSE
 * on the same graph, with and without the scores of all nodes in memory.
 *
 *   npm run bench -- harmonic [--nodes 10M] [--arcs 100M] [--memory 2Gi] [--registers 64]
 *                             [--sampled 32] [--threads 1] [--dir folder]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatCount, parseCount } from '../src/base/units.ts';
import type { Csr } from '../src/graph/graph.ts';
import { openGraph } from '../src/graph/open-graph.ts';
import { drumlin, writeEdges } from './large-graph.ts';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '10M' },
      arcs: { type: 'string', default: '100M' },
      memory: { type: 'string', default: '2Gi' },
      registers: { type: 'string', default: '64' },
      sampled: { type: 'string', default: '32' },
      threads: { type: 'string', default: '1' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const folder = mkdtempSync(join(values.dir, 'drumlin-harmonic-'));
  const [edges, graph] = [join(folder, 'edges.txt'), join(folder, 'graph')];
  const [set, ranks] = [join(folder, 'set.txt'), join(folder, 'ranks.tsv')];
  try {
    const nodes = parseCount(values.nodes);
    await writeEdges(edges, parseCount(values.arcs), nodes);
    const sampled = everyNth(nodes, parseCount(values.sampled));
    writeFileSync(set, `${sampled.join('\n')}\n`);
    await drumlin(['graph', '--help'], () => {}); // compiles the sources, if they are newer
    print('| | CPU | clock | peak of memory | |\n|---|---|---|---|---|');
    await drumlin(['graph', 'import', edges, '--out', graph], (row) =>
      print(`| import | ${row} |`),
    );
    rmSync(edges);
    const limits = ['--memory', values.memory, '--threads', values.threads];
    const method = ['--by', 'hyperball', '--registers', values.registers];
    const which = ['--among', set, '--out', ranks];
    await drumlin(['rank', graph, ...method, ...limits, ...which], (row) =>
      print(`| HyperBall, ${values.registers} registers, --memory ${values.memory} | ${row} |`),
    );
    await printErrors(graph, ranks, Number(values.registers));
    // More than a 64th of the nodes: all scores are kept.
    for (const [title, top] of [
      ['the best 100', 100],
      ['all scores', Math.ceil(nodes / 32)],
    ]) {
      const tse = ['--by', 'tse', '--p', '0.001', '--top', String(top), '--out', ranks];
      await drumlin(['rank', graph, ...tse, ...limits], (row) =>
        print(`| TSE, p = 0.001, ${title} | ${row} |`),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nodes over all of the range; small numbers are linked to most. */
function everyNth(nodes: number, count: number): number[] {
  const chosen = new Set<number>();
  for (let i = 0; i < count; i++) chosen.add(Math.floor(nodes * (i / count) ** 3));
  return [...chosen];
}

async function printErrors(folder: string, ranks: string, registers: number): Promise<void> {
  const graph = await openGraph(folder);
  const lists = await graph.in.load();
  await graph.close();
  const errors: number[] = [];
  for (const line of readFileSync(ranks, 'utf8').trimEnd().split('\n')) {
    const [, , name, score] = line.split('\t');
    const exact = harmonicOf(lists, Number(name));
    if (exact > 0) errors.push(Number(score) / exact - 1);
  }
  const rms = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
  const worst = Math.max(...errors.map(Math.abs));
  const stated = 1.04 / Math.sqrt(registers);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  print(
    `\n${formatCount(errors.length)} nodes by exact search: relative error ${percent(rms)} ` +
      `(root of the mean square), at most ${percent(worst)}; stated ${percent(stated)}`,
  );
}

/** A breadth-first search along in-links. */
function harmonicOf({ offsets, targets }: Csr, node: number): number {
  const seen = new Uint8Array(offsets.length);
  const queue = new Uint32Array(offsets.length);
  queue[0] = node;
  seen[node] = 1;
  let score = 0;
  let [head, tail] = [0, 1];
  for (let distance = 1; head < tail; distance++) {
    const levelEnd = tail;
    for (; head < levelEnd; head++) {
      for (let at = offsets[queue[head]]; at < offsets[queue[head] + 1]; at++) {
        if (seen[targets[at]] === 1) continue;
        seen[targets[at]] = 1;
        queue[tail++] = targets[at];
      }
    }
    score += (tail - levelEnd) / distance;
  }
  return score;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
