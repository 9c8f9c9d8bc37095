/**
 * A file of names, one a line, each with a number after a tab where it has one (a weight, a score); what follows # at the beginning of a line
 * is left out. Names are taken as they are written: they must be those of the graph.
 */
import { readFile } from 'node:fs/promises';
import { DrumlinError, systemCode } from '../../base/errors.ts';
import type { NodeWeights } from '../../rank/engine/ranker.ts';

export async function readNameList(path: string): Promise<NodeWeights> {
  const names = new Map<string, number>();
  const lines = (await readText(path)).split(/\r?\n/);
  lines.forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const [name, weight = '1', ...more] = line.split('\t').map((cell) => cell.trim());
    if (name === '' || weight === '' || !(Number(weight) >= 0) || more.length > 0) {
      throw new DrumlinError(
        'NAMES',
        `${path}:${i + 1}: "${line}" is not a name, nor a name and a number.`,
        'Write a name, or a name, a tab and a number from 0.',
      );
    }
    names.set(name, Number(weight));
  });
  return names;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why =
      systemCode(cause) === 'ENOENT' ? 'is not there' : `cannot be read (${systemCode(cause)})`;
    throw new DrumlinError('NAMES', `The list of names "${path}" ${why}.`, 'Name a text file.', {
      cause,
    });
  }
}
