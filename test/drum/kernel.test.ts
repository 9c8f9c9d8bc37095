import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xxh64Bytes } from '../../src/base/xxh64.ts';
import { Kernel, MERGE, SLACK } from '../../src/drum/kernel.ts';

const texts = fc.array(fc.uint8Array({ maxLength: 90 }), { minLength: 1, maxLength: 12 });
/** Few values, so that keys repeat; and some far apart. */
const key = fc.oneof(
  fc.nat(20).map(BigInt),
  fc.nat(20).map((n) => 2n ** 64n - 1n - BigInt(n)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);

test('hashAll gives the xxHash64 of every entry, with or without its last bytes', () => {
  fc.assert(
    fc.property(texts, fc.nat(1), (list, trailing) => {
      const padded = list.map((text) => Buffer.concat([text, Buffer.alloc(trailing)]));
      const kernel = new Kernel(8192);
      const bytes = kernel.allocate(4096);
      const ends = kernel.allocate(64);
      const keys = kernel.allocate(128);
      let at = 0;
      padded.forEach((text, i) => {
        kernel.bytes.set(text, bytes + at);
        at += text.length;
        kernel.u32(ends, 16)[i] = at;
      });
      kernel.run.hashAll(bytes, ends, list.length, keys, trailing);
      expect([...kernel.u64(keys, list.length)]).toEqual(list.map((text) => xxh64Bytes(text)));
    }),
  );
});

test('lineEnds finds every newline and nothing else, up to its capacity', () => {
  const byte = fc.constantFrom(10, 9, 11, 0, 138, 65);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 70 }), fc.nat(20), (list, capacity) => {
      const kernel = new Kernel(1024);
      const bytes = kernel.allocate(128);
      const ends = kernel.allocate(128);
      kernel.bytes.fill(10, bytes, bytes + 128); // newlines past the end must not count
      kernel.bytes.set(list, bytes);
      const n = kernel.run.lineEnds(bytes, 0, list.length, ends, capacity);
      const expected = list.flatMap((value, i) => (value === 10 ? [i + 1] : [])).slice(0, capacity);
      expect([...kernel.u32(ends, n)]).toEqual(expected);
    }),
  );
});

test('sorting by groups equals a stable sort by key, for fingerprints and for keys that crowd', () => {
  const crowded = fc.array(key, { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(crowded, fc.integer({ min: 1, max: 5 }), (list, bits) => {
      const kernel = new Kernel(16384);
      const keys = kernel.allocate(list.length * 8);
      const pairs = kernel.allocate(list.length * 16);
      const groups = kernel.allocate(256);
      const bounds = kernel.allocate(16);
      kernel.u64(keys, list.length).set(list);
      kernel.run.bounds(keys, list.length, bounds);
      const [low, high] = kernel.u64(bounds, 2);
      const ordered = BigUint64Array.from(list).sort();
      expect([low, high]).toEqual([ordered[0], ordered.at(-1)]);
      const shift = Math.max(0, (high - low).toString(2).length - bits);
      const count = Number((high - low) >> BigInt(shift)) + 1;
      kernel.run.countGroups(keys, list.length, low, shift, groups);
      kernel.run.startGroups(groups, count);
      const half = list.length >> 1;
      kernel.run.scatter(keys, 0, half, low, shift, groups, pairs);
      kernel.run.scatter(keys, half, list.length, low, shift, groups, pairs);
      kernel.run.sortGroups(groups, 0, count >> 1, pairs);
      kernel.run.sortGroups(groups, count >> 1, count, pairs);
      const sorted = kernel.u64(pairs, list.length * 2);
      const expected = list
        .map((value, i) => [value, BigInt(i)] as const)
        .sort(([a, i], [b, j]) => (a === b ? Number(i - j) : a < b ? -1 : 1));
      expect([...sorted]).toEqual(expected.flat());
    }),
  );
});

test('merge makes the sorted union and marks the first arrival of each new key, whatever the windows', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 40 }),
      fc.array(key, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      (seenList, arrivals, seenWindow, outWindow) => {
        const seen = seenList.sort((a, b) => (a < b ? -1 : 1));
        const { union, novel } = mergeInWindows(seen, arrivals, seenWindow, outWindow);
        const model = new Set(seen);
        const expected = arrivals.map((value) => !model.has(value) && Boolean(model.add(value)));
        expect(novel).toEqual(expected);
        expect(union).toEqual([...model].sort((a, b) => (a < b ? -1 : 1)));
      },
    ),
  );
});

function mergeInWindows(seen: bigint[], arrivals: bigint[], seenWindow: number, outWindow: number) {
  const kernel = new Kernel(8192);
  const [pairs, window, out, novel, at] = [700, 80, 80, 8, 24].map((size) => kernel.allocate(size));
  const cursors = kernel.u32(at, 6);
  const sorted = arrivals
    .map((value, i) => [value, BigInt(i)] as const)
    .sort(([a, i], [b, j]) => (a === b ? Number(i - j) : a < b ? -1 : 1));
  kernel.u64(pairs, sorted.length * 2).set(sorted.flat());
  cursors.set([pairs, pairs + sorted.length * 16, window, window, out, out + outWindow * 8]);
  const union: bigint[] = [];
  let next = 0;
  const empty = () => {
    union.push(...kernel.u64(out, (cursors[4] - out) / 8));
    cursors[4] = out;
  };
  const load = () => {
    const part = seen.slice(next, next + seenWindow);
    next += part.length;
    kernel.u64(window, part.length).set(part);
    cursors[2] = window;
    cursors[3] = window + part.length * 8;
  };
  for (let why = -1; why !== MERGE.done; ) {
    why = kernel.run.merge(at, novel, next >= seen.length ? 1 : 0);
    if (why === MERGE.needsRoom) empty();
    if (why === MERGE.needsSeen) load();
  }
  empty();
  while (true) {
    union.push(...kernel.u64(cursors[2], (cursors[3] - cursors[2]) / 8));
    if (next >= seen.length) break;
    load();
  }
  const bits = kernel.bytes.subarray(novel);
  return { union, novel: arrivals.map((_, i) => ((bits[i >> 3] >> (i & 7)) & 1) === 1) };
}

test('distribute, pick and extract bring back the texts whose bits are set', () => {
  const entry = fc.record({
    text: fc.uint8Array({ maxLength: 300 }),
    keep: fc.boolean(),
    wanted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
      const kernel = new Kernel(65_536 * 4);
      const n = entries.length;
      const [keys, ends, bytes, keep] = [n * 8, n * 4, 4000, n].map((size) =>
        kernel.allocate(size),
      );
      const [slots, lanes, lane] = [65_536 * 2, 16, 8000].map((size) => kernel.allocate(size));
      const [bits, outKeys, outEnds, out] = [8, n * 8, n * 4, 4000 + SLACK].map((size) =>
        kernel.allocate(size),
      );
      let at = 0;
      entries.forEach(({ text, keep: kept }, i) => {
        kernel.bytes.set(text, bytes + at);
        at += text.length;
        kernel.u32(ends, n)[i] = at;
        kernel.bytes[keep + i] = kept ? 1 : 0;
        kernel.u64(keys, n)[i] = BigInt(i);
      });
      kernel.u32(lanes, 4).set([lane, lane + 1000, lane + 1000, lane + 7000]);
      expect(kernel.run.distribute(keys, ends, bytes, keep, 0, n, slots, lanes)).toBe(n);
      const kept = entries.map((one, i) => ({ ...one, i })).filter((one) => one.keep);
      const novel = kernel.bytes.subarray(bits, bits + 8);
      kept.forEach(({ wanted }, j) => {
        if (wanted) novel[j >> 3] |= 1 << (j & 7);
      });
      const moved = kernel.allocate(8);
      const count = kernel.run.pick(lane, bits, 0, kept.length, moved, outKeys);
      const end = kernel.run.extract(lane + 1000, kept.length, moved, outEnds, out, 0);
      const wanted = kept.filter((one) => one.wanted);
      expect([...kernel.u64(outKeys, count)]).toEqual(wanted.map(({ i }) => BigInt(i)));
      expect(Buffer.from(kernel.view(out, end))).toEqual(
        Buffer.concat(wanted.map(({ text }) => text)),
      );
      let sum = 0;
      expect([...kernel.u32(outEnds, count)]).toEqual(
        wanted.map(({ text }) => (sum += text.length)),
      );
    }),
    { numRuns: 60 },
  );
});

test('distribute stops at the first entry without room, and never writes past its lane', () => {
  const kernel = new Kernel(65_536 * 3);
  const [keys, ends, bytes, keep] = [24, 12, 64, 3].map((size) => kernel.allocate(size));
  const [slots, lanes, lane] = [65_536 * 2, 16, 256].map((size) => kernel.allocate(size));
  kernel.u32(ends, 3).set([5, 10, 15]);
  kernel.bytes.fill(1, keep, keep + 3);
  kernel.u32(lanes, 4).set([lane, lane + 16, lane + 64, lane + 64 + 100]);
  expect(kernel.run.distribute(keys, ends, bytes, keep, 0, 3, slots, lanes)).toBe(2);
  kernel.u32(lanes, 4).set([lane, lane + 64, lane + 64, lane + 64 + 11]);
  expect(kernel.run.distribute(keys, ends, bytes, keep, 0, 3, slots, lanes)).toBe(1);
});

test('an allocation beyond the capacity throws', () => {
  const kernel = new Kernel(100);
  expect(() => kernel.allocate(65_537)).toThrow(RangeError);
});
