/** The differences of two versions of a text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diff } from '../../../src/search/serve/diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '. ', 'drumlin ', '雪', '\u{1f9ca}'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));
const made = (before: string, after: string, kind: 'old' | 'new') =>
  diff(before, after)
    .filter((piece) => piece.kind === 'same' || piece.kind === kind)
    .map((piece) => piece.text)
    .join('');

test('the pieces make up both texts', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(made(before, after, 'old')).toBe(before);
      expect(made(before, after, 'new')).toBe(after);
    }),
  );
});

/** The most tokens that two lists have in common, in order. */
function longest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (const [i, x] of a.entries())
    for (const [j, y] of b.entries())
      table[i + 1][j + 1] = x === y ? table[i][j] + 1 : Math.max(table[i][j + 1], table[i + 1][j]);
  return table[a.length][b.length];
}

test('no other way keeps more words of a line', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      const kept = diff(before.join('.'), after.join('.'))
        .filter(({ kind }) => kind === 'same')
        .map((piece) => piece.text)
        .join('');
      const tokens = (list: readonly string[]) => list.join('.').match(/\w|\./g) ?? [];
      expect(kept.length).toBe(longest(tokens(before), tokens(after)));
    }),
  );
});

test('neighbouring pieces are of different kinds, and none is empty', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diff(before, after);
      for (const [i, piece] of pieces.entries()) {
        expect(piece.text).not.toBe('');
        if (i > 0) expect(pieces[i - 1].kind).not.toBe(piece.kind);
      }
    }),
  );
});

test('texts that have nothing in common are shown whole, whatever their length', () => {
  const [before, after] = ['a '.repeat(1e5), 'b\n'.repeat(1e5)];
  expect(made(before, after, 'old')).toBe(before);
  expect(made(before, after, 'new')).toBe(after);
});
