/** `drumlin report`: how a crawl went, as a page to look at. */
import type { Command } from 'commander';

interface ReportFlags {
  readonly out?: string;
}

const EXAMPLES = `
Examples:
  drumlin report my-crawl                        writes my-crawl/report.html
  drumlin report my-crawl --out today.html       of a crawl that runs, as of its last checkpoint

The page needs nothing but itself: no script, nothing to load; it may be sent to others as it is.
`;

export function register(program: Command): void {
  program
    .command('report')
    .description('write how a crawl went as a page with plots: of one that ended, or still runs')
    .argument('<folder>', 'the crawl’s folder')
    .option('--out <file>', 'where to write it (default: report.html in the folder)')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, { out }: ReportFlags) => {
      const { writeReport } = await import('../screen/write-report.ts');
      console.log(await writeReport(folder, out));
    });
}
