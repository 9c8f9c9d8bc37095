import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { RecordSorter } from '../../src/search/links/record-sort.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import '../property-seed.ts';

type Five = [number, number, number, number, number];
const number = fc.oneof(fc.nat(3), fc.nat(0xffffffff), fc.constantFrom(2047, 2048, 0xffffffff));
const records = fc.array(fc.tuple(number, number, number, number, number), {
  size: 'max',
  maxLength: 300,
});

async function sorted(list: readonly Five[], width: number, memory: number): Promise<number[][]> {
  const folder = temporaryFolder();
  const sorter = new RecordSorter(new Disk(), folder, 'x', width, memory);
  for (const record of list) await sorter.add(...record);
  const out: number[][] = [];
  for await (const { words, count } of sorter.sorted())
    for (let i = 0; i < count; i++) out.push([...words.subarray(i * width, (i + 1) * width)]);
  expect(readdirSync(folder)).toEqual([]);
  return out;
}

const naive = (list: readonly Five[], width: number): number[][] =>
  list
    .map((record) => record.slice(0, width))
    .sort((a, b) => {
      const at = a.findIndex((value, i) => value !== b[i]);
      return at < 0 ? 0 : a[at] - b[at];
    });

describe('sorted records', () => {
  test('come in the order of their numbers, repeats included, whether they fit in memory or not', async () => {
    const memory = fc.constantFrom(100, 1000, 1e6);
    await fc.assert(
      fc.asyncProperty(
        records,
        fc.integer({ min: 2, max: 5 }),
        memory,
        async (list, width, most) => {
          expect(await sorted(list, width, most)).toEqual(naive(list, width));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('are more than a batch, and merged in several rounds', async () => {
    const list = Array.from({ length: 20_000 }, (_, i): Five => [(i * 7919) % 20_011, i, 0, 0, 0]);
    expect(await sorted(list, 2, 4 * 4 * 150)).toEqual(naive(list, 2));
  });

  test('leave no file behind when only some are read, or the disk fills up', async () => {
    const folder = temporaryFolder();
    const sorter = new RecordSorter(new Disk(), folder, 'x', 4, 100);
    for (let i = 0; i < 50; i++) await sorter.add(i, 0, 0, 0);
    for await (const _ of sorter.sorted()) break;
    expect(readdirSync(folder)).toEqual([]);
    const full = new Disk(new FaultyFileSystem({ room: 3000 }));
    const failing = new RecordSorter(full, folder, 'x', 4, 500);
    const work = async () => {
      for (let i = 0; i < 2000; i++) await failing.add(i, 0, 0, 0);
    };
    await expect(work()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await failing.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
