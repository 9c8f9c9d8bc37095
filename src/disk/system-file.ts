/** Files that the system makes up when they are read, such as those in /proc: they have no size. */
import { readFile } from 'node:fs/promises';

/** The text of such a file; undefined if this system does not have it. */
export async function readSystemFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
