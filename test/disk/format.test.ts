import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_KINDS, type Format, formatHeader, requireFormat } from '../../src/disk/format.ts';

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

const plain: Format = { type: 'tst', version: 3 };
const summed: Format = { ...plain, summed: true };

test.each<[what: string, written: Uint8Array, read: Format, code: string | undefined]>([
  ['a file', formatHeader(plain), plain, undefined],
  ['a file with checksums', formatHeader(summed), summed, undefined],
  ['a file without, which an earlier release wrote', formatHeader(plain), summed, undefined],
  ['a file with checksums where there are none', formatHeader(summed), plain, 'FILE_FORMAT'],
  ['a file of the next version', formatHeader({ ...plain, version: 4 }), plain, 'FILE_VERSION'],
  ['a file of the version before', formatHeader({ ...plain, version: 2 }), plain, 'FILE_VERSION'],
  ['a file of another type', formatHeader({ ...plain, type: 'run' }), plain, 'FILE_FORMAT'],
  ['a file of another program', Buffer.from('PK\x03\x04tst.'), plain, 'FILE_FORMAT'],
  ['a file that was cut short', formatHeader(plain).subarray(0, 7), plain, 'FILE_FORMAT'],
  ['an empty file', new Uint8Array(), plain, 'FILE_FORMAT'],
])('%s', async (_, written, read, code) => {
  const readUpTo = async (into: Uint8Array) => {
    into.set(written);
    return written.length;
  };
  const error = await requireFormat({ path: 'f', readUpTo }, read).then(
    () => undefined,
    (thrown) => thrown.code,
  );
  expect(error).toBe(code);
});
