/** `drumlin crawl`: from the command line to a running crawl, and from its end to an exit code. */
import { type Command, Option } from 'commander';
import type { CrawlOptions, Setting } from '../crawl/settings.ts';
import { environmentName, SETTING_ROWS } from '../crawl/settings.ts';

const EXAMPLES = `
Examples:
  drumlin crawl https://example.org/ --contact https://example.com/bot --max-pages 1000
  drumlin crawl seeds.txt --dir my-crawl --delay 2s --max-time 1h --contact you@example.com
  drumlin crawl http://localhost:8000/ --allow-private --delay 0
`;

/** Addresses and prefix lengths, with commas between them. */
const RANGES = /^[\da-f.:/, ]*$/i;

export function register(program: Command): void {
  const command = program
    .command('crawl')
    .description('crawl from the seeds named: URLs, or files with one URL a line (- is standard input)')
    .argument('[seeds...]', 'URLs or files of URLs');
  for (const [key, setting] of SETTING_ROWS) command.addOption(optionOf(key, setting));
  command
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Record<string, string | boolean>) => {
      const { json, ...options } = flags;
      // "--allow-private http://localhost/": the word after the flag is a seed, not the ranges it may take.
      if (typeof options.allowPrivate === 'string' && !RANGES.test(options.allowPrivate)) {
        words.push(options.allowPrivate);
        options.allowPrivate = true;
      }
      const { runCommand } = await import('./run-crawl.ts');
      process.exitCode = await runCommand(words, options as CrawlOptions, json === true);
    });
}

function optionOf(key: string, setting: Setting<unknown>): Option {
  const optional = typeof setting.default === 'boolean';
  const value = optional ? `[${setting.type.placeholder}]` : `<${setting.type.placeholder}>`;
  const preset = setting.type.print(setting.default);
  const doc = preset === '' || optional ? setting.doc : `${setting.doc} (default: ${preset})`;
  const option = new Option(`--${setting.flag} ${value}`, doc).env(environmentName(setting));
  // Commander names an option after its flag; the table's key is the name everywhere else.
  option.attributeName = () => key;
  return option;
}
