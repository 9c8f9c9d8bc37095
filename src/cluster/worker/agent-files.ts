/**
 * The files of an agent on a worker's disk: are they those of the agent's last owner?
 *
 *   epochs/<n>.json    the epoch in which this worker last ran agent n
 *
 * Idea      An epoch has one owner. If the note of a folder has the epoch of the agent's key, then
 *           nobody else has run the agent since: the files here are as new as the committed
 *           checkpoint, or newer. Otherwise they are worthless, and the committed checkpoint is
 *           restored from the object store.
 * Ensures   A folder has a note only when it is whole: it is removed before anything else, and
 *           written last.
 */
import { join } from 'node:path';
import { archiveDir, partsDir } from '../../archive/index/index-merge.ts';
import { agentOfFile } from '../../archive/write/recovery.ts';
import { DrumlinError } from '../../base/errors.ts';
import { agentDir } from '../../crawl/state/agent-folder.ts';
import { NOTES } from '../../crawl/state/checkpoint-notes.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { AgentEntry } from '../lease/agent-lease.ts';

/** Copies checkpoints of one agent to the object store; see `AgentMirror`. */
export interface Mirror {
  /** Copies the checkpoint that is on disk now; `isFinal` if the agent writes no more. */
  stage(isFinal: boolean): Promise<Staged>;
  /** The manifest is in the agent's key. */
  committed(manifest: string): Promise<void>;
}

export interface Staged {
  /** Uploads it; returns the name of its manifest. */
  send(): Promise<string>;
  discard(): Promise<void>;
}

/** The checkpoints of all agents in the object store. */
export interface Mirrors {
  open(agent: number, epoch: number, before: string): Promise<Mirror>;
  /** Makes the files of an agent those of a manifest. */
  restore(manifest: string): Promise<void>;
}

const EPOCHS = 'epochs';

/** Makes the files of an agent ready for `epoch`. `before` is its key as it was taken over. */
export async function prepareFiles(
  disk: Disk,
  dir: string,
  agent: number,
  before: Pick<AgentEntry, 'epoch' | 'checkpoint'>,
  mirrors: Pick<Mirrors, 'restore'>,
): Promise<'kept' | 'restored' | 'new'> {
  const folder = join(dir, EPOCHS);
  await disk.makeFolder(folder);
  const isNewest = before.epoch > 0 && (await notedEpoch(disk, dir, agent)) === before.epoch;
  if (!isNewest) {
    await forgetEpoch(disk, dir, agent);
    await removeFiles(disk, dir, agent);
    if (before.checkpoint !== '') await mirrors.restore(before.checkpoint);
  }
  await noteEpoch(disk, dir, agent, before.epoch + 1);
  if (isNewest) return 'kept';
  return before.checkpoint === '' ? 'new' : 'restored';
}

async function notedEpoch(disk: Disk, dir: string, agent: number): Promise<number> {
  try {
    const { epoch } = JSON.parse(await disk.readText(join(dir, EPOCHS, `${agent}.json`)));
    return Number.isSafeInteger(epoch) ? epoch : 0;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return 0;
    throw error;
  }
}

async function noteEpoch(disk: Disk, dir: string, agent: number, epoch: number): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ epoch })}\n`);
  await replaceFile(disk, join(dir, EPOCHS), `${agent}.json`, bytes);
}

/** The files here are not to be continued: the next start restores the committed ones. */
export async function forgetEpoch(disk: Disk, dir: string, agent: number): Promise<void> {
  await disk.remove(join(dir, EPOCHS, `${agent}.json`));
  await disk.syncFolder(join(dir, EPOCHS));
}

/** What the archive has of the agent is in the object store, as far as it counts. */
async function removeFiles(disk: Disk, dir: string, agent: number): Promise<void> {
  await disk.removeFolder(agentDir(dir, agent));
  await disk.makeFolder(join(dir, NOTES));
  await disk.remove(join(dir, NOTES, `${agent}.json`));
  for (const folder of [archiveDir(dir), partsDir(dir)]) {
    await disk.makeFolder(folder);
    for (const name of await disk.list(folder)) {
      const file = name.replace(/\.cdxj$/, '');
      if ((agentOfFile(name) ?? agentOfFile(file)) === String(agent))
        await disk.remove(join(folder, name));
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof DrumlinError && error.code === 'FILE_MISSING';
