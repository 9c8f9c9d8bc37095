/** Writes the report of a crawl to a file. */
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { crawlReport } from '../../crawl/monitor/report.ts';
import { crawlReportPage } from '../../crawl/monitor/report-page.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import { Disk } from '../../disk/disk.ts';

/** Returns the path of the report. */
export async function writeReport(
  folder: string,
  out = join(folder, 'report.html'),
): Promise<string> {
  const disk = new Disk();
  const page = crawlReportPage(await crawlReport(disk, folder, systemClock.now()));
  await replaceFile(disk, dirname(out), basename(out), Buffer.from(page));
  return out;
}
