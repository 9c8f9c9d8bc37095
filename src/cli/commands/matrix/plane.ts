/**
 * `drumlin matrix plane`: print how PageRank and CheiRank are related, or write a page about it.
 */
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { parseBytes } from '../../../base/units.ts';
import type { Plane } from '../../../matrix/plane/plane.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';
import { asColumns } from '../../screen/columns.ts';

interface PlaneFlags {
  readonly alpha: string;
  readonly report?: string;
  readonly json?: boolean;
  readonly threads: string;
  readonly memory: string;
}

export function registerPlane(matrix: Command): void {
  matrix
    .command('plane')
    .description('compare PageRank and CheiRank: exponents, correlator, density of nodes, ridge')
    .addHelpText('after', examples('matrix plane my-graph --report plane.html'))
    .argument('<graph>', 'the folder of a graph')
    .option('--alpha <number>', 'probability of following a link instead of jumping', '0.85')
    .option('--report <file>', 'write a page with plots')
    .option('--json', 'print JSON, with all cells')
    .option('--threads <count>', 'threads to use', String(availableParallelism()))
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((graph: string, flags: PlaneFlags) =>
      planeCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function planeCommand(
  folder: string,
  flags: PlaneFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ writeText }, { openGraph }, { plane }, { showEta }, report] = await Promise.all([
    import('../../screen/text-output.ts'),
    import('../../../graph/open-graph.ts'),
    import('../../../matrix/plane/plane.ts'),
    import('../../screen/eta.ts'),
    import('../../../matrix/plane/report.ts'),
  ]);
  const request = {
    alpha: Number(flags.alpha),
    threads: atLeastOne('--threads', flags.threads),
    memory: parseBytes(flags.memory),
  };
  const graph = await openGraph(folder);
  const eta = showEta('ranking both ways', screen);
  const onProgress = (done: number) => done < 1 && eta.update(done);
  const compute = () =>
    interruptible((signal) => plane(graph, { ...request, signal, onProgress })).finally(eta.end);
  try {
    let found: Plane | undefined;
    if (flags.report !== undefined)
      await writeText(flags.report, output, async function* () {
        found = await compute();
        yield report.planePage(found, `The plane of ${basename(resolve(folder))}`);
      });
    await writeText(undefined, output, async function* () {
      found ??= await compute();
      yield flags.json ? asJson(found) : asText(found, report);
    });
    if (flags.report !== undefined) screen.write(`plots: ${flags.report}\n`);
  } finally {
    await graph.close();
  }
}

function asText(
  plane: Plane,
  { planeRows, firstRows }: typeof import('../../../matrix/plane/report.ts'),
): string {
  const rows = planeRows(plane).map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`);
  return `${rows.join('')}\n${asColumns(firstRows(plane), Infinity)}`;
}

function asJson({ density, ...facts }: Plane): string {
  const { counts, bounds } = density;
  const cells = { bounds: [...bounds], counts: [...counts] };
  return `${JSON.stringify({ ...facts, cells }, undefined, 1)}\n`;
}
