/**
 * The status of a running crawl, in a small file that other processes may read at any time.
 *
 * Ensures   A reader sees the complete last status or the one before. Nothing waits for the file,
 *           and a failed write does not end the crawl. The file is not made durable: after a power
 *           failure it may be missing, and the checkpoints replace it.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { VERSION } from '../../base/version.ts';
import type { Disk } from '../../disk/disk.ts';
import type { EndReason, Summary } from '../record/counters.ts';
import type { Progress } from '../record/progress.ts';
import type { Trouble } from './health.ts';
import type { Rate } from './rates.ts';

const STATUS_FILE = 'status.json';

/** The status of a run: while it runs, and how it ended. */
export interface Status extends Progress {
  readonly drumlin: 'status';
  readonly version: string;
  readonly pid: number;
  readonly state: 'running' | 'ended' | 'failed';
  readonly rate: Rate;
  /** The URL of the metrics, while the crawl runs. */
  readonly metrics?: string | undefined;
  readonly trouble?: Trouble | undefined;
  readonly memory: number;
  /** CPU time of the process since its start. */
  readonly cpuSeconds: number;
  readonly end?: EndReason | undefined;
  /** The error of a failed run. */
  readonly error?: string | undefined;
  readonly summary?: Summary | undefined;
}

export type StatusFacts = Omit<
  Status,
  keyof Progress | 'drumlin' | 'version' | 'pid' | 'memory' | 'cpuSeconds'
>;

export async function writeStatus(
  disk: Disk,
  dir: string,
  progress: Progress,
  facts: StatusFacts,
): Promise<void> {
  const status: Status = {
    drumlin: 'status',
    version: VERSION,
    pid: process.pid,
    memory: process.memoryUsage.rss(),
    cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
    ...facts,
    ...progress,
  };
  const temporary = join(dir, `${STATUS_FILE}.tmp`);
  const file = await disk.open(temporary, 'create');
  try {
    await file.writeAll(Buffer.from(`${JSON.stringify(status)}\n`), 0);
  } finally {
    await file.close();
  }
  await disk.rename(temporary, join(dir, STATUS_FILE));
}

/** Undefined if the file is missing or cannot be read: nothing depends on it. */
export async function readStatus(disk: Disk, dir: string): Promise<Status | undefined> {
  try {
    // Infinity has no spelling in JSON; null stands for it.
    const status = JSON.parse(
      await disk.readText(join(dir, STATUS_FILE)),
      (_, value) => value ?? Infinity,
    );
    return status?.drumlin === 'status' && status.version === VERSION ? status : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DrumlinError) return undefined;
    throw error;
  }
}

/** Time between two writes of the file. */
export const STATUS_EVERY: Millis = 3000;
