import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { csvLine } from '../../src/extract/csv.ts';
import { Extractor } from '../../src/extract/extractor.ts';
import { readFields } from '../../src/extract/fields.ts';
import { PageDocument } from '../../src/extract/page-document.ts';

const open = (html: string | Buffer, type = 'text/html') =>
  PageDocument.of(Buffer.from(html), type);

describe('a page under selectors', () => {
  test('is the tree of a browser: a table has a body, whatever its source', async () => {
    const page = await open('<table><tr><td>1<td>2</table>');
    expect(page.$('table > tbody > tr > td').map(({ text }) => text)).toEqual(['1', '2']);
  });

  test('gives names, texts, attributes and HTML, and can be asked again within an element', async () => {
    const page = await open(
      '<ul id=l><li class="a b">One  <b>&amp; two</b><script>no</script></li><li title=T>3</li></ul>',
    );
    const [list] = page.$('#l');
    expect(list.name).toBe('ul');
    expect(list.$('li.b b')[0].html).toBe('<b>&amp; two</b>');
    expect(page.$('li').map(({ text }) => text)).toEqual(['One & two', '3']);
    expect(page.$('li:nth-child(2)')[0].attribute('title')).toBe('T');
    expect(list.attribute('constructor')).toBeUndefined();
    expect(list.$('ul')).toEqual([]);
    expect(page.$('none')).toEqual([]);
  });

  test.each([
    ['text/html; charset=windows-1252', Buffer.from('<p>caf\xe9', 'latin1')],
    ['text/html', Buffer.from('<meta charset=iso-8859-1><p>caf\xe9', 'latin1')],
    ['text/html', Buffer.from('<meta charset=utf-8><p>café')],
    ['text/html', Buffer.from('\ufeff<p>café', 'utf16le')],
  ])('is decoded as its head or its beginning declares (%s)', async (type, body) => {
    expect((await open(body, type)).$('p')[0].text).toBe('café');
  });

  test('with a selector that is none is refused', async () => {
    const page = await open('<p>');
    expect(() => page.$('p[')).toThrow('is not a CSS selector');
    expect(() => page.$('p:unknown-thing')).toThrow('is not a CSS selector');
  });

  test('of very deep nesting is read', async () => {
    const page = await open(`${'<div>'.repeat(20_000)}x`);
    expect(page.$('body')[0].text).toBe('x');
  });
});

describe('fields', () => {
  async function fieldsIn(yaml: string) {
    const dir = mkdtempSync(join(tmpdir(), 'drumlin-fields-'));
    writeFileSync(join(dir, 'f.yaml'), yaml);
    try {
      return await readFields(new Disk(), join(dir, 'f.yaml'));
    } finally {
      rmSync(dir, { recursive: true });
    }
  }

  test('become a row: text, attribute, list, and null where nothing matches', async () => {
    const fields = await fieldsIn(`
title: h1
first: { selector: a, attribute: href }
tags:
  selector: .tag
  many: true
missing: .none
none: { selector: .none, many: true }
`);
    const headers = { get: () => 'text/html' };
    const body = Buffer.from(
      '<h1>A "b"</h1><a>x</a><a href=y>y</a><i class=tag>1</i><i class=tag>2</i>',
    );
    const row = await new Extractor(fields, { now: () => 0 }).rowOf({
      ...{ url: 'http://a/', status: 200, headers, body },
    });
    expect(JSON.parse(row)).toEqual({
      ...{ url: 'http://a/', status: 200, time: '1970-01-01T00:00:00.000Z' },
      ...{ title: 'A "b"', first: 'y', tags: ['1', '2'], missing: null, none: [] },
    });
  });

  test.each([
    ['title: [', 'f.yaml'],
    ['- a', 'It does not hold names with selectors.'],
    ['', 'It does not hold names with selectors.'],
    ['{}', 'It names no field.'],
    ['title:', 'Field "title" has no selector.'],
    ['title: { attribute: href }', 'Field "title" has no selector.'],
    ['title: { selector: a, atribute: href }', 'unknown key "atribute"'],
    ['title: { selector: a, many: 3 }', '"many" of field "title" is not true or false.'],
    ['title: { selector: a, attribute: 3 }', 'The attribute of field "title" is not a name.'],
    ['title: "a["', 'Field "title": "a[" is not a CSS selector'],
    ['url: a', 'has the name of a column that every row has'],
  ])('%j is refused with its reason', async (yaml, reason) => {
    await expect(fieldsIn(yaml)).rejects.toThrow(reason);
  });
});

test.each([
  [['a', 1, null], 'a,1,\r\n'],
  [['a,b', 'c"d', 'e\nf'], '"a,b","c""d","e\nf"\r\n'],
  [[['x', 'y'], []], 'x | y,\r\n'],
])('%j is a line of CSV', (values, line) => {
  expect(csvLine(values)).toBe(line);
});
