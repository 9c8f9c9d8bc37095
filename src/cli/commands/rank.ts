/**
 * `drumlin rank`: print the nodes of a graph, best first.
 *
 * The parameters of a method are flags too (`--by tse --p 0.001`). They depend on the method, so
 * the parser does not know them: this module checks unknown flags against the method's table.
 */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  parseBytes,
  parseCount,
} from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import type { RankResult } from '../../rank/engine/ranker.ts';
import { examples } from '../input/example.ts';
import { interruptible } from '../input/interrupt.ts';
import { atLeastOne, keysByFlag, type Streams } from '../input/rank-words.ts';
import { printable } from '../screen/printable.ts';
import { registerRanksFile } from './rank/ranks-file.ts';
import { registerCompare } from './rank-compare.ts';

export interface RankFlags {
  readonly by: string;
  readonly top: string;
  readonly among?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly interval?: boolean;
  readonly threads: string;
  readonly memory: string;
  readonly list?: boolean;
}

/** The flags of the command; parameters of methods must have other names. */
export const COMMAND_FLAGS: readonly string[] = [
  'by',
  'top',
  'among',
  'out',
  'json',
  'interval',
  'threads',
  'memory',
  'list',
  'help',
];

/** A standard error above this makes the order of neighbours a matter of chance. */
const ROUGH = 0.1;

export function register(program: Command): void {
  const rank = program
    .command('rank')
    .description('rank the nodes of a graph: place, name and score, separated by tabs, best first')
    .addHelpText(
      'after',
      examples(
        'rank my-graph --by tse --top 100',
        'rank my-graph --by pagerank --top all --out ranks.tsv',
        'rank my-graph --by pagerank --among universities.txt',
        'rank --list',
        'rank compare my-graph --report ranks.html',
      ),
    )
    .argument('[graph]', 'the folder of a graph')
    .option('--by <method>', 'the method; --list shows the methods and their parameters', 'tse')
    .option('--top <count>', 'number of nodes to print, or "all"', '100')
    .option(
      '--among <file>',
      'only the nodes named here, one per line: place among them, place among all, name, score',
    )
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--json', 'write JSON, with time and other facts about the run')
    .option(
      '--interval',
      'with estimates, two more columns: the least and the most that the score may be in truth, with 95 % certainty',
    )
    .option(
      '--threads <count>',
      'threads for methods that use more than one',
      String(availableParallelism()),
    )
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .option('--list', 'list the methods and their parameters')
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_graph: string | undefined, flags: RankFlags, command: Command) =>
      rankCommand(command.args, flags, { output: process.stdout, screen: process.stderr }),
    );
  // Flags after the word "compare" belong to it, although this command has some of the same.
  program.enablePositionalOptions();
  registerCompare(rank);
  registerRanksFile(rank);
}

export async function rankCommand(
  words: readonly string[],
  flags: RankFlags,
  streams: Streams,
): Promise<void> {
  const { writeText } = await import('../screen/text-output.ts');
  if (flags.list) return writeText(flags.out, streams.output, methodList);
  const { folders, given } = splitWords(words);
  if (folders.length !== 1) {
    throw new DrumlinError(
      'RANK',
      folders.length === 0 ? 'No graph is given.' : 'More than one graph is given.',
      'Name the folder of one graph: drumlin rank my-graph --by pagerank.',
    );
  }
  const parameters = await readParameters(flags.by, given);
  if (flags.interval) await requireEstimates(flags.by);
  const request = {
    by: flags.by,
    threads: atLeastOne('--threads', flags.threads),
    memory: parseBytes(flags.memory),
    ...parameters,
  };
  const top = flags.top === 'all' ? Number.POSITIVE_INFINITY : parseCount(flags.top);
  const names = flags.among === undefined ? undefined : await readSet(flags.among);
  const { openGraph } = await import('../../graph/open-graph.ts');
  const graph = await openGraph(folders[0]);
  try {
    await interruptible((signal) =>
      writeText(flags.out, streams.output, () =>
        rankedText(
          graph,
          { ...request, signal },
          { top, json: flags.json === true, interval: flags.interval === true, names },
          streams.screen,
        ),
      ),
    );
  } finally {
    await graph.close();
  }
}

async function readSet(path: string): Promise<string[]> {
  const { readNameSet } = await import('../input/name-list.ts');
  return readNameSet(path);
}

interface Printing {
  readonly top: number;
  readonly json: boolean;
  readonly interval: boolean;
  /** Only these, in the order of the ranking. */
  readonly names: readonly string[] | undefined;
}

async function* rankedText(
  graph: Graph,
  request: { by: string; threads: number; memory: number; signal: AbortSignal },
  { top, json, interval, names }: Printing,
  screen: Streams['screen'],
): AsyncGenerator<string> {
  const { findNodeSet, missingText } = await import('../../rank/engine/node-set.ts');
  const set = names && (await findNodeSet(graph, names)); // before the long work
  const { rank, rankBest } = await import('../../rank/index.ts');
  const { showEta } = await import('../screen/eta.ts');
  const eta = showEta(`ranking by ${request.by}`, screen);
  const start = performance.now();
  // No line at 100 %: the summary follows at once.
  const onProgress = (done: number) => done < 1 && eta.update(done);
  const options = { ...request, onProgress };
  const whole = set ? await rank(graph, options).finally(eta.end) : undefined;
  const ranking = whole ?? (await rankBest(graph, options, top).finally(eta.end));
  const seconds = (performance.now() - start) / 1000;
  const summary = {
    by: request.by,
    nodes: graph.nodes,
    arcs: graph.arcs,
    seconds,
    facts: ranking.facts,
    ...(set && { among: { given: set.given, found: set.ids.length, missing: set.missing } }),
  };
  const nodes =
    set && whole ? firstOf(whole.among(set.ids), top) : ranking.top(Math.min(top, graph.nodes));
  yield* json ? asJson(summary, nodes) : asTable(nodes, interval);
  if (!json) screen.write(`${summaryLine(summary)}\n`);
  const missing = set && missingText(set);
  if (missing !== undefined) screen.write(`${printable(missing)}\n`);
  if (ranking.facts.converged === 'no') screen.write(notConverged(summary));
  if (ranking.facts.complete === 'no') screen.write(tooShort(summary));
  screen.write(howSure(summary));
}

async function* firstOf<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

function notConverged({ by, facts }: Summary): string {
  const { iterations, errorBound, residual } = facts;
  const error = Number(errorBound ?? residual).toPrecision(2);
  return (
    `Warning: ${by} did not converge: after ${formatCount(Number(iterations))} iterations the ` +
    `error is ${error}. Give more --iterations or a larger --tolerance.\n`
  );
}

function tooShort({ facts }: Summary): string {
  const distance = formatCount(Number(facts.longestDistance));
  return `Warning: some paths are longer than ${distance} arcs and do not count. Give a larger --distance.\n`;
}

/** An estimate that is rough at a place where people look says so, and how to get a better one. */
function howSure({ by, facts }: Summary): string {
  const { at, standardError } = facts;
  if (by !== 'tse' || Number(standardError) <= ROUGH) return '';
  const percent = Math.round(100 * Number(standardError));
  return (
    `Warning: the standard error is ${percent} % at place ${formatCount(Number(at))}. ` +
    'Give --error 3%, which draws a larger sample.\n'
  );
}

async function requireEstimates(by: string): Promise<void> {
  const { findRanker } = await import('../../rank/registry.ts');
  if ((await findRanker(by)).estimates) return;
  throw new DrumlinError(
    'PARAMETER',
    `The method "${by}" has no intervals for its scores.`,
    'Leave out --interval, or rank by tse or hyperball.',
  );
}

interface Summary {
  readonly by: string;
  readonly nodes: number;
  readonly arcs: number;
  readonly seconds: number;
  readonly facts: RankResult['facts'];
}

type Ranked = AsyncIterable<{
  readonly rank: number;
  readonly overall?: number;
  readonly name: string;
  readonly score: number;
  readonly low?: number;
  readonly high?: number;
}>;

async function* asTable(nodes: Ranked, interval: boolean): AsyncGenerator<string> {
  for await (const { rank, overall, name, score, low, high } of nodes) {
    const fields = [rank, ...(overall === undefined ? [] : [overall]), name, score];
    yield `${[...fields, ...(interval ? [low, high] : [])].join('\t')}\n`;
  }
}

async function* asJson(summary: Summary, nodes: Ranked): AsyncGenerator<string> {
  yield `${JSON.stringify(summary, undefined, 2).slice(0, -2)},\n  "ranking": [`;
  let separator = '\n    ';
  for await (const node of nodes) {
    yield `${separator}${JSON.stringify(node)}`;
    separator = ',\n    ';
  }
  yield '\n  ]\n}\n';
}

function summaryLine({ by, nodes, arcs, seconds, facts }: Summary): string {
  const details = Object.entries(facts).map(
    ([fact, value]) => `${spaced(fact)} ${printed(fact, value)}`,
  );
  return [
    `${by}: ${formatCount(nodes)} nodes, ${formatCount(arcs)} arcs in ${formatDuration(seconds * 1000)}`,
    ...details,
  ].join('; ');
}

function printed(fact: string, value: number | string): string {
  if (typeof value === 'string') return value;
  if (/bytes/i.test(fact)) return formatBytes(value);
  return Number.isInteger(value) ? formatCount(value) : value.toPrecision(3);
}

/** `errorBound` → `error bound`. */
const spaced = (fact: string) =>
  fact === 'held' ? 'arcs from' : fact.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Splits the words unknown to the parser into folders and flags with values. */
function splitWords(words: readonly string[]): { folders: string[]; given: Map<string, string> } {
  const folders: string[] = [];
  const given = new Map<string, string>();
  for (let i = 0; i < words.length; i++) {
    const flag = /^--?([^=]+)(?:=(.*))?$/s.exec(words[i]);
    if (!flag) {
      folders.push(words[i]);
      continue;
    }
    const value = flag[2] ?? words[++i];
    if (value === undefined)
      throw new DrumlinError(
        'PARAMETER',
        `--${flag[1]} has no value.`,
        `Write --${flag[1]} <value>.`,
      );
    given.set(flag[1], value);
  }
  return { folders, given };
}

/** The parameters of a method; a list of nodes is read from its file. */
async function readParameters(by: string, given: ReadonlyMap<string, string>) {
  const [{ findRanker }, { readNameList }] = await Promise.all([
    import('../../rank/registry.ts'),
    import('../input/name-list.ts'),
  ]);
  const { parameters } = await findRanker(by);
  const keys = await keysByFlag(parameters);
  const values: Record<string, string | ReadonlyMap<string, number>> = {};
  for (const [flag, value] of given) {
    const key = keys.get(flag);
    if (key === undefined) {
      const known = [...keys.keys(), ...COMMAND_FLAGS];
      throw new DrumlinError(
        'PARAMETER',
        `The method "${by}" has no parameter --${flag}.`,
        `Did you mean --${nearest(flag, known)}?`,
      );
    }
    values[key] = parameters[key].kind === 'nodes' ? await readNameList(value) : value;
  }
  return values;
}

async function* methodList(): AsyncGenerator<string> {
  const { RANKER_NAMES, findRanker } = await import('../../rank/registry.ts');
  const { flagOf } = await import('../../rank/engine/parameters.ts');
  for (const name of RANKER_NAMES) {
    const { title, parameters } = await findRanker(name);
    yield `${name.padEnd(12)}${title}\n`;
    for (const [key, parameter] of Object.entries(parameters)) {
      const value =
        parameter.kind === 'choice'
          ? parameter.of.join('|')
          : parameter.kind === 'nodes'
            ? 'file'
            : parameter.kind;
      const preset = parameter.kind === 'nodes' ? '' : ` (default: ${parameter.default})`;
      yield `    ${`--${flagOf(key)} <${value}>`.padEnd(40)} ${parameter.doc}${preset}\n`;
    }
  }
}
