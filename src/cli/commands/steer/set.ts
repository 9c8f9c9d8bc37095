/** `drumlin set`: change a crawl while it runs. */
import type { Command } from 'commander';
import { changesIn } from '../../input/changes.ts';
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
  const made = await changeCrawl(new Disk(), folder, 'drumlin set', changesIn(words));
  for (const line of made) console.log(line);
  console.log(
    holderOf(folder)?.alive
      ? 'The crawl is running and applies it within a few seconds, at a checkpoint.'
      : asTyped(`It applies when you resume: drumlin crawl --dir ${folder}`),
  );
}
