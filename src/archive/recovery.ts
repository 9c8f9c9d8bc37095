/**
 * Brings an agent's files of the archive back to a checkpoint: each is cut to the length that counts, and those begun later
 * are deleted. The pages in what goes are fetched again.
 */
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import type { WholeLength } from './warc-writer.ts';

export async function recoverArchive(
  disk: Disk,
  folder: string,
  agent: string,
  files: readonly WholeLength[],
): Promise<void> {
  const kept = new Map(files.map(({ file, length }) => [file, length]));
  for (const name of await disk.list(folder)) {
    if (!name.endsWith(`-${agent}.warc.gz`)) continue;
    const length = kept.get(name);
    if (length === undefined) await disk.remove(join(folder, name));
    else await cut(disk, join(folder, name), length);
  }
}

async function cut(disk: Disk, path: string, length: number): Promise<void> {
  const file = await disk.open(path, 'update');
  try {
    if ((await file.size()) > length) await file.truncate(length);
  } finally {
    await file.close();
  }
}
