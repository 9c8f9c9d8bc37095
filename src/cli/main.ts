/**
 * `drumlin`, the command line: one file per command. A command imports the code behind it only
 * when it runs, so that `--help` answers at once.
 */
import { CommanderError } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import { diskFailure } from '../disk/disk.ts';
import { createProgram } from './program.ts';
import { asTyped } from './screen/as-typed.ts';
import { printableLines } from './screen/printable.ts';

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
  const known = error instanceof DrumlinError ? error : diskFailure(error);
  if (known) {
    process.stderr.write(asTyped(`drumlin: ${printableLines(known.message)}\n`));
    return known.exitCode;
  }
  process.stderr.write(
    `drumlin: internal error, please report it: ${printableLines(String((error as Error)?.stack ?? error))}\n`,
  );
  return EXIT.internal;
}
