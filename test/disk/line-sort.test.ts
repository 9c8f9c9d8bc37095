import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { LineSorter } from '../../src/disk/line-sort.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

const anyLine = fc.oneof(fc.stringMatching(/^[a-c]{0,3}$/), fc.stringMatching(/^[ -~]{0,200}$/));
const anyLines = fc.array(anyLine, { size: 'max', maxLength: 400 });

async function sorted(
  lines: readonly string[],
  memory: number,
  mostRuns?: number,
): Promise<string[]> {
  const folder = temporaryFolder();
  const sorter = new LineSorter(new Disk(), folder, 'x', memory, mostRuns);
  for (const line of lines) await sorter.add(line);
  const out: string[] = [];
  for await (const batch of sorter.sorted()) out.push(...batch);
  expect(readdirSync(folder)).toEqual([]);
  return out;
}

describe('sorted lines', () => {
  test('come in the order of their bytes, repeats included, whether they fit in memory or not', async () => {
    await fc.assert(
      fc.asyncProperty(anyLines, fc.constantFrom(200, 1000, 1e6), async (lines, memory) => {
        expect(await sorted(lines, memory, 3)).toEqual(lines.toSorted());
      }),
      { numRuns: 25 },
    );
  });

  test('are merged in several rounds when many more come than fit', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 3001}`);
    expect(await sorted(lines, 2000, 2)).toEqual(lines.toSorted());
  });

  test('leave no file behind when only some are read', async () => {
    const folder = temporaryFolder();
    const sorter = new LineSorter(new Disk(), folder, 'x', 100);
    for (let i = 0; i < 50; i++) await sorter.add(String(i));
    for await (const _ of sorter.sorted()) break;
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leave no file behind when the disk fills up', async () => {
    const folder = temporaryFolder();
    const disk = new Disk(new FaultyFileSystem({ room: 3000 }));
    const sorter = new LineSorter(disk, folder, 'x', 500);
    const work = async () => {
      for (let i = 0; i < 2000; i++) await sorter.add(`line ${i}`);
    };
    await expect(work()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await sorter.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
