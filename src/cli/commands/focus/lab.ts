/** `drumlin lab focus`: Table 2 of CiteSeerX' paper on the synthetic web, in virtual time. */
import type { Command } from 'commander';
import { DrumlinError } from '../../../base/errors.ts';
import { parseCount } from '../../../base/units.ts';
import type { PolicyName } from '../../../simulator/focus/policies.ts';
import { examples } from '../../input/example.ts';

interface FocusFlags {
  readonly policy: string;
  readonly days: number;
  readonly requests: number;
  readonly history?: number;
  readonly depth: number;
  readonly batch?: number;
  readonly recheck: number;
  readonly seed: number;
  readonly seeds: number;
  readonly domains: number;
  readonly pages: number;
  readonly json?: boolean;
}

export function registerFocus(lab: Command): void {
  lab
    .command('focus')
    .description(
      'crawl a web of documents with each policy of a focused crawl, and compare what each finds',
    )
    .addHelpText(
      'after',
      examples(
        'lab focus --policy whitelist,blacklist,hybrid,adaptive --recheck 0 --seeds 5',
        'lab focus --policy whitelist --depth 3 --batch 1',
      ),
    )
    .option('--policy <names>', 'policies, separated by commas', 'blacklist,whitelist,hybrid')
    .option('--days <count>', 'days; the web gets a month older every five', parseCount, 10)
    .option('--requests <count>', 'requests of each policy, over all days', parseCount, 20_000)
    .option(
      '--history <count>',
      'requests of the broad crawl that the book learns first (default: five times --requests)',
      parseCount,
    )
    .option('--depth <links>', 'links to follow from a seed', parseCount, 2)
    .option(
      '--batch <count>',
      'seeds to take at once, before the links of their pages (default: one for 60 requests a day)',
      parseCount,
    )
    .option(
      '--recheck <days>',
      'request known documents again after this many days; 0: always',
      parseCount,
      90,
    )
    .option('--seed <number>', 'random seed of the first web', parseCount, 1)
    .option('--seeds <count>', 'number of webs, with this and the next random seeds', parseCount, 1)
    .option('--domains <count>', 'number of domains of a web', parseCount, 1000)
    .option('--pages <count>', 'mean number of pages per domain', parseCount, 1000)
    .option('--json', 'print JSON')
    .action((flags: FocusFlags) => runFocusCommand(flags));
}

async function runFocusCommand(flags: FocusFlags): Promise<void> {
  const [{ POLICIES }, { runFocus }, { focusLines, focusRows }, { showEta }] = await Promise.all([
    import('../../../simulator/focus/policies.ts'),
    import('../../../simulator/focus/run.ts'),
    import('../../../simulator/focus/table.ts'),
    import('../../screen/eta.ts'),
  ]);
  const { days, requests, seeds, batch = 1, history = 5 * requests } = flags;
  const policies = flags.policy.split(',').map((name) => policyNamed(name.trim(), POLICIES));
  for (const [name, value] of Object.entries({ days, requests, seeds, history, batch })) {
    if (value < 1)
      throw new DrumlinError('VALUE', `--${name} must be at least 1.`, `Try --${name} 10.`);
  }
  const eta = showEta('crawling', process.stderr);
  const results = [];
  try {
    for (let i = 0; i < seeds; i++) {
      const onDay = (done: number) => eta.update((i + done / (days * policies.length)) / seeds);
      const options = { ...flags, policies, history, seed: flags.seed + i, onDay };
      results.push(...(await runFocus(options)));
    }
  } finally {
    eta.end();
  }
  const rows = focusRows(results);
  const text = flags.json ? JSON.stringify(rows) : [...focusLines(rows)].join('\n');
  process.stdout.write(`${text}\n`);
}

function policyNamed(name: string, known: readonly PolicyName[]): PolicyName {
  const found = known.find((each) => each === name);
  if (found) return found;
  throw new DrumlinError(
    'POLICY',
    `There is no policy "${name}".`,
    `Choose among ${known.join(', ')}.`,
  );
}
