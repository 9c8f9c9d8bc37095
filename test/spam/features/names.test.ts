import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NAME_COLUMNS, nameSet, nameValues } from '../../../src/spam/features/names/name-set.ts';

const name = fc.string({ unit: fc.constantFrom(...'abcz0-9.'), minLength: 1, maxLength: 30 });

test('the features of a name count its characters and triples', () => {
  fc.assert(
    fc.property(name, (text) => {
      const [length, digits, hyphens, labels, ...triples] = nameValues(text);
      expect(length).toBe([...text].length);
      expect(digits).toBe([...text].filter((c) => c >= '0' && c <= '9').length);
      expect(hyphens).toBe([...text].filter((c) => c === '-').length);
      expect(labels).toBe([...text].filter((c) => c === '.').length + 1);
      expect(triples.reduce((sum, count) => sum + count, 0)).toBe(length);
    }),
  );
});

test('a triple is in the same class wherever it stands, and classes are filled evenly', () => {
  const classOf = (triple: string, before: string, after: string): number[] => {
    const [, , , , ...whole] = nameValues(`${before}${triple}${after}`);
    return whole;
  };
  const [a, b] = [classOf('xyz', 'ab', 'cd'), classOf('xyz', 'ef', 'gh')];
  expect(a.some((count, i) => count > 0 && b[i] > 0)).toBe(true);
  const counts = new Float64Array(64);
  for (let i = 0; i < 26 ** 2; i++) {
    const [, , , , ...triples] = nameValues(
      `q${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
    );
    for (const [j, count] of triples.entries()) counts[j] += count;
  }
  expect(Math.max(...counts)).toBeLessThan((4 * 3 * 676) / 64);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test('the set has a row for each name', () => {
  const set = nameSet(['cheap-pills24.example', 'example']);
  expect(set.columns).toBe(NAME_COLUMNS);
  expect(set.values.slice(0, 4).map((column) => [...column])).toEqual([
    ...[
      [21, 7],
      [2, 0],
      [1, 0],
      [2, 1],
    ],
  ]);
});
