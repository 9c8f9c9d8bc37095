/** `drumlin corpus`: export a crawl as a corpus of text, and its index as tables. */
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../input/example.ts';
import type { CorpusFlags, IndexFlags } from './corpus-export.ts';

const PLACES = 'folders of crawls, folders of WARC files, or WARC files';

export function register(program: Command): void {
  const corpus = program
    .command('corpus')
    .description('export text, language and quality of archived pages as tables')
    .addHelpText(
      'after',
      examples(
        'corpus export my-crawl --out my-corpus',
        "corpus export my-crawl --out my-corpus --where 'language == en and words >= 50'",
        'corpus index my-crawl --out my-index',
        'corpus columns',
      ),
    );
  registerExport(corpus);
  registerIndex(corpus);
  corpus
    .command('columns')
    .description('list the columns of a corpus, and the presets of conditions on them')
    .addHelpText('after', examples('corpus columns'))
    .action(async () => {
      await (await import('./corpus-export.ts')).listColumns(process.stdout);
    });
}

function registerExport(corpus: Command): void {
  corpus
    .command('export')
    .description('write one row for each page: its text, language, quality and near-duplicates')
    .argument('<places...>', PLACES)
    .requiredOption('--out <folder>', 'the folder of the corpus; an interrupted export resumes')
    .addOption(
      new Option('--format <format>', 'of the files')
        .choices(['parquet', 'jsonl.gz', 'jsonl.zst'])
        .default('parquet'),
    )
    .addOption(
      new Option('--extract <what>', 'the main text, all visible text, or what Readability finds')
        .choices(['main', 'all', 'readability'])
        .default('main'),
    )
    .option('--where <condition>', 'keep only pages that meet it; may be repeated', collect, [])
    .addOption(
      new Option('--preset <name>', 'keep only pages that a well-known corpus would keep').choices([
        'fineweb',
        'gopher',
        'c4',
      ]),
    )
    .addOption(
      new Option('--duplicates <what>', 'near-duplicates: do not look, mark them, or drop them')
        .choices(['keep', 'mark', 'drop'])
        .default('mark'),
    )
    .option('--similarity <share>', 'least part of the longer text in common', shareOf, 0.75)
    .option('--include-opt-outs', 'also pages that say they do not want to be used')
    .option(
      '--mask <kinds>',
      'replace emails, addresses or both in texts, such as emails,addresses',
    )
    .option('--max-page <size>', 'read only so much of a page', '10M')
    .option(
      '--ranks <file>',
      'domains with values for the column domain_rank; default: the ranks of the crawl',
    )
    .option('--spam <file>', 'domains with values for the column spam')
    .option('--threads <count>', 'threads', wholeNumber, availableParallelism())
    .addOption(new Option('--segment <size>', 'of a WARC file per task').default('64M').hideHelp())
    .addOption(new Option('--row-group <size>', 'of values').default('64M').hideHelp())
    .addOption(new Option('--part <size>', 'of a file').default('512M').hideHelp())
    .addHelpText(
      'after',
      examples(
        'corpus export my-crawl --out my-corpus',
        'corpus export 2025 2026 --out both --duplicates drop --preset fineweb',
        "corpus export *.warc.gz --out de --where 'language == de and words >= 50'",
        'corpus export my-crawl --out my-corpus --format jsonl.zst --mask emails,addresses',
      ),
    )
    .addHelpText(
      'after',
      '\n"drumlin corpus columns" lists the columns and prints the presets as conditions.\n',
    )
    .action(async (places: string[], flags: CorpusFlags) => {
      await (await import('./corpus-export.ts')).exportPlaces(places, flags, process.stderr);
    });
}

function registerIndex(corpus: Command): void {
  corpus
    .command('index')
    .description('write the index of an archive as tables, in the schema of Common Crawl')
    .argument('<place>', 'a folder of a crawl, a folder of WARC files, or a WARC file')
    .requiredOption('--out <folder>', 'the new folder')
    .option('--crawl <name>', 'the name of the crawl (default: that of the folder)')
    .addHelpText('after', examples('corpus index my-crawl --out my-index'))
    .action(async (place: string, flags: IndexFlags) => {
      await (await import('./corpus-export.ts')).writeIndex(place, flags, process.stderr);
    });
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

function shareOf(text: string): number {
  const share = Number(text);
  if (text.trim() !== '' && share > 0 && share <= 1) return share;
  throw new InvalidArgumentError('Write a number above 0 and at most 1, such as 0.75.');
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1 to 999.');
}
