/** How much disk space a folder uses, how much is free, and how much memory a process uses. */
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import type { Bytes } from '../base/units.ts';
import { diskFailure } from './disk.ts';

/**
 * Bytes of all files in a folder and below; 0 when it is missing. Files that a running crawl
 * deletes meanwhile count as 0.
 */
export async function bytesIn(folder: string): Promise<Bytes> {
  let sum = 0;
  for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesIn(path);
    else if (entry.isFile()) sum += await unlessGone(sizeOf(path), 0);
  }
  return sum;
}

/** Bytes free on the disk of a folder. */
export async function bytesFree(folder: string): Promise<Bytes> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const sizeOf = async (path: string): Promise<Bytes> => (await stat(path)).size;

async function unlessGone<T>(work: Promise<T>, nothing: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return nothing;
    throw diskFailure(error) ?? error;
  }
}

/**
 * The memory that a process has in RAM; 0 for one that has ended, and where the system does not
 * tell. Files of /proc have no length: they are read to their end.
 */
export async function bytesInMemory(pid: number): Promise<Bytes> {
  if (process.platform !== 'linux') return 0;
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
