/** Seeds as a user names them: URLs, files of URLs, or `-` for standard input. */
import { readFileSync } from 'node:fs';
import { DrumlinError, systemCode } from '../../base/errors.ts';
import { canonicalSeed } from '../../crawl/state/seeds.ts';

export function readSeeds(words: readonly string[]): string[] {
  return words.flatMap((word) =>
    word.includes('://') ? [canonicalSeed(word)] : seedsOfFile(word),
  );
}

function seedsOfFile(path: string): string[] {
  const name = path === '-' ? 'standard input' : path;
  return readText(path)
    .split(/\r?\n/)
    .map((line, i) => ({ line: line.trim(), where: `${name}:${i + 1}: ` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, where }) => canonicalSeed(line, where));
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const why =
      systemCode(error) === 'ENOENT'
        ? 'is neither a URL nor a file'
        : `cannot be read (${systemCode(error)})`;
    throw new DrumlinError(
      'SEEDS',
      `"${path}" ${why}.`,
      'Write URLs with http:// or https://, or name a text file with one URL per line.',
    );
  }
}
