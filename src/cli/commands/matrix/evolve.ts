/** `drumlin matrix evolve`: how a graph's matrix and rankings change over snapshots. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { DrumlinError } from '../../../base/errors.ts';
import { parseBytes } from '../../../base/units.ts';
import type { Evolution } from '../../../matrix/evolve/evolve.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';
import { asColumns } from '../../screen/columns.ts';
import { printable } from '../../screen/printable.ts';

interface EvolveFlags {
  readonly among?: string;
  readonly categories?: string;
  readonly against?: string;
  readonly dropRedirects?: boolean;
  readonly top: string;
  readonly alpha: string;
  readonly report?: string;
  readonly json?: boolean;
  readonly threads: string;
  readonly memory: string;
}

export function registerEvolve(matrix: Command): void {
  matrix
    .command('evolve')
    .description('compare snapshots: sizes, subspaces, correlator, places over time, categories')
    .addHelpText(
      'after',
      examples(
        'matrix evolve 2024=graph1 2025=graph2 --report evolve.html',
        'matrix evolve 2024=graph1 2025=graph2 --among universities.txt --against other-list.txt',
      ),
    )
    .argument('<snapshots...>', 'label=folder of a graph, in the order of time')
    .option('--among <file>', 'take tops and places from these nodes only, one name per line')
    .option('--categories <file>', 'name, tab, category: count categories among the first 30')
    .option('--against <file>', 'another ranking, best first: count its first ten among ours')
    .option('--drop-redirects', 'leave out nodes with one arc')
    .option('--top <count>', 'compare the tops of this length', '100')
    .option('--alpha <number>', 'probability of following a link instead of jumping', '0.85')
    .option('--report <file>', 'write a page with plots')
    .option('--json', 'print JSON')
    .option('--threads <count>', 'threads to use', String(availableParallelism()))
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((snapshots: string[], flags: EvolveFlags) =>
      evolveCommand(snapshots, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function evolveCommand(
  words: readonly string[],
  flags: EvolveFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ writeText }, { openGraph }, { evolve }, { showEta }, lists, report] = await Promise.all([
    import('../../screen/text-output.ts'),
    import('../../../graph/open-graph.ts'),
    import('../../../matrix/evolve/evolve.ts'),
    import('../../screen/eta.ts'),
    import('../../input/name-list.ts'),
    import('../../../matrix/evolve/report.ts'),
  ]);
  const read = (path: string | undefined) =>
    path === undefined ? undefined : lists.readNameSet(path);
  const request = {
    snapshots: labelled(words).map(({ label, folder }) => ({
      label,
      open: () => openGraph(folder),
    })),
    alpha: alphaOf(flags.alpha),
    threads: atLeastOne('--threads', flags.threads),
    memory: parseBytes(flags.memory),
    top: atLeastOne('--top', flags.top),
    among: await read(flags.among),
    against: await read(flags.against),
    categories:
      flags.categories === undefined ? undefined : await lists.readCategories(flags.categories),
    dropRedirects: flags.dropRedirects === true,
  };
  const eta = showEta('comparing snapshots', screen);
  const onProgress = (done: number) => done < 1 && eta.update(done);
  const compute = () =>
    interruptible((signal) => evolve({ ...request, signal, onProgress })).finally(eta.end);
  let found: Evolution | undefined;
  if (flags.report !== undefined)
    await writeText(flags.report, output, async function* () {
      found = await compute();
      yield report.evolvePage(found, 'Snapshots of a graph');
    });
  await writeText(undefined, output, async function* () {
    found ??= await compute();
    yield flags.json ? asJson(found) : asText(found, report);
    for (const note of found.notes) screen.write(`${printable(note)}\n`);
  });
  if (flags.report !== undefined) screen.write(`plots: ${flags.report}\n`);
}

/** `2024=folder`: a label and the folder of a graph. */
function labelled(words: readonly string[]): { label: string; folder: string }[] {
  const labels = new Set<string>();
  return words.map((word) => {
    const [, label, folder] = /^([^=]+)=(.+)$/s.exec(word) ?? [];
    if (label === undefined)
      throw new DrumlinError(
        'EVOLVE',
        `"${word}" is no snapshot.`,
        'Write a label and the folder of a graph: 2024=my-graph.',
      );
    if (labels.has(label))
      throw new DrumlinError('EVOLVE', `"${label}" is there twice.`, 'Label each snapshot once.');
    labels.add(label);
    return { label, folder };
  });
}

function alphaOf(text: string): number {
  const alpha = Number(text);
  if (text.trim() !== '' && alpha >= 0 && alpha <= 0.9999) return alpha;
  throw new DrumlinError('VALUE', `--alpha: "${text}" is out of range.`, 'Take 0 to 0.9999.');
}

function asText(
  found: Evolution,
  report: typeof import('../../../matrix/evolve/report.ts'),
): string {
  const kinds = ['k', 'kStar', 'k2'] as const;
  const tables = [
    report.sizeRows(found),
    report.subspaceRows(found),
    report.stepRows(found),
    ...kinds.map((kind) => report.followedRows(found, kind)),
    report.categoryRows(found, 'k'),
    report.categoryRows(found, 'k2'),
    report.againstRows(found),
  ];
  return tables.flatMap((rows) => (rows ? [asColumns(rows)] : [])).join('\n');
}

function asJson(found: Evolution): string {
  const plain = (_: string, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value;
  return `${JSON.stringify(found, plain, 2)}\n`;
}
