/**
 * What methods read and keep in memory when the graph is on disk: Table 6 of the paper.
 *
 * SUPP-A and SUPP-B run on a graph small enough for them to end; the others on one of a million
 * nodes. The paper's own figures are computed, not measured, for labels of 8 bytes on IRLbot's
 * graph of 15.8 GB.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatBytes, formatCount } from '../../src/base/units.ts';
import { arcsOf } from '../../src/graph/arcs.ts';
import { buildGraph } from '../../src/graph/build.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { peakMemory } from '../../src/rank/compare/peak-memory.ts';
import { rank } from '../../src/rank/index.ts';

type Print = (line: string) => void;

const SMALL = 5000;
const LARGE = 1_000_000;

interface Row {
  readonly label: string;
  readonly by: string;
  readonly parameters?: Readonly<Record<string, number>>;
  /** Memory for the method on a graph with this many nodes. */
  readonly memory: (nodes: number) => number;
  /** The paper's figures for IRLbot: read, written, kept in memory. */
  readonly paper: string;
}

/**
 * The memories of the paper, 8 GB to 100 MB, are at most half of its graph. These are at most
 * twenty times ours: its sets of supporters are larger.
 */
const EXACT: readonly Row[] = [
  { label: 'SUPP-A', by: 'supp-a', memory: () => 8e6, paper: '32 TB | – | 8 GB' },
  { label: 'SUPP-A', by: 'supp-a', memory: () => 2e6, paper: '130 TB | – | 2 GB' },
  { label: 'SUPP-A', by: 'supp-a', memory: () => 4e5, paper: '2.6 PB | – | 100 MB' },
  { label: 'SUPP-B', by: 'supp-b', memory: () => 8e6, paper: '49 TB | 49 TB | 8 GB' },
  { label: 'SUPP-B', by: 'supp-b', memory: () => 2e6, paper: '98 TB | 98 TB | 2 GB' },
  { label: 'SUPP-B', by: 'supp-b', memory: () => 4e5, paper: '147 TB | 147 TB | 100 MB' },
];

/** Room for vectors and blocks, but not for the lists. */
const streaming = (nodes: number) => 34 * nodes + 2e6;
const tse = (p: number, paper: string): Row => ({
  label: `TSE, p = ${p}`,
  by: 'tse',
  parameters: { p },
  memory: streaming,
  paper,
});

const ESTIMATES: readonly Row[] = [
  {
    label: 'Bit Vector, 2 rounds',
    by: 'bit-vector',
    parameters: { rounds: 2 },
    memory: streaming,
    paper: '63 GB | – | 1.9 GB',
  },
  { label: 'QVS', by: 'qvs', memory: streaming, paper: '31.4 GB | – | 2.1 GB' },
  tse(0.01, '31.4 GB | – | 157 MB'),
  tse(0.001, '31.4 GB | – | 16 MB'),
  tse(0.0001, '31.4 GB | – | 1.6 MB'),
];

export async function diskTable(graphOf: (nodes: number) => Graph, print: Print): Promise<void> {
  for (const [source, rows] of [
    [graphOf(SMALL), EXACT],
    [graphOf(LARGE), ESTIMATES],
  ] as const) {
    await onDisk(source, async (graph) => {
      print(
        `| Table 6: ${formatCount(graph.nodes)} nodes, ${formatBytes(graph.in.bytes)} (${formatBytes(4 * graph.arcs)} as labels) | memory given | read | predicted | written | predicted | sample | grown by at most | IRLbot: read | written | RAM |`,
      );
      print('|---|---|---|---|---|---|---|---|---|---|---|');
      for (const row of rows) print(await measured(graph, row));
      print('');
    });
  }
}

async function measured(
  graph: Graph,
  { label, by, parameters, memory, paper }: Row,
): Promise<string> {
  const given = memory(graph.nodes);
  const { result, bytes } = await peakMemory(() =>
    rank(graph, { by, memory: given, ...parameters }),
  );
  const { facts } = result;
  const size = (fact: string) => (fact in facts ? formatBytes(Number(facts[fact])) : '');
  const moved = [
    'bytesRead',
    'predictedBytesRead',
    'bytesWritten',
    'predictedBytesWritten',
    'sampleBytes',
  ];
  return `| ${label} | ${formatBytes(given)} | ${moved.map(size).join(' | ')} | ${formatBytes(bytes)} | ${paper} |`;
}

async function onDisk(source: Graph, work: (graph: Graph) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  async function* blocks() {
    for await (const block of source.out.scan()) yield arcsOf(block);
  }
  try {
    await buildGraph(join(folder, 'graph'), { ids: blocks(), nodes: source.nodes });
    const graph = await openGraph(join(folder, 'graph'));
    try {
      await work(graph);
    } finally {
      await graph.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
