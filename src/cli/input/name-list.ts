/**
 * A file of node names, one per line. A number (a weight or score) may follow after a tab. Lines
 * that start with # are ignored. Names must be spelt exactly as in the graph.
 */
import { readFile } from 'node:fs/promises';
import { DrumlinError, systemCode } from '../../base/errors.ts';
import type { NodeWeights } from '../../rank/engine/ranker.ts';

export async function readNameList(path: string): Promise<NodeWeights> {
  const names = new Map<string, number>();
  for (const { name, weight } of await readNames(path)) names.set(name, weight);
  return names;
}

/** A set of names, in the order of the file; a name twice is an error. */
export async function readNameSet(path: string): Promise<string[]> {
  const lines = new Map<string, number>();
  for (const { name, line } of await readNames(path)) {
    const before = lines.get(name);
    if (before !== undefined)
      throw new DrumlinError(
        'NAMES',
        `${path}:${line}: "${name}" is in the set twice, first in line ${before}.`,
        'Name each node once.',
      );
    lines.set(name, line);
  }
  return [...lines.keys()];
}

/** Categories of nodes: a name, a tab and a category on each line; a node may have several. */
export async function readCategories(path: string): Promise<Map<string, string[]>> {
  const categories = new Map<string, string[]>();
  const lines = (await readText(path)).split(/\r?\n/);
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [name, category, ...more] = line.split('\t').map((cell) => cell.trim());
    if (!name || !category || more.length > 0)
      throw new DrumlinError(
        'NAMES',
        `${path}:${i + 1}: "${line}" is no name with a category.`,
        'Write a name, a tab and a category.',
      );
    const known = categories.get(name);
    if (!known) categories.set(name, [category]);
    else if (!known.includes(category)) known.push(category);
  }
  return categories;
}

interface NamedLine {
  readonly name: string;
  readonly weight: number;
  readonly line: number;
}

async function readNames(path: string): Promise<NamedLine[]> {
  const names: NamedLine[] = [];
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
    names.push({ name, weight: Number(weight), line: i + 1 });
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
