/** How many requests a crawl made, from its checkpoint. */

import { lastCheckpoint } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import type { Disk } from '../../disk/disk.ts';

/**
 * Requests for pages and documents, with those that failed or were repeated; undefined if the
 * folder holds archives and no crawl, or a crawl of a version that did not count them.
 */
export async function requestsOf(disk: Disk, folder: string): Promise<number | undefined> {
  if (!(await disk.list(folder)).includes('crawl.json')) return undefined;
  const { agents } = await askedOf(disk, folder);
  return (await lastCheckpoint(disk, folder, agents))?.counters.requests;
}
