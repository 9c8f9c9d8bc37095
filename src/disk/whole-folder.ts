/**
 * A folder that appears whole or not at all.
 *
 * Idea      the folder is built under another name beside its place, and renamed when complete and
 *           durable.
 * Ensures   nothing is left of a failed attempt. The next attempt deletes what a killed process
 *           left. An error when another attempt at the same place is running, or when the place is
 *           taken.
 */
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../base/errors.ts';
import type { Disk } from './disk.ts';
import { FolderLock } from './folder-lock.ts';

/** `make` fills `folder`; files in `scratch` are deleted afterwards. */
export async function makeWhole<T>(
  disk: Disk,
  place: string,
  make: (folder: string, scratch: string) => Promise<T>,
): Promise<T> {
  const folder = resolve(place);
  await refuseTaken(disk, folder);
  const building = `${folder}.building`;
  const scratch = join(building, 'scratch');
  await disk.makeFolder(building);
  const lock = FolderLock.acquire(building);
  try {
    for (const name of await disk.list(building)) {
      if (name !== 'LOCK') await rm(join(building, name), { recursive: true });
    }
    await disk.makeFolder(scratch);
    const result = await make(building, scratch);
    await rm(scratch, { recursive: true });
    lock.release();
    await disk.syncFolder(building);
    await disk.rename(building, folder);
    await disk.syncFolder(dirname(folder));
    return result;
  } catch (error) {
    lock.release();
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

async function refuseTaken(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.list(folder);
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return;
    if (!(error instanceof DrumlinError) || systemCode(error.cause) !== 'ENOTDIR') throw error;
    throw taken(`${folder} cannot be made a folder: it or a folder above it is a file.`);
  }
  throw taken(`${folder} exists already.`);
}

function taken(fact: string): DrumlinError {
  return new DrumlinError('FOLDER_TAKEN', fact, 'Remove it, or choose another --out.', {
    exitCode: EXIT.folder,
  });
}
