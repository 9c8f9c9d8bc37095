/** A filter as it stands on a command line: the expression itself, or `@FILE` for what is in a file. */
import { Disk } from '../../disk/disk.ts';

export async function filterText(word: string): Promise<string> {
  return word.startsWith('@') ? (await new Disk().readText(word.slice(1))).trim() : word;
}
