/**
 * `drumlin`, the command line: one file per command. A command imports the code behind it only
 * when it runs, so that `--help` answers at once.
 */
import { CommanderError } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import { createProgram } from './program.ts';
import { asTyped } from './screen/as-typed.ts';

// A reader that closes the pipe early (`| head`) is not a failure; any other write error is.
// A command that must clean up first removes this listener and handles the error itself.
process.stdout.on('error', (error) => {
  if (systemCode(error) === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`drumlin: Cannot write to standard output (${systemCode(error)}).\n`);
  process.exit(EXIT.disk);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Prints one line for an error that a user can fix, the stack for one that only we can fix. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof DrumlinError) {
    process.stderr.write(asTyped(`drumlin: ${error.message}\n`));
    return error.exitCode;
  }
  process.stderr.write(
    `drumlin: internal error, please report it: ${(error as Error)?.stack ?? error}\n`,
  );
  return EXIT.internal;
}
