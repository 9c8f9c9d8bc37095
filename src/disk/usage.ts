/** How much room a folder takes, and how much there is. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import type { Bytes } from '../base/units.ts';

/** Of all files in a folder and below; 0 when there is none. What vanishes meanwhile, in a crawl that runs, counts as nothing. */
export async function bytesIn(folder: string): Promise<Bytes> {
  let sum = 0;
  for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesIn(path);
    else if (entry.isFile()) sum += await unlessGone(sizeOf(path), 0);
  }
  return sum;
}

/** What may still be written where the folder is. */
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
    throw error;
  }
}
