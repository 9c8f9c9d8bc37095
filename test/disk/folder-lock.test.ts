import { spawn } from 'node:child_process';
import fs, { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderLock, holderOf } from '../../src/disk/folder-lock.ts';
import { leftOut, needs } from '../left-out.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('a folder has one owner, named in the error, until it is released', () => {
  const folder = temporaryFolder();
  const lock = FolderLock.acquire(folder);
  expect(() => FolderLock.acquire(folder)).toThrow(`process ${process.pid}`);
  lock.release();
  FolderLock.acquire(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('another live process keeps its lock; when it is dead the lock is taken over', async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const exited = new Promise((resolve) => other.once('exit', resolve));
  writeFileSync(
    join(folder, 'LOCK'),
    JSON.stringify({ pid: other.pid, host: os.hostname(), started: '' }),
  );
  expect(() => FolderLock.acquire(folder)).toThrow(`process ${other.pid}`);
  other.kill('SIGKILL');
  await exited;
  const lock = FolderLock.acquire(folder);
  expect(JSON.parse(readFileSync(join(folder, 'LOCK'), 'utf8')).pid).toBe(process.pid);
  lock.release();
});

test.skipIf(leftOut(needs.system('/proc', existsSync('/proc/self/stat'))))(
  'a process id that was reused is not mistaken for the owner',
  () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, 'LOCK'),
      JSON.stringify({ pid: process.pid, host: os.hostname(), started: '1' }),
    );
    FolderLock.acquire(folder).release();
  },
);

test('the lock of another machine is never taken over; the error names it with the remedy', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'LOCK'), JSON.stringify({ pid: 1, host: 'elsewhere', started: '' }));
  expect(() => FolderLock.acquire(folder)).toThrow(/process 1 on elsewhere.*delete .*LOCK/s);
});

test('only one process at a time may take over', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'LOCK'), 'nonsense');
  writeFileSync(join(folder, 'LOCK.takeover'), 'nonsense');
  expect(() => FolderLock.acquire(folder)).toThrow(/LOCK\.takeover/);
});

test('releasing a lock twice does not remove the lock of the next owner', () => {
  const folder = temporaryFolder();
  const first = FolderLock.acquire(folder);
  first.release();
  const second = FolderLock.acquire(folder);
  first.release();
  expect(readdirSync(folder)).toEqual(['LOCK']);
  second.release();
});

test('a process that died during a takeover, at any depth, does not block others; a live one does', async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const exited = new Promise((resolve) => other.once('exit', resolve));
  const owner = JSON.stringify({ pid: other.pid, host: os.hostname(), started: '' });
  writeFileSync(join(folder, 'LOCK'), 'nonsense');
  for (const name of ['LOCK.takeover', 'LOCK.takeover.takeover'])
    writeFileSync(join(folder, name), owner);
  expect(() => FolderLock.acquire(folder)).toThrow(`process ${other.pid}`);
  other.kill('SIGKILL');
  await exited;
  const lock = FolderLock.acquire(folder);
  expect(readdirSync(folder)).toEqual(['LOCK']);
  lock.release();
});

test('a lock that changes its owner while it is checked stays with the new owner', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'LOCK');
  const next = JSON.stringify({ pid: 7, host: 'elsewhere', started: '' });
  writeFileSync(path, 'of the process that releases it');
  const read = fs.readFileSync;
  let judged = 0;
  const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((file: string, encoding: 'utf8') => {
    if (file !== path || judged++ > 0) return read(file, encoding);
    rmSync(path);
    try {
      return read(file, encoding);
    } finally {
      writeFileSync(path, next);
    }
  }) as typeof fs.readFileSync);
  onTestFinished(() => spy.mockRestore());
  expect(() => FolderLock.acquire(folder)).toThrow('process 7 on elsewhere');
  expect(read(path, 'utf8')).toBe(next);
  expect(readdirSync(folder)).toEqual(['LOCK']);
});

test('a dead lock that a live one replaced before the takeover stays with the live owner', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'LOCK');
  const next = JSON.stringify({ pid: 7, host: 'elsewhere', started: '' });
  writeFileSync(path, 'of a dead process');
  const link = fs.linkSync;
  const spy = vi.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
    if (to === `${path}.takeover`) writeFileSync(path, next);
    link(from, to);
  });
  onTestFinished(() => spy.mockRestore());
  expect(() => FolderLock.acquire(folder)).toThrow('process 7 on elsewhere');
  expect(readFileSync(path, 'utf8')).toBe(next);
  expect(readdirSync(folder)).toEqual(['LOCK']);
});

test('a folder that cannot be written is an error with a remedy', () => {
  expect(() => FolderLock.acquire(join(temporaryFolder(), 'absent'))).toThrow(/cannot be created/);
});

test('a lock that the system does not let us remove or read is an error with a remedy', () => {
  const folder = temporaryFolder();
  const denied = Object.assign(new Error('no'), { code: 'EPERM' });
  const lock = FolderLock.acquire(folder);
  const spy = vi.spyOn(fs, 'unlinkSync').mockImplementation(() => {
    throw denied;
  });
  onTestFinished(() => spy.mockRestore());
  const refusal = expect.objectContaining({ code: 'FOLDER_LOCK', exitCode: 4 });
  expect(() => lock.release()).toThrow(refusal);
  expect(() => FolderLock.acquire(temporaryFolder())).toThrow(refusal);
  const odd = temporaryFolder();
  fs.mkdirSync(join(odd, 'LOCK'));
  expect(() => holderOf(odd)).toThrow(refusal);
});
