/** `drumlin status`: how the crawl in a folder is, whether it runs or not, and what to type next. */
import type { Command } from 'commander';

interface StatusFlags {
  readonly json?: boolean;
  readonly watch?: boolean;
}

const EXAMPLES = `
Examples:
  drumlin status my-crawl                 how it is, and what to type next
  drumlin status my-crawl --watch         the picture that the crawl itself shows, from another terminal
  drumlin status my-crawl --json | jq .trouble

It reads the crawl’s folder only. A crawl that runs says how it is every three seconds, one that was killed is known
by its last checkpoint.
`;

export function register(program: Command): void {
  program
    .command('status')
    .description('say how a crawl is, running or stopped, and what to type next')
    .argument('<folder>', 'the crawl’s folder')
    .option('--watch', 'show it until it ends')
    .option('--json', 'print one object')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, flags: StatusFlags) => {
      const { printStatus, watchStatus } = await import('../screen/show-status.ts');
      await (flags.watch
        ? watchStatus(folder, flags.json === true)
        : printStatus(folder, flags.json === true));
    });
}
