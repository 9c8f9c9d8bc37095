/**
 * The domains that link to one domain, from frozen edges that are not opened: their process may be
 * running.
 *
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      reads each run up to the domain, and all edges that are in no run yet.
 */
import { join } from 'node:path';
import { openStateFile } from '../../disk/block-file.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';
import { FRESH_FORMAT, freshName } from './adjacency.ts';
import { AdjacencyRun } from './adjacency-run.ts';
import type { DomainEdgesState } from './domain-edges.ts';
import type { RowCursor } from './edge-lists.ts';

const WINDOW = 64 * 1024;
const LOW = 0xffff_ffffn;

export async function sourcesOf(
  disk: Disk,
  folder: string,
  { files, state }: Frozen<DomainEdgesState>,
  target: bigint,
): Promise<bigint[]> {
  const { runs, fresh } = state.adjacency;
  const place = {
    disk,
    files: new VersionedFiles(disk, folder, Object.keys(files)),
    window: WINDOW,
  };
  const found: bigint[] = [];
  for (const run of runs) {
    const opened = await AdjacencyRun.open(place, run, files[`run.${run.id}`]);
    const { cursor, end } = opened.read();
    try {
      found.push(...(await rowOf(cursor, target)));
    } finally {
      await end();
      await opened.close();
    }
  }
  const name = freshName(fresh);
  const file = await openStateFile(disk, join(folder, name), FRESH_FORMAT);
  try {
    const pairs = new BigUint64Array(Math.floor((files[name] - HEADER_BYTES) / 8));
    await file.readAll(new Uint8Array(pairs.buffer), HEADER_BYTES);
    for (let i = 0; i + 1 < pairs.length; i += 2) if (pairs[i] === target) found.push(pairs[i + 1]);
  } finally {
    await file.close();
  }
  return found;
}

/** The sources of the row of a target; rows come by increasing target. */
async function rowOf(cursor: RowCursor, target: bigint): Promise<bigint[]> {
  const [high, low] = [Number(target >> 32n), Number(target & LOW)];
  const some = new Uint32Array(2 * 1024);
  const found: bigint[] = [];
  while (await cursor.next()) {
    if (cursor.high > high || (cursor.high === high && cursor.low > low)) break;
    const isIt = cursor.high === high && cursor.low === low;
    while (cursor.left > 0) {
      const n = cursor.copy(some, 0, 1024);
      if (n === 0) await cursor.load();
      if (isIt)
        for (let i = 0; i < n; i++)
          found.push((BigInt(some[2 * i + 1]) << 32n) | BigInt(some[2 * i]));
    }
    if (isIt) break;
  }
  return found;
}
