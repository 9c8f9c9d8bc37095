/** Orders of very many rows: against the sort of the language. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byKey, byName, byNumber, rowsInOrder } from '../../src/console/look/orders.ts';

const shuffled = (length: number) =>
  fc
    .shuffledSubarray([...rowsInOrder(length)], { minLength: length })
    .map(Uint32Array.from.bind(Uint32Array));

describe('an order of rows', () => {
  test('by numbers is that of a stable sort, largest first', () => {
    const number = fc.oneof(
      fc.integer({ min: -2, max: 5 }),
      fc.constantFrom(-Infinity, Infinity, 0.5, 1e-300, 2 ** 40, -1e9),
    );
    fc.assert(
      fc.property(
        fc
          .array(number, { maxLength: 60 })
          .chain((all) => fc.tuple(fc.constant(all), shuffled(all.length))),
        ([all, rows]) => {
          const model = [...rows].sort((a, b) =>
            all[a] === all[b] ? 0 : all[a] > all[b] ? -1 : 1,
          );
          expect([...byNumber(Float64Array.from(all), rows)]).toEqual(model);
        },
      ),
    );
  });

  test('by keys of 64 bits is that of a stable sort, smallest first', () => {
    const word = fc.constantFrom(0, 1, 0xffff, 0x10000, 0x8000_0000, 0xffff_ffff);
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 60 }), (keys) => {
        const of = (i: number) => (BigInt(keys[i][0]) << 32n) | BigInt(keys[i][1]);
        const [high, low] = [0, 1].map((part) => Uint32Array.from(keys, (key) => key[part]));
        const model = keys.map((_, i) => i).sort((a, b) => Number(of(a) - of(b)) || a - b);
        expect([...byKey(high, low, rowsInOrder(keys.length))]).toEqual(model);
      }),
    );
  });

  test('by names is that of their bytes, for few names and for many that begin alike', () => {
    const letter = fc.constantFrom('a', 'b', '-', '.', '\xff');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
    const check = (names: readonly string[]) => {
      let end = -1;
      const ends = Uint32Array.from(names, ({ length }) => (end += length + 1));
      const found = byName(Buffer.from(`${names.join('\n')}\n`, 'latin1'), ends);
      const sorted = [...names].sort((a, b) =>
        Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')),
      );
      expect(Array.from(found, (i) => names[i])).toEqual(sorted);
      expect(new Set(found).size).toBe(names.length);
    };
    fc.assert(fc.property(fc.array(name, { maxLength: 60 }), check));
    // Enough of them for two levels of distributing.
    check(Array.from({ length: 20_000 }, (_, i) => `the-same-start-${(i * 7919) % 5000}`));
    check(
      Array.from(
        { length: 10_000 },
        (_, i) => 'abcdefgh'.slice(0, 1 + (i % 8)) + 'x'.repeat(i % 3),
      ),
    );
  });
});
