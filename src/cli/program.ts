/** All commands of `drumlin`, in the order of its help. */
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import * as archive from './commands/archive.ts';
import * as cluster from './commands/cluster/cluster.ts';
import * as completion from './commands/completion.ts';
import * as config from './commands/config.ts';
import * as corpus from './commands/corpus.ts';
import * as crawl from './commands/crawl.ts';
import * as demo from './commands/demo.ts';
import * as doctor from './commands/doctor.ts';
import * as domains from './commands/domains.ts';
import * as filter from './commands/filter.ts';
import * as focus from './commands/focus/focus.ts';
import * as graph from './commands/graph.ts';
import * as lab from './commands/lab.ts';
import * as matrix from './commands/matrix/matrix.ts';
import * as plan from './commands/plan.ts';
import * as rank from './commands/rank.ts';
import * as refresh from './commands/refresh/refresh.ts';
import * as repair from './commands/repair.ts';
import * as report from './commands/report.ts';
import * as robots from './commands/robots.ts';
import * as search from './commands/search/search.ts';
import * as spam from './commands/spam/spam.ts';
import * as status from './commands/status.ts';
import * as unique from './commands/unique.ts';
import * as web from './commands/web.ts';
import { asTyped } from './screen/as-typed.ts';

/** The commands that a newcomer types first. */
const FIRST_STEPS = `
First steps:
  drumlin demo                                               crawl the built-in synthetic web
  drumlin crawl https://example.org/ --scope host --max-pages 100 --dir my-crawl --contact you@example.com
  drumlin status my-crawl                                    show its state and what to type next
  drumlin archive list my-crawl                              list what was fetched
  drumlin archive get my-crawl https://example.org/          print one page
  drumlin crawl --dir my-crawl --exclude '*/private/*'       resume, and skip some paths from now on
  drumlin crawl http://localhost:8000/ --allow-private --delay 0 --dir mine       crawl a site of your own

"drumlin help COMMAND" prints the options and examples of a command.

Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 no page fetched, 4 disk full or failed,
5 folder in use or of another format, 6 limit reached, 7 URL not allowed (robots, filter test),
8 damaged, not in the archive, nothing found, 9 machine not ready (doctor), 130 stopped by the user.
`;

/** The commands, grouped as the help shows them. */
const GROUPS: readonly (readonly [
  heading: string,
  commands: readonly { register(program: Command): void }[],
])[] = [
  ['Crawl:', [crawl, cluster, refresh, focus, config, filter, robots, domains]],
  ['Look at a crawl:', [status, report, archive, search, repair, corpus]],
  ['Graphs and rankings:', [graph, rank, matrix, spam]],
  ['The synthetic web:', [demo, web, lab]],
  ['Tools:', [doctor, unique, plan, completion]],
];

/**
 * The commands whose work is not what they print: they continue when nobody reads that. The others
 * end when their reader leaves.
 */
export const WORKING: readonly string[] = [
  ...['crawl', 'refresh', 'demo', 'web', 'lab run', 'doctor', 'report', 'rank compare', 'repair'],
  ...['refresh compare', 'refresh schedule', 'lab pages'],
  ...['archive repair', 'archive wacz', 'archive import', 'archive index'],
  ...['graph import', 'graph build', 'domains set', 'filter set'],
  ...['corpus export', 'corpus index', 'focus learn', 'focus crawl', 'focus rank', 'focus report'],
  ...['matrix plane', 'matrix reduce', 'matrix evolve'],
  ...['matrix spectrum', 'spam train', 'search index'],
  ...['cluster create', 'cluster join', 'cluster drain', 'cluster stop', 'cluster resume'],
  ...['cluster steer', 'cluster demo'],
];

/** What a user types after the program's name: `archive list`. */
export function commandPath(command: Command): string {
  const { parent } = command;
  return parent ? `${commandPath(parent)} ${command.name()}`.trim() : '';
}

export function createProgram(): Command {
  const program = new Command('drumlin')
    .description('A web crawler that knows where to spend its effort.')
    .version(VERSION)
    .showHelpAfterError('(add --help to see the commands and options)')
    .configureOutput({
      writeOut: (text) => void process.stdout.write(asTyped(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'drumlin: ')),
    })
    .exitOverride()
    .addHelpText('after', FIRST_STEPS);
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const { register } of commands) register(program);
  }
  const help = new Command('help')
    .argument('[command]')
    .description('print the options and examples of a command');
  return program.addHelpCommand(help.helpGroup('Tools:'));
}
