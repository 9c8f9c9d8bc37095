import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk, diskFailure } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { systemError } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

test.each([
  ['ENOSPC', 'DISK_FULL', 'Free some space'],
  ['EDQUOT', 'DISK_FULL', 'Free some space'],
  ['EFBIG', 'DISK_FULL', 'Free some space'],
  ['EACCES', 'DISK_FAILED', 'Make the folder readable and writable, or choose another --dir'],
  ['EROFS', 'DISK_FAILED', 'Make the folder readable and writable, or choose another --dir'],
  ['EMFILE', 'DISK_FAILED', 'raise the limit'],
  ['ENFILE', 'DISK_FAILED', 'raise the limit'],
  ['EIO', 'DISK_FAILED', 'the health of the disk'],
])('%s is reported as %s, with the file and the remedy', async (systemCode, code, remedy) => {
  const disk = new Disk({ ...nodeFileSystem, open: () => Promise.reject(systemError(systemCode)) });
  await expect(disk.open('some/file', 'create')).rejects.toMatchObject({
    code,
    fact: expect.stringContaining('some/file'),
    remedy: expect.stringContaining(remedy),
    exitCode: 4,
  });
});

test.each([
  'EPERM',
  'EACCES',
  'EROFS',
  'ENOSPC',
])('%s of a call beside the disk is a disk error too', (code) => {
  const error = Object.assign(new Error(code), { code, path: 'some/file', syscall: 'unlink' });
  expect(diskFailure(error)).toMatchObject({
    fact: expect.stringContaining('some/file'),
    exitCode: 4,
  });
  for (const other of [
    new TypeError('no'),
    systemError('ECONNRESET'),
    systemError(code),
    undefined,
  ])
    expect(diskFailure(other)).toBeUndefined();
});

test('a file where a folder should be is reported with the remedy', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const refusal = { code: 'DISK_FAILED', remedy: expect.stringContaining('choose another --dir') };
  await expect(new Disk().makeFolder(file)).rejects.toMatchObject(refusal);
  await expect(new Disk().makeFolder(join(file, 'below'))).rejects.toMatchObject(refusal);
});
