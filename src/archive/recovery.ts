/**
 * Brings an agent's files of the archive back to a checkpoint: each is cut to the length that counts, and those begun later
 * are deleted. The pages in what goes are fetched again.
 *
 * Requires  that no agent of this name writes to the folder.
 * Ensures   files that are named otherwise than the writer names its own are not touched. One that the checkpoint counts on and
 *           that is shorter than it says is refused by name; one that is gone is left gone: finished files may be moved away.
 *           What goes is gone for good, also if power is lost: there may be no such agent any more to repeat it.
 */
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { DrumlinError, EXIT } from '../errors.ts';
import type { WholeLength } from './warc-writer.ts';

/** Without `files` there was no checkpoint, and nothing in the archive counts. */
export async function recoverArchive(
  disk: Disk,
  folder: string,
  agent: string,
  files: readonly WholeLength[] = [],
): Promise<void> {
  const kept = new Map(files.map(({ file, length }) => [file, length]));
  const ours = (await disk.list(folder)).filter((name) => agentOfFile(name) === agent);
  for (const name of ours) {
    const length = kept.get(name);
    if (length === undefined) await disk.remove(join(folder, name));
    else await cut(disk, join(folder, name), length);
  }
  if (ours.some((name) => !kept.has(name))) await disk.syncFolder(folder);
}

/** The last part of `drumlin-20260314150926-00000-0.warc.gz`, or undefined where the name is of another form. */
export function agentOfFile(name: string): string | undefined {
  return /^drumlin-\d{14}-\d{5,}-([^-]+)\.warc\.gz$/.exec(name)?.[1];
}

async function cut(disk: Disk, path: string, length: number): Promise<void> {
  const file = await disk.open(path, 'update');
  try {
    const size = await file.size();
    if (size < length) throw tooShort(path, size, length);
    if (size === length) return;
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

function tooShort(path: string, size: number, length: number): DrumlinError {
  return new DrumlinError(
    'FILE_SHORT',
    `${path} has ${size} bytes, but the checkpoint counts on ${length}.`,
    'It was damaged by something else than this program; restore it from a copy, or move it away to go on without it.',
    { exitCode: EXIT.folder },
  );
}
