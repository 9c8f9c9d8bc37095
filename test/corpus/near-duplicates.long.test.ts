import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { judgedLab } from './near-truth.ts';

test('near-duplicates of a corpus are found across crawls and agents: recall 0.95, precision 0.99 in the lab', async () => {
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  const { positives, right, wrong } = await judgedLab(disk, temporaryFolder(), 1, 4 * 2 ** 20);
  expect(positives).toBeGreaterThan(900);
  expect(right / positives).toBeGreaterThanOrEqual(0.95);
  expect(right / (right + wrong)).toBeGreaterThanOrEqual(0.99);
});
