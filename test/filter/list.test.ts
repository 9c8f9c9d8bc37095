/** Lists of hosts, domains and URLs: they answer as a Set does; errors name file and line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { readList } from '../../src/filter/list-file.ts';
import { ListBuilder, ListTable } from '../../src/filter/list-table.ts';
import { hostOf } from '../../src/url/parts.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

/** The naive definition. */
function isListed(entries: ReadonlySet<string>, url: string): boolean {
  const host = hostOf(url);
  if (entries.has(url) || entries.has(host)) return true;
  for (let name = `.${host}`; name !== ''; ) {
    if (entries.has(name)) return true;
    const dot = name.indexOf('.', 1);
    name = dot < 0 ? '' : name.slice(dot);
  }
  return false;
}

function tableOf(entries: Iterable<string>): ListTable {
  const builder = new ListBuilder();
  for (const entry of entries) builder.add(entry);
  return new ListTable(builder.finish());
}

async function listOf(text: string | Buffer, withValues = false): Promise<ListTable> {
  const path = join(temporaryFolder(), 'list.txt');
  writeFileSync(path, text);
  return new ListTable(await readList(new Disk(), path, withValues));
}

const label = fc.constantFrom('a', 'b', 'ab', 'example');
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const url = fc
  .tuple(
    fc.constantFrom('http://', 'https://'),
    host,
    fc.constantFrom('', ':81'),
    fc.constantFrom('/', '/a', '/a/b?a.b'),
  )
  .map((parts) => parts.join(''));
const entry = fc.oneof(
  host,
  host.map((name) => `.${name}`),
  url,
);

describe('a list', () => {
  test('agrees with a Set, for any entries and any queries in any order', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 30 }),
        fc.array(url, { minLength: 20, maxLength: 60 }),
        (entries, urls) => {
          const [table, model] = [tableOf(entries), new Set(entries)];
          for (const each of urls) expect(table.hasUrl(each)).toBe(isListed(model, each));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('finds each of 200,000 entries, and none of 200,000 others', () => {
    const name = (i: number) => `h${i.toString(36)}.d${i % 997}.example`;
    const table = tableOf(Array.from({ length: 200_000 }, (_, i) => name(i)));
    for (let i = 0; i < 200_000; i++) {
      if (!table.hasUrl(`http://${name(i)}/x`) || table.hasUrl(`http://x${name(i)}/`))
        expect.fail(name(i));
    }
  });

  test('keeps the last value of an entry, also after it has grown', () => {
    const builder = new ListBuilder(true);
    for (let i = 0; i < 5000; i++) builder.add(`d${i}.test`, i);
    for (let i = 0; i < 5000; i += 2) builder.add(`d${i}.test`, -i);
    const list = builder.finish();
    expect(list.entries).toBe(5000);
    const table = new ListTable(list);
    for (let i = 0; i < 5000; i++) expect(table.valueOf(`d${i}.test`)).toBe(i % 2 === 0 ? -i : i);
    expect(table.valueOf('d5000.test')).toBeUndefined();
  });

  test('is memory that threads share', () => {
    const { words } = new ListBuilder().finish();
    expect(words.buffer).toBeInstanceOf(SharedArrayBuffer);
  });
});

describe('a list in a file', () => {
  test('has one entry per line, in any spelling; comments and blank lines are ignored; gzip is decompressed', async () => {
    const text =
      '\ufeff# ours\r\n\r\nWWW.Example.ORG\r\n .example.net \nhttp://EXAMPLE.com:80/a/../b\nbücher.example';
    for (const bytes of [text, gzipSync(text)]) {
      const table = await listOf(bytes);
      for (const listed of [
        'https://www.example.org/',
        'http://x.example.net/',
        'http://xn--bcher-kva.example/y',
      ]) {
        expect(table.hasUrl(listed), listed).toBe(true);
      }
      expect(table.hasUrl('http://example.com/b')).toBe(true);
      expect(table.hasUrl('http://example.com/')).toBe(false);
      expect(table.hasUrl('http://example.org/')).toBe(false);
    }
  });

  test('may be empty', async () => {
    expect((await listOf('# nothing\n')).hasUrl('http://a.test/')).toBe(false);
    expect((await listOf('')).hasUrl('http://a.test/')).toBe(false);
  });

  test('may have a number after each entry', async () => {
    const table = await listOf('a.test\t0.25\nb.test -1e3\n', true);
    expect(table.valueOf('a.test')).toBe(0.25);
    expect(table.valueOf('b.test')).toBe(-1000);
  });

  test.each([
    ['a.test\nnot a host\n', false, 2, '"not a host" is neither a host nor a URL'],
    ['a.test:80', false, 1, 'is neither a host nor a URL'],
    ['ftp://a.test/', false, 1, 'is neither a host nor a URL'],
    ['http://\n', false, 1, 'is neither a host nor a URL'],
    ['a.test 1\nb.test', true, 2, '"b.test" is not an entry with a value'],
    ['a.test x', true, 1, 'is not an entry with a value'],
    ['a.test 1 2', true, 1, 'is not an entry with a value'],
  ])('%j is refused by file and line', async (text, withValues, line, words) => {
    await expect(listOf(text, withValues)).rejects.toThrow(`list.txt:${line}: `);
    await expect(listOf(text, withValues)).rejects.toThrow(words);
  });

  test('that does not exist is refused by name', async () => {
    await expect(readList(new Disk(), '/nowhere/list.txt', false)).rejects.toThrow(
      '/nowhere/list.txt does not exist',
    );
  });
});
