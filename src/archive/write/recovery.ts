/**
 * Restores the archive files of an agent to a checkpoint: truncates each to the length that counts,
 * and moves those started later to `orphans/`. Their parts of the index are deleted. The pages in
 * these records are fetched again.
 *
 * Requires  No agent of this name writes to the folder.
 * Ensures   No record that was part of a checkpoint is deleted. Only bytes that no checkpoint
 *           covers are truncated; if the checkpoint is an old copy (`keepTails`), they are copied
 *           to `orphans/` before. Files with names of another form than the writer's are not
 *           touched. A file that is shorter than the checkpoint requires is refused by name. A
 *           missing file is ignored: finished files may be moved away. A part of the index that
 *           does not match is deleted; it is made again from its file with the index. All of it is
 *           durable, also after a power failure: the agent may no longer exist to repeat it.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { keepTail, setAside } from '../../disk/orphans.ts';
import { partName, warcOfPart } from '../index/index-part.ts';
import type { WholeLength } from './warc-writer.ts';

/** A file, or the end of one, that no checkpoint names and that was set aside. */
export interface Orphan {
  /** The name that the file had. */
  readonly file: string;
  /** Where it is now. */
  readonly orphan: string;
}

export interface RecoveryOptions {
  /** The folder with the parts of the index. */
  readonly indexDir?: string;
  /** The checkpoint is not the last one: bytes beyond it may be part of a later one. */
  readonly keepTails?: boolean;
  readonly onOrphan?: (orphan: Orphan) => void;
}

/** Without `files` there was no checkpoint, and nothing in the archive counts. */
export async function recoverArchive(
  disk: Disk,
  folder: string,
  agent: string,
  files: readonly WholeLength[] = [],
  options: RecoveryOptions = {},
): Promise<void> {
  const { indexDir, keepTails = false, onOrphan } = options;
  if (indexDir !== undefined) await recoverParts(disk, indexDir, agent, files);
  const kept = new Map(files.map(({ file, length }) => [file, length]));
  const ours = (await disk.list(folder)).filter((name) => agentOfFile(name) === agent);
  for (const file of ours) {
    const length = kept.get(file);
    const orphan =
      length === undefined
        ? await setAside(disk, folder, file)
        : keepTails && (await keepTail(disk, folder, file, length));
    if (orphan) onOrphan?.({ file, orphan });
    if (length !== undefined) await cut(disk, join(folder, file), length);
  }
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

/**
 * The agent in `drumlin-20260314150926-00000-0.warc.gz` or `pages-0.jsonl`; undefined for other
 * names.
 */
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
    `${path} is shorter than the ${length} bytes that the checkpoint requires.`,
    'Another program damaged it; restore it from a copy, or move it away to resume without it.',
    { exitCode: EXIT.folder },
  );
}
