/** `drumlin crawl`: from the command line to a running crawl, and from its end to an exit code. */
import { type Command, Option } from 'commander';
import type { CrawlOptions, Setting } from '../crawl/settings.ts';
import { environmentName, SETTING_ROWS } from '../crawl/settings.ts';

const EXAMPLES = `
Examples:
  drumlin crawl https://example.org/ --contact https://example.com/bot --max-pages 1000
  drumlin crawl seeds.txt --dir my-crawl --delay 2s --max-time 1h --contact you@example.com
  drumlin crawl https://example.org/docs/ --scope prefix --exclude '*.zip' --exclude '*/print/*' --contact you@example.com
  drumlin crawl http://localhost:8000/ --allow-private --delay 0
`;

export function register(program: Command): void {
  const command = program
    .command('crawl')
    .description('crawl from the seeds named: URLs, or files with one URL a line (- is standard input)')
    .argument('[seeds...]', 'URLs or files of URLs');
  for (const [key, setting] of SETTING_ROWS) command.addOption(optionOf(key, setting));
  command
    .addOption(
      new Option(
        '--fresh',
        'begin a new crawl: refuse a folder that holds one, instead of going on with it',
      ).conflicts('resume'),
    )
    .option('--resume', 'go on with the crawl in the folder, as happens anyway; refuse one that holds none')
    .option('--quiet', 'show nothing while it runs and no summary; what goes wrong is still said')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Record<string, string | boolean>) => {
      const { json, fresh, resume, quiet, ...options } = flags;
      for (const [key, { type }] of SETTING_ROWS) {
        // "--insecure https://localhost/": the word after the flag is a seed, not a value of it.
        const word = options[key];
        if (typeof word !== 'string' || (type.takes?.test(word) ?? true)) continue;
        if (command.getOptionValueSource(key) !== 'cli') continue;
        words.push(word);
        options[key] = true;
      }
      const { runCommand } = await import('./run-crawl.ts');
      process.exitCode = await runCommand(words, options as CrawlOptions, {
        json: json === true,
        fresh: fresh === true,
        resume: resume === true,
        quiet: quiet === true,
      });
    });
}

function optionOf(key: string, setting: Setting<unknown>): Option {
  const { type } = setting;
  const optional = type.takes !== undefined;
  const value = optional ? `[${type.placeholder}]` : `<${type.placeholder}>`;
  const preset = type.print(setting.default);
  const doc = preset === '' || optional ? setting.doc : `${setting.doc} (default: ${preset})`;
  const option = new Option(`--${setting.flag} ${value}`, doc).env(environmentName(setting));
  if (type.separator !== undefined) {
    option.argParser((text, earlier?: string) =>
      earlier === undefined ? text : `${earlier}${type.separator}${text}`,
    );
  }
  // Commander names an option after its flag; the table's key is the name everywhere else.
  option.attributeName = () => key;
  return option;
}
