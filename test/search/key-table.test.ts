import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyTable } from '../../src/search/store/key-table.ts';
import '../property-seed.ts';

test('pairs of hashes are numbered in the order in which they are first seen', () => {
  // Few low bits: many pairs fall on the same place.
  const hash = fc
    .tuple(fc.bigInt(0n, 3n), fc.bigInt(0n, 40n))
    .map(([low, high]) => low + (high << 32n));
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, hash), { size: 'max', maxLength: 4000 }), (pairs) => {
      const [table, naive] = [new KeyTable(), new Map<string, number>()];
      const numbers = pairs.map(([first, second]) => table.numberOf(first, second));
      for (const pair of pairs) if (!naive.has(`${pair}`)) naive.set(`${pair}`, naive.size);
      expect(numbers).toEqual(pairs.map((pair) => naive.get(`${pair}`)));
      expect(table.count).toBe(naive.size);
      table.clear();
      expect(table.numberOf(5n, 7n << 32n)).toBe(0);
      expect([0, 1, 2, 3].map((word) => table.wordOf(0, word))).toEqual([5, 0, 0, 7]);
    }),
    { numRuns: 10 },
  );
});
