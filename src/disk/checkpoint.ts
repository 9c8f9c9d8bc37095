/**
 * A checkpoint: the one small file that names the files of a folder that count, their lengths, and
 * what else the program needs to resume from there.
 *
 * Requires  every named file is durable up to its length before `save`, and no byte below that
 *           length changes while the checkpoint is the last one.
 * Ensures   at every instant the folder holds one whole checkpoint, the old or the new: `save`
 *           writes beside it, makes that durable, renames it over, makes the folder durable.
 *           `recover` brings the folder back to it.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import { truncateContent } from './block-file.ts';
import { damaged } from './damage.ts';
import type { Disk } from './disk.ts';
import { versionMismatch } from './format.ts';
import { sumOf, withSum } from './summed-json.ts';

/**
 * What a part of a checkpoint stores: the files that count, by name, with the lengths of their
 * contents; and the rest of its state.
 */
export interface Frozen<State> {
  readonly files: Readonly<Record<string, number>>;
  readonly state: State;
}

export interface Checkpoint<State> extends Frozen<State> {
  /** Version of the format that it was stored in. */
  readonly version: number;
  /** Counts the checkpoints of the folder, from 1. */
  readonly sequence: number;
}

/** Name of the file, and what is written in it: a folder of another kind is refused. */
export interface CheckpointFormat {
  readonly name: string;
  readonly kind: string;
  readonly version: number;
  /** Earlier versions that can still be read. They had no checksum. */
  readonly earlier?: readonly number[];
}

/** Write, fsync, rename, fsync the folder: the file is the old or the new, never a mixture. */
export async function replaceFile(
  disk: Disk,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = join(folder, `${name}.tmp`);
  const file = await disk.open(temporary, 'create');
  try {
    await file.writeAll(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(temporary, join(folder, name));
  await disk.syncFolder(folder);
}

export async function saveCheckpoint<State>(
  disk: Disk,
  folder: string,
  format: CheckpointFormat,
  checkpoint: Omit<Checkpoint<State>, 'version'>,
): Promise<void> {
  // The folder's entries for files created since the last checkpoint must be durable before they
  // are named.
  await disk.syncFolder(folder);
  const text = JSON.stringify({ drumlin: format.kind, version: format.version, ...checkpoint });
  await replaceFile(disk, folder, format.name, Buffer.from(withSum(text)));
}

/** The folder's checkpoint, or undefined when it has none yet. */
export async function loadCheckpoint<State>(
  disk: Disk,
  folder: string,
  format: CheckpointFormat,
): Promise<Checkpoint<State> | undefined> {
  const path = join(folder, format.name);
  const text = await readTextOrNone(disk, path);
  if (text === undefined) return undefined;
  let stored: Record<string, unknown>;
  const sum = sumOf(text);
  try {
    stored = JSON.parse(text);
  } catch (cause) {
    throw sum === 'wrong' ? wrongSum(path) : notACheckpoint(path, format, cause);
  }
  if (sum === 'wrong') throw wrongSum(path);
  if (stored?.drumlin !== format.kind) throw notACheckpoint(path, format);
  const isEarlier = format.earlier?.includes(stored.version as number) ?? false;
  if (stored.version !== format.version && !isEarlier)
    throw versionMismatch(path, stored.version, format.version);
  if (sum === 'none' && !isEarlier && format.earlier) throw wrongSum(path);
  return stored as unknown as Checkpoint<State>;
}

/**
 * Truncates every named file to its length, and deletes the files that `isOurs` accepts and the
 * checkpoint does not name: they were begun after it. Without a checkpoint all of these are
 * deleted.
 */
export async function recoverFolder(
  disk: Disk,
  folder: string,
  files: Readonly<Record<string, number>>,
  isOurs: (name: string) => boolean,
): Promise<void> {
  for (const [name, length] of Object.entries(files)) {
    const file = await disk.open(join(folder, name), 'update');
    try {
      await truncateContent(file, length);
    } finally {
      await file.close();
    }
  }
  for (const name of await disk.list(folder)) {
    if (isOurs(name) && !(name in files)) await disk.remove(join(folder, name));
  }
}

async function readTextOrNone(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.readText(path);
  } catch (error) {
    if (systemCode((error as Error).cause) === 'ENOENT') return undefined;
    throw error;
  }
}

function wrongSum(path: string): DrumlinError {
  return damaged(path, 'is damaged: its checksum is wrong');
}

function notACheckpoint(path: string, format: CheckpointFormat, cause?: unknown): DrumlinError {
  return new DrumlinError(
    'CHECKPOINT_FORMAT',
    `${path} is not a checkpoint of "${format.kind}".`,
    'Choose another --dir, or restore the file from a copy.',
    { exitCode: EXIT.folder, cause },
  );
}
