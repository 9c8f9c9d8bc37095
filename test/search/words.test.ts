import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarintReader } from '../../src/base/varint.ts';
import { RunKernel } from '../../src/search/build/run-kernel.ts';
import { Variants, wordsIn } from '../../src/search/store/words.ts';
import '../property-seed.ts';

/** The postings of a run, by term: version, then positions. */
function readRun(pieces: Iterable<Uint8Array>): Map<string, number[][]> {
  const reader = new VarintReader(Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece))));
  const lists = new Map<string, number[][]>();
  let before = '';
  while (reader.at < reader.bytes.length) {
    const term = Buffer.from(reader.take(reader.next())).toString();
    expect(term >= before).toBe(true);
    before = term;
    const list = lists.get(term) ?? [];
    lists.set(term, list);
    const [count, end] = [reader.next(), reader.next() + reader.at];
    let version = -1;
    for (let i = 0; i < count; i++) {
      version += reader.next() + 1;
      let position = -1;
      const positions = Array.from({ length: reader.next() }, () => {
        position += reader.next() + 1;
        return position;
      });
      list.push([version, ...positions]);
    }
    expect(reader.at).toBe(end);
  }
  return lists;
}

function naiveRun(texts: readonly string[]): Map<string, number[][]> {
  const lists = new Map<string, number[][]>();
  for (const [version, text] of texts.entries()) {
    for (const [position, word] of wordsIn(text).entries()) {
      const list = lists.get(`B${word}`) ?? [];
      lists.set(`B${word}`, list);
      if (list.at(-1)?.[0] !== version) list.push([version]);
      list.at(-1)?.push(position);
    }
  }
  return lists;
}

const sorted = (lists: Map<string, number[][]>) => [...lists].sort(([a], [b]) => (a < b ? -1 : 1));

describe('a run', () => {
  const kernel = new RunKernel(() => []);
  const runOf = (texts: readonly string[]) => {
    for (const [version, text] of texts.entries()) {
      expect(kernel.addText(text, 'B')).toBe(wordsIn(text).length);
      kernel.post(version, true);
    }
    const run = readRun(kernel.run());
    kernel.reset();
    return run;
  };

  test('has the positions of all words of texts, in any script', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...['Run', 'run', 'é', 'É', 'É', 'İ', 'ΟΔΟΣ', 'ΣΑΣ', '東京', '東', '東京都', 'ガ', 'a_b'],
        ...["it's", 'x'.repeat(70), '\u{1d400}', '𠀀𠀁', '😀', '\ud800', 'שָׁלוֹם', 'ﬁ', '한국'],
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.nat(2000).map(String),
    );
    const space = fc.constantFrom(' ', ' ', ' ', '', '\n', '—');
    const text = fc
      .array(fc.tuple(piece, space), { maxLength: 40 })
      .map((pieces) => pieces.flat().join(''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
        expect(runOf(texts)).toEqual(naiveRun(texts));
      }),
    );
  });

  test('has many terms, long texts and terms of many postings', () => {
    const many = Array.from({ length: 4200 }, (_, i) => `w${i} word`);
    const texts = [...many, Array.from({ length: 20_000 }, (_, i) => `z${i % 5000}`).join(' ')];
    expect(JSON.stringify([...runOf(texts)])).toBe(JSON.stringify(sorted(naiveRun(texts))));
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
