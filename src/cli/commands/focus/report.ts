/** `drumlin focus report BOOK`: what the requests of each policy found. */
import { join } from 'node:path';
import { DrumlinError } from '../../../base/errors.ts';
import { Disk } from '../../../disk/disk.ts';
import { writeText } from '../../../disk/text-file.ts';
import { Book } from '../../../focus/book/book.ts';
import { efficiencies } from '../../../focus/report/efficiency.ts';
import { reportPage, table2 } from '../../../focus/report/report-page.ts';
import { asColumns } from '../../screen/columns.ts';

export interface ReportFlags {
  readonly html?: string;
  readonly json?: true;
}

export async function report(place: string, flags: ReportFlags): Promise<void> {
  const disk = new Disk();
  const book = await Book.open(disk, place);
  const all = efficiencies(book.days);
  if (all.length === 0) {
    throw new DrumlinError(
      'BOOK_EMPTY',
      `${place} holds no day.`,
      `Learn a crawl first: drumlin focus learn ${place} CRAWL.`,
    );
  }
  if (flags.html !== undefined) {
    const html = reportPage(`Efficiency of ${place}`, all, book.days);
    await writeText(disk, join(flags.html), (file) => file.write(Buffer.from(html)));
  }
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ policies: all, records: book.records })}\n`);
    return;
  }
  process.stdout.write(
    `${asColumns(table2(all))}\nRatios of totals; in brackets the means of daily ratios.\n`,
  );
}
