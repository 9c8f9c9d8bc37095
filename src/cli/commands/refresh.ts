/** `drumlin refresh`: find what is left of an old collection. */
import type { Command } from 'commander';
import { addSettings, givenLayers, givenSettings } from '../input/setting-options.ts';

const EXAMPLES = `
Examples:
  drumlin refresh old-crawl --dir new --contact you@example.com
  drumlin refresh old-crawl --dir new --alpha 50% --test head --contact you@example.com
  drumlin refresh --dir new                                 resume; it keeps its plan

Verdicts are in NEW/refresh/verdicts.tsv; the report is in NEW/report.html.
Exit codes: 0 enough is found or all is tested, 6 a limit was reached, 130 stopped by the user.
`;

export function register(program: Command): void {
  const command = program
    .command('refresh')
    .description(
      'test which pages of an old collection are still alive, living ones first; or resume the refresh in --dir',
    )
    .argument('[old]', 'folder of the old crawl')
    .option(
      '--by <order>',
      'order of the tests: random, in, pagerank, pa, pa+-, asf, bfs or ai (default: pa+-)',
    )
    .option('--z <size>', 'pages to test first: a number, or a share (default: 1%)')
    .option('--alpha <share>', 'share of the living pages to find (default: 75%)')
    .option(
      '--test <request>',
      'how to ask: conditional (GET, with the validators of the old capture), get or head (default: conditional)',
    )
    .option('--seed <number>', 'draws the sample (default: 1)');
  addSettings(command);
  command
    .option('--quiet', 'show no progress and no summary; errors are still printed')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (old: string | undefined, flags: Record<string, string | boolean>) => {
      const { by, z, alpha, test, seed, json, quiet, config } = flags as Record<string, string>;
      const layers = givenLayers(command, givenSettings(command, flags, []));
      const { runRefresh } = await import('./refresh-run.ts');
      process.exitCode = await runRefresh(
        old,
        { layers, file: config },
        { by, z, alpha, test, seed, json: Boolean(json), quiet: Boolean(quiet) },
      );
    });
}
