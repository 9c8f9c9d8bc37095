/**
 * What a refresh adds to its crawl folder:
 *
 *   refresh/plan.json       what is refreshed and how: a resumed refresh keeps it
 *   refresh/graph/          the pages of the old collection and their links
 *   refresh/verdicts.tsv    a line for each page tested
 *   refresh/summary.json    counts, the estimate, the cost curve
 *
 * The verdicts follow from the outcomes that agents log (src/crawl/planned), so these two files are
 * written at the end of each run.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import { REFRESH_SUMMARY, type RefreshSummary } from '../crawl/planned/refresh-summary.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { writeText } from '../disk/text-file.ts';
import type { Judged, TestName } from './verdict.ts';

const PLAN = 'plan.json';
const FORMAT = 1;
export const VERDICT_FILE = 'verdicts.tsv';

export const refreshDir = (dir: string): string => join(dir, 'refresh');
export const graphDir = (dir: string): string => join(refreshDir(dir), 'graph');

/** What a refresh was asked for. */
export interface RefreshPlan {
  /** The folder of the old collection, absolute. */
  readonly old: string;
  readonly by: string;
  /** The size of the sample: a number of pages, or a share such as `1%`. */
  readonly z: string;
  readonly alpha: number;
  readonly test: TestName;
  readonly seed: number;
  /** Only pages that the schedule of the old collection wants to see by this time, in ISO 8601. */
  readonly due?: string;
}

export async function readPlan(disk: Disk, dir: string): Promise<RefreshPlan | undefined> {
  const path = join(refreshDir(dir), PLAN);
  let text: string;
  try {
    text = await disk.readText(path);
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
  try {
    const { drumlin, format, ...plan } = JSON.parse(text);
    if (drumlin === 'refresh' && format === FORMAT) return plan as RefreshPlan;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new DrumlinError(
    'REFRESH_PLAN',
    `${path} is damaged, or of another version.`,
    'Restore it from a copy, or choose another --dir.',
    { exitCode: EXIT.folder },
  );
}

export async function storePlan(disk: Disk, dir: string, plan: RefreshPlan): Promise<void> {
  await disk.makeFolder(refreshDir(dir));
  const text = JSON.stringify({ drumlin: 'refresh', format: FORMAT, ...plan }, null, 2);
  await replaceFile(disk, refreshDir(dir), PLAN, Buffer.from(`${text}\n`));
}

/** A line of `verdicts.tsv`. */
export interface VerdictLine extends Judged {
  readonly url: string;
}

const HEAD = 'url\tverdict\tstatus\ttime\tnew address\n';

export async function storeResults(
  disk: Disk,
  dir: string,
  lines: AsyncIterable<VerdictLine>,
  summary: RefreshSummary,
): Promise<void> {
  await writeText(disk, join(refreshDir(dir), VERDICT_FILE), async (file) => {
    let batch = HEAD;
    for await (const line of lines) {
      batch += textOf(line);
      if (batch.length <= 2 ** 16) continue;
      await file.write(Buffer.from(batch));
      batch = '';
    }
    await file.write(Buffer.from(batch));
  });
  const text = JSON.stringify(summary, null, 2);
  await replaceFile(disk, refreshDir(dir), REFRESH_SUMMARY, Buffer.from(`${text}\n`));
}

function textOf({ url, verdict, status, fault, time, address = '' }: VerdictLine): string {
  const when = new Date(time).toISOString();
  return `${url}\t${verdict}\t${status ?? fault ?? ''}\t${when}\t${address}\n`;
}
