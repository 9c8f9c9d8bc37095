/** `drumlin demo`: the whole product on a web that fits on a laptop; what `npm start` runs. */
import type { Command } from 'commander';
import { DrumlinError, EXIT } from '../errors.ts';

export function register(program: Command): void {
  program
    .command('demo')
    .description('crawl the built-in synthetic web for half a minute; needs no network')
    .option('--dir <folder>', 'folder that the crawl leaves behind')
    .option('--max-time <time>', 'stop after this time', '30s')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .action(async (flags: { dir?: string; maxTime: string; json?: boolean }) => {
      process.exitCode = await runDemo(flags);
    });
}

/** The web of the demo ends with it, so there is nothing to go on with. */
const NEXT = '  next      drumlin web serves such a web for as long as you like; drumlin crawl --help\n';

async function runDemo({
  dir,
  maxTime,
  json,
}: {
  dir?: string;
  maxTime: string;
  json?: boolean;
}): Promise<number> {
  const [{ startLabThread }, { settingsIn }, { resolveConfig }, { freshFolder, runInForeground }] =
    await Promise.all([
      import('../lab/index.ts'),
      import('../crawl/folder.ts'),
      import('../crawl/settings.ts'),
      import('./run-crawl.ts'),
    ]);
  const config = resolveConfig({
    dir: dir ?? freshFolder('demo'),
    maxTime,
    allowPrivate: true,
    delay: '1s',
    addressDelay: '100ms',
  });
  if (await settingsIn(config.dir)) {
    throw new DrumlinError('DEMO_DIR', `${config.dir} holds a crawl already.`, 'Choose another --dir.', {
      exitCode: EXIT.folder,
    });
  }
  const lab = await startLabThread({ scenario: 'clean' });
  try {
    process.stderr.write(
      `A synthetic web is being served on loopback (http port ${lab.httpPort}, dns ${lab.dns}).\n`,
    );
    const labConfig = { ...config, dns: [lab.dns] };
    const { pages, end } = await runInForeground(lab.seeds, labConfig, json === true, () => NEXT);
    if (end === 'interrupted') return EXIT.interrupted;
    return pages > 0 ? EXIT.ok : EXIT.nothingCrawled;
  } finally {
    await lab.close();
  }
}
