/**
 * `drumlin`, the command line: one file per command. A command imports the code behind it only
 * when it runs, so that `--help` answers at once.
 *
 * Ensures   Every error ends in one line on standard error: the fact, then the remedy.
 */
import { CommanderError } from 'commander';
import { EXIT } from '../base/errors.ts';
import { commandPath, createProgram, WORKING } from './program.ts';
import { asTyped } from './screen/as-typed.ts';
import { Outputs } from './screen/closed-output.ts';
import { withRemedy } from './screen/internal-error.ts';
import { printableLines } from './screen/printable.ts';

const outputs = new Outputs(process);

// An error of a timer or a stream that no code handles, or a rejection that no code awaits. What
// the process holds is unknown then; folders are safe at every instant, so it ends at once.
process.on('uncaughtException', (error) => process.exit(exitCodeOf(error)));

try {
  const program = createProgram();
  program.hook('preAction', (_program, command) => {
    if (WORKING.includes(commandPath(command))) outputs.keepWorking();
  });
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
process.once('exit', (code) => {
  process.exitCode = outputs.exitCode(code);
});

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { message, exitCode } = withRemedy(error);
  process.stderr.write(asTyped(`drumlin: ${printableLines(message)}\n`));
  return exitCode;
}
