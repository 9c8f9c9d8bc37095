/**
 * `drumlin`: one file per command. A command's module is light; what it runs is imported when it runs, so that
 * `--help` answers at once.
 */
import { Command, CommanderError } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../errors.ts';
import { VERSION } from '../version.ts';
import * as archive from './archive.ts';
import * as completion from './completion.ts';
import * as crawl from './crawl.ts';
import * as demo from './demo.ts';
import * as doctor from './doctor.ts';
import * as domains from './domains.ts';
import * as filter from './filter.ts';
import * as graph from './graph.ts';
import * as lab from './lab.ts';
import * as plan from './plan.ts';
import * as rank from './rank.ts';
import * as report from './report.ts';
import * as robots from './robots.ts';
import * as status from './status.ts';
import * as unique from './unique.ts';
import * as web from './web.ts';

const program = new Command('drumlin')
  .description('A web crawler that knows where to spend its effort.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what there is)')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'drumlin: ')) })
  .exitOverride();

for (const { register } of [
  crawl,
  filter,
  status,
  report,
  archive,
  domains,
  robots,
  graph,
  rank,
  web,
  lab,
  unique,
  plan,
  demo,
  doctor,
  completion,
])
  register(program);

// A reader that has had enough (`| head`) is no failure; any other refusal of our output is.
// A command that has to clean up first removes this and answers for itself.
process.stdout.on('error', (error) => {
  if (systemCode(error) === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`drumlin: standard output cannot be written (${systemCode(error)}).\n`);
  process.exit(EXIT.disk);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** One line for what a user can mend, the stack for what only we can. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof DrumlinError) {
    process.stderr.write(`drumlin: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`drumlin: internal error, please report it: ${(error as Error)?.stack ?? error}\n`);
  return EXIT.internal;
}
