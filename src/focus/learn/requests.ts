/** How many requests a crawl made, from its checkpoint. */

import { lastCheckpoint } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import type { Disk } from '../../disk/disk.ts';

/**
 * Requests for pages and documents, with those that failed or were repeated; undefined if the
 * folder holds archives and no crawl.
 */
export async function requestsOf(disk: Disk, folder: string): Promise<number | undefined> {
  if (!(await disk.list(folder)).includes('crawl.json')) return undefined;
  const { agents } = await askedOf(disk, folder);
  const counters = (await lastCheckpoint(disk, folder, agents))?.counters;
  if (!counters) return undefined;
  const failed = [...Object.values(counters.retries), ...Object.values(counters.errors)];
  return counters.pages + failed.reduce((sum, count) => sum + count, 0);
}
