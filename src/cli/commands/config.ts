/** `drumlin config`: which settings a crawl would have, and where each comes from. */
import type { Command } from 'commander';
import type { Configuration } from '../../config/configuration.ts';
import { SETTING_ROWS } from '../../config/settings.ts';
import { addSettings, givenLayers, givenSettings } from '../input/setting-options.ts';

export function register(program: Command): void {
  const command = program
    .command('config')
    .description(
      'Print the settings that "drumlin crawl" would have with these flags, and where each comes from.',
    );
  addSettings(command);
  command
    .option('--yaml', 'print them as a file to put into drumlin.yaml, with what each means')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      `
A flag wins over the environment (DRUMLIN_MAX_PAGES), that over drumlin.yaml, that over what the crawl in --dir was asked before, and that over the default.

Examples:
  drumlin config --yaml > drumlin.yaml
  drumlin config --dir my-crawl --max-pages 1000`,
    )
    .action(async (flags: Record<string, unknown>) => {
      const { configure } = await import('../input/configure.ts');
      const layers = givenLayers(command, givenSettings(command, flags, []));
      const given = { layers, file: flags.config as string | undefined };
      const { config, sources } = await configure(given, () => '');
      const shown = {
        config: { ...config, proxy: config.proxy.replace(/\/\/[^@/]*@/, '//') },
        sources,
      };
      if (flags.json)
        console.log(JSON.stringify(shown, (_, value) => (value === Infinity ? null : value), 2));
      else if (flags.yaml) {
        const { configurationYaml } = await import('../../config/configuration-yaml.ts');
        process.stdout.write(configurationYaml(shown));
      } else console.log(table(shown));
    });
}

function table({ config, sources }: Configuration): string {
  const rows = SETTING_ROWS.map(([key, { flag, type }]) => [
    flag,
    type.print(config[key]) || 'none',
    sources[key],
  ]);
  const width = (i: number) => Math.max(...rows.map((row) => row[i].length));
  const widths = [width(0), Math.min(width(1), 40)];
  return rows
    .map(
      ([flag, value, source]) => `${flag.padEnd(widths[0])}  ${value.padEnd(widths[1])}  ${source}`,
    )
    .join('\n');
}
