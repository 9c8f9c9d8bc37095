/**
 * `drumlin lab run`: crawl the synthetic web in virtual time, once per policy, and compare the
 * results. It opens no sockets and never waits. `drumlin lab pages` writes the graph of the pages
 * of a web, and what became of them.
 */
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import {
  formatCount,
  formatDuration,
  type Millis,
  parseBytes,
  parseCount,
  parseDuration,
} from '../../base/units.ts';
import type { PolicyResult } from '../../simulator/run.ts';
import type { LiveModel } from '../../spam/live/live-model.ts';
import { examples } from '../input/example.ts';
import { interruptible } from '../input/interrupt.ts';
import { addShare } from '../input/share.ts';
import { asColumns } from '../screen/columns.ts';
import { registerFocus } from './focus/lab.ts';

export interface LabFlags {
  readonly scenario: string;
  readonly pages: number;
  readonly policy: string;
  readonly spam?: string;
  readonly seed: number;
  readonly domains?: number;
  readonly sitePages?: number;
  readonly mix?: Readonly<Record<string, number>>;
  readonly delay: Millis;
  readonly addressDelay: Millis;
  readonly fetches: number;
  readonly edgeLife?: Millis;
  readonly takeover?: Millis;
  readonly out?: string;
  readonly json?: boolean;
}

interface Streams {
  readonly output: Writable;
  readonly screen: { readonly isTTY?: boolean; write(text: string): unknown };
}

export function register(program: Command): void {
  const lab = program
    .command('lab')
    .description('run experiments on the synthetic web in virtual time: no sockets, no waiting')
    .addHelpText(
      'after',
      examples(
        'lab run --scenario spam --domains 20k --pages 40k --policy bfs,in,tse --out my-report',
      ),
    );
  lab
    .command('run')
    .description('crawl the same web once with each policy, and compare what each policy fetches')
    .addHelpText(
      'after',
      examples(
        'lab run --scenario spam --domains 20k --pages 40k --policy bfs,in,tse',
        'lab run --scenario mixed --mix farm=5% --policy bfs,tse --out my-report',
      ),
    )
    .option(
      '--scenario <name>',
      'clean, mixed, spam, attack, hostile, site, papers or scripted',
      'spam',
    )
    .option('--pages <count>', 'pages that each policy fetches', parseCount, 200_000)
    .option('--policy <names>', 'policies, separated by commas', 'bfs')
    .option('--spam <model>', 'spam model for policies with verdicts on spam, such as tse+spam')
    .option('--seed <number>', 'random seed; each seed gives another web', parseCount, 1)
    .option(
      '--domains <count>',
      'number of domains (default: one per 50 pages, at least 1000)',
      parseCount,
    )
    .option(
      '--site-pages <count>',
      'mean number of pages per domain (the exact number with --scenario site)',
      parseCount,
    )
    .option(
      '--mix <part=share>',
      'change the share of a kind or behaviour, such as farm=5%; may be repeated',
      addShare,
    )
    .option('--delay <time>', 'time between two requests to one host', parseDuration, 4000)
    .option(
      '--address-delay <time>',
      'time between two requests to one address',
      parseDuration,
      500,
    )
    .option('--fetches <count>', 'most requests at the same time', parseCount, 64)
    .option(
      '--edge-life <time>',
      'how long a link between two domains counts that is not seen again (default: for ever)',
      parseDuration,
    )
    .option(
      '--takeover <time>',
      'when expired domains are taken over: from then on nine of ten domains no longer link to them',
      parseDuration,
    )
    .option('--out <folder>', 'write report.html and report.json to this folder')
    .option('--json', 'print JSON')
    .action((flags: LabFlags) =>
      runCommand(flags, { output: process.stdout, screen: process.stderr }),
    );
  registerPages(lab);
  registerFocus(lab);
}

interface PagesFlags {
  readonly out: string;
  readonly seed: number;
  readonly scenario: string;
  readonly domains?: number;
  readonly pages?: number;
  readonly step: number;
  readonly memory: string;
}

function registerPages(lab: Command): void {
  lab
    .command('pages')
    .description('write the graph of all pages of a web, and which of them are alive later')
    .addHelpText(
      'after',
      examples(
        'lab pages --domains 3500 --step 138 --out old-web',
        'refresh compare old-web --alive old-web/alive.txt --report costs.html',
      ),
    )
    .requiredOption('--out <folder>', 'folder for the graph, alive.txt and truth.tsv')
    .option('--scenario <name>', 'a web without traps and faults: clean or site', 'clean')
    .option('--seed <number>', 'random seed; each seed gives another web', parseCount, 1)
    .option('--domains <count>', 'number of domains', parseCount)
    .option('--pages <count>', 'mean number of pages per domain', parseCount)
    .option('--step <months>', 'age of the web at which pages are alive or dead', parseCount, 138)
    .option('--memory <size>', 'memory to use', '256Mi')
    .action((flags: PagesFlags) => writePages(flags, process.stderr));
}

/** The graph is that of step 0; the truth that of a later one. */
export async function writePages(
  { out, memory, step, ...options }: PagesFlags,
  screen: Streams['screen'],
): Promise<void> {
  const [{ webOf }, { PageGraph }, truth, { buildGraph }, { packNames }, { showEta }] =
    await Promise.all([
      import('../../lab/server/lab.ts'),
      import('../../lab/judge/page-graph.ts'),
      import('../../lab/judge/page-truth.ts'),
      import('../../graph/build.ts'),
      import('../../graph/arcs.ts'),
      import('../screen/eta.ts'),
    ]);
  const { writeText } = await import('../screen/text-output.ts');
  const { join } = await import('node:path');
  const ports = { http: 8080, https: 8443, dns: 0, control: 0 };
  const [then, now] = [webOf(options, ports), webOf({ ...options, step }, ports)];
  const graph = new PageGraph(then);
  const eta = showEta('linking pages', screen);
  const onPage = (done: number) => done % 1024 === 0 && eta.update(done / graph.pages);
  const source = { numbered: packNames(graph.urls()), arcs: inTurn(graph.arcs(onPage)) };
  const facts = await buildGraph(out, source, {
    memory: parseBytes(memory),
    level: 'page',
  }).finally(eta.end);
  let alive = 0;
  const living: string[] = [];
  await writeText(join(out, 'truth.tsv'), process.stdout, async function* () {
    yield `${truth.PAGE_TRUTH_HEADING}\n`;
    for (const page of truth.pageTruths(then, now)) {
      if (page.alive) {
        alive++;
        living.push(`${page.url}\n`);
      }
      yield `${truth.truthCells(page)}\n`;
    }
  });
  await writeText(join(out, 'alive.txt'), process.stdout, async function* () {
    yield* living;
  });
  screen.write(
    `${out}: ${formatCount(facts.nodes)} pages, ${formatCount(facts.arcs)} links; ` +
      `${formatCount(alive)} pages are alive at step ${step} (alive.txt, truth.tsv)\n`,
  );
}

async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

const PAGES_A_DOMAIN = 50;
const LEAST_DOMAINS = 1000;

export async function runCommand(flags: LabFlags, { output, screen }: Streams): Promise<void> {
  const [{ webOf }, { findPolicy, runLab }, { resolveConfig }] = await Promise.all([
    import('../../lab/server/lab.ts'),
    import('../../simulator/run.ts'),
    import('../../config/settings.ts'),
  ]);
  const { pages, delay, addressDelay, fetches, scenario, seed, mix, sitePages } = flags;
  if (pages < 1)
    throw new DrumlinError('VALUE', '--pages must be at least 1.', 'Try --pages 200k.');
  const policies = flags.policy.split(',').map((name) => name.trim());
  for (const name of policies) findPolicy(name);
  const { takeover: takeoverAt, edgeLife } = flags;
  const config = resolveConfig({
    ...{ delay, addressDelay, fetches, spam: flags.spam ?? '' },
    ...(edgeLife !== undefined && { edgeLife }),
  });
  const spamModel = flags.spam === undefined ? undefined : await liveModelIn(flags.spam);
  const domains =
    flags.domains ??
    (scenario === 'site' ? 1 : Math.max(LEAST_DOMAINS, Math.ceil(pages / PAGES_A_DOMAIN)));
  const web = webOf(
    {
      scenario,
      seed,
      domains,
      ...(mix && { mix }),
      ...(sitePages !== undefined && { pages: sitePages }),
    },
    { http: 8080, https: 8443, dns: 0, control: 0 },
  );
  const facts = [
    `scenario ${scenario}, seed ${seed}`,
    `${formatCount(domains)} domains`,
    `${formatCount(pages)} pages per policy`,
    `${fetches} fetches at once`,
    `delay ${formatDuration(delay)} per host, ${formatDuration(addressDelay)} per address`,
    ...(edgeLife === undefined ? [] : [`links live ${formatDuration(edgeLife)}`]),
    ...(takeoverAt === undefined ? [] : [`takeover after ${formatDuration(takeoverAt)}`]),
  ];
  const run = (
    folder: string,
    onProgress: (policy: string, done: number) => void,
    signal: AbortSignal,
  ) => runLab({ web, policies, pages, config, spamModel, takeoverAt, folder, onProgress, signal });
  const results = await withScratch(flags.out, (folder) => watched(folder, run, screen));
  const report = {
    ...{ scenario, seed, domains, pages, fetches, delay, addressDelay },
    ...(edgeLife !== undefined && { edgeLife }),
    ...(takeoverAt !== undefined && { takeover: takeoverAt }),
    results,
  };
  if (flags.out !== undefined) await writeReport(flags.out, facts, report, output);
  output.write(
    flags.json ? `${JSON.stringify(report, undefined, 2)}\n` : await printed(facts, results),
  );
}

async function liveModelIn(path: string): Promise<LiveModel> {
  const [{ checkedLiveModel }, { parseModel }, { Disk }] = await Promise.all([
    import('../../spam/live/live-model.ts'),
    import('../../spam/model.ts'),
    import('../../disk/disk.ts'),
  ]);
  return checkedLiveModel(parseModel(await new Disk().readText(path), path), path);
}

interface Report extends Omit<LabFlags, 'policy' | 'spam' | 'out' | 'json' | 'mix' | 'sitePages'> {
  readonly results: readonly PolicyResult[];
}

/** Gives `work` a temporary folder, in `out` or in the system's, and deletes it afterwards. */
async function withScratch<T>(
  out: string | undefined,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const [{ mkdtemp, rm }, { tmpdir }, { join }, { Disk }] = await Promise.all([
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
    import('../../disk/disk.ts'),
  ]);
  if (out !== undefined) await new Disk().makeFolder(out);
  const folder = await mkdtemp(join(out ?? tmpdir(), 'drumlin-lab-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Run = (
  folder: string,
  onProgress: (policy: string, done: number) => void,
  signal: AbortSignal,
) => Promise<PolicyResult[]>;

/** Runs with a progress line; Ctrl-C stops it and deletes its files. */
async function watched(
  folder: string,
  run: Run,
  screen: Streams['screen'],
): Promise<PolicyResult[]> {
  const { showEta } = await import('../screen/eta.ts');
  let current = '';
  let eta = showEta(current, screen);
  const onProgress = (policy: string, done: number) => {
    if (policy !== current) {
      eta.end();
      current = policy;
      eta = showEta(`crawling with ${policy}`, screen);
    }
    eta.update(done);
  };
  try {
    return await interruptible((signal) => run(folder, onProgress, signal));
  } finally {
    eta.end();
  }
}

async function writeReport(
  folder: string,
  facts: readonly string[],
  report: Report,
  output: Writable,
): Promise<void> {
  const [{ writeText }, { labReportPage }, { join }] = await Promise.all([
    import('../screen/text-output.ts'),
    import('../../simulator/report.ts'),
    import('node:path'),
  ]);
  await writeText(join(folder, 'report.html'), output, async function* () {
    yield labReportPage({ facts, results: report.results });
  });
  await writeText(join(folder, 'report.json'), output, async function* () {
    yield `${JSON.stringify(report, undefined, 2)}\n`;
  });
}

async function printed(
  facts: readonly string[],
  results: readonly PolicyResult[],
): Promise<string> {
  const { coverageRows, kindRows, lookUpRows, summaryRows, takeoverRows } = await import(
    '../../simulator/summary.ts'
  );
  const tables = [summaryRows, kindRows, coverageRows, lookUpRows, takeoverRows]
    .map((rowsOf) => rowsOf(results))
    .filter((rows) => rows.length > 0)
    .map((rows) => asColumns(rows));
  return `${facts.join(', ')}\n\n${tables.join('\n')}`;
}
