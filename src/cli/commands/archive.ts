/** `drumlin archive`: list, print, check, repair, pack and import archives. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT } from '../../base/errors.ts';
import { SKIP_KINDS } from '../../crawl/skipped/skip-reasons.ts';
import { examples } from '../input/example.ts';
import type { ImportFlags, RepairFlags, WaczFlags } from './archive-care.ts';
import type { GetFlags, ListFlags, SkippedFlags } from './archive-look.ts';

const PLACE = 'the folder of a crawl, a folder of WARC files, or a WARC file';
const TIME = 'such as 2026, 2026-03-14 or 20260314150926';

const EXAMPLES = `
Examples:
  drumlin archive list my-crawl --prefix https://example.org/docs/
  drumlin archive get my-crawl https://example.org/ > page.html
  drumlin archive get my-crawl https://example.org/ --at 2026-03-14 --headers
  drumlin archive check my-crawl
  drumlin archive wacz my-crawl -o my-crawl.wacz
  drumlin archive repair broken.warc.gz -o whole.warc.gz
`;

export function register(program: Command): void {
  const archive = program
    .command('archive')
    .description('list, print, check, repair, pack and import archived pages')
    .addHelpText('after', EXAMPLES);
  registerList(archive);
  registerGet(archive);
  registerCheck(archive);
  registerRepair(archive);
  registerWacz(archive);
  registerImport(archive);
  registerIndex(archive);
}

function registerList(archive: Command): void {
  archive
    .command('list')
    .description(
      'list captures: time, status, type and URL, one per line, in index order; or what was skipped',
    )
    .addHelpText(
      'after',
      examples(
        'archive list my-crawl --prefix https://example.org/docs/',
        'archive list my-crawl https://example.org/ --from 2026-03 --json',
        'archive list my-crawl --status 5xx',
        'archive list my-crawl --skipped --reason robots',
      ),
    )
    .argument('<place>', PLACE)
    .argument('[url]', 'only captures of this URL')
    .option('--prefix <url>', 'only URLs that begin with this')
    .option('--from <time>', `only captures at or after this time, ${TIME}`, digitsOf)
    .option('--to <time>', `only captures at or before this time, ${TIME}`, digitsOf)
    .option('--status <status>', 'only this status, such as 404 or 5xx', statusOf)
    .option('--limit <count>', 'at most this many', wholeNumber)
    .addOption(
      new Option(
        '--skipped',
        'list the URLs that the crawl in this folder did not fetch or did not keep instead: kind, reason and URL',
      ).conflicts(['from', 'to', 'status']),
    )
    .option(
      '--reason <reason>',
      `with --skipped: only this kind (${SKIP_KINDS.join(', ')}) or reason (such as too-deep)`,
    )
    .option('--json', 'print one object per line, with the file and offset of each record')
    .action(async (place: string, url: string | undefined, flags: ListFlags & SkippedFlags) => {
      const { list, listSkippedUrls } = await import('./archive-look.ts');
      await (flags.skipped === true || flags.reason !== undefined ? listSkippedUrls : list)(
        place,
        { ...flags, url },
        process.stdout,
      );
    });
}

function registerGet(archive: Command): void {
  archive
    .command('get')
    .description('print the archived page of a URL: the latest, or the nearest to a time')
    .addHelpText(
      'after',
      examples(
        'archive get my-crawl https://example.org/ > page.html',
        'archive get my-crawl https://example.org/ --at 2026-03-14 --headers',
      ),
    )
    .argument('<place>', PLACE)
    .argument('<url>', 'the URL of the page')
    .option('--at <time>', `the capture nearest to this time, ${TIME}`, digitsOf)
    .addOption(
      new Option('--headers', 'print the status line and headers instead').conflicts('raw'),
    )
    .option('--raw', 'print the bytes as the server sent them, without decoding')
    .action(async (place: string, url: string, flags: GetFlags) => {
      await (await import('./archive-look.ts')).get(place, url, flags, process.stdout);
    });
}

function registerCheck(archive: Command): void {
  archive
    .command('check')
    .description('verify every record, digest, length and index entry')
    .addHelpText('after', examples('archive check my-crawl', 'archive check *.warc.gz --json'))
    .argument('<places...>', PLACE)
    .option('--json', 'print one object per line: the problems, then a summary')
    .addHelpText(
      'after',
      `\nExit codes: 0 everything is sound, ${EXIT.damaged} something is damaged.\n`,
    )
    .action(async (places: string[], flags: { json?: boolean }) => {
      const { check } = await import('./archive-care.ts');
      let sound = true;
      for (const place of places) sound = (await check(place, flags, process.stdout)) && sound;
      if (!sound) process.exitCode = EXIT.damaged;
    });
}

function registerRepair(archive: Command): void {
  archive
    .command('repair')
    .description('copy the complete records of a damaged WARC file to a new file')
    .addHelpText('after', examples('archive repair broken.warc.gz -o whole.warc.gz'))
    .argument('<warc>', 'the damaged file; it is not changed')
    .option('-o, --out <file>', 'the new file')
    .addOption(
      new Option('--in-place', 'replace the damaged file, and keep it as .bak').conflicts('out'),
    )
    .action(async (warc: string, flags: RepairFlags) => {
      await (await import('./archive-care.ts')).repairFile(warc, flags, process.stdout);
    });
}

function registerWacz(archive: Command): void {
  archive
    .command('wacz')
    .description('pack an archive into one file that replays in a browser (WACZ 1.1.1)')
    .addHelpText('after', examples('archive wacz my-crawl -o my-crawl.wacz --title "My crawl"'))
    .argument('<place>', PLACE)
    .requiredOption('-o, --out <file>', 'the new file, such as my-crawl.wacz')
    .option('--title <text>', 'the title that readers see')
    .option('--description <text>', 'the description that readers see')
    .option('--main <url>', 'the page that opens first (default: the first seed)')
    .action(async (place: string, flags: WaczFlags) => {
      await (await import('./archive-care.ts')).pack(place, flags, process.stdout);
    });
}

function registerImport(archive: Command): void {
  archive
    .command('import')
    .description('make a crawl folder from any WARC files, for "archive", "graph" and "rank"')
    .argument('<places...>', 'WARC files, folders of WARC files, or folders of crawls')
    .requiredOption('--dir <folder>', 'the new folder')
    .option('--copy', 'copy the files (default: link them, where the file system can)')
    .addHelpText(
      'after',
      examples(
        'archive import old/*.warc.gz --dir old-crawl',
        'graph build old-crawl --level domain',
      ),
    )
    .action(async (places: string[], flags: ImportFlags) => {
      await (await import('./archive-care.ts')).bringIn(
        places,
        flags,
        process.stdout,
        process.stderr,
      );
    });
}

function registerIndex(archive: Command): void {
  archive
    .command('index')
    .description('build the index of a crawl’s archive again, from its WARC files')
    .addHelpText('after', examples('archive index my-crawl'))
    .argument('<folder>', 'the folder of a crawl')
    .action(async (folder: string) => {
      await (await import('./archive-care.ts')).reindex(folder, process.stdout);
    });
}

/** A time in any punctuation, as the digits of an index. */
function digitsOf(text: string): string {
  const digits = text.replace(/[-:TZ. ]/g, '').slice(0, 14);
  if (/^\d{4}(?:\d\d){0,5}$/.test(digits)) return digits;
  throw new InvalidArgumentError(`Write a time, ${TIME}.`);
}

function statusOf(text: string): string {
  if (/^[1-9](?:\d\d|\dx|xx)$/i.test(text)) return text;
  throw new InvalidArgumentError('Write a status such as 404, or 5xx for 500 to 599.');
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number.');
}
