/** `drumlin config`: the settings that a crawl would use, and the source of each. */
import type { Command } from 'commander';
import type { Configuration } from '../../config/configuration.ts';
import { SETTING_ROWS } from '../../config/settings.ts';
import { addSettings, givenLayers, givenSettings } from '../input/setting-options.ts';

export function register(program: Command): void {
  const command = program
    .command('config')
    .description(
      'print the settings that "drumlin crawl" would use with these flags, and the source of each',
    );
  addSettings(command);
  command
    .option('--yaml', 'print a drumlin.yaml with all settings and their descriptions')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The first source that has a value wins: flags, the environment (such as DRUMLIN_MAX_PAGES), drumlin.yaml,
the settings stored in --dir, the defaults.

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
