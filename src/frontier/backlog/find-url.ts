/**
 * Looks for a URL in the runs of a frozen backlog that is not opened: its process may be running.
 *
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      reads the index of every run up to the host, and the host's entries.
 */
import { join } from 'node:path';
import { openStateFile } from '../../disk/block-file.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';
import { hostKey } from '../../url/fingerprint.ts';
import { findInQueue, type Queued } from '../queue/find-entry.ts';
import type { BacklogState } from './backlog.ts';
import { dataName, RUN_FORMAT, type RunState } from './run.ts';
import { indexName, openIndex, orderOf, RowReader, type RunPlace } from './run-index.ts';

const WINDOW = 64 * 1024;

interface Row {
  readonly at: number;
  readonly bytes: number;
  readonly count: number;
}

export async function findInBacklog(
  disk: Disk,
  folder: string,
  { files, state }: Frozen<BacklogState>,
  host: string,
  url: string,
): Promise<Queued | undefined> {
  const names = new VersionedFiles(disk, folder, Object.keys(files));
  const place: RunPlace = { disk, files: names, window: WINDOW, indexInMemory: 0 };
  let before = 0;
  for (const run of state.runs) {
    const row = await rowOf(place, run, files, host);
    if (!row) continue;
    const file = await openStateFile(disk, join(folder, dataName(run.id)), RUN_FORMAT);
    try {
      const bytes = Buffer.allocUnsafeSlow(row.bytes);
      await file.readAll(bytes, row.at);
      const found = findInQueue({ count: row.count, bytes }, host, url);
      if (found) return { ...found, before: found.before + before };
      before += row.count;
    } finally {
      await file.close();
    }
  }
  return undefined;
}

/** During a sweep, the hosts that it has passed are in the new index, the others in the old one. */
async function rowOf(
  place: RunPlace,
  { id, generation, sweep }: RunState,
  lengths: Readonly<Record<string, number>>,
  host: string,
): Promise<Row | undefined> {
  const swept = sweep && (await rowIn(place, id, sweep.generation, HEADER_BYTES, lengths, host));
  return swept ?? rowIn(place, id, generation, sweep?.from ?? HEADER_BYTES, lengths, host);
}

async function rowIn(
  place: RunPlace,
  id: number,
  generation: number,
  from: number,
  lengths: Readonly<Record<string, number>>,
  host: string,
): Promise<Row | undefined> {
  const key = hostKey(host);
  const order = orderOf(Number(key >> 32n), Number(key & 0xffff_ffffn));
  const index = await openIndex(place, id, generation, lengths[indexName(id, generation)]);
  try {
    const row = new RowReader(index, from, place.window);
    for (await row.next(); row.order <= order; await row.next())
      if (row.order === order && row.host === host)
        return { at: row.at, bytes: row.bytes, count: row.count };
    return undefined;
  } finally {
    await index.file?.close();
  }
}
