/** `drumlin graph`: import, build, export and describe graphs. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
  parseBytes,
} from '../../base/units.ts';
import type { GraphFacts, GraphLevel } from '../../graph/graph-file.ts';
import type { DegreeFacts, GraphInfo } from '../../graph/info.ts';
import type { ImportFormat } from '../../graph/io/import.ts';
import { examples } from '../input/example.ts';
import { interruptible } from '../input/interrupt.ts';
import { printable } from '../screen/printable.ts';

export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const memoryFlag = (size: string) => new Option('--memory <size>', 'memory to use').default(size);
const levelFlag = (text: string) =>
  new Option('--level <level>', text).choices(['page', 'host', 'domain']);

export function register(program: Command): void {
  const graph = program
    .command('graph')
    .description('import, build, export and describe web graphs')
    .addHelpText(
      'after',
      examples(
        'graph build my-crawl --level domain',
        'graph info my-crawl/graph/domain',
        'graph import edges.txt.gz --out my-graph',
      ),
    );
  registerImport(graph);
  registerBuild(graph);
  registerExport(graph);
  registerInfo(graph);
}

function registerImport(graph: Command): void {
  graph
    .command('import')
    .description(
      'make a graph from edge lists, Common Crawl files, WebGraph files or Debian package indexes',
    )
    .addHelpText(
      'after',
      examples(
        'graph import edges.txt.gz --out my-graph',
        'graph import links.csv --separator , --skip-bad skipped.txt --out my-graph',
        'graph import cc-main-domain-vertices.txt.gz cc-main-domain-edges.txt.gz --format common-crawl --level domain --out cc',
        'graph import cnr-2000 --format bv --out cnr',
        'graph import Packages.gz --format debian --out debian',
      ),
    )
    .argument(
      '<files...>',
      'text or gzip files, or folders of such files; for bv, the common prefix of the names',
    )
    .requiredOption('--out <folder>', 'folder for the graph')
    .addOption(
      new Option('--format <format>', 'format of the files')
        .choices(['edges', 'common-crawl', 'bv', 'debian'])
        .default('edges'),
    )
    .option('--names', 'edges: read nodes as names even if they look like numbers')
    .option('--separator <character>', 'edges: what separates two nodes, beside spaces and tabs')
    .option(
      '--skip-bad [file]',
      'edges: skip lines that are no arcs; print the first ones, or write all to this file',
    )
    .addOption(levelFlag('what a node is; stored in the graph'))
    .addOption(memoryFlag('256Mi'))
    .action((files: string[], flags: ImportFlags) => importFiles(files, flags, process.stderr));
}

function registerBuild(graph: Command): void {
  graph
    .command('build')
    .description('make a graph from the links in a crawl’s archive')
    .addHelpText(
      'after',
      examples(
        'graph build my-crawl --level domain',
        'graph build my-crawl --level page --nofollow --out my-pages --memory 1Gi',
      ),
    )
    .argument('<crawl>', 'the folder of a crawl')
    .addOption(levelFlag('what a node is').makeOptionMandatory())
    .option(
      '--out <folder>',
      'folder for the graph (default: graph/<level>, with --captured graph/<level>-captured, in the folder of the crawl)',
    )
    .option('--nofollow', 'include links marked nofollow')
    .option(
      '--captured',
      'only pages captured with status 200 and the links between them, through redirects',
    )
    .addOption(memoryFlag('256Mi'))
    .action((crawl: string, flags: BuildFlags) => buildFromCrawl(crawl, flags, process.stderr));
}

function registerExport(graph: Command): void {
  graph
    .command('export')
    .description('write a graph as text: arcs by name, or the two files of Common Crawl')
    .addHelpText(
      'after',
      examples(
        'graph export my-graph --out arcs.txt.gz',
        'graph export my-graph --format common-crawl --out my-release',
      ),
    )
    .argument('<graph>', 'the folder of a graph')
    .addOption(
      new Option('--format <format>', 'format of the output')
        .choices(['edges', 'common-crawl'])
        .default('edges'),
    )
    .option(
      '--out <path>',
      'edges: a file, compressed if its name ends in .gz (default: standard output); common-crawl: a folder (required)',
    )
    .addOption(memoryFlag('256Mi'))
    .action((folder: string, flags: ExportFlags) =>
      exportGraph(folder, flags, process.stdout, process.stderr),
    );
}

function registerInfo(graph: Command): void {
  graph
    .command('info')
    .description('describe a graph: sizes, degrees, reciprocity, strongly connected components')
    .addHelpText('after', examples('graph info my-graph', 'graph info my-graph --json'))
    .argument('<graph>', 'the folder of a graph')
    .option('--json', 'print JSON')
    .addOption(memoryFlag('1Gi'))
    .action((folder: string, flags: InfoFlags) =>
      describe(folder, flags, process.stdout, process.stderr),
    );
}

interface ImportFlags {
  readonly out: string;
  readonly format: ImportFormat;
  readonly names?: boolean;
  readonly separator?: string;
  readonly skipBad?: true | string;
  readonly level?: GraphLevel;
  readonly memory: string;
}

export async function importFiles(
  files: readonly string[],
  flags: ImportFlags,
  screen: Screen,
): Promise<void> {
  const { importGraph } = await import('../../graph/io/import.ts');
  const { out, format, names, separator, level, skipBad } = flags;
  const bad = skipBad === undefined ? undefined : await openBadLines(skipBad);
  try {
    await watched(screen, async (meter, signal) => {
      const options = {
        format,
        names,
        separator,
        level,
        memory: parseBytes(flags.memory),
        onProgress: meter.show,
        onBad: bad && ((error: DrumlinError) => bad.add(error)),
        onNote: meter.note,
        signal,
      };
      const facts = await importGraph(files, out, options);
      for (const line of bad?.summary() ?? []) meter.note(line);
      meter.note(made(out, facts));
    });
  } finally {
    await bad?.close();
  }
}

async function openBadLines(skipBad: true | string) {
  const { BadLines } = await import('../input/bad-lines.ts');
  return BadLines.open(skipBad === true ? undefined : skipBad);
}

interface BuildFlags {
  readonly level: GraphLevel;
  readonly out?: string;
  readonly nofollow?: boolean;
  readonly captured?: boolean;
  readonly memory: string;
}

export async function buildFromCrawl(
  crawl: string,
  flags: BuildFlags,
  screen: Screen,
): Promise<void> {
  const [{ packNameArcs }, { buildGraph }, { crawlLinks }] = await Promise.all([
    import('../../graph/arcs.ts'),
    import('../../graph/build.ts'),
    import('../../graph/io/crawl-links.ts'),
  ]);
  const { Disk } = await import('../../disk/disk.ts');
  const { level, nofollow, captured } = flags;
  // Links are sorted while the builder has its own part of the memory.
  const memory = parseBytes(flags.memory) / (captured ? 2 : 1);
  const out = flags.out ?? join(crawl, 'graph', captured ? `${level}-captured` : level);
  await watched(screen, async (meter, signal) => {
    const links = crawlLinks(new Disk(), crawl, {
      level,
      nofollow,
      captured: captured ? { scratch: `${out}.links-${randomUUID()}`, memory } : undefined,
      onRead: (share) => meter.show('reading', share),
      onWarning: meter.note,
    });
    const options = { level, memory, onProgress: meter.show, signal };
    const facts = await buildGraph(out, { names: packNameArcs(links) }, options);
    meter.note(made(out, facts));
  });
}

function made(out: string, { nodes, arcs }: Pick<GraphFacts, 'nodes' | 'arcs'>): string {
  return `${out}: ${counted(nodes, 'node')}, ${counted(arcs, 'arc')}`;
}

interface ExportFlags {
  readonly format: 'edges' | 'common-crawl';
  readonly out?: string;
  readonly memory: string;
}

export async function exportGraph(
  folder: string,
  flags: ExportFlags,
  output: NodeJS.WritableStream,
  screen: Screen,
): Promise<void> {
  const { edgeListOf, exportCommonCrawl } = await import('../../graph/io/export.ts');
  const { openGraph } = await import('../../graph/open-graph.ts');
  const { Disk } = await import('../../disk/disk.ts');
  const graph = await openGraph(folder);
  try {
    await watched(screen, async (meter, signal) => {
      const onProgress = (share: number) => meter.show('writing', share);
      const options = { memory: parseBytes(flags.memory), onProgress, signal };
      if (flags.format === 'common-crawl')
        await exportCommonCrawl(graph, neededOut(flags.out), options);
      else if (flags.out === undefined)
        await pipeline(Readable.from(edgeListOf(graph, options)), output, { end: false });
      else {
        const { writeText } = await import('../../disk/text-file.ts');
        await writeText(new Disk(), flags.out, async (file) => {
          for await (const bytes of edgeListOf(graph, options)) await file.write(bytes);
        });
      }
      if (flags.out !== undefined) meter.note(made(flags.out, graph));
    });
  } finally {
    await graph.close();
  }
}

interface InfoFlags {
  readonly json?: boolean;
  readonly memory: string;
}

export async function describe(
  folder: string,
  flags: InfoFlags,
  output: { write(text: string): unknown },
  screen: Screen,
): Promise<void> {
  const { graphInfo } = await import('../../graph/info.ts');
  const { openGraph } = await import('../../graph/open-graph.ts');
  const graph = await openGraph(folder);
  try {
    const meter = new Meter(screen);
    const info = await graphInfo(graph, {
      memory: parseBytes(flags.memory),
      onProgress: meter.show,
    });
    const facts = { ...info, level: graph.level, named: graph.named, nameBytes: graph.nameBytes };
    meter.end();
    output.write(flags.json ? `${JSON.stringify(facts, null, 2)}\n` : infoText(facts));
  } finally {
    await graph.close();
  }
}

function neededOut(out: string | undefined): string {
  if (out !== undefined) return out;
  throw new DrumlinError(
    'USAGE',
    'The format common-crawl writes two files and needs a folder.',
    'Name the folder with --out.',
  );
}

/** Does the work with a progress line; Ctrl-C stops it and leaves no files behind. */
export async function watched(
  screen: Screen,
  work: (meter: Meter, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const meter = new Meter(screen);
  try {
    await interruptible((signal) => work(meter, signal));
  } finally {
    meter.end();
  }
}

const SILENT: Millis = 1000;
const REDRAW: Millis = 250;
const PLAIN_LINE: Millis = 5000;

/**
 * One line of progress: redrawn in a terminal, a new line every few seconds elsewhere. Work that
 * takes less than a second shows nothing.
 */
export class Meter {
  readonly #screen: Screen;
  readonly #now: () => Millis;
  readonly #began: Millis;
  #step = '';
  #stepBegan = 0;
  #shown = -Infinity;
  #drawn = false;

  constructor(screen: Screen, now: () => Millis = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#began = now();
  }

  /** Shows the share of a step that is done, 0 to 1. */
  readonly show = (step: string, share: number): void => {
    const now = this.#now();
    if (step !== this.#step) {
      this.#step = step;
      this.#stepBegan = now;
    }
    const pause = this.#screen.isTTY ? REDRAW : PLAIN_LINE;
    if (now - this.#began < SILENT || now - this.#shown < pause) return;
    this.#shown = now;
    const left = share > 0 ? ((now - this.#stepBegan) * (1 - share)) / share : undefined;
    const rest = left === undefined ? '' : `, ${formatDuration(left)} left in this step`;
    const line = `${step}: ${Math.floor(share * 100)} %${rest} (${formatDuration(now - this.#began)} so far)`;
    this.#screen.write(this.#screen.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
    this.#drawn = true;
  };

  /** Prints a line that stays. */
  readonly note = (text: string): void => {
    this.end();
    this.#screen.write(`${printable(text)}\n`);
  };

  end(): void {
    if (this.#screen.isTTY && this.#drawn) this.#screen.write('\r\x1b[2K');
    this.#drawn = false;
  }
}

type PrintedInfo = GraphInfo & {
  readonly level: GraphLevel | undefined;
  readonly nameBytes: number;
};

function infoText(info: PrintedInfo): string {
  const { nodes, arcs, components, bytes } = info;
  const share = (n: number) => (nodes > 0 ? ` (${((n / nodes) * 100).toFixed(1)} %)` : '');
  const perArc = (n: number) => (arcs > 0 ? ` (${(n / arcs).toFixed(2)} per arc)` : '');
  const lists = (way: 'out' | 'in') => `${formatBytes(bytes[way])} ${way}${perArc(bytes[way])}`;
  const count = (n: number) => `${formatCount(n)}${share(n)}`;
  const rows: [string, string][] = [
    ['nodes', `${formatCount(nodes)}${info.level ? ` ${info.level}s` : ''}`],
    ['arcs', `${formatCount(arcs)}, ${formatCount(info.loops)} of them from a node to itself`],
    ['out-degree', degreeText(info.out)],
    ['in-degree', degreeText(info.in)],
    ['dangling', `${count(info.dangling)} have no links out`],
    [
      'unlinked',
      `${count(info.unreferenced)} have no links in, ${count(info.isolated)} have no links at all`,
    ],
    [
      'reciprocity',
      `${(info.reciprocity * 100).toFixed(1)} % of the arcs between two nodes go both ways`,
    ],
    [
      'components',
      components
        ? `${formatCount(components.count)} strongly connected, the largest has ${count(components.largest)} nodes`
        : `not computed: needs --memory ${Math.ceil(info.componentMemory / 1e6)}M`,
    ],
    ['disk', `${lists('out')}, ${lists('in')}, ${formatBytes(info.nameBytes)} names`],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}\n`).join('');
}

function degreeText({ mean, deviation, skewness, largest, largestNode }: DegreeFacts): string {
  const node = largestNode === undefined ? '' : ` (${largestNode})`;
  const moments = `mean ${mean.toFixed(2)}, deviation ${deviation.toFixed(2)}, skewness ${skewness.toFixed(1)}`;
  return `${moments}, largest ${formatCount(largest)}${node}`;
}
