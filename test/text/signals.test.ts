import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNALS } from '../../src/text/signals.ts';
import { signalIndex, signalsOf } from '../../src/text/text-signals.ts';
import { countWords, searchTerms, wordsOf } from '../../src/text/words.ts';
import { naiveSignals, naiveWords } from './naive-signals.ts';

const valuesOf = (text: string) => {
  const values = signalsOf(text);
  return Object.fromEntries(SIGNALS.map(({ name }, i) => [name, values[i]]));
};

/** Few words and marks, so that everything repeats. */
const piece = fc.constantFrom(
  ...['a', 'b', 'the', 'that', 'have', 'word', 'Wörter', 'слово', '12', 'x2', '語', 'かな', '한국'],
  ...['.', '...', '…', '!', '?"', '。', '#', '{', '•', '-', "'", '’', '[1]', '[edit]', ',', 'é'],
  ...[
    'lorem ipsum',
    'JavaScript',
    'privacy policy',
    'use cookies',
    'cookie',
    '𝒳',
    '👍',
    '𠀀',
    '\u0301',
  ],
);
const between = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '',
  '  ',
  '\t',
  '\u00a0',
  '\u0085',
);
const soup = fc
  .array(fc.tuple(piece, between), { maxLength: 60 })
  .map((parts) => parts.map(([word, space]) => word + space).join(''));

describe('signals', () => {
  test('equal their definitions on texts of few words', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expect(valuesOf(text)).toEqual(naiveSignals(text));
      }),
      { numRuns: 1500 },
    );
  });

  test('equal their definitions on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(valuesOf(text)).toEqual(naiveSignals(text));
      }),
      { numRuns: 500 },
    );
  });

  test('see long runs that repeat', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 10, maxLength: 200 }),
        (tokens) => {
          const text = tokens.join(' ');
          expect(valuesOf(text)).toEqual(naiveSignals(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of no text are 0', () => {
    expect([...signalsOf('')]).toEqual(SIGNALS.map(() => 0));
  });

  test('have a long line with a long word dropped by C4', () => {
    const text = `one two ${'x'.repeat(1001)}.\none two ${'x'.repeat(999)}.`;
    expect(valuesOf(text)).toEqual(naiveSignals(text));
    expect(signalsOf(text)[signalIndex('c4_lines')]).toBe(0.5);
  });

  test('have names that filters and columns can use, each once', () => {
    const names = SIGNALS.map(({ name }) => name);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(signalsOf('some text').length).toBe(names.length);
  });
});

describe('words', () => {
  test('are those of the definition, and as many as are counted', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const words = naiveWords(text);
        expect(countWords(text)).toBe(words.length);
        expect(wordsOf(text)).toEqual(words.map((word) => word.toLowerCase()));
      }),
      { numRuns: 500 },
    );
  });

  test('of East Asian scripts are characters, and pairs for search', () => {
    expect(wordsOf('東京タワー ok')).toEqual(['東', '京', 'タ', 'ワ', 'ー', 'ok']);
    expect(searchTerms('東京タワー ok 語 x')).toEqual([
      '東京',
      '京タ',
      'タワ',
      'ワー',
      'ok',
      '語',
      'x',
    ]);
  });
});
