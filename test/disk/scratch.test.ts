import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { readSystemFile } from '../../src/disk/system-file.ts';
import { inTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { leftOut, needs } from '../left-out.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('a temporary folder is its owner’s alone, and is deleted with its files', async () => {
  const parent = temporaryFolder();
  const disk = new Disk();
  const result = await inTemporaryFolder(disk, parent, 'work-', async (folder) => {
    expect(readdirSync(parent)).toEqual([expect.stringMatching(/^work-.{8}/)]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const file = await disk.open(join(folder, 'file'), 'create');
    await file.close();
    return 'done';
  });
  expect(result).toBe('done');
  expect(readdirSync(parent)).toEqual([]);
});

test('a temporary folder is deleted when the work fails', async () => {
  const parent = temporaryFolder();
  const work = inTemporaryFolder(new Disk(), parent, 'work-', () =>
    Promise.reject(new Error('no')),
  );
  await expect(work).rejects.toThrow('no');
  expect(readdirSync(parent)).toEqual([]);
});

test.skipIf(leftOut(needs.system('/proc', existsSync('/proc/self/limits'))))(
  'a file of the system is read whole',
  async () => {
    expect(await readSystemFile('/proc/self/limits')).toContain('Max open files');
  },
);

test('a file that this system does not have is undefined', async () => {
  expect(await readSystemFile('/proc/no/such/file')).toBeUndefined();
});
