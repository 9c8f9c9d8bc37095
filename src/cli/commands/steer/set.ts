/** `drumlin set`: change a crawl while it runs. */
import type { Command } from 'commander';
import { DrumlinError, EXIT } from '../../../base/errors.ts';
import { asTyped } from '../../screen/as-typed.ts';

const EXAMPLES = `
Examples:
  drumlin set my-crawl delay=2s fetches=200
  drumlin set my-crawl paused=yes                     fetch nothing until paused=no; also after a resume
  drumlin set my-crawl max-pages=1M fetch-filter='not PathStartsWith(/calendar/)'
  drumlin set my-crawl seed=https://example.org/      add a seed

A running crawl applies changes within a few seconds, at a checkpoint, and logs them. They stay in force
when you resume it. Settings: delay, address-delay, slow-delay, slow-address-delay, fetches, max-pages,
max-bytes, max-time, budget and the five filters.
`;

export function register(program: Command): void {
  program
    .command('set')
    .description('change settings of a crawl while it runs, pause it, or add seeds')
    .argument('<folder>', 'the crawl’s folder')
    .argument('<changes...>', 'KEY=VALUE: a setting, paused=yes|no, or seed=URL')
    .addHelpText('after', EXAMPLES)
    .action((folder: string, words: string[]) => set(folder, words));
}

async function set(folder: string, words: readonly string[]): Promise<void> {
  const [{ Disk }, { changeCrawl }, { holderOf }] = await Promise.all([
    import('../../../disk/disk.ts'),
    import('../../../console/control/change.ts'),
    import('../../../disk/folder-lock.ts'),
  ]);
  const settings: Record<string, string> = {};
  const seeds: string[] = [];
  let paused: boolean | undefined;
  for (const word of words) {
    const [key, value] = split(word);
    if (key === 'seed') seeds.push(value);
    else if (key === 'paused') paused = yesOrNo(value);
    else settings[key] = value;
  }
  const change = { settings, seeds, ...(paused !== undefined && { paused }) };
  const made = await changeCrawl(new Disk(), folder, 'drumlin set', change);
  for (const line of made) console.log(line);
  console.log(
    holderOf(folder)?.alive
      ? 'The crawl is running and applies it within a few seconds, at a checkpoint.'
      : asTyped(`It applies when you resume: drumlin crawl --dir ${folder}`),
  );
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
