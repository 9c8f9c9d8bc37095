/**
 * Brings an agent's files of the archive back to a checkpoint: each is cut to the length that counts, and those begun later
 * are deleted, each with its part of the index. The pages in what goes are fetched again.
 *
 * Requires  that no agent of this name writes to the folder.
 * Ensures   files that are named otherwise than the writer names its own are not touched. One that the checkpoint counts on and
 *           that is shorter than it says is refused by name; one that is gone is left gone: finished files may be moved away.
 *           A part of the index that cannot be what it was goes: it is made again from its file when the index is.
 *           What goes is gone for good, also if power is lost: there may be no such agent any more to repeat it.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { partName, warcOfPart } from '../index/index-part.ts';
import type { WholeLength } from './warc-writer.ts';

/** Without `files` there was no checkpoint, and nothing in the archive counts. */
export async function recoverArchive(
  disk: Disk,
  folder: string,
  agent: string,
  files: readonly WholeLength[] = [],
  indexDir?: string,
): Promise<void> {
  if (indexDir !== undefined) await recoverParts(disk, indexDir, agent, files);
  const kept = new Map(files.map(({ file, length }) => [file, length]));
  const ours = (await disk.list(folder)).filter((name) => agentOfFile(name) === agent);
  for (const name of ours) {
    const length = kept.get(name);
    if (length === undefined) await disk.remove(join(folder, name));
    else await cut(disk, join(folder, name), length);
  }
  if (ours.some((name) => !kept.has(name))) await disk.syncFolder(folder);
}

async function recoverParts(
  disk: Disk,
  folder: string,
  agent: string,
  files: readonly WholeLength[],
): Promise<void> {
  const kept = new Map(files.map(({ file, index }) => [partName(file), index]));
  const ours = (await disk.list(folder)).filter(
    (name) => agentOfFile(warcOfPart(name) ?? '') === agent,
  );
  let gone = false;
  for (const name of ours) {
    const path = join(folder, name);
    const length = kept.get(name);
    if (length !== undefined && (await cutIfLongEnough(disk, path, length))) continue;
    await disk.remove(path);
    gone = true;
  }
  if (gone) await disk.syncFolder(folder);
}

/** The last part of `drumlin-20260314150926-00000-0.warc.gz` or `pages-0.jsonl`, or undefined where the name is of another form. */
export function agentOfFile(name: string): string | undefined {
  return /^(?:drumlin-\d{14}-\d{5,}-([^-]+)\.warc(?:\.gz|\.zst)?|pages-([^-]+)\.jsonl)$/
    .exec(name)
    ?.slice(1)
    .find(Boolean);
}

async function cut(disk: Disk, path: string, length: number): Promise<void> {
  if (!(await cutIfLongEnough(disk, path, length))) throw tooShort(path, length);
}

async function cutIfLongEnough(disk: Disk, path: string, length: number): Promise<boolean> {
  const file = await disk.open(path, 'update');
  try {
    const size = await file.size();
    if (size > length) {
      await file.truncate(length);
      await file.sync();
    }
    return size >= length;
  } finally {
    await file.close();
  }
}

function tooShort(path: string, length: number): DrumlinError {
  return new DrumlinError(
    'FILE_SHORT',
    `${path} is shorter than the ${length} bytes that the checkpoint counts on.`,
    'It was damaged by something else than this program; restore it from a copy, or move it away to go on without it.',
    { exitCode: EXIT.folder },
  );
}
