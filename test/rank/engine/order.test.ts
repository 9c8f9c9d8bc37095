import fc from 'fast-check';
import { expect, test } from 'vitest';
import { order, orderedPieces } from '../../../src/rank/engine/order.ts';

/** Few values, so that there are ties, and some that differ only in their last bits. */
const score = fc.oneof(
  fc.nat(3),
  fc.constantFrom(-0, 0, 5e-324, 1, 1 + Number.EPSILON, -1, -1 - Number.EPSILON, 1e300, -1e300),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const naive = (scores: readonly number[]) =>
  scores.map((_, id) => id).sort((a, b) => scores[b] - scores[a] || a - b);

test('the order is greatest first, equal scores by id', () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 200, size: 'max' }), (scores) => {
      expect([...order(Float64Array.from(scores))]).toEqual(naive(scores));
    }),
  );
});

test('a short list is the beginning of the whole order', () => {
  fc.assert(
    fc.property(fc.array(score, { minLength: 640, maxLength: 900 }), fc.nat(10), (scores, top) => {
      expect([...order(Float64Array.from(scores), top)]).toEqual(naive(scores).slice(0, top));
    }),
  );
});

test('without room for the sort, pieces make up the same order', () => {
  const scores = Float64Array.from({ length: 10_000 }, (_, id) => (id * 7919) % 601);
  for (const [top, room] of [
    [10_000, 0],
    [9000, 4 * 5000],
    [10_000, 24 * 10_000],
  ]) {
    const pieces = [...orderedPieces(scores, top, room)];
    expect(pieces.flatMap((ids) => [...ids])).toEqual(naive([...scores]).slice(0, top));
    expect(pieces).toHaveLength(
      room >= 24 * scores.length ? 1 : Math.ceil(top / Math.max(4096, room / 4)),
    );
  }
});

test('a list longer than the graph is the whole order', () => {
  expect([...order(Float64Array.of(1, 2), 5)]).toEqual([1, 0]);
  expect([...order(new Float64Array(0), 5)]).toEqual([]);
});

test('scores that are not numbers are refused', () => {
  expect(() => order(Float64Array.of(1, Number.NaN))).toThrow(/Node 1 has the score/);
  expect(() => order(Float64Array.of(1, Number.POSITIVE_INFINITY))).toThrow(/Node 1 has the score/);
});
