/** `drumlin matrix reduce`: how some nodes are linked through all others. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { formatCount, parseBytes } from '../../../base/units.ts';
import type { Reduced } from '../../../matrix/reduce/reduce.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';
import { asColumns } from '../../screen/columns.ts';
import { printable } from '../../screen/printable.ts';

interface ReduceFlags {
  readonly nodes: string;
  readonly alpha: string;
  readonly reverse?: boolean;
  readonly out?: string;
  readonly json?: boolean;
  readonly threads: string;
  readonly memory: string;
}

export function registerReduce(matrix: Command): void {
  matrix
    .command('reduce')
    .description('reduce the matrix to some nodes: direct, PageRank and hidden links between them')
    .addHelpText(
      'after',
      examples(
        'matrix reduce my-graph --nodes set.txt',
        'matrix reduce my-graph --nodes set.txt --out reduced.tsv',
      ),
    )
    .argument('<graph>', 'the folder of a graph')
    .requiredOption('--nodes <file>', 'names of the nodes, one per line, at most 1,000')
    .option('--alpha <number>', 'probability of following a link instead of jumping', '0.85')
    .option('--reverse', 'use the matrix with all arcs reversed')
    .option(
      '--out <file>',
      'write every link: from, to, total, direct, PageRank and hidden part, separated by tabs',
    )
    .option('--json', 'print the summary as JSON')
    .option('--threads <count>', 'threads to use', String(availableParallelism()))
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((graph: string, flags: ReduceFlags) =>
      reduceCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function reduceCommand(
  folder: string,
  flags: ReduceFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ writeText }, { openGraph }, { reduce }, { showEta }, { readNameSet }, { missingText }] =
    await Promise.all([
      import('../../screen/text-output.ts'),
      import('../../../graph/open-graph.ts'),
      import('../../../matrix/reduce/reduce.ts'),
      import('../../screen/eta.ts'),
      import('../../input/name-list.ts'),
      import('../../../rank/engine/node-set.ts'),
    ]);
  const request = {
    nodes: await readNameSet(flags.nodes),
    alpha: Number(flags.alpha),
    reverse: flags.reverse === true,
    threads: atLeastOne('--threads', flags.threads),
    memory: parseBytes(flags.memory),
  };
  const graph = await openGraph(folder);
  const eta = showEta('reducing', screen);
  const onProgress = (done: number) => done < 1 && eta.update(done);
  const compute = () =>
    interruptible((signal) => reduce(graph, { ...request, signal, onProgress })).finally(eta.end);
  try {
    let found: Reduced | undefined;
    if (flags.out !== undefined)
      await writeText(flags.out, output, async function* () {
        found = await compute();
        yield* allLinks(found);
      });
    await writeText(undefined, output, async function* () {
      found ??= await compute();
      yield flags.json ? asJson(found) : asText(found);
      const missing = missingText(found);
      if (missing !== undefined) screen.write(`${printable(missing)}\n`);
    });
  } finally {
    await graph.close();
  }
}

async function* allLinks({ names, ...parts }: Reduced): AsyncGenerator<string> {
  yield 'from\tto\ttotal\tdirect\tpagerank\thidden\n';
  const { total, direct, pagerank, hidden } = parts;
  for (let at = 0; at < total.length; at++) {
    const [from, to] = [names[Math.floor(at / names.length)], names[at % names.length]];
    yield `${from}\t${to}\t${total[at]}\t${direct[at]}\t${pagerank[at]}\t${hidden[at]}\n`;
  }
}

function asText({ names, weights, strongest, facts }: Reduced): string {
  const share = (value: number) => `${fixed(value * 100, 2)} %`;
  const rows = [
    ['nodes', formatCount(names.length)],
    ['direct', `${share(weights.direct)} of the matrix`],
    ['PageRank', share(weights.pagerank)],
    ['hidden', share(weights.hidden)],
    ['lambda', `${facts.eigenvalue.toFixed(6)}, the leading eigenvalue outside the set`],
    ['errors', `columns ${error(facts.columnError)}, PageRank ${error(facts.pagerankError)}`],
    ['products', `${formatCount(facts.products)}, arcs from ${facts.held}`],
  ];
  const warning =
    facts.converged === 'yes'
      ? ''
      : '\nThe eigenvectors did not converge: total and direct are exact, the split is not.\n';
  const text = `${rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}\n`).join('')}${warning}`;
  if (strongest.length === 0) return text;
  const links = strongest.map(({ from, to, hidden, direct, pagerank, linked }) => [
    `${from} → ${to}`,
    fixed(hidden, 5),
    fixed(direct, 5),
    fixed(pagerank, 5),
    linked ? 'yes' : 'no',
  ]);
  return `${text}\nStrongest hidden links:\n${asColumns([['', 'hidden', 'direct', 'PageRank', 'arc'], ...links])}`;
}

/** With so many digits; what rounds to 0 has no sign. */
const fixed = (value: number, digits: number) =>
  value
    .toFixed(digits)
    .replace(/^-(?=[0.]+$)/, '')
    .replace('-', '−');

const error = (value: number) => (value === 0 ? '0' : value.toExponential(1));

function asJson({ names, given, missing, weights, strongest, scores, facts }: Reduced): string {
  const pagerank = names.map((name, i) => ({ name, score: scores[i] }));
  const summary = { given, missing, weights, facts, pagerank, strongest };
  return `${JSON.stringify(summary, undefined, 2)}\n`;
}
