/** The backlog on a failing disk: a clear error, and nothing frozen is lost. */
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../../src/disk/file-system.ts';
import { type Faults, FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { Life, TINY } from './backlog-life.ts';
import { OpenFiles } from './open-files.ts';

const HOSTS = ['a', 'b.example', 'c.example', 'd.example'];

/**
 * A little of everything: runs written, swept, merged, rewritten, frozen in the middle of a sweep.
 */
async function live(life: Life): Promise<void> {
  for (let i = 0; i < 36; i++) {
    life.add(HOSTS[i % 4], 'x'.repeat((i * 37) % 90));
    life.add(HOSTS[0], 'y');
    if (i % 3 === 2) await life.makeRoom();
    if (i % 4 === 3) await life.step(i % 3);
    if (i % 5 === 4) life.putBack(HOSTS[i % 4]);
    if (i % 9 === 8) await life.finishRound();
    if (i % 6 === 5) await life.checkpoint();
  }
}

async function begin(faults: Faults, indexInMemory: number) {
  const faulty = new FaultyFileSystem(faults);
  const files = new OpenFiles(faulty);
  const limits = { ...TINY, indexInMemory };
  const life = await Life.begin({
    fileSystem: files,
    folder: temporaryFolder(),
    memory: 500,
    limits,
  });
  return { life, faulty, files };
}

describe.each([0, 10_000])('with indexes up to %i bytes in memory', (indexInMemory) => {
  test('a death at any file operation leaves what the last checkpoint holds', async () => {
    const { life, faulty } = await begin({ skipSync: true }, indexInMemory);
    await live(life);
    const last = faulty.changes;
    expect(last).toBeGreaterThan(100);
    await life.drain();
    for (let operations = 0; operations < last; operations += Math.ceil(last / 29)) {
      const { life, files } = await begin({ operations, skipSync: true }, indexInMemory);
      const dies = live(life);
      await expect(dies, `after ${operations} operations`).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      // After a failure every call is refused: what the disk holds is unknown.
      await expect(life.backlog.freeze()).rejects.toMatchObject({ code: 'DISK_FAILED' });
      await expect(life.backlog.sweep().then((sweep) => sweep.next())).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      await life.backlog.close();
      expect(files.now, 'open files').toBe(0);
      await life.reopen(nodeFileSystem);
      life.check();
      await life.drain();
    }
  });

  test('a full disk is reported, and there is room again after opening the last checkpoint', async () => {
    for (const room of [0, 100, 500, 900, 1500, 2500]) {
      const { life, files } = await begin({ room, skipSync: true }, indexInMemory);
      await expect(live(life)).rejects.toMatchObject({ code: 'DISK_FULL' });
      await life.backlog.close();
      expect(files.now, 'open files').toBe(0);
      await life.reopen(nodeFileSystem);
      await life.drain();
    }
  });

  test('a failed fsync makes the checkpoint fail', async () => {
    const { life, faulty } = await begin({}, indexInMemory);
    for (let i = 0; i < 12; i++) life.add(HOSTS[i % 4], '');
    await life.makeRoom();
    await life.checkpoint();
    await life.step(2);
    await life.finishRound();
    faulty.faults.failSync = true;
    await expect(life.checkpoint()).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await life.backlog.close();
    await life.reopen(nodeFileSystem);
    await life.drain();
  });

  test('short reads and writes are continued', async () => {
    const { life } = await begin({ shortTransfers: 150 }, indexInMemory);
    await live(life);
    await life.drain();
  });
});

test('a failed merge leaves the runs as they were', async () => {
  const { life, faulty } = await begin({}, 0);
  for (let i = 0; i < 8; i++) {
    for (const host of HOSTS) life.add(host, 'x'.repeat(50));
    if (i < 3) await life.makeRoom();
  }
  await life.checkpoint();
  // A fourth run is written, and then there is no room for the merge.
  faulty.faults.room = 1500;
  await expect(life.makeRoom()).rejects.toMatchObject({ code: 'DISK_FULL' });
  life.check();
  await life.backlog.close();
  await life.reopen(nodeFileSystem);
  life.check();
  await life.drain();
});
