import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_KINDS } from '../../src/disk/format.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** The kind of each format that the sources declare, and where. */
function declared(): { kind: string; path: string }[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(SOURCES, path), 'utf8');
      const found = text.matchAll(/type: '(\w+)', version|\bformat\('(\w+)'\)/g);
      return [...found].map(([, one, other]) => ({ kind: one ?? other, path }));
    });
}

test('every kind of file has three letters, and one format has them', () => {
  expect(FILE_KINDS.filter((kind) => !/^[a-z]{3}$/.test(kind))).toEqual([]);
  const kinds = [...FILE_KINDS].filter((kind) => kind !== 'tst');
  expect(
    declared()
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(kinds.sort());
});
