/**
 * `drumlin refresh compare`: what each order of tests costs on a graph of which the living pages
 * are known. Prints a table or JSON, and writes a page with plots.
 */
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { DrumlinError } from '../../../base/errors.ts';
import { counted, parseBytes, parseCount } from '../../../base/units.ts';
import type { Graph } from '../../../graph/graph.ts';
import type { OrderComparison } from '../../../refresh/compare/compare.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';
import { asColumns } from '../../screen/columns.ts';

export interface CompareFlags {
  readonly alive: string;
  readonly by: string;
  readonly sample: string;
  readonly z: string;
  readonly seeds: string;
  readonly perHost: string;
  readonly hosts?: boolean;
  readonly report?: string;
  readonly json?: boolean;
  readonly threads: string;
  readonly memory: string;
}

export function registerCompare(refresh: Command): void {
  refresh
    .command('compare')
    .description('compare orders of tests on a graph of which the living pages are known')
    .addHelpText(
      'after',
      examples(
        'lab pages --domains 500 --step 138 --out old-web',
        'refresh compare old-web --alive old-web/alive.txt --report costs.html',
        'refresh compare my-graph --alive alive.txt --by pagerank,pa+-,bfs --z 1000 --json',
      ),
    )
    .argument('<graph>', 'the folder of a graph of pages')
    .requiredOption('--alive <file>', 'names of the pages that are alive, one per line')
    .option('--by <orders>', 'orders, separated by commas', 'random,in,pagerank,pa,pa+-,asf,bfs,ai')
    .option('--sample <orders>', 'orders that choose the sample', 'random,in,pagerank')
    .option('--z <size>', 'pages in the sample: a count, or a share such as 0.5%', '0.5%')
    .option('--seeds <count>', 'how often samples are drawn', '5')
    .option('--per-host <count>', 'pages of a host in the sample of asf', '10')
    .option(
      '--hosts',
      'count requests instead of tests: add a robots.txt and a made-up URL for each host',
    )
    .option('--report <file>', 'write a page with plots')
    .option('--json', 'print JSON')
    .option('--threads <count>', 'threads for walks', String(availableParallelism()))
    .option('--memory <size>', 'memory for walks', '2Gi')
    .action((graph: string, flags: CompareFlags) =>
      compareCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

export async function compareCommand(
  folder: string,
  flags: CompareFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ writeText }, { readNameList }, { openGraph }, { marked }] = await Promise.all([
    import('../../screen/text-output.ts'),
    import('../../input/name-list.ts'),
    import('../../../graph/open-graph.ts'),
    import('../../../refresh/compare/compare.ts'),
  ]);
  const names = await readNameList(flags.alive);
  const graph = await openGraph(folder);
  try {
    const request = await requestOf(flags, graph.nodes);
    const { alive, unknown } = await marked(graph, new Set(names.keys()));
    if (unknown > 0)
      screen.write(`${counted(unknown, 'name')} of ${flags.alive} are no nodes of the graph.\n`);
    const compare = () =>
      interruptible((signal) => compared(graph, alive, flags, request, screen, signal));
    let comparison: OrderComparison | undefined;
    if (flags.report !== undefined) {
      const { costPage } = await import('../../../refresh/compare/report.ts');
      await writeText(flags.report, output, async function* () {
        comparison = await compare();
        yield costPage(comparison, `Refreshing ${basename(resolve(folder))}`);
      });
      screen.write(`plots: ${flags.report}\n`);
    }
    await writeText(undefined, output, async function* () {
      yield await printed(comparison ?? (await compare()), flags.json === true);
    });
  } finally {
    await graph.close();
  }
}

async function requestOf(flags: CompareFlags, pages: number) {
  const [{ findOrder }, { checkSample, checkSize }] = await Promise.all([
    import('../../../refresh/orders/registry.ts'),
    import('../../../refresh/orders/sample.ts'),
  ]);
  const listOf = (text: string) => text.split(',').map((name) => name.trim());
  const request = {
    methods: listOf(flags.by).map(findOrder),
    samples: listOf(flags.sample).map(checkSample),
    z: sizeOf(flags.z, pages),
    seeds: atLeastOne('--seeds', flags.seeds),
    perHost: atLeastOne('--per-host', flags.perHost),
    hosts: flags.hosts === true,
  };
  if (request.methods.some(({ kind }) => kind !== 'static')) checkSize(request.z, pages);
  return request;
}

/** A count of pages, or a share of all of them. */
function sizeOf(text: string, pages: number): number {
  const share = /^(\d+(?:\.\d+)?|\.\d+)\s*%$/.exec(text.trim());
  if (!share) return parseCount(text);
  if (Number(share[1]) > 0) return Math.max(1, Math.round((Number(share[1]) / 100) * pages));
  throw new DrumlinError('SAMPLE', 'A sample of 0 % tests nothing.', 'Try --z 0.5%.');
}

async function compared(
  graph: Graph,
  alive: Uint8Array,
  { threads, memory }: CompareFlags,
  request: Awaited<ReturnType<typeof requestOf>>,
  screen: Streams['screen'],
  signal: AbortSignal,
): Promise<OrderComparison> {
  const [{ compareOrders }, { Collection }, { showEta }, { stopIfAsked }] = await Promise.all([
    import('../../../refresh/compare/compare.ts'),
    import('../../../refresh/orders/collection.ts'),
    import('../../screen/eta.ts'),
    import('../../../base/stop.ts'),
  ]);
  const eta = showEta('comparing orders', screen);
  const collection = new Collection(graph, {
    threads: atLeastOne('--threads', threads),
    memory: parseBytes(memory),
    onProgress: () => stopIfAsked(signal),
  });
  const onProgress = (_label: string, done: number) => {
    stopIfAsked(signal);
    eta.update(done);
  };
  return compareOrders(collection, alive, { ...request, onProgress }).finally(eta.end);
}

async function printed(comparison: OrderComparison, json: boolean): Promise<string> {
  if (json) return `${JSON.stringify(comparison, undefined, 2)}\n`;
  const { costRows, summaryOf } = await import('../../../refresh/compare/table.ts');
  return `${summaryOf(comparison).join(', ')}\n\n${asColumns(costRows(comparison), 2)}`;
}
