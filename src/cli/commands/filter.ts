/** `drumlin filter`: list predicates, test a filter, show or set the filters of a crawl. */
import { type Command, Option } from 'commander';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { parseCount } from '../../base/units.ts';
import type { Verdict } from '../../filter/explain.ts';
import type { Predicate } from '../../filter/predicate.ts';
import { STAGES, type Stage } from '../../filter/subject.ts';
import { examples } from '../input/example.ts';
import { asTyped } from '../screen/as-typed.ts';

const LANGUAGE = `
An expression combines predicates with "and", "or", "not" and parentheses; compare numbers with < <= > >= == !=.
Values in parentheses need quotation marks only if they contain blanks, commas, parentheses or quotation marks.

Stages:
  schedule   queue a discovered link?                       follow   follow the links of a page?
  fetch      fetch a queued URL when its turn comes?        store    store a response, and pass it to onPage?
  parse      extract the links of a page?

Examples:
  drumlin filter list
  drumlin filter test '(HostEndsWith(.edu) and not PathContains(/print/)) or PathDepth < 2' https://example.edu/a/b/c
  drumlin crawl seeds.txt --schedule-filter 'HostEndsWith(.edu)' --store-filter 'Status == 200' --contact you@example.com
  drumlin filter set my-crawl fetch 'not PathStartsWith(/calendar/)'      # also while it runs
`;

interface TestFlags {
  readonly depth: string;
  readonly stage?: Stage;
  readonly predicates?: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const filter = program
    .command('filter')
    .description(
      'list the predicates of filters, test a filter, show or set the filters of a crawl',
    )
    .addHelpText('after', LANGUAGE);
  filter
    .command('list')
    .description('list the predicates, each with its first stage and an example')
    .addHelpText('after', examples('filter list'))
    .option('--predicates <file>', 'JavaScript module with your own predicates')
    .option('--json', 'print one object per line')
    .action((flags: { predicates?: string; json?: boolean }) => list(flags));
  filter
    .command('test')
    .description(
      'print whether a filter accepts URLs, and which part of it decides; exit code 7 if it rejects one',
    )
    .addHelpText(
      'after',
      examples("filter test 'HostEndsWith(.edu) and PathDepth < 4' https://example.edu/a/b"),
    )
    .argument('<filter>', 'the expression, or @FILE')
    .argument('<url...>', 'URLs')
    .option('--depth <count>', 'number of links from a seed to the URLs', '1')
    .addOption(
      new Option('--stage <stage>', 'fail if a predicate is not known at this stage').choices([
        ...STAGES,
      ]),
    )
    .option('--predicates <file>', 'JavaScript module with your own predicates')
    .option('--json', 'print one object per line')
    .action((text: string, urls: string[], flags: TestFlags) => test(text, urls, flags));
  filter
    .command('set')
    .description(
      'set a filter of a crawl, running or stopped; an empty filter ("") accepts everything',
    )
    .addHelpText(
      'after',
      examples(
        "filter set my-crawl fetch 'not PathStartsWith(/calendar/)'",
        'filter set my-crawl fetch @my-filter.txt',
      ),
    )
    .argument('<folder>', 'the crawl’s folder')
    .argument('<stage>', STAGES.join(', '))
    .argument('<filter>', 'the expression, or @FILE')
    .action((folder: string, stage: string, text: string) => set(folder, stage, text));
  filter
    .command('show')
    .description('show the filters of a crawl')
    .addHelpText('after', examples('filter show my-crawl'))
    .argument('<folder>', 'the crawl’s folder')
    .action((folder: string) => show(folder));
}

async function list({
  predicates = '',
  json,
}: {
  predicates?: string;
  json?: boolean;
}): Promise<void> {
  const { loadPredicates } = await import('../../filter/predicates.ts');
  const all = [...(await loadPredicates(predicates)).values()];
  if (json) {
    for (const { name, from, gives, doc, example } of all) {
      console.log(JSON.stringify({ name, from, gives, doc, example }));
    }
    return;
  }
  for (const stage of STAGES) {
    const known = all.filter(({ from }) => from === stage);
    if (known.length > 0) console.log(`${HEADINGS[stage]}\n${known.map(row).join('\n')}\n`);
  }
}

const HEADINGS: Readonly<Record<Stage, string>> = {
  schedule: 'Known at every stage',
  fetch:
    'Known when a URL is about to be fetched, at the stages fetch, parse, render, follow, store',
  parse: 'Known with the response, at the stages parse, render, follow, store',
  render: 'Known before the page is rendered, at the stages render, follow, store',
  follow: 'Known when the page is parsed, at the stages render, follow, store',
  store: 'Known at the end, at the stage store',
};

const row = ({ doc, example }: Predicate): string => `  ${example}\n      ${doc}`;

async function test(word: string, urls: string[], flags: TestFlags): Promise<void> {
  const [
    { filterText },
    { parseFilter },
    { loadPredicates },
    { explain },
    { bindingOf, loadLists },
  ] = await Promise.all([
    import('../input/filter-text.ts'),
    import('../../filter/parse.ts'),
    import('../../filter/predicates.ts'),
    import('../../filter/explain.ts'),
    import('../../filter/filter-set.ts'),
  ]);
  const [{ Disk }, { canonicalSeed }] = await Promise.all([
    import('../../disk/disk.ts'),
    import('../../crawl/state/seeds.ts'),
  ]);
  const { stage, json, depth } = flags;
  const predicates = await loadPredicates(flags.predicates ?? '');
  const node = parseFilter(await filterText(word), { predicates, ...(stage && { stage }) });
  const lists: Parameters<typeof loadLists>[2] = new Map();
  await loadLists(new Disk(), node, lists);
  const binding = bindingOf(lists.values());
  const unknown = { standing: undefined, visit: undefined, response: undefined, page: undefined };
  for (const text of urls) {
    const subject = { url: canonicalSeed(text), depth: parseCount(depth), ...unknown };
    const verdict = explain(
      node,
      subject,
      binding,
      ({ from, ranking }) => from === 'schedule' && !ranking,
    );
    console.log(
      json ? JSON.stringify({ url: subject.url, ...verdict }) : words(subject.url, verdict),
    );
    if (verdict.accepted === false) process.exitCode = EXIT.denied;
  }
}

function words(url: string, { accepted, because }: Verdict): string {
  const verdict = accepted === undefined ? 'undecided' : accepted ? 'accepted' : 'rejected';
  const reasons = because.map(({ part, answer }) =>
    answer === undefined ? `${part} is not known from the URL alone` : `${part} is ${answer}`,
  );
  return `${verdict.padEnd(10)}  ${url}\n            ${reasons.join('\n            ')}`;
}

async function set(folder: string, word: string, given: string): Promise<void> {
  const stage = STAGES.find((name) => name === word);
  if (stage === undefined) {
    throw new DrumlinError(
      'USAGE',
      `There is no stage "${word}".`,
      `Did you mean "${nearest(word, STAGES)}"?`,
    );
  }
  const [{ filterText }, { Disk }, { askedOf }, { setFilter }, { resolveConfig }] =
    await Promise.all([
      import('../input/filter-text.ts'),
      import('../../disk/disk.ts'),
      import('../../crawl/state/crawl-folder.ts'),
      import('../../crawl/state/filters-file.ts'),
      import('../../config/settings.ts'),
    ]);
  const { loadFilters } = await import('../../filter/filter-set.ts');
  const { loadPredicates } = await import('../../filter/predicates.ts');
  const disk = new Disk();
  const settings = resolveConfig((await askedOf(disk, folder)).settings);
  const { order, rank, spam, predicates: module } = settings;
  const predicates = await loadPredicates(module);
  const ranking = order === 'budget' ? rank : 'none';
  const { texts, lists } = await loadFilters(
    { [stage]: await filterText(given) },
    { disk, predicates, ranking, spam: spam !== '' },
  );
  await setFilter(disk, folder, stage, texts[stage] ?? '', 'drumlin filter set');
  for (const { path, list } of lists) console.log(`${path}: ${list.entries} entries`);
  console.log(`${stage}: ${texts[stage] ?? 'accepts everything'}`);
  const { holderOf } = await import('../../disk/folder-lock.ts');
  console.log(
    holderOf(folder)?.alive
      ? 'The crawl is running and applies it within one checkpoint interval (--checkpoint).'
      : asTyped(`It applies when you resume: drumlin crawl --dir ${folder}`),
  );
}

async function show(folder: string): Promise<void> {
  const [{ Disk }, { askedOf }, { readFilters }] = await Promise.all([
    import('../../disk/disk.ts'),
    import('../../crawl/state/crawl-folder.ts'),
    import('../../crawl/state/filters-file.ts'),
  ]);
  const disk = new Disk();
  await askedOf(disk, folder);
  const filters = (await readFilters(disk, folder)) ?? {};
  for (const stage of STAGES) console.log(`${stage}: ${filters[stage] ?? 'accepts everything'}`);
}
