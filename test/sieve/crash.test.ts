import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import { DrumSieve, MercatorSieve } from '../../src/sieve/disk-sieve.ts';
import { type Faults, FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { TINY, TINY_MERCATOR } from '../drum/tiny-geometry.ts';
import { crawlLikeOffers, readOutput } from './kill-child.ts';
import { firsts, type Offer, pack, takeAll } from './packing.ts';

/** Batches with repeats; every third is followed by a checkpoint. */
const BATCHES = Array.from({ length: 9 }, (_, i) => crawlLikeOffers(i * 9, i * 9 + 9));

/** What was taken before a checkpoint, and the batch to continue with after it. */
interface Progress {
  readonly delivered: readonly Offer[];
  readonly next: number;
}

class Life {
  /** By the number of the checkpoint; the first is that of the empty folder. */
  readonly checkpoints: Progress[] = [
    { delivered: [], next: 0 },
    { delivered: [], next: 0 },
  ];

  /** The checkpoint that the folder holds, even if the process died before it could note it. */
  async last(folder: string): Promise<Progress> {
    return this.checkpoints[await checkpointsOf(folder)];
  }
}

/** Resumes from the last checkpoint; what was taken after it is lost with the process. */
async function live(
  form: typeof DrumSieve | typeof MercatorSieve,
  folder: string,
  faults: Faults,
  life: Life,
) {
  const geometry = form === DrumSieve ? TINY : TINY_MERCATOR;
  const disk = new Disk(new FaultyFileSystem({ skipSync: true, ...faults }));
  const from = await life.last(folder);
  const sieve = await form.open({ folder, memory: 2 ** 20, geometry, cache: 64, disk });
  try {
    const taken = [...from.delivered];
    for (let i = from.next; i < BATCHES.length; i++) {
      await sieve.offer(pack(BATCHES[i]));
      taken.push(...(await takeAll(sieve)));
      if (i % 3 !== 2) continue;
      if (i === BATCHES.length - 1) {
        await sieve.flush();
        taken.push(...(await takeAll(sieve)));
      }
      life.checkpoints[2 + (i - 2) / 3] = { delivered: [...taken], next: i + 1 };
      await sieve.checkpoint();
    }
  } finally {
    await sieve.close();
  }
  return (disk.fileSystem as FaultyFileSystem).changes;
}

const byKey = (a: Offer, b: Offer) => (a.key < b.key ? -1 : 1);
const EXPECTED = firsts(BATCHES.flat()).sort(byKey);

describe.each([DrumSieve, MercatorSieve])('$name', (form) => {
  test('after a death at any file operation, a sieve resumes from its last checkpoint: nothing is lost or repeated', async () => {
    const operations = await live(form, temporaryFolder(), {}, new Life());
    expect(operations).toBeGreaterThan(100);
    for (let at = 0; at < operations; at += Math.ceil(operations / 17)) {
      const folder = temporaryFolder();
      const life = new Life();
      await expect(live(form, folder, { operations: at }, life)).rejects.toMatchObject({
        code: 'DISK_FAILED',
      });
      await live(form, folder, {}, life);
      expect([...(await life.last(folder)).delivered].sort(byKey)).toEqual(EXPECTED);
    }
  });
});

/** How many checkpoints the folder has had; 0 when it has none. */
async function checkpointsOf(folder: string): Promise<number> {
  const file = await nodeFileSystem
    .open(join(folder, 'checkpoint.json'), 'read')
    .catch(() => undefined);
  if (!file) return 0;
  const bytes = new Uint8Array(await file.size());
  await file.read(bytes, 0, bytes.length, 0);
  await file.close();
  return JSON.parse(Buffer.from(bytes).toString()).sequence;
}

test('a full disk is reported, and nothing is lost after space was freed', async () => {
  const folder = temporaryFolder();
  const life = new Life();
  await expect(live(DrumSieve, folder, { room: 4000 }, life)).rejects.toMatchObject({
    code: 'DISK_FULL',
    exitCode: 4,
  });
  await live(DrumSieve, folder, {}, life);
  expect([...(await life.last(folder)).delivered].sort(byKey)).toEqual(EXPECTED);
});

test('after a failure the sieve refuses every further call', async () => {
  const disk = new Disk(new FaultyFileSystem({ skipSync: true, room: 500 }));
  const sieve = await DrumSieve.open({
    folder: temporaryFolder(),
    memory: 2 ** 20,
    geometry: TINY,
    disk,
  });
  await expect(sieve.offer(pack(crawlLikeOffers(0, 100)))).rejects.toMatchObject({
    code: 'DISK_FULL',
  });
  await expect(sieve.take()).rejects.toMatchObject({ code: 'DISK_FULL' });
  await expect(sieve.checkpoint()).rejects.toMatchObject({ code: 'DISK_FULL' });
  await sieve.close();
});

test('a failed fsync leaves the checkpoint before it', async () => {
  const folder = temporaryFolder();
  const first = await DrumSieve.open({ folder, memory: 2 ** 20, geometry: TINY });
  await first.offer(pack(BATCHES[0]));
  await first.checkpoint();
  await first.close();
  const disk = new Disk(new FaultyFileSystem({ failSync: true }));
  const second = await DrumSieve.open({ folder, memory: 2 ** 20, geometry: TINY, disk });
  await second.offer(pack(BATCHES[1]));
  await expect(second.checkpoint()).rejects.toMatchObject({ code: 'DISK_FAILED' });
  await second.close();
  const third = await DrumSieve.open({ folder, memory: 2 ** 20, geometry: TINY });
  await third.flush();
  expect((await takeAll(third)).sort(byKey)).toEqual(firsts(BATCHES[0]).sort(byKey));
  await third.close();
});

test('after the power is cut at any moment, a sieve is what it was at its last checkpoint', async () => {
  const offers = crawlLikeOffers(0, 120);
  for (let last = 1; last < 12; last++) {
    const fileSystem = new PowerCutFileSystem();
    const options = {
      folder: temporaryFolder(),
      memory: 2 ** 20,
      geometry: TINY,
      disk: new Disk(fileSystem),
    };
    const sieve = await DrumSieve.open(options);
    const kept: Offer[] = [];
    let taken: Offer[] = [];
    for (let i = 0; i < last; i++) {
      await sieve.offer(pack(offers.slice(i * 10, i * 10 + 10)));
      taken.push(...(await takeAll(sieve)));
      if (i % 2 === 1) continue;
      await sieve.checkpoint();
      kept.push(...taken);
      taken = [];
    }
    await sieve.close();
    fileSystem.cutPower();
    const again = await DrumSieve.open(options);
    const checkpointed = offers.slice(0, (last - 1 - ((last - 1) % 2)) * 10 + 10);
    await again.flush();
    const rest = await takeAll(again);
    expect([...kept, ...rest].sort(byKey)).toEqual(firsts(checkpointed).sort(byKey));
    await again.close();
  }
});

test('a process killed by SIGKILL again and again during merges delivers every key exactly once in the end', async () => {
  const folder = temporaryFolder();
  let kills = 0;
  for (const killAt of [30, 52, 74, 96, 1e9]) {
    if (await endsByKill(folder, killAt)) kills++;
  }
  expect(kills).toBe(4);
  const expected = firsts(crawlLikeOffers(0, 1200)).map(({ text }) => text);
  expect(readOutput(folder).sort()).toEqual(expected.sort());
});

function endsByKill(folder: string, killAt: number): Promise<boolean> {
  const script = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', script, folder, String(killAt)],
      (error, _, stderr) => {
        if (!error) resolve(false);
        else if (error.signal === 'SIGKILL') resolve(true);
        else reject(new Error(stderr));
      },
    );
  });
}

test('a folder that holds no sieve stays as it is', async () => {
  const folder = temporaryFolder();
  const file = await nodeFileSystem.open(join(folder, 'keys.1'), 'create');
  await file.close();
  await expect(DrumSieve.open({ folder, memory: 2 ** 20 })).rejects.toMatchObject({
    code: 'FOLDER_NOT_OURS',
  });
  expect(await nodeFileSystem.list(folder)).toEqual(['keys.1']);
});

test('two sieves cannot use the same folder, and a folder may be opened as the other form', async () => {
  const folder = temporaryFolder();
  const sieve = await DrumSieve.open({ folder, memory: 2 ** 20 });
  await expect(MercatorSieve.open({ folder, memory: 2 ** 20 })).rejects.toMatchObject({
    code: 'FOLDER_IN_USE',
  });
  await sieve.offer(pack(BATCHES[0]));
  await sieve.checkpoint();
  await sieve.close();
  const other = await MercatorSieve.open({ folder, memory: 4 * 2 ** 20 });
  await other.flush();
  expect((await takeAll(other)).sort(byKey)).toEqual(firsts(BATCHES[0]).sort(byKey));
  await other.close();
});
