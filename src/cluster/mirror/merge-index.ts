/**
 * The index of a cluster's archive: merged from the parts that travelled with the checkpoints.
 *
 *   indexes/index.cdxj   beside archive/, as in the folder of a crawl on one machine
 *
 * Requires  the manifests of all agents after their last commit; a local folder for the parts.
 * Ensures   one line for each capture in the WARC files that the manifests name. It can be
 *           repeated.
 */
import { join } from 'node:path';
import { indexDir, mergeIndex } from '../../archive/index/index-merge.ts';
import type { Disk } from '../../disk/disk.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { exists } from './covered-files.ts';
import { readManifest } from './manifest.ts';
import { Pack, readPart } from './pack.ts';
import { restoreAgent } from './restore.ts';

const PARTS = 'indexes/parts/';
const PIECE_BYTES = 2 ** 20;
const PART_BYTES = 8 * 2 ** 20;
/** What a merge may write. */
const INDEX_FILES = ['index.cdxj', 'index.cdx.gz', 'index.idx'];

/** Returns the number of captures. `scratch` is a folder for this call alone; it is deleted. */
export async function mergeClusterIndex(
  store: ObjectStore,
  disk: Disk,
  scratch: string,
  manifests: readonly string[],
): Promise<number> {
  const warcs: string[] = [];
  try {
    for (const key of manifests) {
      await restoreAgent(store, disk, scratch, key, (path) => path.startsWith(PARTS));
      warcs.push(...(await readManifest(store, key)).archive.map(({ file }) => file));
    }
    const captures = await mergeIndex(disk, scratch, { warcs: warcs.sort() });
    for (const name of INDEX_FILES) {
      const path = join(indexDir(scratch), name);
      if (await exists(disk, path)) await upload(store, disk, path, `indexes/${name}`);
      else await store.delete(`indexes/${name}`);
    }
    return captures;
  } finally {
    await disk.removeFolder(scratch);
  }
}

async function upload(store: ObjectStore, disk: Disk, path: string, key: string): Promise<void> {
  const file = await disk.open(path, 'read');
  const pack = await Pack.create(disk, `${path}.sending`, key);
  try {
    const size = await file.size();
    for (let at = 0; at < size; at += PIECE_BYTES)
      await pack.add(await readPart(file, at, Math.min(PIECE_BYTES, size - at)), '');
    await pack.flush();
    await pack.send(store, Math.max(store.leastPart, PART_BYTES));
  } finally {
    await pack.discard();
    await file.close();
  }
}
