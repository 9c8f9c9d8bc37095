/** `drumlin search`: full text over every version of every archived page. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DrumlinError } from '../../../base/errors.ts';
import { CHANGED, ORDERS } from '../../../search/changed/order.ts';
import { examples } from '../../input/example.ts';
import type { EvalFlags } from './eval.ts';
import { registerExport } from './export.ts';
import { registerServe } from './serve.ts';
import type { IndexFlags, SearchFlags } from './work.ts';

const TIME = 'in UTC, such as 2011, 2011-10 or 2011-10-15T12:00';

export function register(program: Command): void {
  const search = addChanged(program.command('search'))
    .description('search every version of every archived page, as it was at any time')
    .argument('[what...]', 'one or more indexes, then the query')
    .option('--at <time>', `see each page as it was then, ${TIME}`)
    .option('--from <time>', `only versions valid at or after this time, ${TIME}`)
    .option('--to <time>', `only versions valid at or before this time, ${TIME}`)
    .option('--site <host>', 'only pages of this host, or of hosts that end in it')
    .option('--language <code>', 'only versions in this language, such as ar')
    .option('--any', 'find pages with at least one of the words, instead of all')
    .option('--top <count>', 'print at most so many pages', wholeNumber, 10)
    .option('--timeline', 'print how many pages match at the end of each epoch, instead of results')
    .option('--no-snippets', 'do not read the archives for snippets')
    .option('--k1 <number>', 'BM25: saturation of frequencies', positive, 1.2)
    .option('--b <number>', 'BM25: how much long texts lose, 0 (nothing) to 1', share, 0.75)
    .option(
      '--title-weight <number>',
      'how much a word in a title counts; a word in the text counts 1',
      positive,
      3,
    )
    .option(
      '--anchor-weight <number>',
      'how much a word in the text of links to the page counts',
      positive,
      2,
    )
    .option(
      '--variant-weight <number>',
      'how much another form of a word counts; the word itself counts 1',
      positive,
      0.5,
    )
    .option('--ranks <file>', 'prefer pages of domains that this file of "drumlin rank" has first')
    .option('--rank-weight <number>', 'how much the rank of a domain counts', positive, 0.1)
    .option('--spam <file>', 'domains with probabilities of spam: their pages score less')
    .option('--spam-weight <number>', 'how much the probability of spam counts', positive, 1)
    .option('--json', 'print one object per line')
    .addHelpText('after', QUERY)
    .addHelpText(
      'after',
      examples(
        'search index 2011-crawl 2012-crawl --out my-index',
        'search my-index \'arab spring -stocks "no fly zone"\' --at 2011-10-15',
        "search my-index 'title:election site:.gov.ly' --from 2011-10 --to 2012",
        "search my-index other-index 'protest*' --language en --timeline",
        "search my-index 'arab spring' --changed --at 2011-10-15 --explain",
      ),
    )
    .action(async (what: string[], flags: SearchFlags, command: Command) => {
      const typed = OF_CHANGED.filter((name) => command.getOptionValueSource(name) === 'cli');
      if (!flags.changed && typed.length > 0) throw onlyWithChanged(typed[0]);
      await (await import('./work.ts')).search(what, flags, process.stdout);
    });
  addIndex(search);
  addEval(search);
  registerServe(search);
  registerExport(search);
}

/** Flags that say something about --changed only. */
const OF_CHANGED = ['by', 'alpha', 'seeds', 'expand', 'explain'];

function onlyWithChanged(flag: string): DrumlinError {
  return new DrumlinError(
    'USAGE',
    `--${flag} is about what changed, and this search does not ask for it.`,
    `Add --changed, or leave out --${flag}.`,
  );
}

/** Adds the flags of a search for what happened. */
function addChanged(search: Command): Command {
  return search
    .option(
      '--changed',
      'find what happened: pages that changed around --at, or from --from to --to',
    )
    .addOption(
      new Option('--by <order>', 'with --changed: the order of the results')
        .choices(ORDERS)
        .default(CHANGED.by),
    )
    .option(
      '--alpha <share>',
      'with --changed: the share of the text, 0 to 1; the rest is that of the change',
      share,
      CHANGED.alpha,
    )
    .option(
      '--seeds <count>',
      'with --changed: pages by BM25 to begin with',
      wholeNumber,
      CHANGED.seeds,
    )
    .option(
      '--expand <count>',
      'with --changed: pages to add that are linked with these and changed',
      countFrom0,
      CHANGED.expand,
    )
    .option(
      '--explain',
      'with --changed: print the parts of each score, and the links among results',
    );
}

function addIndex(search: Command): void {
  search
    .command('index')
    .description('index archives, or add more archives to an index')
    .argument('<places...>', 'folders of crawls, folders of WARC files, or WARC files')
    .requiredOption('--out <folder>', 'the index; what was interrupted resumes')
    .addOption(
      new Option('--epoch <what>', 'what a timeline counts by (default: crawl)').choices([
        'crawl',
        'month',
        'day',
      ]),
    )
    .option('--no-positions', 'make a smaller index that cannot search for phrases')
    .option('--no-links', 'make a smaller index that cannot search for what changed')
    .option(
      '--memory <size>',
      'memory for collecting words before they are written to disk',
      '256Mi',
    )
    .option('--max-page <size>', 'read only so much of a page', '10M')
    .addHelpText(
      'after',
      examples(
        'search index my-crawl --out my-index',
        'search index 2011/*.warc.gz --out my-index --epoch month',
      ),
    )
    .action(async (places: string[], flags: IndexFlags) => {
      await (await import('./work.ts')).index(places, flags, process.stderr);
    });
}

function addEval(search: Command): void {
  search
    .command('eval')
    .description('measure what --changed finds against judgements, in the formats of TREC')
    .argument('<indexes...>', 'one or more indexes')
    .requiredOption('--queries <file>', 'a query a line: number, tab, words, tab, time')
    .requiredOption('--qrels <file>', 'a judgement a line: number, 0, URL, gain')
    .option('--cut <count>', 'measure the first so many results', wholeNumber, 15)
    .option(
      '--grid <values>',
      'measure all combinations, such as alpha=0,0.5,1:expand=0,100,1000,2000',
      '',
    )
    .option('--shift <epochs>', 'compare the epochs so many later than asked for', epochs, 0)
    .option('--run <file>', 'write the results, one after the other')
    .addHelpText(
      'after',
      examples(
        'search eval my-index --queries queries.tsv --qrels judgements.txt',
        'search eval my-index --queries queries.tsv --qrels judgements.txt --grid alpha=0,0.5,1:expand=0,100',
        'search eval my-index --queries queries.tsv --qrels judgements.txt --by pagerank --run run.txt',
      ),
    )
    .action(async (folders: string[], _own: unknown, command: Command) => {
      const isTyped = command.getOptionValueSourceWithGlobals('by') === 'cli';
      const flags = command.optsWithGlobals<EvalFlags>();
      const orders = isTyped ? [flags.by] : ORDERS;
      await (await import('./eval.ts')).evaluateSearch(folders, flags, orders, process.stdout);
    });
}

const QUERY = `
The query:
  arab spring        pages with both words, in this or another form
  egypt or tunisia   pages with one of them
  "no fly zone"      the words one after the other
  -stocks            not pages with this word
  protest*           words that begin like this (the 100 most frequent)
  title:election     in the title
  site:.gov.ly       pages of this host, or of hosts that end in it
`;

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1 to 9999.');
}

function countFrom0(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}

function epochs(text: string): number {
  if (/^-?\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number, such as -1.');
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1000) return value;
  throw new InvalidArgumentError('Write a number from 0 to 1000.');
}

function share(text: string): number {
  const value = positive(text);
  if (value <= 1) return value;
  throw new InvalidArgumentError('Write a number from 0 to 1.');
}
