/**
 * `drumlin rank compare`: run several ranking methods on one graph, and compare the bad nodes near
 * the top, the agreement, the errors of estimates and the cost. Prints a table or JSON, or writes
 * a page with plots.
 */
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { parseBytes } from '../../base/units.ts';
import type { Comparison, Contestant } from '../../rank/compare/compare-run.ts';
import type { NodeWeights } from '../../rank/engine/ranker.ts';
import { examples } from '../input/example.ts';
import { interruptible } from '../input/interrupt.ts';
import { atLeastOne, keysByFlag, type Streams } from '../input/rank-words.ts';
import { asColumns } from '../screen/columns.ts';

export interface CompareFlags {
  readonly by: string;
  readonly top: string;
  readonly bad?: string;
  readonly good?: string;
  readonly json?: boolean;
  readonly report?: string;
  readonly threads: string;
  readonly memory: string;
}

const METHODS = 'in,opic,pagerank,trustrank,supp,tse';

export function registerCompare(rank: Command): void {
  // Flags after the word "compare" belong to this command, although `rank` has some of the same.
  rank
    .enablePositionalOptions()
    .command('compare')
    .description(
      'compare ranking methods: bad nodes near the top, agreement, errors of estimates, time, memory',
    )
    .addHelpText(
      'after',
      examples(
        'rank compare my-graph --by in,pagerank,tse --report ranks.html',
        'rank compare my-graph --bad spam.txt --good trusted.txt --top 1000',
      ),
    )
    .argument('<graph>', 'the folder of a graph')
    .option(
      '--by <methods>',
      'methods, separated by commas, with parameters such as tse:p=0.001:seed=2',
      METHODS,
    )
    .option('--bad <file>', 'names of bad nodes, one per line; the table counts them near the top')
    .option(
      '--good <file>',
      'names of good nodes, best first; TrustRank trusts the first one in the graph',
    )
    .option('--top <count>', 'compare the first places up to this one', '10000')
    .option('--json', 'print JSON')
    .option('--report <file>', 'write a page with plots')
    .option(
      '--threads <count>',
      'threads for methods that use more than one',
      String(availableParallelism()),
    )
    .option('--memory <size>', 'memory for each method', '2Gi')
    .action((graph: string, flags: CompareFlags) =>
      compareCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function compareCommand(
  folder: string,
  flags: CompareFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [tables, { writeText }, { readNameList }, { Disk }, { openGraph }] = await Promise.all([
    import('../../rank/compare/compare-table.ts'),
    import('../screen/text-output.ts'),
    import('../input/name-list.ts'),
    import('../../disk/disk.ts'),
    import('../../graph/open-graph.ts'),
  ]);
  const contestants = await readMethods(flags.by, readNameList);
  const [top, threads] = [atLeastOne('--top', flags.top), atLeastOne('--threads', flags.threads)];
  const memory = parseBytes(flags.memory);
  const lists = {
    ...(flags.bad !== undefined && { bad: await readNameList(flags.bad) }),
    ...(flags.good !== undefined && { good: await readNameList(flags.good) }),
  };
  const disk = new Disk();
  const graph = await openGraph(folder, disk);
  const bytesRead = () => disk.traffic.read;
  const request = { contestants, top, threads, memory, ...lists, bytesRead };
  const compare = () => interruptible((signal) => compared(graph, { ...request, signal }, screen));
  try {
    if (flags.report === undefined) {
      await writeText(undefined, output, async function* () {
        yield printed(await compare(), flags.json === true, tables);
      });
      return;
    }
    const { reportPage } = await import('../../rank/compare/report.ts');
    let comparison: Comparison | undefined;
    await writeText(flags.report, output, async function* () {
      comparison = await compare();
      yield reportPage(comparison, `Rankings of ${basename(resolve(folder))}`);
    });
    if (comparison) output.write(printed(comparison, flags.json === true, tables));
    screen.write(`plots: ${flags.report}\n`);
  } finally {
    await graph.close();
  }
}

async function compared(
  graph: Parameters<typeof import('../../rank/compare/compare-run.ts').compareRankings>[0],
  request: Parameters<typeof import('../../rank/compare/compare-run.ts').compareRankings>[1],
  screen: Streams['screen'],
): Promise<Comparison> {
  const { compareRankings } = await import('../../rank/compare/compare-run.ts');
  const { showEta } = await import('../screen/eta.ts');
  let label = '';
  let eta = showEta(label, screen);
  try {
    return await compareRankings(graph, {
      ...request,
      onProgress(current, done) {
        if (current !== label) {
          eta.end();
          label = current;
          eta = showEta(`ranking by ${label}`, screen);
        }
        eta.update(done);
      },
    });
  } finally {
    eta.end();
  }
}

/** `in,tse:p=0.001`: methods are separated by commas, their parameters by colons. */
async function readMethods(
  text: string,
  readNames: (path: string) => Promise<NodeWeights>,
): Promise<Contestant[]> {
  const { findRanker } = await import('../../rank/registry.ts');
  const contestants: Contestant[] = [];
  for (const label of text.split(',').map((part) => part.trim())) {
    const [by, ...settings] = label.split(':');
    const { parameters } = await findRanker(by);
    const keys = await keysByFlag(parameters);
    const given: Record<string, string | NodeWeights> = {};
    for (const setting of settings) {
      const [, flag, value] = /^([^=]+)=(.+)$/s.exec(setting) ?? [];
      if (flag === undefined)
        throw new DrumlinError(
          'PARAMETER',
          `"${setting}" in "${label}" is not a parameter.`,
          'Write it like p=0.001.',
        );
      const key = keys.get(flag);
      if (key === undefined)
        throw new DrumlinError(
          'PARAMETER',
          `The method "${by}" has no parameter "${flag}".`,
          keys.size > 0
            ? `Did you mean "${nearest(flag, [...keys.keys()])}"?`
            : 'Remove it: this method has no parameters.',
        );
      given[key] = parameters[key].kind === 'nodes' ? await readNames(value) : value;
    }
    contestants.push({ label, by, given });
  }
  return contestants;
}

function printed(
  comparison: Comparison,
  json: boolean,
  tables: typeof import('../../rank/compare/compare-table.ts'),
): string {
  if (json) return `${JSON.stringify(comparison, undefined, 2)}\n`;
  const { summaryOf, methodRows, agreementRows, AGREEMENT_TEXT } = tables;
  return [
    `${summaryOf(comparison).join('; ')}\n`,
    asColumns(methodRows(comparison)),
    asColumns(agreementRows(comparison)),
    `${AGREEMENT_TEXT}\n`,
  ].join('\n');
}
