import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberIn, replaceParts, variantsOf } from '../../src/duplicates/url-variants.ts';

const ORIGIN = 'http://example.org';
const rulesOf = (path: string) =>
  variantsOf(ORIGIN + path).map(({ rules, rest }) => [rules[0], rest.slice(ORIGIN.length)]);

const word = fc.constantFrom(
  'a',
  'b',
  'news',
  '2026',
  '5',
  '05-01',
  'abc123def456',
  '9f8e7d6c',
  '',
);
const parameter = fc.constantFrom('a=1', 'sid=abc', 'page=2', 'x', '=', 'q=a=b', 'a=2', '');
const url = fc
  .tuple(fc.array(word, { maxLength: 6 }), fc.option(fc.array(parameter, { maxLength: 10 })))
  .map(
    ([segments, query]) =>
      `${ORIGIN}/${segments.join('/')}${query === null ? '' : `?${query.join('&')}`}`,
  );

describe('the parts of a URL that might not matter', () => {
  test('include its parameters, one by one', () => {
    expect(rulesOf('/view?item=1&ref=7')).toEqual([
      ['?item', '/view?ref=7'],
      ['?ref', '/view?item=1'],
    ]);
    expect(rulesOf('/view?only=1')).toEqual([['?only', '/view']]);
  });

  test('exclude a repeated parameter, and one without a name', () => {
    expect(rulesOf('/view?a=1&a=2&=3&')).toEqual([]);
  });

  test('include numbers, dates and tokens in the path, but not words', () => {
    expect(rulesOf('/calendar/2026-05/12').slice(0, 2)).toEqual([
      ['/calendar/#', '/calendar/\u0001/12'],
      ['/calendar/#/#', '/calendar/2026-05/\u0001'],
    ]);
    expect(rulesOf('/s/9f8e7d6c5b/about').map(([rule]) => rule)).toEqual(['/s/@', '/s/**']);
    expect(rulesOf('/some/words').map(([rule]) => rule)).toEqual(['/some/**']);
  });

  test('include the last segment below the first folder, if there is no query', () => {
    expect(rulesOf('/archive/more/old/')).toEqual([['/archive/**', '/archive/more/']]);
    expect(rulesOf('/index.php/a/b')).toEqual([['/index.php/**', '/index.php/a']]);
    expect(rulesOf('/archive/')).toEqual([]);
    expect(rulesOf('/')).toEqual([]);
  });

  test('URLs that differ only in that part have the same rest, for any part', () => {
    fc.assert(
      fc.property(url, fc.constantFrom('17', '4711'), (text, other) => {
        for (const variant of variantsOf(text)) {
          if (variant.needsRest) continue;
          const changed = replaceParts(text, (rules) => {
            if (rules[0] !== variant.rules[0]) return undefined;
            return {
              value: variant.rules[0].startsWith('?')
                ? `${variant.rules[0].slice(1)}=${other}`
                : other,
            };
          });
          const rests = variantsOf(changed).map(({ rest }) => rest);
          expect(rests).toContain(variant.rest);
        }
      }),
    );
  });

  test('their number is small for any URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, size: 'large' }), (text) => {
        expect(variantsOf(new URL(text).href).length).toBeLessThanOrEqual(15);
      }),
    );
    expect(
      variantsOf(`${ORIGIN}/${'1/'.repeat(500)}?${'a=1&b=2&'.repeat(300)}`).length,
    ).toBeLessThanOrEqual(15);
  });
});

describe('settling', () => {
  test('changes nothing without replacements, and nothing more the second time', () => {
    fc.assert(
      fc.property(
        url,
        fc.array(fc.constantFrom<string>('?sid', '?page', '/news/#', '/#', '/a/**'), {
          maxLength: 3,
        }),
        (text, rules) => {
          expect(replaceParts(text, () => undefined)).toBe(text);
          const replacementOf = (names: readonly string[]) =>
            names.some((name) => rules.includes(name))
              ? { value: names[0].startsWith('?') ? undefined : '1' }
              : undefined;
          const once = replaceParts(text, replacementOf);
          expect(replaceParts(once, replacementOf)).toBe(once);
          expect(once.startsWith(`${ORIGIN}/`)).toBe(true);
        },
      ),
    );
  });

  test('drops a parameter, or replaces its value', () => {
    const of = (value: string | undefined) =>
      replaceParts(`${ORIGIN}/a?x=1&sid=9&y=2`, ([rule]) =>
        rule === '?sid' ? { value } : undefined,
      );
    expect(of(undefined)).toBe(`${ORIGIN}/a?x=1&y=2`);
    expect(of('sid=first')).toBe(`${ORIGIN}/a?x=1&sid=first&y=2`);
    expect(replaceParts(`${ORIGIN}/a?sid=9`, () => ({ value: undefined }))).toBe(`${ORIGIN}/a`);
  });

  test('a number is distinguished from a word in a segment and in a parameter', () => {
    expect([numberIn('12'), numberIn('page=12'), numberIn('=7'), numberIn('007')]).toEqual([
      12, 12, 7, 7,
    ]);
    expect([
      numberIn(undefined),
      numberIn('x'),
      numberIn('2026-05'),
      numberIn('a=b=1'),
      numberIn('1'.repeat(16)),
    ]).toEqual(Array(5).fill(undefined));
  });
});
