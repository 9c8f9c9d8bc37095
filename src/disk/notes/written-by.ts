/**
 * Who wrote a file that people may write by hand too, so that a log can name it.
 *
 * Idea      A note beside the file holds the writer and the hash of what it wrote. A file with
 *           another hash was changed since, by a program that leaves no note.
 * Ensures   The note is written first: whoever sees the file sees its note. A note that is missing
 *           or damaged is none; nothing depends on it.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { replaceFile } from '../checkpoint.ts';
import type { Disk } from '../disk.ts';

/** For a file without a note: an editor, a script. */
export const ANOTHER_PROGRAM = 'another program';

const noteOf = (name: string): string => `${name}.by`;

/** Replaces a file, and notes who did. */
export async function replaceFileBy(
  disk: Disk,
  dir: string,
  name: string,
  text: string,
  by: string,
): Promise<void> {
  const note = JSON.stringify({ by, hash: xxh64(text).toString(16) });
  await replaceFile(disk, dir, noteOf(name), Buffer.from(`${note}\n`));
  await replaceFile(disk, dir, name, Buffer.from(text));
}

/** Who wrote this text into the file. */
export async function writerOf(
  disk: Disk,
  dir: string,
  name: string,
  text: string,
): Promise<string> {
  try {
    const { by, hash } = JSON.parse(await disk.readText(join(dir, noteOf(name)))) ?? {};
    if (typeof by === 'string' && hash === xxh64(text).toString(16)) return by;
  } catch (error) {
    if (!(error instanceof DrumlinError) && !(error instanceof SyntaxError)) throw error;
  }
  return ANOTHER_PROGRAM;
}
