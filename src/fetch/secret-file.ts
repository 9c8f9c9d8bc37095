/**
 * A file that holds secrets: read whole, and grumbled about when others may read it too. No error ever quotes what stands in it.
 */
import { open } from 'node:fs/promises';
import { DrumlinError, systemCode } from '../base/errors.ts';

/** `warn` is given one sentence when the file is readable by more than its owner. */
export async function readSecretFile(
  path: string,
  warn: (sentence: string) => void,
): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { mode } = await file.stat();
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        const shown = (mode & 0o777).toString(8);
        warn(`${path} holds secrets and is open to others (mode ${shown}): chmod 600 ${path}`);
      }
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const why =
      systemCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${systemCode(error)})`;
    throw new DrumlinError('SECRET_FILE', `${path} ${why}.`, 'Name a file that you can read.');
  }
}

/** Lines that say something, with their number; comments begin with `#`. */
export function linesOf(
  text: string,
  isComment: (line: string) => boolean,
): [line: string, number: number][] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, i): [string, number] => [line, i + 1])
    .filter(([line]) => line.trim() !== '' && !isComment(line));
}

export function badLine(file: string, line: number, fact: string, form: string): DrumlinError {
  return new DrumlinError('SECRET_FILE', `${file}:${line}: ${fact}`, `Write it as: ${form}`);
}
