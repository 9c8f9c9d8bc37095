/** A filter on the command line: the expression itself, or `@FILE` for the text of a file. */
import { Disk } from '../../disk/disk.ts';

export async function filterText(word: string): Promise<string> {
  return word.startsWith('@') ? (await new Disk().readText(word.slice(1))).trim() : word;
}
