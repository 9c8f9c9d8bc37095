/** docs/configuration.md, from the table of settings: a setting that is not documented cannot exist. */
import { environmentName, SETTING_ROWS } from './settings.ts';

export function configurationPage(): string {
  const rows = SETTING_ROWS.map(([key, setting]) => {
    const preset = setting.type.print(setting.default) || 'none';
    return `| \`--${setting.flag}\` | \`${environmentName(setting)}\` | \`${key}\` | ${setting.type.placeholder} | ${preset} | ${setting.doc} |`;
  });
  return [
    '# Configuration of a crawl',
    '',
    'Generated from `src/config/settings.ts`: one table, from which flags, names in the environment, keys of `drumlin.yaml`, options of the library and',
    'this page are made.',
    '',
    'The first that says something wins:',
    '',
    '1. a flag, `--max-pages 1000`',
    '2. the environment, `DRUMLIN_MAX_PAGES=1000`',
    '3. `drumlin.yaml` in the current folder, or the file that `--config` names (`--config ""`: none)',
    '4. a crawl that goes on: what it was asked before (`crawl.json`, and `filters.txt` for its filters)',
    '5. the default',
    '',
    '`drumlin config` prints what comes out for the flags given, and where each value comes from; `drumlin config --yaml` prints a `drumlin.yaml` that says',
    'the same, with what each setting means. The library reads neither the environment nor a file.',
    '',
    '```yaml',
    '# drumlin.yaml: settings under the names of their flags, values as on the command line; lists are lists',
    'seeds: [https://example.org/]     # URLs, or files of URLs, for when none are named',
    'max-pages: 20k',
    'delay: 2s',
    'exclude: ["*.zip", "*/print/*"]',
    'schedule-filter: HostEndsWith(.org) and PathDepth < 6',
    '```',
    '',
    'What is not known is refused with its line and the nearest that is; so is what stands there twice. A file that names `predicates` names a program: do not run',
    'drumlin in the folder of somebody you do not trust.',
    '',
    'Sizes are written `64Mi` or `1.5G`, times `250ms`, `10s`, `5m`, `2h`, counts `1000`, `20k`, `5M`, lists with commas; `none` takes a limit back.',
    'In the library the same keys take the text or the value it means: milliseconds, bytes, numbers, arrays.',
    '',
    '| flag | environment | library | value | default | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
