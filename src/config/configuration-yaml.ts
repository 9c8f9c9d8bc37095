/**
 * Prints a configuration as a `drumlin.yaml`. Each setting has a comment that explains it; settings
 * at their default are commented out.
 *
 * Ensures   `parseConfiguration` of the text gives exactly the same values.
 */
import { type Configuration, DEFAULT } from './configuration.ts';
import { type CrawlConfig, SETTING_ROWS, type Setting } from './settings.ts';

const WIDTH = 100;

export function configurationYaml({ config, sources }: Configuration): string {
  const blocks = SETTING_ROWS.map(([key, setting]) => {
    const line = `${setting.flag}: ${yamlValue(setting, config[key])}`;
    return [...comment(setting.doc), sources[key] === DEFAULT ? `# ${line}` : line].join('\n');
  });
  return [
    '# Settings of "drumlin crawl". Flags and the environment win over this file.',
    ...blocks,
    '',
  ].join('\n\n');
}

/** Text that YAML reads as a string without quotes. */
const PLAIN = /^[A-Za-z\d][\w./-]*$/;

function yamlValue({ type }: Setting<unknown>, value: CrawlConfig[keyof CrawlConfig]): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  const text = (type.write ?? type.print)(value);
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

function comment(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (lines[last].length + word.length > WIDTH && lines[last] !== '') lines.push(word);
    else lines[last] = lines[last] === '' ? word : `${lines[last]} ${word}`;
  }
  return lines.map((line) => `# ${line}`);
}
