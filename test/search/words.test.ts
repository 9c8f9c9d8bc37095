import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WordIds } from '../../src/search/build/word-ids.ts';
import { mostBytes, readNumbers, writeNumbers } from '../../src/search/store/numbers.ts';
import { mostRiceBytes, readRice, writeRice } from '../../src/search/store/rice.ts';
import { Variants, wordsIn } from '../../src/search/store/words.ts';
import '../property-seed.ts';

describe('numbers of words', () => {
  test('are the same for the same words of texts, ASCII or not', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'Run',
        'run',
        'é',
        'É',
        'İ',
        '東京',
        'a_b',
        "it's",
        'x'.repeat(70),
        '\u{1d400}',
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
      fc.nat(2000).map(String),
    );
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(' '));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        const words: string[] = [];
        const ids = new WordIds((word) => words.push(word) - 1);
        for (const each of texts) {
          const found: string[] = [];
          const count = ids.read(each, (id) => found.push(words[id]));
          expect(found).toEqual(wordsIn(each));
          expect(count).toBe(found.length);
        }
        expect(new Set(words).size).toBe(words.length);
      }),
    );
  });
});

describe('words', () => {
  test('are lower case, with accents; stems and bare forms are variants', () => {
    expect(wordsIn('Running to the CAFÉ, 東京都!')).toEqual([
      ...['running', 'to', 'the', 'café', '東京', '京都'],
    ]);
    expect(new Variants('en').of('running')).toEqual(['run']);
    expect(new Variants('en').of('run')).toEqual([]);
    expect(new Variants('fr').of('cafés')).toEqual(['cafes', 'caf']);
    expect(new Variants('').of('häuser')).toEqual(['hauser']);
    expect(new Variants('ko').of('한국')).toEqual([]);
  });
});

test('numbers come back as they were, whatever their width', () => {
  const number = fc.oneof(
    fc.nat(3),
    fc.nat(300),
    fc.nat(70_000),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  );
  fc.assert(
    fc.property(fc.array(number, { maxLength: 40 }), (list) => {
      const values = Uint32Array.from(list);
      const bytes = new Uint8Array(3 + mostBytes(values.length));
      const end = writeNumbers(values, values.length, bytes, 3);
      const read = new Uint32Array(values.length);
      expect(readNumbers(bytes, 3, values.length, read)).toBe(end);
      expect(read).toEqual(values);
      const bits = new Uint8Array(3 + mostRiceBytes(values.length));
      const written = writeRice(values, values.length, bits, 3);
      expect(written).toBeLessThanOrEqual(bits.length);
      readRice(bits.subarray(0, written), 3, values.length, read.fill(0));
      expect(read).toEqual(values);
    }),
  );
});
