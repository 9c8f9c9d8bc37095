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
    'Generated from `src/crawl/settings.ts`. A flag wins over the environment; a crawl that goes on keeps the settings in its',
    '`crawl.json` unless a flag says otherwise.',
    '',
    'Sizes are written `64Mi` or `1.5G`, times `250ms`, `10s`, `5m`, `2h`, counts `1000`, `20k`, `5M`, lists with commas.',
    'In the library the same keys take the text or the value it means: milliseconds, bytes, numbers, arrays.',
    '',
    '| flag | environment | library | value | default | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
