/** `drumlin matrix subspaces`: print the sets of nodes that a surfer cannot leave. */
import type { Command } from 'commander';
import { formatCount, parseBytes } from '../../../base/units.ts';
import type { Graph } from '../../../graph/graph.ts';
import type { Subspaces } from '../../../matrix/subspaces/subspaces.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import type { Streams } from '../../input/rank-words.ts';
import { shareOf } from './share.ts';

interface SubspaceFlags {
  readonly reverse?: boolean;
  readonly share: string;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly out?: string;
  readonly memory: string;
}

export function registerSubspaces(matrix: Command): void {
  matrix
    .command('subspaces')
    .description('print the invariant subspaces of S: sets of nodes that no link leaves')
    .addHelpText(
      'after',
      examples(
        'matrix subspaces my-graph',
        'matrix subspaces my-graph --reverse --list --out traps.txt',
      ),
    )
    .argument('<graph>', 'the folder of a graph')
    .option('--reverse', 'use the matrix with all arcs reversed')
    .option(
      '--share <share>',
      'a node that reaches more than this share of all nodes is core',
      '0.1',
    )
    .option('--list', 'name the nodes of each subspace')
    .option('--json', 'print JSON')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((graph: string, flags: SubspaceFlags) =>
      subspacesCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

async function subspacesCommand(
  folder: string,
  flags: SubspaceFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ writeText }, { openGraph }, { subspaces }, { showEta }] = await Promise.all([
    import('../../screen/text-output.ts'),
    import('../../../graph/open-graph.ts'),
    import('../../../matrix/subspaces/subspaces.ts'),
    import('../../screen/eta.ts'),
  ]);
  const request = {
    reverse: flags.reverse === true,
    share: shareOf('--share', flags.share),
    memory: parseBytes(flags.memory),
  };
  const graph = await openGraph(folder);
  const eta = showEta('finding subspaces', screen);
  try {
    await interruptible((signal) =>
      writeText(flags.out, output, async function* () {
        const found = await subspaces(graph, { ...request, signal, onProgress: eta.update });
        eta.end();
        yield* flags.json ? asJson(graph, found, flags) : asText(graph, found, flags);
      }),
    );
  } finally {
    eta.end();
    await graph.close();
  }
}

async function* asText(
  graph: Graph,
  found: Subspaces,
  { list }: SubspaceFlags,
): AsyncGenerator<string> {
  const ofCore = (count: number) => (count > 0 ? `; ${formatCount(count)} of the core` : '');
  const rows: [string, string][] = [
    ['N', `${formatCount(found.nodes)} nodes, ${formatCount(found.dangling)} of them dangling`],
    ['arcs', formatCount(found.arcs)],
    ['N_s', `${formatCount(found.subspaceNodes)} nodes in subspaces`],
    ['N_d', `${formatCount(found.subspaces)} subspaces`],
    ['d_max', `${formatCount(found.largest)} nodes in the largest`],
    ['N_1', `${formatCount(found.ones)} eigenvalues 1${ofCore(found.coreOnes)}`],
    ['N_circ', `${formatCount(found.circle)} on the unit circle${ofCore(found.coreCircle)}`],
  ];
  for (const [name, value] of rows) yield `  ${name.padEnd(8)} ${value}\n`;
  if (found.subspaces === 0) return;
  yield `\n  ${'size'.padStart(10)} ${'subspaces'.padStart(10)}\n`;
  for (const { size, count } of found.sizes)
    yield `  ${formatCount(size).padStart(10)} ${formatCount(count).padStart(10)}\n`;
  if (!list) return;
  yield '\nsubspace\tnode\n';
  for await (const [subspace, name] of listed(graph, found)) yield `${subspace}\t${name}\n`;
}

async function* asJson(
  graph: Graph,
  { subspaceOf, ...facts }: Subspaces,
  { list }: SubspaceFlags,
): AsyncGenerator<string> {
  const text = JSON.stringify(facts, undefined, 2);
  if (!list) {
    yield `${text}\n`;
    return;
  }
  yield `${text.slice(0, -2)},\n  "list": [`;
  let separator = '\n    ';
  for await (const [subspace, name] of listed(graph, { subspaceOf, ...facts })) {
    yield `${separator}${JSON.stringify({ subspace, name })}`;
    separator = ',\n    ';
  }
  yield '\n  ]\n}\n';
}

/** The nodes of subspaces with their names, subspace by subspace. */
async function* listed(
  graph: Graph,
  { subspaceOf, subspaceNodes }: Subspaces,
): AsyncGenerator<[subspace: number, name: string]> {
  const nodes = new Uint32Array(subspaceNodes);
  let found = 0;
  for (let node = 0; node < subspaceOf.length; node++)
    if (subspaceOf[node] > 0) nodes[found++] = node;
  nodes.sort((a, b) => subspaceOf[a] - subspaceOf[b] || a - b);
  for (const node of nodes) yield [subspaceOf[node], await graph.names.name(node)];
}
