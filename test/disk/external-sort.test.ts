import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { PairSorter, sortUniqueLists } from '../../src/disk/external-sort.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Pair = readonly [number, number];

async function sortPairs(pairs: readonly Pair[], memory: number, disk = new Disk()) {
  const folder = temporaryFolder();
  const sorter = new PairSorter(disk, folder, 'test', memory);
  for (let at = 0; at < pairs.length; at += 7) {
    const batch = pairs.slice(at, at + 7);
    await sorter.add(
      Uint32Array.from(batch, ([key]) => key),
      Uint32Array.from(batch, ([, value]) => value),
    );
  }
  const got: Pair[] = [];
  let groups = 0;
  for await (const { first, count, offsets, values } of sorter.sorted()) {
    groups++;
    for (let i = 0; i < count; i++)
      for (let at = offsets[i]; at < offsets[i + 1]; at++) got.push([first + i, values[at]]);
  }
  return { got, groups, left: readdirSync(folder) };
}

const byKeyThenValue = ([a, x]: Pair, [b, y]: Pair) => a - b || x - y;
const model = (pairs: readonly Pair[]) =>
  [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].sort(byKeyThenValue);

const U32 = 2 ** 32 - 1;
const near = fc.nat(12);
const far = fc.oneof(
  fc.nat(12),
  fc.integer({ min: 0, max: U32 }),
  fc.constant(U32),
  fc.constant(2 ** 31),
);

test('gives every pair once, by key and then by value, whatever the memory and however the keys are spread', async () => {
  const pairs = fc.oneof(
    fc.array(fc.tuple(near, near), { maxLength: 200 }),
    fc.array(fc.tuple(far, far), { maxLength: 200 }),
    fc.array(fc.tuple(fc.constant(7), far), { maxLength: 200 }),
  );
  await fc.assert(
    fc.asyncProperty(pairs, fc.constantFrom(1, 400, 4096, 1e6), async (list, memory) => {
      const { got, left } = await sortPairs(list, memory);
      expect(got).toEqual(model(list));
      expect(left).toEqual([]);
    }),
    { numRuns: 80 },
  );
});

test('a key with more values than fit is split by value, and continues in the next groups', async () => {
  const pairs = Array.from({ length: 500 }, (_, i): Pair => [3, (i * 7919) % 1000]);
  const { got, groups } = await sortPairs([[1, 1], ...pairs, [9, 9]], 1);
  expect(got).toEqual(model([[1, 1], ...pairs, [9, 9]]));
  expect(groups).toBeGreaterThan(500 / 16);
});

test('one pair repeated more often than memory holds comes out once', async () => {
  const pairs = Array.from({ length: 300 }, (): Pair => [5, U32]);
  expect((await sortPairs(pairs, 1)).got).toEqual([[5, U32]]);
});

test('keys that are far apart are grouped in several parts, none wider than memory allows', async () => {
  const pairs = Array.from({ length: 30 }, (_, i): Pair => [i * 143_165_576, i]);
  expect((await sortPairs(pairs, 1e4)).got).toEqual(pairs);
});

test('short reads and writes change nothing', async () => {
  const pairs = Array.from({ length: 300 }, (_, i): Pair => [(i * 31) % 50, (i * 17) % 40]);
  const disk = new Disk(new FaultyFileSystem({ shortTransfers: 13 }));
  expect((await sortPairs(pairs, 200, disk)).got).toEqual(model(pairs));
});

test('a full disk is reported', async () => {
  const pairs = Array.from({ length: 3000 }, (_, i): Pair => [i % 50, i]);
  const disk = new Disk(new FaultyFileSystem({ room: 30_000 }));
  await expect(sortPairs(pairs, 200, disk)).rejects.toMatchObject({ code: 'DISK_FULL' });
});

test('sortUniqueLists sorts each list on its own and closes the gaps, short lists and long', () => {
  const lists = fc.array(fc.array(fc.nat(60), { maxLength: 60 }), { maxLength: 8 });
  fc.assert(
    fc.property(lists, (content) => {
      const offsets = new Uint32Array(content.length + 1);
      content.forEach((list, i) => {
        offsets[i + 1] = offsets[i] + list.length;
      });
      const values = Uint32Array.from(content.flat());
      const kept = sortUniqueLists(offsets, content.length, values);
      const expected = content.map((list) => [...new Set(list)].sort((a, b) => a - b));
      expect(content.map((_, i) => [...values.subarray(offsets[i], offsets[i + 1])])).toEqual(
        expected,
      );
      expect(kept).toBe(expected.flat().length);
    }),
  );
});
