import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newRecord } from '../../../src/reputation/budget/domain-record.ts';
import { AllRanks, SCORES, Standing } from '../../../src/reputation/budget/standing.ts';

interface Ranked {
  readonly key: bigint;
  readonly score: number;
}

async function* recordsOf(domains: readonly Ranked[]) {
  for (const { key, score } of domains)
    yield { key, record: { ...newRecord('', 0), inDegree: score } };
}

const standingOf = (domains: readonly Ranked[], places: number) =>
  Standing.of(recordsOf(domains), SCORES.in, places);

/** Few scores and few places: ties and lists that overflow. */
const domains = fc.uniqueArray(
  fc.record({ key: fc.bigInt({ min: 0n, max: 500n }), score: fc.nat(6) }),
  {
    selector: ({ key }) => key,
    minLength: 0,
    maxLength: 60,
    size: 'max',
  },
);

const sorted = (list: readonly Ranked[]) =>
  list
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));

const listed = (standing: Standing): Ranked[] =>
  Array.from(standing.keys, (key, i) => ({ key, score: standing.scores[i] }));

test('the standing is the head of the sorted list, and totals count all domains', async () => {
  await fc.assert(
    fc.asyncProperty(domains, fc.integer({ min: 1, max: 20 }), async (list, places) => {
      const standing = await standingOf(list, places);
      expect(listed(standing)).toEqual(sorted(list).slice(0, places));
      expect(standing.domains).toBe(list.length);
      expect(standing.sum).toBe(list.reduce((sum, { score }) => sum + score, 0));
    }),
  );
});

test('agents that merge their standings get what one agent with all domains would see, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      domains,
      fc.integer({ min: 1, max: 20 }),
      fc.nat(3),
      async (list, places, rotation) => {
        const agents = [0n, 1n, 2n, 3n].map((agent) =>
          list.filter(({ key }) => key % 4n === agent),
        );
        const own = await Promise.all(agents.map((part) => standingOf(part, places)));
        const travelled = own.map((standing) => Standing.unpack(standing.pack()));
        const merged = Standing.merge([
          ...travelled.slice(rotation),
          ...travelled.slice(0, rotation),
        ]);
        const whole = await standingOf(list, places);
        expect(listed(merged)).toEqual(listed(whole));
        expect([merged.places, merged.domains, merged.sum]).toEqual([
          whole.places,
          whole.domains,
          whole.sum,
        ]);
      },
    ),
  );
});

test('every domain in the list has the rank of its place, and no other domain has a rank', async () => {
  await fc.assert(
    fc.asyncProperty(domains, fc.integer({ min: 1, max: 20 }), async (list, places) => {
      const standing = await standingOf(list, places);
      const order = sorted(list);
      for (const { key, score } of list) {
        const at = order.findIndex((other) => other.key === key);
        expect(standing.rankOf(score, key)).toBe(at >= 0 && at < places ? at + 1 : undefined);
      }
    }),
  );
});

describe('between two standings', () => {
  const five = [50, 40, 30, 20, 10].map((score, i) => ({ key: BigInt(i + 1), score }));

  test('a domain whose score has changed is ranked among the others', async () => {
    const standing = await standingOf(five, 5);
    expect(standing.rankOf(45, 4n)).toBe(2);
    expect(standing.rankOf(25, 1n)).toBe(3);
    expect(standing.rankOf(1, 1n)).toBe(5);
    expect(standing.rankOf(0, 1n)).toBeUndefined();
  });

  test('a domain that was not in a full list has a rank once it is better than the last in the list', async () => {
    const standing = await standingOf(five, 5);
    expect(standing.rankOf(35, 99n)).toBe(3);
    expect(standing.rankOf(9, 99n)).toBeUndefined();
  });

  test('a domain that was not in a short list gets its rank with the next list', async () => {
    const standing = await standingOf(five, 6);
    expect(standing.rankOf(35, 99n)).toBeUndefined();
    expect(Standing.none.rankOf(35, 99n)).toBeUndefined();
  });
});

test('each ranking has its own score', () => {
  const record = { ...newRecord('a.example', 0), inDegree: 3, cash: 0.5 };
  expect([SCORES.in(record), SCORES.opic(record), SCORES.tse(record), SCORES.none(record)]).toEqual(
    [3, 0.5, 0, 0],
  );
  expect(SCORES.tse({ ...record, supporters: 7 })).toBe(7);
});

test('bytes that are no standing are refused', async () => {
  const bytes = (
    await standingOf(
      [1, 2, 3].map((n) => ({ key: BigInt(n), score: n })),
      3,
    )
  ).pack();
  expect(() => Standing.unpack(bytes.subarray(0, 20))).toThrow('not a standing');
  expect(() => Standing.unpack(bytes.subarray(0, 30))).toThrow('not a standing');
  const swapped = Uint8Array.from(bytes);
  swapped.copyWithin(24, 32, 40);
  expect(() => Standing.unpack(swapped)).toThrow('out of order');
  // In the middle of a larger buffer, as messages arrive.
  const inside = new Uint8Array(bytes.length + 3);
  inside.set(bytes, 3);
  expect(listed(Standing.unpack(inside.subarray(3)))[0]).toEqual({ key: 3n, score: 3 });
});

test('the ranks of all domains are those of a standing with room for all of them', async () => {
  await fc.assert(
    fc.asyncProperty(domains, async (list) => {
      const ranks = new AllRanks();
      for (const { score, key } of list) ranks.add(score, key);
      const standing = await standingOf(list, 1000);
      expect(list.map(({ score, key }) => ranks.rankOf(score, key))).toEqual(
        list.map(({ key }) => standing.placeOf(key)),
      );
    }),
  );
});
