/**
 * The domains that link to some domains, from frozen edges that are not opened: their process may be
 * running.
 *
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      reads each run up to the last of the domains, once, and all edges that are in no run yet.
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
  targets: readonly bigint[],
): Promise<Map<bigint, bigint[]>> {
  const { runs, fresh } = state.adjacency;
  const place = {
    disk,
    files: new VersionedFiles(disk, folder, Object.keys(files)),
    window: WINDOW,
  };
  const found = new Map<bigint, bigint[]>(targets.map((target) => [target, []]));
  for (const run of runs) {
    const opened = await AdjacencyRun.open(place, run, files[`run.${run.id}`]);
    const { cursor, end } = opened.read();
    try {
      await addRows(cursor, found);
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
    for (let i = 0; i + 1 < pairs.length; i += 2) found.get(pairs[i])?.push(pairs[i + 1]);
  } finally {
    await file.close();
  }
  // An edge that was seen in several periods is in the runs of each.
  if (runs.some(({ period = 0 }) => period !== (state.adjacency.period ?? 0)))
    for (const [target, sources] of found) found.set(target, [...new Set(sources)]);
  return found;
}

/** Adds the sources of the wanted targets; rows come by increasing target. */
async function addRows(cursor: RowCursor, found: ReadonlyMap<bigint, bigint[]>): Promise<void> {
  const wanted = [...found.keys()]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((target) => ({ high: Number(target >> 32n), low: Number(target & LOW), target }));
  const some = new Uint32Array(2 * 1024);
  let next = 0;
  // Most rows are in memory: no promise for each of them.
  while (next < wanted.length && (cursor.begin() || (await cursor.next()))) {
    const { high, low } = cursor;
    while (next < wanted.length && isBefore(wanted[next], high, low)) next++;
    if (next === wanted.length) return;
    const isIt = wanted[next].high === high && wanted[next].low === low;
    const sources = isIt ? found.get(wanted[next].target) : undefined;
    while (cursor.left > 0) {
      const n = cursor.copy(some, 0, 1024);
      if (n === 0) await cursor.load();
      if (sources)
        for (let i = 0; i < n; i++)
          sources.push((BigInt(some[2 * i + 1]) << 32n) | BigInt(some[2 * i]));
    }
  }
}

const isBefore = (
  target: { readonly high: number; readonly low: number },
  high: number,
  low: number,
): boolean => target.high < high || (target.high === high && target.low < low);
