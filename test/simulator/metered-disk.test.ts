import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../src/simulator/clock.ts';
import { DiskClock, meteredDisk, newMeter } from '../../src/simulator/metered-disk.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drumlin-metered-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a metered disk keeps real files and counts bytes read and written', async () => {
  const meter = newMeter();
  const disk = meteredDisk(meter);
  await disk.makeFolder(join(folder, 'deep', 'er'));
  const file = await disk.open(join(folder, 'deep', 'er', 'f'), 'create');
  await file.writeAll(Buffer.from('hello'), 0);
  await file.sync();
  const back = Buffer.alloc(5);
  await file.readAll(back, 0);
  expect(await file.size()).toBe(5);
  await file.truncate(2);
  expect(await file.size()).toBe(2);
  await file.close();
  expect(back.toString()).toBe('hello');
  expect(meter).toEqual({ read: 5, written: 5, transfers: 2 });
});

test('the clock of a disk is ahead by the time of its transfers, until it rests', () => {
  const clock = new VirtualClock();
  const [one, other] = [newMeter(), newMeter()];
  const diskClock = new DiskClock(clock, [one, other]);
  expect(diskClock.now()).toBe(clock.now());
  one.written += 2_000_000;
  other.read += 1_000_000;
  other.transfers += 50;
  expect(diskClock.now()).toBe(clock.now() + 20);
  expect(diskClock.rest()).toBeGreaterThanOrEqual(20);
  expect(diskClock.now()).toBe(clock.now());
});
