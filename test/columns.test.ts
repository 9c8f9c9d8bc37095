/**
 * Comments, Markdown and kernels have at most 100 columns; the formatter keeps the rest of the code
 * to it. Tables, code blocks and links of Markdown cannot break.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const COLUMNS = 100;
const FOLDERS = [
  'bench',
  'bin',
  'deploy',
  'docs',
  'examples',
  'scripts',
  'soak',
  'src',
  'test',
  'web',
];
/** Written by tools. */
const GENERATED =
  /(?:^|[\\/])node_modules[\\/]|^docs[\\/](?:api[\\/]|configuration\.md|reference[\\/](?:cli|metrics)\.md)|-wasm\.ts$/;

const names = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  ),
].filter((name) => !GENERATED.test(name));

const isLong = (line: string) => line.length > COLUMNS && !/\bhttps?:|\]\(/.test(line);
/** A line that is a comment, or ends with one. */
const hasComment = (line: string) => /^\s*(?:\/\/|\/\*|\*[ /])|[;,{([)\]}]\s+\/\/ /.test(line);

/** The lines of a file that break the rule. */
function longLines(name: string): string[] {
  const lines = readFileSync(join(ROOT, name), 'utf8').split('\n');
  if (/\.(?:[jt]s|tsx|mjs)$/.test(name))
    return lines.filter((line) => isLong(line) && (name.endsWith('.as.ts') || hasComment(line)));
  let inBlock = false;
  return lines.filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) inBlock = !inBlock;
    return !inBlock && isLong(line) && !/^\s*\|/.test(line);
  });
}

test('comments, Markdown and kernels have at most 100 columns', () => {
  const checked = names.filter((name) => /\.(?:[jt]s|tsx|mjs|md)$/.test(name));
  expect(checked.length).toBeGreaterThan(1000);
  const long = checked.flatMap((name) => longLines(name).map((line) => `${name}: ${line.trim()}`));
  expect(long).toEqual([]);
});
