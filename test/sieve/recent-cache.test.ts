import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentCache } from '../../src/sieve/recent-cache.ts';

const key = fc.oneof(fc.nat(40).map(BigInt), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

test('a cache never rejects a key that it was not given before', () => {
  fc.assert(
    fc.property(fc.array(fc.array(key)), fc.constantFrom(32, 64, 1024), (batches, memory) => {
      const cache = new RecentCache(memory);
      const given = new Set<bigint>();
      for (const list of batches) {
        const keep = new Uint8Array(list.length);
        const kept = cache.admit(BigUint64Array.from(list), list.length, keep);
        expect(kept).toBe(keep.reduce((sum, one) => sum + one, 0));
        list.forEach((value, i) => {
          if (keep[i] === 0) expect(given.has(value)).toBe(true);
          given.add(value);
        });
      }
    }),
  );
});

test('a key given a moment ago is rejected, and the oldest of a full set is forgotten first', () => {
  const cache = new RecentCache(32); // one set of four
  const keep = new Uint8Array(6);
  cache.admit(BigUint64Array.of(1n, 2n, 3n, 4n, 1n, 2n), 6, keep);
  expect([...keep]).toEqual([1, 1, 1, 1, 0, 0]);
  cache.admit(BigUint64Array.of(5n, 3n, 2n), 3, keep); // 5 replaces 3, the oldest
  expect([...keep.subarray(0, 3)]).toEqual([1, 1, 0]);
});

test('key 0 always passes: it marks an empty place', () => {
  const keep = new Uint8Array(2);
  expect(new RecentCache(64).admit(BigUint64Array.of(0n, 0n), 2, keep)).toBe(2);
});

test('keys that differ in their high bits only are different keys', () => {
  const keep = new Uint8Array(2);
  expect(new RecentCache(64).admit(BigUint64Array.of(7n, 7n + (1n << 63n)), 2, keep)).toBe(2);
});
