/**
 * Restores the archive files of an agent to a checkpoint: truncates each to the length that counts,
 * and deletes those started later, each with its part of the index. The pages in the removed
 * records are fetched again.
 *
 * Requires  No agent of this name writes to the folder.
 * Ensures   Files with names of another form than the writer's are not touched. A file that is
 *           shorter than the checkpoint requires is refused by name. A missing file is ignored:
 *           finished files may be moved away. A part of the index that does not match is deleted;
 *           it is made again from its file with the index. Deletions are durable, also after a
 *           power failure: the agent may no longer exist to repeat them.
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
