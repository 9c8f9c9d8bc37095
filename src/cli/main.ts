/**
 * `drumlin`: one file per command. A command's module is light; what it runs is imported when it runs, so that
 * `--help` answers at once.
 */
import { CommanderError } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import { createProgram } from './program.ts';
import { asTyped } from './screen/as-typed.ts';

// A reader that has had enough (`| head`) is no failure; any other refusal of our output is.
// A command that has to clean up first removes this and answers for itself.
process.stdout.on('error', (error) => {
  if (systemCode(error) === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`drumlin: standard output cannot be written (${systemCode(error)}).\n`);
  process.exit(EXIT.disk);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** One line for what a user can mend, the stack for what only we can. */
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
