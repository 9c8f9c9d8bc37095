/** `drumlin refresh`: find what is left of an old collection. */
import { type Command, Option } from 'commander';
import { examples } from '../../input/example.ts';
import { addSettings, givenLayers, givenSettings } from '../../input/setting-options.ts';
import { registerCompare } from './compare.ts';

const EXAMPLES = `
Examples:
  drumlin refresh old-crawl --dir new --contact you@example.com
  drumlin refresh old-crawl --dir new --alpha 50% --test head --contact you@example.com
  drumlin refresh --dir new                                 resume; it keeps its plan
  drumlin refresh schedule new --budget 10k/day             when to look again
  drumlin refresh new --dir newer --due                     look at what is due

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
    // "schedule" has a --budget of its own.
    .enablePositionalOptions()
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
    .option('--seed <number>', 'draws the sample (default: 1)')
    .option('--due', 'test only the pages that the schedule of OLD wants to see by now')
    .option(
      '--every <time>',
      'go on as a service: test what is due again and again, each time in a new folder inside --dir',
    )
    .option('--looks <budget>', 'with --every: looks to spend, such as 10k/day');
  addSettings(command);
  command
    .option('--quiet', 'show no progress and no summary; errors are still printed')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (old: string | undefined, flags: Record<string, string | boolean>) => {
      const { by, z, alpha, test, seed, config, every, looks } = flags as Record<string, string>;
      const layers = givenLayers(command, givenSettings(command, flags, []));
      const given = { layers, file: config };
      const { due, json, quiet } = flags;
      const asked = { by, z, alpha, test, seed };
      const shown = { due: Boolean(due), json: Boolean(json), quiet: Boolean(quiet) };
      if (every !== undefined) {
        const { runEvery } = await import('./service.ts');
        process.exitCode = await runEvery(old, given, { ...asked, ...shown, every, looks });
        return;
      }
      const { runRefresh } = await import('./run.ts');
      process.exitCode = await runRefresh(old, given, { ...asked, ...shown });
    });
  registerCompare(command);
  command
    .command('schedule')
    .description('when to look again at each page, from how often it has changed')
    .argument('<folders...>', 'refreshes or crawls; the schedule is stored in the last one')
    .requiredOption('--budget <looks>', 'looks to spend: 10k/day, 500/hour')
    .addOption(
      new Option('--starve <pages>', 'some: pages that change too often are not visited')
        .choices(['some', 'none'])
        .default('some'),
    )
    .addOption(
      new Option('--weights <by>', 'which pages count more: even, or pagerank')
        .choices(['even', 'pagerank'])
        .default('even'),
    )
    .option('--json', 'print one object')
    .addHelpText(
      'after',
      examples(
        'refresh schedule new --budget 10k/day',
        'refresh schedule first second --budget 500/hour --starve none --weights pagerank',
      ),
    )
    .action(async (folders: string[], flags: Record<string, string | boolean>) => {
      const { schedule } = await import('./schedule.ts');
      await schedule(folders, flags as unknown as Parameters<typeof schedule>[1]);
    });
}
