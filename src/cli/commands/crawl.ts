/** `drumlin crawl`: from the command line to a running crawl, and from its end to an exit code. */
import { type Command, Option } from 'commander';
import { addSettings, givenLayers, givenSettings } from '../input/setting-options.ts';

const EXAMPLES = `
Examples:
  drumlin crawl https://example.org/ --scope host --contact https://example.com/bot --max-pages 1000
  drumlin crawl seeds.txt --dir my-crawl --delay 2s --max-time 1h --contact you@example.com
  drumlin crawl https://example.org/docs/ --scope prefix --exclude '*.zip' --exclude '*/print/*' --contact you@example.com
  drumlin crawl http://localhost:8000/ --allow-private --delay 0
  drumlin crawl --dir my-crawl --exclude '*/private/*'      goes on; what was given before holds, but for what is given now

It leaves with 0 when nothing is left to fetch, 3 when not a page could be had, 6 when a limit was reached, 130 when it was stopped.
`;

export function register(program: Command): void {
  const command = program
    .command('crawl')
    .description(
      'crawl from the seeds named: URLs, or files with one URL a line (- is standard input)',
    )
    .argument('[seeds...]', 'URLs or files of URLs');
  addSettings(command);
  command
    .addOption(
      new Option(
        '--fresh',
        'begin a new crawl: refuse a folder that holds one, instead of going on with it',
      ).conflicts('resume'),
    )
    .option(
      '--resume',
      'go on with the crawl in the folder, as happens anyway; refuse one that holds none',
    )
    .option('--quiet', 'show nothing while it runs and no summary; what goes wrong is still said')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Record<string, string | boolean>) => {
      const { json, fresh, resume, quiet, config } = flags;
      const layers = givenLayers(command, givenSettings(command, flags, words));
      const { runCommand } = await import('./run-crawl.ts');
      process.exitCode = await runCommand(
        words,
        { layers, file: config as string | undefined },
        {
          json: json === true,
          fresh: fresh === true,
          resume: resume === true,
          quiet: quiet === true,
        },
      );
    });
}
