import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Orphan, recoverArchive } from '../../../src/archive/write/recovery.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const name = (agent: string, serial = 0) => `drumlin-20260314150926-0000${serial}-${agent}.warc.gz`;
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const write = (file: string, bytes: string) => writeFileSync(join(folder, file), bytes);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

describe('an archive restored to a checkpoint', () => {
  test('has the files of the checkpoint, truncated to its lengths; those started later are orphans', async () => {
    write(name('0'), 'whole members|and more');
    write(name('0', 1), 'begun later');
    write(name('0', 2), '');
    const orphans: Orphan[] = [];
    await recoverArchive(new Disk(), folder, '0', [{ file: name('0'), length: 14 }], {
      onOrphan: (orphan) => orphans.push(orphan),
    });
    expect(readdirSync(folder)).toEqual([name('0'), 'orphans']);
    expect(read(name('0'))).toBe('whole members|');
    expect(read(`orphans/${name('0', 1)}`)).toBe('begun later');
    expect(readdirSync(join(folder, 'orphans'))).toHaveLength(1);
    expect(orphans).toEqual([
      { file: name('0', 1), orphan: join(folder, 'orphans', name('0', 1)) },
    ]);
  });

  test('has nothing of an agent without a checkpoint, and keeps the orphans of every time', async () => {
    for (const pages of ['pages', 'other pages']) {
      write(name('0'), pages);
      await recoverArchive(new Disk(), folder, '0');
      expect(readdirSync(folder)).toEqual(['orphans']);
    }
    expect(read(`orphans/${name('0')}`)).toBe('pages');
    expect(read(`orphans/2-${name('0')}`)).toBe('other pages');
  });

  test('keeps what is beyond an old copy of a checkpoint', async () => {
    write(name('0'), 'whole members|of a later checkpoint');
    await recoverArchive(new Disk(), folder, '0', [{ file: name('0'), length: 14 }], {
      keepTails: true,
    });
    expect(read(name('0'))).toBe('whole members|');
    expect(read(`orphans/${name('0')}`)).toBe('of a later checkpoint');
  });

  test('keeps the files of other agents and of users', async () => {
    const others = [
      name('1'),
      name('10'),
      'mine-0.warc.gz',
      'rec-20260314150926-00000-0.warc.gz',
      'notes.txt',
    ];
    for (const other of others) write(other, 'theirs');
    await recoverArchive(new Disk(), folder, '0');
    expect(readdirSync(folder).sort()).toEqual(others.sort());
    for (const other of others) expect(read(other)).toBe('theirs');
  });

  test('may lack a file that was moved away, but refuses one that is too short', async () => {
    write(name('0'), 'short');
    const files = [
      { file: name('0', 1), length: 5 },
      { file: name('0'), length: 6 },
    ];
    await expect(recoverArchive(new Disk(), folder, '0', files)).rejects.toMatchObject({
      code: 'FILE_SHORT',
      exitCode: 5,
    });
  });

  test('survives a power failure right after', async () => {
    const powered = new PowerCutFileSystem();
    const disk = new Disk(powered);
    for (const [file, text] of [
      [name('0'), 'whole members|and more'],
      [name('0', 1), 'begun later'],
    ]) {
      const made = await disk.open(join(folder, file), 'create');
      await made.writeAll(Buffer.from(text), 0);
      await made.sync();
      await made.close();
    }
    await disk.syncFolder(folder);
    await recoverArchive(disk, folder, '0', [{ file: name('0'), length: 14 }]);
    powered.cutPower();
    expect(readdirSync(folder)).toEqual([name('0'), 'orphans']);
    expect(read(`orphans/${name('0', 1)}`)).toBe('begun later');
    expect(read(name('0'))).toBe('whole members|');
  });
});
