/**
 * What a crawl knows of its checkpoints outside of the agents' folders.
 *
 *   checkpoints/0.json    the number of the last checkpoint of agent 0
 *
 * Idea      Without a checkpoint, an agent is new, and nothing in the archive counts. So a lost
 *           checkpoint must not be taken for one that was never made, nor an old copy of one for
 *           the last. A note beside the agents' folders tells them apart.
 * Ensures   A note is written after its checkpoint: it never names one that does not exist. It is
 *           not made durable, because it guards against lost files, not against power failures. A
 *           missing or unreadable note is no knowledge, and changes nothing else.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';

export const NOTES = 'checkpoints';
/** Image files of an agent; `front.2` is written when there is a first checkpoint. */
const LATER_FRONT = /^front\.(?:[2-9]|[1-9]\d+)$/;

const notePath = (dir: string, agent: number): string => join(dir, NOTES, `${agent}.json`);

/** Requires that the checkpoint is stored, and the folder of the notes made. */
export async function noteCheckpoint(
  disk: Disk,
  dir: string,
  agent: number,
  sequence: number,
): Promise<void> {
  const path = notePath(dir, agent);
  const file = await disk.open(`${path}.tmp`, 'create');
  try {
    await file.writeAll(Buffer.from(`${JSON.stringify({ sequence })}\n`), 0);
  } finally {
    await file.close();
  }
  await disk.rename(`${path}.tmp`, path);
}

/** The number of the last checkpoint that is known of the agent; 0 if none is. */
export async function notedCheckpoint(disk: Disk, dir: string, agent: number): Promise<number> {
  const noted = (await readJson(disk, notePath(dir, agent))) as { sequence?: unknown } | undefined;
  return Number.isSafeInteger(noted?.sequence) ? Number(noted?.sequence) : 0;
}

/** Throws if the agent has had a checkpoint; call it for one that has none. */
export async function refuseIfLost(
  disk: Disk,
  dir: string,
  agentFolder: string,
  agent: number,
): Promise<void> {
  const had =
    (await notedCheckpoint(disk, dir, agent)) > 0 ||
    (await listOrNone(disk, agentFolder)).some((name) => LATER_FRONT.test(name)) ||
    (await statusNames(disk, dir));
  if (!had) return;
  throw new DrumlinError(
    'CHECKPOINT_MISSING',
    `${join(agentFolder, 'checkpoint.json')} is missing, but this crawl has had a checkpoint of agent ${agent}.`,
    'Restore the folder "agents" from a copy, or start a new crawl in another --dir: the archive of this one stays readable.',
    { exitCode: EXIT.folder },
  );
}

/**
 * Whether the last status shows that every agent had a checkpoint: 0.1.0 wrote no notes. From then
 * on every agent has one, also when their number changes. The time of the last checkpoint alone
 * shows nothing: up to 0.2.0 it was that of the agents that had reported. The counts of the run are
 * 0 until all agents have reported.
 */
async function statusNames(disk: Disk, dir: string): Promise<boolean> {
  const status = (await readJson(disk, join(dir, 'status.json'))) as
    | { drumlin?: unknown; state?: unknown; urlsSeen?: unknown; vitals?: { savedAt?: unknown } }
    | undefined;
  if (status?.drumlin !== 'status') return false;
  const allReported = Number(status.urlsSeen) > 0 && typeof status.vitals?.savedAt === 'number';
  return status.state === 'ended' || allReported;
}

/** Undefined if the file is missing or holds no JSON. */
async function readJson(disk: Disk, path: string): Promise<unknown> {
  try {
    return JSON.parse(await disk.readText(path)) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

async function listOrNone(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof DrumlinError && error.code === 'FILE_MISSING';
