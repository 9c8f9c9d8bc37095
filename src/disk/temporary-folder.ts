/**
 * A folder for files that are not to stay.
 *
 * Ensures   only its owner can read it; it is deleted with everything in it when the work ends,
 *           also when it fails. A killed process leaves it behind.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from './disk.ts';

/** Runs `work` with a new folder in `parent` whose name begins with `prefix`. */
export async function inTemporaryFolder<T>(
  disk: Disk,
  parent: string,
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(parent, `${prefix}${randomUUID()}`);
  await disk.makeFolder(folder, true);
  try {
    return await work(folder);
  } finally {
    await disk.removeFolder(folder);
  }
}
