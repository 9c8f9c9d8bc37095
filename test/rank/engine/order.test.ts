import fc from 'fast-check';
import { expect, test } from 'vitest';
import { order, orderedPieces, placesAmongAll } from '../../../src/rank/engine/order.ts';

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
    const pieces = [...orderedPieces(scores, { top, room })];
    expect(pieces.flatMap((ids) => [...ids])).toEqual(naive([...scores]).slice(0, top));
    expect(pieces).toHaveLength(
      room >= 24 * scores.length ? 1 : Math.ceil(top / Math.max(4096, room / 4)),
    );
  }
});

test('ties follow the other scores, then the id, in a short list, a whole one and in pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 300 }), (pairs) => {
      const [scores, ties] = [0, 1].map((i) => Float64Array.from(pairs, (pair) => pair[i]));
      const expected = pairs
        .map((_, id) => id)
        .sort((a, b) => scores[b] - scores[a] || ties[b] - ties[a] || a - b);
      for (const top of [1, 3, pairs.length])
        expect([...order(scores, top, ties)]).toEqual(expected.slice(0, top));
      const pieces = [...orderedPieces(scores, { room: 0, ties })];
      expect(pieces.flatMap((ids) => [...ids])).toEqual(expected);
    }),
  );
});

test('places among all are those of the whole order, whatever nodes are asked for', () => {
  const pair = fc.tuple(score, fc.nat(2), fc.boolean());
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 60 }), (rows) => {
      const scores = Float64Array.from(rows, ([value]) => value);
      const ties = Float64Array.from(rows, ([, tie]) => tie);
      const wanted = [...rows.keys()].filter((i) => rows[i][2]).reverse();
      for (const second of [undefined, ties]) {
        const all = [...order(scores, scores.length, second)];
        const expected = all.flatMap((id, i) => (rows[id][2] ? [[id, i + 1]] : []));
        const { nodes, places } = placesAmongAll(scores, wanted, second);
        expect(Array.from(nodes, (id, i) => [id, places[i]])).toEqual(expected);
      }
    }),
  );
});

test('a list longer than the graph is the whole order', () => {
  expect([...order(Float64Array.of(1, 2), 5)]).toEqual([1, 0]);
  expect([...order(new Float64Array(0), 5)]).toEqual([]);
});

test('scores that are not numbers are refused', () => {
  expect(() => order(Float64Array.of(1, Number.NaN))).toThrow(/Node 1 has the score/);
  expect(() => order(Float64Array.of(1, Number.POSITIVE_INFINITY))).toThrow(/Node 1 has the score/);
});
