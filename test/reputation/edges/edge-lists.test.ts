import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flatOut } from '../../../src/base/pacer.ts';
import { mergeRows, RowCursor } from '../../../src/reputation/edges/edge-lists.ts';
import { FreshPairs } from '../../../src/reputation/edges/fresh-pairs.ts';
import { readLists } from './edges-life.ts';

/** Few different halves, so that many keys agree in one of them. */
const half = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 26, 2 ** 26 - 1));
const key = fc.tuple(half, half).map(([high, low]) => (BigInt(high) << 32n) | BigInt(low));
const pairs = fc.array(fc.tuple(key, key), { maxLength: 60, size: 'max' });

function freshOf(list: readonly (readonly [bigint, bigint])[]): FreshPairs {
  const fresh = new FreshPairs(list.length);
  fresh.add(new Uint32Array(BigUint64Array.from(list.flat()).buffer));
  return fresh;
}

test('pairs become rows of strictly increasing targets, each target once, with all of its sources in their order', () => {
  fc.assert(
    fc.property(pairs, (list) => {
      const model = new Map<bigint, bigint[]>();
      for (const [target, source] of list)
        model.set(target, [...(model.get(target) ?? []), source]);
      const words: number[] = [];
      const put = (value: bigint) => words.push(Number(value & 0xffff_ffffn), Number(value >> 32n));
      for (const [target, sources] of [...model].sort(([a], [b]) => (a < b ? -1 : 1))) {
        put(target);
        words.push(sources.length);
        for (const source of sources) put(source);
      }
      expect([...freshOf(list).rows()]).toEqual(words);
    }),
  );
});

test('merging any places gives every edge once, by target, in blocks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pairs, { maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      async (places, room) => {
        const cursors = places.map((list) => new RowCursor(freshOf(list).rows()));
        const expected = places.flat().map(([target, source]) => `${target}<${source}`);
        const found = await readLists(mergeRows(cursors, room, flatOut));
        expect(found.sort()).toEqual(expected.sort());
      },
    ),
  );
});

test('the most pairs that are sorted at once are sorted right', () => {
  const keys = Array.from({ length: 32_768 }, (_, i) =>
    BigInt.asUintN(64, BigInt(i % 9000) * 0x9e37_79b9_7f4a_7c15n),
  );
  const rows = freshOf(keys.map((target, i) => [target, BigInt(i)])).rows();
  let [at, last, edges] = [0, -1n, 0];
  while (at < rows.length) {
    const target = (BigInt(rows[at + 1]) << 32n) | BigInt(rows[at]);
    expect(target > last).toBe(true);
    last = target;
    edges += rows[at + 2];
    at += 3 + 2 * rows[at + 2];
  }
  expect(edges).toBe(keys.length);
});
