/**
 * What a crawl that runs says about itself, in a small file that others may read at any time.
 *
 * Ensures   a reader sees the whole of the last one or of the one before. Nothing waits for it, and a disk that refuses it does not end the
 *           crawl. It is not made durable: after a power cut there may be none, and the checkpoints tell the rest.
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

export const STATUS_FILE = 'status.json';

/** Of a run: while it goes on, and how it ended. */
export interface Status extends Progress {
  readonly drumlin: 'status';
  readonly version: string;
  readonly pid: number;
  readonly state: 'running' | 'ended' | 'failed';
  readonly rate: Rate;
  /** Where to ask for more, while it runs. */
  readonly metrics?: string | undefined;
  readonly trouble?: Trouble | undefined;
  readonly memory: number;
  readonly end?: EndReason | undefined;
  /** What it could not go on with. */
  readonly error?: string | undefined;
  readonly summary?: Summary | undefined;
}

export type StatusFacts = Omit<Status, keyof Progress | 'drumlin' | 'version' | 'pid' | 'memory'>;

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

/** Undefined where there is none, or what there is cannot be read: it is a help, and nothing depends on it. */
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

/** How long ago it may have been written by a crawl that is well. */
export const STATUS_EVERY: Millis = 3000;
