/** Orders of very many rows: against the sort of the language. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flatOut } from '../../src/base/pacer.ts';
import { byKey, byName, byNumber, rowsInOrder } from '../../src/console/look/orders.ts';

const shuffled = (length: number) =>
  fc
    .shuffledSubarray([...rowsInOrder(length)], { minLength: length })
    .map(Uint32Array.from.bind(Uint32Array));

describe('an order of rows', () => {
  test('by numbers is that of a stable sort, largest first', async () => {
    const whole = fc.integer({ min: 0, max: 5 });
    const any = fc.oneof(
      fc.integer({ min: -2, max: 5 }),
      fc.constantFrom(-Infinity, Infinity, 0.5, 1e-300, 2 ** 40, -1e9),
    );
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof(fc.array(whole, { maxLength: 150 }), fc.array(any, { maxLength: 150 }))
          .chain((all) => fc.tuple(fc.constant(all), shuffled(all.length))),
        async ([all, rows]) => {
          const model = [...rows].sort((a, b) =>
            all[a] === all[b] ? 0 : all[a] > all[b] ? -1 : 1,
          );
          expect([...(await byNumber(Float64Array.from(all), rows, flatOut))]).toEqual(model);
        },
      ),
    );
  });

  test('is the same in pieces that are merged', async () => {
    const numbers = Float64Array.from({ length: 300_000 }, (_, i) => ((i * 7919) % 100_003) / 7);
    const found = await byNumber(numbers, rowsInOrder(numbers.length), flatOut);
    let isOrdered = true;
    for (let i = 1; i < found.length; i++) {
      const [a, b] = [found[i - 1], found[i]];
      if (!(numbers[a] > numbers[b] || (numbers[a] === numbers[b] && a < b))) isOrdered = false;
    }
    expect([isOrdered, new Set(found).size]).toEqual([true, numbers.length]);
  });

  test('by keys of 64 bits is that of a stable sort, smallest first', async () => {
    const word = fc.constantFrom(0, 1, 0xffff, 0x10000, 0x8000_0000, 0xffff_ffff);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(word, word), { maxLength: 150 }), async (keys) => {
        const of = (i: number) => (BigInt(keys[i][0]) << 32n) | BigInt(keys[i][1]);
        const model = keys.map((_, i) => i).sort((a, b) => Number(of(a) - of(b)) || a - b);
        const found = await byKey(
          BigUint64Array.from(keys, (_, i) => of(i)),
          rowsInOrder(keys.length),
          flatOut,
        );
        expect([...found]).toEqual(model);
      }),
    );
  });

  test('by names is that of their bytes, for few names and for many that begin alike', async () => {
    const letter = fc.constantFrom('a', 'b', '-', '.', '\xff');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
    const check = async (names: readonly string[]) => {
      let end = -1;
      const ends = Uint32Array.from(names, ({ length }) => (end += length + 1));
      const bytes = Buffer.from(`${names.join('\n')}\n`, 'latin1');
      const found = await byName(bytes, ends, flatOut);
      const sorted = [...names].sort((a, b) =>
        Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')),
      );
      expect(Array.from(found, (i) => names[i])).toEqual(sorted);
      expect(new Set(found).size).toBe(names.length);
    };
    await fc.assert(fc.asyncProperty(fc.array(name, { maxLength: 150 }), check));
    // Enough of them for several words.
    await check(Array.from({ length: 20_000 }, (_, i) => `the-same-start-${(i * 7919) % 5000}`));
    await check(
      Array.from(
        { length: 10_000 },
        (_, i) => 'abcdefgh'.slice(0, 1 + (i % 8)) + 'x'.repeat(i % 3),
      ),
    );
  });
});
