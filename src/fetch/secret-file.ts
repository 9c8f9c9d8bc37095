/** Files with secrets, with a warning if other users can read them. No error quotes the content. */
import { DrumlinError, systemCode } from '../base/errors.ts';
import { Disk } from '../disk/disk.ts';

/** Reads the whole file. Calls `warn` with one sentence if others than its owner can read it. */
export async function readSecretFile(
  path: string,
  warn: (sentence: string) => void,
  disk: Disk = new Disk(),
): Promise<string> {
  const { text, mode } = await disk.readTextAndMode(path).catch((error: Error) => {
    const code = systemCode(error.cause);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new DrumlinError('SECRET_FILE', `${path} ${why}.`, 'Name a file that you can read.');
  });
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8);
    warn(
      `${path} contains secrets, but other users can read it (mode ${shown}): chmod 600 ${path}`,
    );
  }
  return text;
}

/** The lines with content, and their numbers. Blank lines and comments are dropped. */
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
  return new DrumlinError('SECRET_FILE', `${file}:${line}: ${fact}`, `Write the line as: ${form}`);
}
