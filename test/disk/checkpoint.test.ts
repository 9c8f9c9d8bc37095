import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type CheckpointFormat,
  loadCheckpoint,
  recoverFolder,
  replaceFile,
  saveCheckpoint,
} from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { PowerCutFileSystem } from './power-cut-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FORMAT: CheckpointFormat = { name: 'checkpoint.json', kind: 'test', version: 2 };
const cut = (sequence: number) => ({ sequence, files: { 'log.1': 3 }, state: { n: sequence } });

test('a checkpoint is loaded as it was saved, and a new folder has none', async () => {
  const folder = temporaryFolder();
  const disk = new Disk();
  expect(await loadCheckpoint(disk, folder, FORMAT)).toBeUndefined();
  await saveCheckpoint(disk, folder, FORMAT, cut(1));
  expect(await loadCheckpoint(disk, folder, FORMAT)).toMatchObject(cut(1));
});

test('whatever operation a save is killed at, the folder holds the old checkpoint or the new one, whole', async () => {
  let survivors = 0;
  for (let operations = 0; ; operations++) {
    const folder = temporaryFolder();
    await saveCheckpoint(new Disk(), folder, FORMAT, cut(1));
    const disk = new Disk(new FaultyFileSystem({ operations, shortTransfers: 10 }));
    const saved = await saveCheckpoint(disk, folder, FORMAT, cut(2)).then(
      () => true,
      () => false,
    );
    const found = await loadCheckpoint<{ n: number }>(new Disk(), folder, FORMAT);
    expect([1, 2]).toContain(found?.sequence);
    expect(found?.state.n).toBe(found?.sequence);
    if (found?.sequence === 1) survivors++;
    if (!saved) continue;
    expect(found?.sequence).toBe(2);
    break;
  }
  expect(survivors).toBeGreaterThan(5);
});

test.each([
  false,
  true,
])('whenever power is lost, the files that a checkpoint names are there (renames at once: %s)', async (eagerRenames) => {
  for (let operations = 0, saved = false; !saved; operations++) {
    const folder = temporaryFolder();
    const powered = new PowerCutFileSystem({ eagerRenames });
    const disk = new Disk(new FaultyFileSystem({ operations }, powered));
    const save = async () => {
      const log = await disk.open(join(folder, 'log.1'), 'create');
      await log.writeAll(Buffer.from('abc'), 0);
      await log.sync();
      await log.close();
      await saveCheckpoint(disk, folder, FORMAT, cut(1));
      saved = true;
    };
    await save().catch(() => {});
    powered.cutPower();
    const found = await loadCheckpoint(new Disk(), folder, FORMAT);
    if (found) expect(readFileSync(join(folder, 'log.1'), 'utf8')).toBe('abc');
    if (saved) expect(found).toBeDefined();
  }
});

test.each([
  'failSync',
  'failRename',
] as const)('with %s a replacement fails and the old file stays', async (fault) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'old');
  const disk = new Disk(new FaultyFileSystem({ [fault]: true }));
  await expect(replaceFile(disk, folder, 'file', Buffer.from('new'))).rejects.toMatchObject({
    exitCode: 4,
  });
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old');
});

test.each([
  ['of another kind', '{"drumlin":"other","version":2}', 'CHECKPOINT_FORMAT'],
  ['of another version', '{"drumlin":"test","version":1}', 'FILE_VERSION'],
  ['that is not JSON', 'hello', 'CHECKPOINT_FORMAT'],
  ['that is other JSON', 'null', 'CHECKPOINT_FORMAT'],
])('a checkpoint %s is refused with its path', async (_, content, code) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'checkpoint.json'), content);
  await expect(loadCheckpoint(new Disk(), folder, FORMAT)).rejects.toMatchObject({
    code,
    exitCode: 5,
  });
});

test('recovery truncates named files, deletes our unnamed ones, and keeps all other files', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'log.1'), 'DRML\x01tstabcdef');
  writeFileSync(join(folder, 'log.2'), 'begun after the checkpoint');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await recoverFolder(new Disk(), folder, { 'log.1': 11 }, (name) => name.startsWith('log.'));
  expect(readFileSync(join(folder, 'log.1'), 'utf8')).toBe('DRML\x01tstabc');
  expect(readdirSync(folder).sort()).toEqual(['log.1', 'notes.txt']);
});

test('recovery refuses a named file that is missing or too short', async () => {
  const folder = temporaryFolder();
  await expect(recoverFolder(new Disk(), folder, { 'log.1': 3 }, () => true)).rejects.toMatchObject(
    {
      code: 'FILE_MISSING',
    },
  );
  writeFileSync(join(folder, 'log.1'), 'DRML\x01tst');
  await expect(
    recoverFolder(new Disk(), folder, { 'log.1': 11 }, () => true),
  ).rejects.toMatchObject({
    code: 'FILE_SHORT',
  });
  expect(existsSync(join(folder, 'log.1'))).toBe(true);
});

test('a folder is made with those above it, and making it twice is no failure', async () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c');
  const disk = new Disk();
  await disk.makeFolder(folder);
  await disk.makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});
