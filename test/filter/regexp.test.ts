/** The linear matcher against the engine of JavaScript, which is right and may be slow. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RegexpMatcher } from '../../src/filter/regexp-matcher.ts';
import { NotRegular, parseRegexp } from '../../src/filter/regexp-parse.ts';
import { isLinear } from '../../src/filter/regexp-safety.ts';
import { anyCharacter } from '../any-character.ts';

const matcher = (source: string, flags = '') =>
  new RegexpMatcher(parseRegexp(source, flags === 'i'));

/** Pieces of expressions; most combinations of them are valid. */
const piece = fc.constantFrom(
  ...['a', 'b', 'A', '_', ' ', '.', '[ab]', '[^a]', '[a-c_]', '\\d', '\\w', '\\W', '\\s', '\\S'],
  ...['\\b', '\\B', '^', '$', '[\\w-]', '[\\d-a]', '[^\\W]', '[]', '[^]', '\\.', '\\/', '/', '-'],
  ...['\\x41', '\\u0062', '\\u{2}', '\\x4', '\\cA', '\\c', '\\0', '\\1', '\\8', '\\101', '[\\b]'],
  ...['[\\cA]', '[\\c_]', '[\\c]', '{', '}', ']', '{,2}', 'é', 'É', '[é-ü]', 'ſ', '\\k', ':', '='],
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?');
const source = fc.letrec<{ all: string; term: string; sequence: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3 },
    piece,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('all'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  sequence: fc
    .array(fc.tuple(tie('term'), quantifier), { maxLength: 4 })
    .map((terms) => terms.flat().join('')),
  all: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((each) => each.join('|')),
})).all;
const text = fc.string({
  maxLength: 10,
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...'abcAB_ /.-0189{}],:=kuc\n\0\x01\\'.split('')) },
    { weight: 1, arbitrary: fc.constantFrom(...'éÉüſS\u2028\b'.split('')) },
    { weight: 1, arbitrary: anyCharacter },
  ),
});

describe('the linear matcher', () => {
  test('gives the answer of JavaScript, for any expression and any text', () => {
    let compared = 0;
    fc.assert(
      fc.property(source, fc.constantFrom('', 'i'), fc.array(text), (written, flags, texts) => {
        let native: RegExp;
        try {
          native = new RegExp(written, flags);
        } catch {
          return;
        }
        let own: RegexpMatcher;
        try {
          own = matcher(written, flags);
        } catch (error) {
          expect(error).toBeInstanceOf(NotRegular);
          return;
        }
        for (const each of texts) {
          compared++;
          expect([each, own.test(each)]).toEqual([each, native.test(each)]);
        }
      }),
      { numRuns: 3000 },
    );
    expect(compared).toBeGreaterThan(1000);
  });

  test('forgets states when they are many, and still gives the right answer', () => {
    // The number of states doubles with each repetition.
    const written = '[ab]*a[ab]{14}!';
    const [own, native] = [matcher(written), /a[ab]{14}!/];
    let seed = 1;
    for (let i = 0; i < 300; i++) {
      let each = '';
      for (let length = 0; length < 60; length++) {
        seed = (seed * 48_271) % 0x7fffffff;
        each += seed % 2 ? 'a' : 'b';
      }
      for (const whole of [each, `${each}!`]) expect(own.test(whole)).toBe(native.test(whole));
    }
  });

  test('takes a time in proportion to the text, for any expression', () => {
    fc.assert(
      fc.property(source, fc.string({ minLength: 1, maxLength: 4 }), (written, unit) => {
        try {
          new RegExp(written);
          const own = matcher(written);
          const before = process.cpuUsage();
          own.test(`${unit.repeat(5000)}\n!`);
          expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
        } catch (error) {
          if (!(error instanceof NotRegular || error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the engine of JavaScript is used', () => {
  const linear = (written: string) => isLinear(parseRegexp(written, false));

  test.each([
    '\\.(?:zip|iso)$',
    'login',
    '[?&](?:sessionid|sid)=[0-9a-f]{32}',
    '\\/(\\d{4})\\/(\\d{2})\\/',
    '^https?:\\/\\/[^/]*\\.example\\.org\\/',
    '\\/search.*',
    '^https:\\/\\/(?:www\\.)?example\\.org\\/a+$',
  ])('for %s', (written) => {
    expect(linear(written)).toBe(true);
  });

  test.each([
    '(a+)+$',
    'a*b',
    '.*\\/search',
    '^(\\w|\\w\\w)+x',
    '^a*a*b',
    '^(?:a*){2}b',
    '^(?:a*)?a*b',
    '(a|a){20}b',
    '(?:a?){20}b',
    '\\d{1,500}x',
    '^(?:ab)*c',
    '(?:a*|b)',
  ])('but not for %s', (written) => {
    expect(linear(written)).toBe(false);
  });

  test('only if it takes a time in proportion to the text', () => {
    fc.assert(
      fc.property(source, fc.constantFrom('a', 'ab', 'b_', ' ', 'aA'), (written, unit) => {
        try {
          const native = new RegExp(written);
          if (!linear(written)) return;
          const before = process.cpuUsage();
          native.test(`${unit.repeat(50_000)}\n!`);
          expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
        } catch (error) {
          if (!(error instanceof NotRegular || error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
