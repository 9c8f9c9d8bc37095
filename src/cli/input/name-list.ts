/**
 * A file of node names, one per line. A number (a weight or score) may follow after a tab. Lines
 * that start with # are ignored. Names must be spelt exactly as in the graph.
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
        `${path}:${i + 1}: "${line}" is neither a name nor a name with a number.`,
        'Write a name, or a name, a tab and a number of 0 or more.',
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
      systemCode(cause) === 'ENOENT' ? 'does not exist' : `cannot be read (${systemCode(cause)})`;
    throw new DrumlinError('NAMES', `The list of names "${path}" ${why}.`, 'Name a text file.', {
      cause,
    });
  }
}
