/**
 * Files, or the ends of files, that no checkpoint names: they are set aside in the folder `orphans`
 * beside the others, because a program cannot know that nobody needs them.
 *
 * Ensures   No byte is lost: at every instant it is in the old place, in the new one, or in both.
 *           An orphan of the same name is kept; the new one gets another. When a call resolves, its
 *           work is durable.
 */
import { join } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import type { Disk, DiskFile } from './disk.ts';

const ORPHANS = 'orphans';
const COPY_BYTES = 2 ** 20;

/**
 * Moves a file to the orphans and returns its new path. An empty file is deleted: then, and if
 * there is no such file, the result is undefined.
 */
export async function setAside(
  disk: Disk,
  folder: string,
  name: string,
): Promise<string | undefined> {
  const size = await sizeOf(disk, join(folder, name));
  if (size === undefined) return undefined;
  if (size === 0) {
    await disk.remove(join(folder, name));
    await disk.syncFolder(folder);
    return undefined;
  }
  const orphan = await newOrphan(disk, folder, name);
  await disk.rename(join(folder, name), orphan);
  await disk.syncFolder(join(folder, ORPHANS));
  await disk.syncFolder(folder);
  return orphan;
}

/**
 * Copies the bytes of a file after the first `length` to the orphans and returns the path of the
 * copy; undefined if there are none. The file itself does not change.
 */
export async function keepTail(
  disk: Disk,
  folder: string,
  name: string,
  length: number,
): Promise<string | undefined> {
  const path = join(folder, name);
  const size = await sizeOf(disk, path);
  if (size === undefined || size <= length) return undefined;
  const orphan = await newOrphan(disk, folder, name);
  const from = await disk.open(path, 'read');
  try {
    const to = await disk.open(orphan, 'exclusive');
    try {
      await copy(from, to, length, size);
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
  await disk.syncFolder(join(folder, ORPHANS));
  return orphan;
}

async function copy(from: DiskFile, to: DiskFile, start: number, end: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
  for (let at = start; at < end; at += COPY_BYTES) {
    const bytes = buffer.subarray(0, Math.min(COPY_BYTES, end - at));
    await from.readAll(bytes, at);
    await to.writeAll(bytes, at - start);
  }
}

/** A path among the orphans that is not in use. */
async function newOrphan(disk: Disk, folder: string, name: string): Promise<string> {
  const orphans = join(folder, ORPHANS);
  await disk.makeFolder(orphans);
  const taken = new Set(await disk.list(orphans));
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${i}-${name}`;
  return join(orphans, free);
}

async function sizeOf(disk: Disk, path: string): Promise<number | undefined> {
  try {
    const file = await disk.open(path, 'read');
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
}
