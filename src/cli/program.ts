/** All commands of `drumlin`, in the order of its help. */
import { Command } from 'commander';
import { VERSION } from '../base/version.ts';
import * as archive from './commands/archive.ts';
import * as completion from './commands/completion.ts';
import * as config from './commands/config.ts';
import * as crawl from './commands/crawl.ts';
import * as demo from './commands/demo.ts';
import * as doctor from './commands/doctor.ts';
import * as domains from './commands/domains.ts';
import * as filter from './commands/filter.ts';
import * as graph from './commands/graph.ts';
import * as lab from './commands/lab.ts';
import * as plan from './commands/plan.ts';
import * as rank from './commands/rank.ts';
import * as report from './commands/report.ts';
import * as robots from './commands/robots.ts';
import * as status from './commands/status.ts';
import * as unique from './commands/unique.ts';
import * as web from './commands/web.ts';
import { asTyped } from './screen/as-typed.ts';

/** What a newcomer types first. */
const FIRST_STEPS = `
First steps:
  drumlin demo                                               a crawl of a web that it brings along
  drumlin crawl https://example.org/ --scope host --max-pages 100 --dir my-crawl --contact you@example.com
  drumlin status my-crawl                                    how it is, and what to type next
  drumlin archive list my-crawl                              what was fetched
  drumlin archive get my-crawl https://example.org/          one page of it
  drumlin crawl --dir my-crawl --exclude '*/private/*'       goes on, and stays out of some paths from now on
  drumlin crawl http://localhost:8000/ --allow-private --delay 0 --dir mine       a site of your own

"drumlin help COMMAND" tells more, with examples. Exit codes: 0 done, 1 a fault of ours, 2 wrong usage, 3 nothing crawled,
4 disk, 5 folder, 6 a limit was reached, 7 a URL is denied (robots, filter test), 8 damaged or not in the archive, 9 the
machine is unfit (doctor), 130 stopped.
`;

/** Commands that belong together. */
const GROUPS: readonly (readonly [
  heading: string,
  commands: readonly { register(program: Command): void }[],
])[] = [
  ['Crawl:', [crawl, config, filter, robots, domains]],
  ['Look at a crawl:', [status, report, archive]],
  ['Graphs and rankings:', [graph, rank]],
  ['The synthetic web:', [demo, web, lab]],
  ['Tools:', [doctor, unique, plan, completion]],
];

export function createProgram(): Command {
  const program = new Command('drumlin')
    .description('A web crawler that knows where to spend its effort.')
    .version(VERSION)
    .showHelpAfterError('(add --help for what there is)')
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
    .description('how a command is used, with examples');
  return program.addHelpCommand(help.helpGroup('Tools:'));
}
