/** `drumlin domains`: list the domains of a crawl, and override the budget of one. */
import { type Command, Option } from 'commander';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { counted, formatCount, parseCount } from '../../base/units.ts';
import type { Column, DomainList, DomainRow } from '../../crawl/state/domain-list.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Override } from '../../reputation/budget/domain-record.ts';
import { examples } from '../input/example.ts';
import { asTyped } from '../screen/as-typed.ts';
import { printable } from '../screen/printable.ts';

const COLUMNS: readonly Column[] = [
  'rank',
  'in',
  'supporters',
  'budget',
  'fetched',
  'queued',
  'spam',
  'domain',
];

interface ListFlags {
  readonly sort: Column;
  readonly top: string;
  readonly json?: boolean;
}

interface SetFlags {
  readonly dir?: string;
  readonly budget?: string;
  readonly block?: boolean;
  readonly trust?: boolean;
  readonly clear?: boolean;
}

export function register(program: Command): void {
  const domains = program
    .command('domains')
    .description(
      'list the domains of a crawl with rank, budget and pages fetched; or set the budget of one',
    )
    .argument('[folder]', 'the crawl’s folder; the crawl may be running or stopped')
    .addOption(
      new Option('--sort <column>', 'the column to sort by').choices([...COLUMNS]).default('rank'),
    )
    .option('--top <count>', 'number of domains to show', '50')
    .option('--json', 'print one object per line')
    .addHelpText(
      'after',
      `
Examples:
  drumlin domains my-crawl --sort fetched --top 20
  drumlin domains set example.com --budget 5000 --dir my-crawl
  drumlin domains set farm.example --block --dir my-crawl      works in every crawl; the others need --order budget

For a running crawl the list shows the last checkpoint, a few seconds ago. A change applies at the next checkpoint.`,
    )
    .action((folder: string | undefined, flags: ListFlags) => list(folder, flags));
  domains
    .command('set')
    .description('set the budget of a domain, regardless of its rank')
    .addHelpText(
      'after',
      examples(
        'domains set example.com --budget 5000 --dir my-crawl',
        'domains set farm.example --block --dir my-crawl',
        'domains set example.com --clear --dir my-crawl',
      ),
    )
    .argument('<domain>', 'the pay-level domain, such as example.com')
    .option('--dir <folder>', 'the crawl’s folder')
    .option('--budget <count>', 'a budget of this many URLs per round')
    .option('--block', 'skip all its URLs from now on; works with every --order')
    .option('--trust', 'the budget of the best-ranked domain')
    .option('--clear', 'the budget that follows from its rank again')
    .action((domain: string, flags: SetFlags) => set(domain, flags));
}

async function list(folder: string | undefined, { sort, top, json }: ListFlags): Promise<void> {
  if (folder === undefined) {
    throw new DrumlinError(
      'USAGE',
      'No crawl is given.',
      'Name its folder: drumlin domains my-crawl.',
      { exitCode: EXIT.usage },
    );
  }
  const { Disk } = await import('../../disk/disk.ts');
  const { listDomains } = await import('../../crawl/state/domain-list.ts');
  const found = await listDomains(new Disk(), folder, sort, parseCount(top));
  if (json) for (const row of found.rows) console.log(JSON.stringify(row));
  else console.log(table(found));
}

const BY = {
  in: 'ranked by the number of domains that link to them',
  opic: 'ranked by OPIC, the score that linking pages pass on',
  tse: 'ranked by supporters, as estimated by TSE',
  trusted: 'ranked by trusted supporters',
  list: 'ranked by the list in --rank-file',
  none: 'not ranked',
};

function table({ by, domains, rows }: DomainList): string {
  const judged = rows.some(({ spam }) => spam !== undefined);
  const spam = (cell: string) => (judged ? [cell] : []);
  const numbers = ['in-links', 'supporters', 'budget', 'fetched', 'queued', ...spam('spam')];
  const head = ['rank', 'domain', ...numbers, 'state'];
  const cells = rows.map((row: DomainRow) => [
    row.rank === undefined ? '-' : formatCount(row.rank),
    printable(row.domain),
    formatCount(row.inDegree),
    row.supporters === undefined ? '-' : formatCount(Math.round(row.supporters)),
    formatCount(row.budget),
    formatCount(row.fetched),
    formatCount(row.queued),
    ...spam(row.spam?.toFixed(3) ?? '-'),
    row.state,
  ]);
  const widths = head.map((title, i) =>
    Math.max(title.length, ...cells.map((line) => line[i].length)),
  );
  const isText = (i: number) => i === 1 || i === head.length - 1;
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => (isText(i) ? text.padEnd(widths[i]) : text.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  const shown = rows.length < domains ? `${formatCount(rows.length)} of ` : '';
  return [
    line(head),
    ...cells.map(line),
    '',
    `${shown}${counted(domains, 'domain')}, ${BY[by]}`,
  ].join('\n');
}

async function set(domain: string, flags: SetFlags): Promise<void> {
  const override = overrideOf(flags);
  const { dir } = flags;
  if (dir === undefined) {
    throw new DrumlinError(
      'USAGE',
      'No crawl is given.',
      `Name its folder: drumlin domains set ${domain} --dir my-crawl.`,
      {
        exitCode: EXIT.usage,
      },
    );
  }
  const { Disk } = await import('../../disk/disk.ts');
  const { askedOf } = await import('../../crawl/state/crawl-folder.ts');
  const { holderOf } = await import('../../disk/folder-lock.ts');
  const { setOverride } = await import('../../reputation/budget/overrides.ts');
  const disk = new Disk();
  const { agents, settings } = await askedOf(disk, dir);
  if (settings.order !== 'budget' && override !== undefined && override !== 'blocked')
    throw noBudgets(dir);
  const name = await setOverride(disk, dir, domain, override, 'drumlin domains set');
  const when = holderOf(dir)?.alive
    ? 'The crawl is running and applies it at its next checkpoint.'
    : asTyped(`It applies when you resume: drumlin crawl --dir ${dir}`);
  console.log(`${name}: ${wordsFor(override)}. ${when}`);
  const note = override === 'blocked' ? await unknownName(disk, dir, agents, name) : undefined;
  if (note) process.stderr.write(`drumlin: ${note}\n`);
}

/** A remark if the crawl has certainly not discovered the domain: its name may be mistyped. */
async function unknownName(
  disk: Disk,
  dir: string,
  agents: number,
  name: string,
): Promise<string | undefined> {
  const { lastCheckpoint } = await import('../../crawl/state/agent-folder.ts');
  const saved = await lastCheckpoint(disk, dir, agents);
  const known = saved?.top.map((domain) => domain.name) ?? [];
  // The checkpoint lists only the top domains: with more than these, nothing is certain.
  if (
    !saved ||
    known.length === 0 ||
    known.includes(name) ||
    saved.frontier.domainsSeen > known.length
  )
    return undefined;
  const { nearest } = await import('../../base/nearest.ts');
  return `The crawl has not discovered ${name} so far. Did you mean ${nearest(name, known)}?`;
}

function noBudgets(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_BUDGETS',
    `The crawl in ${dir} has no budgets: it is breadth first (--order bfs).`,
    'Use --block or --clear; budgets need a crawl with --order budget.',
    { exitCode: EXIT.folder },
  );
}

function overrideOf({ budget, block, trust, clear }: SetFlags): Override | undefined {
  const given = [budget !== undefined, block, trust, clear].filter(Boolean).length;
  if (given !== 1) {
    throw new DrumlinError(
      'USAGE',
      given === 0 ? 'No budget is given for the domain.' : 'More than one budget is given.',
      'Use one of --budget COUNT, --block, --trust, --clear.',
      { exitCode: EXIT.usage },
    );
  }
  if (budget !== undefined) return parseCount(budget);
  if (block) return 'blocked';
  return trust ? 'trusted' : undefined;
}

function wordsFor(override: Override | undefined): string {
  if (override === undefined) return 'the budget of its rank';
  if (override === 'blocked') return 'blocked';
  return override === 'trusted'
    ? 'the budget of the best-ranked domain'
    : `a budget of ${counted(override, 'URL')} per round`;
}
