/** `drumlin status`: show the state of the crawl in a folder, and what to type next. */
import type { Command } from 'commander';

interface StatusFlags {
  readonly json?: boolean;
  readonly watch?: boolean;
}

const EXAMPLES = `
Examples:
  drumlin status my-crawl                 show its state and what to type next
  drumlin status my-crawl --watch         show the live view of the crawl in another terminal
  drumlin status my-crawl --json | jq .trouble

It only reads the crawl’s folder. A running crawl writes its state there every three seconds; for a killed
crawl the last checkpoint is shown.
`;

export function register(program: Command): void {
  program
    .command('status')
    .description('show the state of a crawl, running or stopped, and what to type next')
    .argument('<folder>', 'the crawl’s folder')
    .option('--watch', 'show the live view until the crawl ends')
    .option('--json', 'print one object')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, flags: StatusFlags) => {
      const { printStatus, watchStatus } = await import('../screen/show-status.ts');
      await (flags.watch
        ? watchStatus(folder, flags.json === true)
        : printStatus(folder, flags.json === true));
    });
}
