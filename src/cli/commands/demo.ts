/** `drumlin demo`: crawl a synthetic web that runs on this machine; `npm start` runs it. */
import type { Command } from 'commander';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { examples } from '../input/example.ts';

export function register(program: Command): void {
  program
    .command('demo')
    .description('crawl the built-in synthetic web for half a minute; needs no network')
    .addHelpText('after', examples('demo', 'demo --max-time 5m --dir my-demo'))
    .option('--dir <folder>', 'folder for the crawl (default: a new one in crawls/)')
    .option('--max-time <time>', 'stop after this time', '30s')
    .option('--quiet', 'show no progress and no summary')
    .option('--json', 'print one summary object at the end, and nothing else on standard output')
    .action(async (flags: DemoFlags) => {
      process.exitCode = await runDemo(flags);
    });
}

/** The web of the demo ends with the demo, so the crawl cannot be resumed. */
const NEXT =
  '  next       drumlin web serves such a web until you stop it; see also drumlin crawl --help\n';

interface DemoFlags {
  readonly dir?: string;
  readonly maxTime: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

async function runDemo({ dir, maxTime, quiet = false, json = false }: DemoFlags): Promise<number> {
  const [{ startLabThread }, { settingsIn }, { resolveConfig }, { freshFolder, runInForeground }] =
    await Promise.all([
      import('../../lab/server/thread.ts'),
      import('../../crawl/state/crawl-folder.ts'),
      import('../../config/settings.ts'),
      import('../foreground/run-crawl.ts'),
    ]);
  const config = resolveConfig({
    dir: dir ?? freshFolder('demo'),
    maxTime,
    allowPrivate: true,
    delay: '1s',
    addressDelay: '100ms',
  });
  if (await settingsIn(config.dir)) {
    throw new DrumlinError(
      'DEMO_DIR',
      `${config.dir} already holds a crawl.`,
      'Choose another --dir.',
      {
        exitCode: EXIT.folder,
      },
    );
  }
  const lab = await startLabThread({ scenario: 'clean' });
  try {
    if (!quiet)
      process.stderr.write(
        `Serving a synthetic web on loopback (HTTP port ${lab.httpPort}, DNS ${lab.dns}).\n`,
      );
    const labConfig = { ...config, dns: [lab.dns] };
    const shown = { json, quiet, sharesProcess: true };
    const { pages, end } = await runInForeground(lab.seeds, labConfig, shown, () => NEXT);
    if (end === 'interrupted') return EXIT.interrupted;
    return pages > 0 ? EXIT.ok : EXIT.nothingCrawled;
  } finally {
    await lab.close();
  }
}
