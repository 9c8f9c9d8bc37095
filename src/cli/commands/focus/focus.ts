/** `drumlin focus`: crawl where the wanted documents are. */
import { type Command, Option } from 'commander';
import { POLICIES } from '../../../focus/crawl/plan-day.ts';
import { DEFAULT_USEFUL, DEFAULT_WANTED } from '../../../focus/learn/rules.ts';
import { examples } from '../../input/example.ts';
import { addSettings, givenLayers, givenSettings } from '../../input/setting-options.ts';
import type { CrawlFlags } from './crawl.ts';
import type { LearnFlags } from './learn.ts';
import type { RankFlags } from './rank.ts';
import type { ReportFlags } from './report.ts';

export function register(program: Command): void {
  const focus = program
    .command('focus')
    .description('learn which domains and pages lead to wanted documents')
    .addHelpText(
      'after',
      examples(
        'focus learn my-book my-crawl',
        'focus rank my-book',
        'focus crawl my-book --policy whitelist --seeds 15k --contact you@example.com',
        'focus report my-book',
      ),
    );
  registerLearn(focus);
  registerRank(focus);
  registerCrawl(focus);
  registerReport(focus);
}

function registerLearn(focus: Command): void {
  focus
    .command('learn')
    .description('learn from crawls where documents are; a crawl learned twice counts once')
    .argument('<book>', 'folder of the book; made if it is missing')
    .argument('<crawls...>', 'folders of crawls or of imported archives')
    .option(
      '--wanted <filter>',
      'what is a document (default: complete PDF and PostScript files below 10 MB, also zipped)',
    )
    .option(
      '--useful <filter>',
      'which documents are useful (default: at least a thousand words and a list of references)',
    )
    .option('--predicates <file>', 'module with predicates of your own for the filters')
    .option('--json', 'print one object for each crawl')
    .addHelpText(
      'after',
      examples(
        'focus learn my-book my-crawl',
        'focus learn my-book 2024 2025 2026',
        "focus learn sheets my-crawl --wanted 'Status == 200 and ContentTypeIs(text/csv)'",
      ),
    )
    .addHelpText(
      'after',
      `\nThe default of --wanted:\n  ${DEFAULT_WANTED}\nThe default of --useful:\n  ${DEFAULT_USEFUL}\n`,
    )
    .action(async (book: string, crawls: string[], flags: LearnFlags) => {
      await (await import('./learn.ts')).learnCrawls(book, crawls, flags);
    });
}

function registerRank(focus: Command): void {
  focus
    .command('rank')
    .description('rank the domains of a book by documents and quality, the best first')
    .argument('<book>', 'folder of the book')
    .option('--top <count>', 'domains in the list by documents and in the list by quality', '8k')
    .option(
      '--quality <counts>',
      'references (from useful documents), useful (documents), or a file with a URL or a domain and a number on each line',
      'references',
    )
    .option('--show <count>', 'lines to print', '20')
    .option(
      '--out <file>',
      'write the whole list: a domain and its F1 on each line, for --rank-file and the filter DomainValue',
    )
    .option('--figures <file>', 'write an HTML page with the figures and the first domains')
    .option('--json', 'print one object with the whole list')
    .addHelpText(
      'after',
      examples(
        'focus rank my-book',
        'focus rank my-book --top 500 --quality useful --out whitelist.txt',
        'focus rank my-book --quality citations.tsv --figures whitelist.html',
      ),
    )
    .action(async (book: string, flags: RankFlags) => {
      await (await import('./rank.ts')).rank(book, flags);
    });
}

function registerCrawl(focus: Command): void {
  const command = focus
    .command('crawl')
    .description(
      'crawl a day from the parents of the book, learn it and add it to the book; or resume the day',
    )
    .argument('<book>', 'folder of the book')
    .argument('[seeds...]', 'with --policy blacklist: the seeds of a broad crawl')
    .addOption(
      new Option('--policy <name>', 'how seeds are chosen and links are followed')
        .choices(POLICIES)
        .default('whitelist'),
    )
    .option('--seeds <count>', 'seeds of the day', '15k')
    .addOption(
      new Option(
        '--spread <how>',
        'even: at most a tenth of the seeds from one domain; none: any number',
      )
        .choices(['even', 'none'])
        .default('even'),
    )
    .option('--top <count>', 'domains in the list by documents and in the list by quality', '8k')
    .option('--quality <counts>', 'as for "focus rank"', 'references')
    .option(
      '--recheck <time>',
      'do not request documents that were seen less than this ago; 0: request all',
      '90d',
    );
  addSettings(command);
  command
    .option('--quiet', 'show no progress and no summary; errors are still printed')
    .option('--json', 'print the summary of the crawl as one object')
    .addHelpText(
      'after',
      examples(
        'focus crawl my-book --contact you@example.com',
        'focus crawl my-book --policy adaptive --seeds 10k --max-pages 500k --contact you@example.com',
        'focus crawl my-book seeds.txt --policy blacklist --blacklist hosts.txt --contact you@example.com',
      ),
    )
    .action(async (book: string, words: string[], flags: Record<string, string | boolean>) => {
      const layers = givenLayers(command, givenSettings(command, flags, words));
      const given = { layers, file: flags.config as string | undefined };
      const { crawlDay } = await import('./crawl.ts');
      const shown = { json: flags.json === true, quiet: flags.quiet === true };
      const own = { ...flags, ...shown } as unknown as CrawlFlags;
      process.exitCode = await crawlDay(book, words, given, own);
    });
}

function registerReport(focus: Command): void {
  focus
    .command('report')
    .description('what the requests of each policy found, in total and by day')
    .argument('<book>', 'folder of the book')
    .option('--html <file>', 'write a page with the days and plots')
    .option('--json', 'print one object')
    .addHelpText(
      'after',
      examples('focus report my-book', 'focus report my-book --html report.html'),
    )
    .action(async (book: string, flags: ReportFlags) => {
      await (await import('./report.ts')).report(book, flags);
    });
}
