/** `drumlin crawl`: start or resume a crawl. */
import { type Command, Option } from 'commander';
import { parseCount } from '../../base/units.ts';
import { CONSOLE_PORT, type ConsoleAt } from '../foreground/open-console.ts';
import { addSettings, givenLayers, givenSettings } from '../input/setting-options.ts';

const EXAMPLES = `
Examples:
  drumlin crawl https://example.org/ --scope host --contact https://example.com/bot --max-pages 1000
  drumlin crawl seeds.txt --dir my-crawl --delay 2s --max-time 1h --contact you@example.com
  drumlin crawl https://example.org/docs/ --scope prefix --exclude '*.zip' --exclude '*/print/*' --contact you@example.com
  drumlin crawl http://localhost:8000/ --allow-private --delay 0
  drumlin crawl --dir my-crawl --exclude '*/private/*'      resume; settings not given now keep their values
  drumlin crawl --dir my-crawl --recrawl                    fetch what has changed since

Exit codes: 0 nothing is left to fetch, 3 no page was fetched, 6 a limit was reached, 130 stopped by the user.
`;

export function register(program: Command): void {
  const command = program
    .command('crawl')
    .description(
      'start a crawl from seeds: URLs, or files with one URL per line (- is standard input); or resume the crawl in --dir',
    )
    .argument('[seeds...]', 'URLs or files of URLs');
  addSettings(command);
  command
    .addOption(
      new Option(
        '--fresh',
        'start a new crawl; fail if the folder holds one (default: resume it)',
      ).conflicts('resume'),
    )
    .option(
      '--resume',
      'resume the crawl in the folder; fail if it holds none (default: start one)',
    )
    .option(
      '--recrawl',
      'begin the crawl in the folder again: ask for its pages with conditions, store what has changed',
    )
    .option(
      '--console [port]',
      'show the crawl in a browser while it runs: prints a URL (port 9420 unless given)',
    )
    .option(
      '--console-host <address>',
      'address of the console; another than loopback needs a token',
    )
    .option('--console-token <text>', 'token of the console instead of a random one')
    .option('--quiet', 'show no progress and no summary; errors are still printed')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Record<string, string | boolean>) => {
      const { json, fresh, resume, recrawl, quiet, config } = flags;
      const layers = givenLayers(command, givenSettings(command, flags, words));
      const { runCommand } = await import('../foreground/run-crawl.ts');
      process.exitCode = await runCommand(
        words,
        { layers, file: config as string | undefined },
        {
          json: json === true,
          fresh: fresh === true,
          resume: resume === true,
          recrawl: recrawl === true,
          quiet: quiet === true,
          console: consoleOf(flags),
        },
      );
    });
}

/** Where the console listens; undefined without one. */
function consoleOf(flags: Record<string, string | boolean>): ConsoleAt | undefined {
  const { console: port, consoleHost: host, consoleToken: token } = flags;
  if (port === undefined) return undefined;
  return {
    port: typeof port === 'string' ? parseCount(port) : CONSOLE_PORT,
    host: host as string | undefined,
    token: token as string | undefined,
  };
}
