/** `drumlin report`: write a page with figures and plots about a crawl. */
import type { Command } from 'commander';

interface ReportFlags {
  readonly out?: string;
}

const EXAMPLES = `
Examples:
  drumlin report my-crawl                        write my-crawl/report.html
  drumlin report my-crawl --out today.html       write today.html

For a running crawl the page shows the last checkpoint. It is a single file without scripts and loads
nothing, so you can send it to others.
`;

export function register(program: Command): void {
  program
    .command('report')
    .description('write a page with figures and plots about a crawl, running or stopped')
    .argument('<folder>', 'the crawl’s folder')
    .option('--out <file>', 'file to write (default: report.html in the folder)')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, { out }: ReportFlags) => {
      const { writeReport } = await import('../screen/write-report.ts');
      console.log(await writeReport(folder, out));
    });
}
