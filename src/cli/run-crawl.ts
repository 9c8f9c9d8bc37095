/** A crawl in the foreground: its view, the keys that stop it, its summary and its exit code. */

import { type CrawlHooks, type Summary, startCrawl } from '../crawl/crawl.ts';
import { savedOptions } from '../crawl/folder.ts';
import { type CrawlOptions, resolveConfig } from '../crawl/settings.ts';
import { DrumlinError, EXIT } from '../errors.ts';
import { formatCount } from '../units.ts';
import { showProgress, summaryText } from './progress.ts';
import { readSeeds } from './seeds.ts';

export async function runCommand(words: string[], options: CrawlOptions, json: boolean): Promise<number> {
  const dir = options.dir ?? freshName('crawl', new Date());
  if (words.length === 0 && options.dir === undefined) throw noSeeds();
  const config = resolveConfig({ ...(await savedOptions(dir)), ...options, dir });
  const summary = await runInForeground(readSeeds(words), config, json);
  return exitCodeOf(summary);
}

function noSeeds(): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    'There is no URL to start from.',
    'Name one or more: drumlin crawl https://example.org/, a file with one URL a line, or with --dir a crawl to go on with.',
  );
}

/** Runs to the end, showing progress on standard error and the summary on standard output. */
export async function runInForeground(
  seeds: readonly string[],
  config: ReturnType<typeof resolveConfig>,
  json: boolean,
  hooks: CrawlHooks = {},
): Promise<Summary> {
  const run = await startCrawl(seeds, config, hooks);
  const title = `drumlin ▸ ${formatCount(seeds.length)} ${seeds.length === 1 ? 'seed' : 'seeds'} ▸ ${config.dir}`;
  const view = showProgress(() => run.progress(), title, process.stderr);
  const onInterrupt = () => {
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    process.stderr.write('\nstopping after the requests under way; press Ctrl-C again to stop at once\n');
    run.stop();
  };
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);
  try {
    const summary = await run.finished;
    view.end();
    process.stdout.write(
      json ? `${JSON.stringify(summary)}\n` : `\n${summaryText(summary)}\n${goingOn(summary)}`,
    );
    return summary;
  } finally {
    view.end();
    process.removeListener('SIGINT', onInterrupt);
    process.removeListener('SIGTERM', onInterrupt);
  }
}

function goingOn({ dir, urlsQueued, end }: Summary): string {
  const archive = `\n  archive   ${dir}/archive\n`;
  if (urlsQueued === 0 && end === 'finished') return archive;
  return `${archive}  go on     drumlin crawl --dir ${dir}\n`;
}

function exitCodeOf({ end, pages, urlsQueued }: Summary): number {
  if (end === 'interrupted') return EXIT.interrupted;
  if (pages === 0) return EXIT.nothingCrawled;
  return end !== 'finished' && urlsQueued > 0 ? EXIT.limitReached : EXIT.ok;
}

/** A folder nobody has used yet: `crawls/<name>-<time>`. */
export function freshName(name: string, now: Date): string {
  return `crawls/${name}-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
}
