import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderLock } from '../../src/disk/folder-lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('a folder is held by one owner, who is named, until it is released', () => {
  const folder = temporaryFolder();
  const lock = FolderLock.acquire(folder);
  expect(() => FolderLock.acquire(folder)).toThrow(`process ${process.pid}`);
  lock.release();
  FolderLock.acquire(folder).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a live process elsewhere keeps its lock; when it is dead the lock is taken over', async () => {
  const folder = temporaryFolder();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const exited = new Promise((resolve) => other.once('exit', resolve));
  writeFileSync(join(folder, 'LOCK'), JSON.stringify({ pid: other.pid, host: os.hostname(), started: '' }));
  expect(() => FolderLock.acquire(folder)).toThrow(`process ${other.pid}`);
  other.kill('SIGKILL');
  await exited;
  const lock = FolderLock.acquire(folder);
  expect(JSON.parse(readFileSync(join(folder, 'LOCK'), 'utf8')).pid).toBe(process.pid);
  lock.release();
});

test.runIf(process.platform === 'linux')('a process id that was reused is not mistaken for the owner', () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'LOCK'),
    JSON.stringify({ pid: process.pid, host: os.hostname(), started: '1' }),
  );
  FolderLock.acquire(folder).release();
});

test('the lock of another machine is never judged, only named with the remedy', () => {
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

test('a folder that cannot be written is a clear refusal', () => {
  expect(() => FolderLock.acquire(join(temporaryFolder(), 'absent'))).toThrow(/cannot be created/);
});
