import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { decodeReferences } from '../../src/parse/entities.ts';
import { NAMED, WITHOUT_SEMICOLON } from '../../src/parse/entity-table.ts';

const names = NAMED.trim()
  .split(/\s/)
  .map((entry) => entry.split(':')[0]);
const oldNames = WITHOUT_SEMICOLON.trim().split(/\s/);

function parsedAttribute(text: string): string {
  const fragment = parseFragment(`<a title="${text}">`);
  return (fragment.childNodes[0] as DefaultTreeAdapterTypes.Element).attrs[0].value;
}

function parsedText(text: string): string {
  const element = parseFragment(`<title>${text}`).childNodes[0] as DefaultTreeAdapterTypes.Element;
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

describe('character references', () => {
  test('all 2,125 names and the 106 old ones agree with a conformant parser, in attributes and in text', () => {
    expect(names).toHaveLength(2125);
    expect(oldNames).toHaveLength(106);
    for (const name of names) {
      for (const text of [
        `&${name};`,
        `&${name}`,
        `&${name}=`,
        `&${name}x`,
        `&${name.slice(0, -1)};`,
      ]) {
        expect(decodeReferences(text, 'attribute'), text).toBe(parsedAttribute(text));
        expect(decodeReferences(text, 'text'), text).toBe(parsedText(text));
      }
    }
  });

  test('no name is missing: two or three letters after an ampersand never mean more than in the table', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const all = [...letters].flatMap((a) =>
      [...letters].flatMap((b) => [`&${a}${b};`, ...[...'egtmr'].map((c) => `&${a}${b}${c};`)]),
    );
    const text = all.join(' ');
    expect(decodeReferences(text, 'attribute')).toBe(parsedAttribute(text));
  });

  test('any mixture of references, complete and broken, is read as by a conformant parser', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '&',
        '&&',
        '&#',
        '&#x',
        '&#X',
        ';',
        '=',
        'x',
        '1',
        ' ',
        'amp',
        '&amp',
        '&amp;',
        '&a=',
        '&notin',
        '&notit;',
        '&copy',
        '&gt',
      ),
      fc.nat(0x120000).map((code) => `&#${code};`),
      fc.nat(300).map((code) => `&#x${code.toString(16)}`),
      fc.constantFrom(...names).map((name) => `&${name}`),
      fc.constantFrom(
        '&#99999999999999999999;',
        '&#xffffffffffffff;',
        '&#xd800;',
        '&#x0;',
        '&#x80;',
        '&#x9f;',
        '&#xfffe;',
        '&__proto__;',
        '&constructor;',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        expect(decodeReferences(text, 'attribute')).toBe(parsedAttribute(text));
        expect(decodeReferences(text, 'text')).toBe(parsedText(text));
      }),
      { numRuns: 3000 },
    );
  });
});
