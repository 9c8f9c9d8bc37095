/** BEAST on a failing disk: a clear error, and nothing frozen is lost. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { nodeFileSystem } from '../../../src/disk/file-system.ts';
import { Beast } from '../../../src/frontier/beast/beast.ts';
import { type Faults, FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { OpenFiles } from '../backlog/open-files.ts';
import { Life, TINY } from './beast-life.ts';

/**
 * A little of everything: memory written out, rounds and rescans left half read, checkpoints with a
 * journal and without.
 */
async function live(life: Life): Promise<void> {
  for (let i = 0; i < 48; i++) {
    life.put(1 + (i % 3), (i * 37) % 90);
    life.put(Infinity, i % 7);
    if (i % 4 === 3) await life.makeRoom();
    if (i % 5 === 4) await life.take();
    if (i % 8 === 7) await life.advance();
    if (i % 3 === 2) await life.takeLater(1 + (i % 5));
    if (i % 7 === 6) await life.checkpoint();
  }
}

async function begin(faults: Faults, memory: number) {
  const faulty = new FaultyFileSystem(faults);
  const files = new OpenFiles(faulty);
  const options = { memory, queues: 1, mostQueues: 1000, limits: TINY, folder: temporaryFolder() };
  return { life: await Life.begin({ ...options, fileSystem: files }), faulty, files };
}

describe.each([0, 4000, 1e9])('with %i bytes of memory', (memory) => {
  test('a death at any file operation leaves what the last checkpoint holds', async () => {
    const { life, faulty } = await begin({ skipSync: true }, memory);
    await live(life);
    const last = faulty.changes;
    expect(last).toBeGreaterThan(12);
    await life.drain();
    for (let operations = 0; operations < last; operations += Math.ceil(last / 17)) {
      const { life, files } = await begin({ operations, skipSync: true }, memory);
      await expect(live(life), `after ${operations}`).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      // After a failure every call is refused: what the disk holds is unknown.
      await expect(life.beast.freeze()).rejects.toMatchObject({ code: 'DISK_FAILED' });
      await expect(life.beast.take()).rejects.toMatchObject({ code: 'DISK_FAILED' });
      await life.beast.close();
      expect(files.now, 'open files').toBe(0);
      await life.reopen(nodeFileSystem);
      await life.drain();
    }
  });

  test('a full disk is reported, and there is room again after opening the last checkpoint', async () => {
    for (const room of [0, 100, 500, 900, 1500, 2500]) {
      const { life, files } = await begin({ room, skipSync: true }, memory);
      await expect(live(life)).rejects.toMatchObject({ code: 'DISK_FULL' });
      await life.beast.close();
      expect(files.now, 'open files').toBe(0);
      await life.reopen(nodeFileSystem);
      await life.drain();
    }
  });

  test('a failed fsync makes the checkpoint fail', async () => {
    const { life, faulty } = await begin({}, memory);
    for (let i = 0; i < 12; i++) life.put(1 + (i % 3), 20);
    await life.checkpoint();
    await life.advance();
    life.put(Infinity);
    faulty.faults.failSync = true;
    await expect(life.checkpoint()).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await life.beast.close();
    await life.reopen(nodeFileSystem);
    await life.drain();
  });

  test('short reads and writes are continued', async () => {
    const { life } = await begin({ shortTransfers: 150 }, memory);
    await live(life);
    await life.drain();
  });
});

describe('a file that another program damaged', () => {
  /** Ten entries of one round on disk, and the state that names their file. */
  async function frozen() {
    const folder = temporaryFolder();
    const options = { disk: new Disk(), folder, memory: 0, limits: { window: 30 } };
    const beast = await Beast.open(options);
    for (let i = 0; i < 10; i++) beast.put(1, Buffer.from(`entry ${i}`));
    const at = await beast.freeze();
    const path = join(folder, readdirSync(folder)[0]);
    return { options: { ...options, at }, path, bytes: readFileSync(path) };
  }
  type Given = Awaited<ReturnType<typeof frozen>>;

  async function readAll({ options }: Pick<Given, 'options'>): Promise<number> {
    const beast = await Beast.open(options);
    let count = 0;
    try {
      await beast.advance();
      for (let entries = await beast.take(); entries; entries = await beast.take())
        count += entries.count;
      return count;
    } finally {
      await beast.close();
    }
  }

  test('is read when nothing is wrong', async () => {
    expect(await readAll(await frozen())).toBe(10);
  });

  test.each<[string, string, (given: Given) => Buffer]>([
    ['of another kind', 'FILE_DAMAGED', ({ bytes }) => bytes.fill('?', 0, 8)],
    ['with another version', 'FILE_DAMAGED', ({ bytes }) => bytes.fill(9, 4, 5)],
    ['shorter than it was', 'FILE_SHORT', ({ bytes }) => bytes.subarray(0, -1)],
    ['with an entry that is too long', 'FILE_DAMAGED', ({ bytes }) => bytes.fill(0x7f, 26, 27)],
    ['with lengths that never end', 'FILE_DAMAGED', ({ bytes }) => bytes.fill(0xff, 26)],
    ['with fewer entries', 'FILE_DAMAGED', ({ bytes }) => bytes.fill(3, 26 + 9 * 8, 27 + 9 * 8)],
  ])('%s is refused with its path', async (_, code, damage) => {
    const given = await frozen();
    writeFileSync(given.path, damage(given));
    await expect(readAll(given)).rejects.toMatchObject({
      code,
      fact: expect.stringContaining(given.path),
    });
  });
});
