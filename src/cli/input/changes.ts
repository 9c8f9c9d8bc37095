/** Changes of a crawl as they are typed: KEY=VALUE, paused=yes|no, seed=URL. */
import { DrumlinError, EXIT } from '../../base/errors.ts';

interface Changes {
  /** By the name or the flag of a setting. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seeds: readonly string[];
  readonly paused?: boolean;
}

export function changesIn(words: readonly string[]): Changes {
  const settings: Record<string, string> = {};
  const seeds: string[] = [];
  let paused: boolean | undefined;
  for (const word of words) {
    const [key, value] = split(word);
    if (key === 'seed') seeds.push(value);
    else if (key === 'paused') paused = yesOrNo(value);
    else settings[key] = value;
  }
  return { settings, seeds, ...(paused !== undefined && { paused }) };
}

function split(word: string): [key: string, value: string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at).replace(/^--/, ''), word.slice(at + 1)];
  throw new DrumlinError('USAGE', `"${word}" is no change.`, 'Write KEY=VALUE, like delay=2s.', {
    exitCode: EXIT.usage,
  });
}

function yesOrNo(text: string): boolean {
  if (/^(yes|true|on)$/i.test(text)) return true;
  if (/^(no|false|off)$/i.test(text)) return false;
  throw new DrumlinError(
    'USAGE',
    `"${text}" is neither yes nor no.`,
    'Write paused=yes or paused=no.',
    {
      exitCode: EXIT.usage,
    },
  );
}
