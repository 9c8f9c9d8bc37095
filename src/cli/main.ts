/**
 * `drumlin`: one file per command. A command's module is light; what it runs is imported when it runs, so that
 * `--help` answers at once.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { DrumlinError, EXIT } from '../errors.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const program = new Command('drumlin')
  .description('A web crawler that knows where to spend its effort.')
  .version(version)
  .showHelpAfterError('(add --help for what there is)')
  .exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** One line for what a user can mend, the stack for what only we can. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof DrumlinError) {
    process.stderr.write(`drumlin: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(`drumlin: internal error, please report it: ${(error as Error)?.stack ?? error}\n`);
  return EXIT.internal;
}
