/** Runs as files: what they refuse, how large they may be, which files stay. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeStateFile } from '../../../src/disk/append-log.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { type Format, formatHeader, HEADER_BYTES } from '../../../src/disk/format.ts';
import { VersionedFiles } from '../../../src/disk/versioned-files.ts';
import { Backlog, type BacklogState } from '../../../src/frontier/backlog/backlog.ts';
import { RUN_FORMAT } from '../../../src/frontier/backlog/run.ts';
import { IndexWriter, rowSize } from '../../../src/frontier/backlog/run-index.ts';
import { PathQueue } from '../../../src/frontier/queue/path-queue.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { OpenFiles } from './open-files.ts';

const LIMITS = { mostRuns: 3, mergedAtOnce: 2, waste: 1e9, window: 64, indexInMemory: 1e6 };

async function openAt(
  folder: string,
  at?: Frozen<BacklogState>,
  limits: Partial<typeof LIMITS> = {},
) {
  const files = new OpenFiles();
  const options = {
    disk: new Disk(files),
    folder,
    memory: 0,
    at,
    limits: { ...LIMITS, ...limits },
  };
  try {
    return { files, backlog: await Backlog.open(options) };
  } catch (error) {
    expect(files.now, 'a failed opening leaves no file open').toBe(0);
    throw error;
  }
}

/** A folder with one run: three hosts, of ten URLs each. */
async function folderWithRun(limits: Partial<typeof LIMITS> = {}) {
  const folder = temporaryFolder();
  const { backlog } = await openAt(folder, undefined, limits);
  for (const host of ['a', 'b', 'c.example'])
    for (let i = 0; i < 10; i++)
      backlog.add(host, { url: `http://${host}/${i}`, depth: 0, redirects: 0 });
  await backlog.makeRoom();
  const at = await backlog.freeze();
  await backlog.discardOlder(at);
  await backlog.close();
  const index = Object.keys(at.files).find((name) => name.includes('index')) as string;
  return { folder, at, data: join(folder, 'run.1'), index: join(folder, index) };
}

async function drain(backlog: Backlog): Promise<string[]> {
  const urls: string[] = [];
  const sweep = await backlog.sweep();
  while (await sweep.next()) {
    const queue = new PathQueue(sweep.host);
    await sweep.take(Infinity, queue);
    for (let next = queue.shift(); next; next = queue.shift()) urls.push(next.url);
  }
  await backlog.endSweep();
  return urls;
}

function overwrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

describe('a damaged folder is refused with its path', () => {
  test.each([
    'data',
    'index',
  ] as const)('when the %s of a run is missing, or of another kind', async (which) => {
    const made = await folderWithRun();
    overwrite(made[which], (bytes) => bytes.write('not ours', 0, 'latin1'));
    await expect(openAt(made.folder, made.at)).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  test('when a file is shorter than in the checkpoint', async () => {
    const { folder, at, data } = await folderWithRun();
    truncateSync(data, 20);
    await expect(openAt(folder, at)).rejects.toMatchObject({ code: 'FILE_SHORT' });
  });

  test('when it comes from another version', async () => {
    const { folder, at, index } = await folderWithRun();
    const later: Format = { type: 'idx', version: 9, summed: true };
    await writeStateFile(new Disk(), index, later, [Buffer.alloc(at.files[basename(index)])]);
    await expect(openAt(folder, at)).rejects.toMatchObject({ code: 'FILE_VERSION' });
  });

  test.each([0, 1e6])('when entries do not end where their host does', async (indexInMemory) => {
    const { folder, at, data } = await folderWithRun({ indexInMemory });
    const wrong = Buffer.alloc(at.files[basename(data)] - HEADER_BYTES, 0xff);
    await writeStateFile(new Disk(), data, RUN_FORMAT, [wrong]);
    const { backlog } = await openAt(folder, at, { indexInMemory });
    await expect(drain(backlog)).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    await expect(backlog.freeze()).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    await backlog.close();
  });

  test.each([0, 1e6])('when a row points past the data', async (indexInMemory) => {
    const { folder, at, index } = await folderWithRun({ indexInMemory });
    const rows = readFileSync(index).subarray(HEADER_BYTES, at.files[basename(index)]);
    rows.writeUIntLE(2 ** 40, 8, 6);
    await writeStateFile(new Disk(), index, { type: 'idx', version: 1, summed: true }, [rows]);
    const { backlog } = await openAt(folder, at, { indexInMemory });
    await expect(drain(backlog)).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    await backlog.close();
  });

  test.each([0, 1e6])('when the index ends inside a row', async (indexInMemory) => {
    const { folder, at, index } = await folderWithRun({ indexInMemory });
    const name = index.slice(folder.length + 1);
    const files = { ...at.files, [name]: at.files[name] - 3 };
    const { backlog } = await openAt(folder, { ...at, files }, { indexInMemory });
    await expect(drain(backlog)).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    await backlog.close();
  });
});

test('a host may have more than four gigabytes in a run, and the run more than that', async () => {
  const folder = temporaryFolder();
  const huge = 5 * 2 ** 32;
  const queue = new PathQueue('a');
  for (const path of ['x', 'y', 'z'])
    queue.push({ url: `http://a/${path}`, depth: 0, redirects: 0 });
  const { bytes } = queue.entries();
  // A sparse file: three entries at the far end, and a host whose rest is never read.
  const data = await new Disk().open(join(folder, 'run.1'), 'create');
  await data.writeAll(formatHeader({ ...RUN_FORMAT, summed: false }), 0);
  await data.writeAll(bytes, HEADER_BYTES);
  await data.writeAll(bytes, huge);
  await data.close();
  const disk = new Disk();
  const writer = new IndexWriter(
    { disk, files: new VersionedFiles(disk, folder, []), ...LIMITS },
    1,
    0,
  );
  await writer.reserve(2 * rowSize('a'));
  writer.add(1, 1, 'a', HEADER_BYTES, huge - HEADER_BYTES, 3);
  writer.add(1, 2, 'b', huge, bytes.length, 3);
  await writer.save();
  await writer.abandon();
  const run = {
    id: 1,
    generation: 0,
    urls: 6,
    hosts: 2,
    bytes: huge - HEADER_BYTES + bytes.length,
  };
  const files = { 'run.1': huge + bytes.length, 'run.1.index.0': writer.length };
  const first = await openAt(folder, { files, state: { nextRun: 2, runs: [run] } });
  const sweep = await first.backlog.sweep();
  await sweep.next();
  expect(await sweep.take(2, new PathQueue('a'))).toBe(2);
  await sweep.next();
  expect(await sweep.take(1, new PathQueue('b'))).toBe(1);
  const at = await first.backlog.freeze();
  expect(at.state.runs[0].bytes).toBe(run.bytes - bytes.length);
  await first.backlog.close();
  const second = await openAt(folder, at);
  expect(await drain(second.backlog)).toEqual(['http://a/z', 'http://b/y', 'http://b/z']);
  await second.backlog.close();
});

test('a URL of 60 KB is queued like any other, on disk, through a merge and a restart', async () => {
  const folder = temporaryFolder();
  const first = await openAt(folder, undefined, { window: 32 * 1024 });
  const long = (i: number) => `https://a/${i}${'x'.repeat(60_000)}`;
  const urls = Array.from({ length: 12 }, (_, i) => (i % 2 ? `http://a/${i}` : long(i)));
  for (const url of urls) {
    first.backlog.add('a', { url, depth: 0, redirects: 0 });
    await first.backlog.makeRoom();
  }
  const at = await first.backlog.freeze();
  expect(at.state.runs.length).toBeLessThan(4);
  await first.backlog.close();
  const second = await openAt(folder, at, { window: 32 * 1024 });
  expect(await drain(second.backlog)).toEqual(urls);
  await second.backlog.close();
});

test('hosts and URLs left are counted, also in the middle of a sweep and after a restart', async () => {
  const { folder, at } = await folderWithRun();
  const first = await openAt(folder, at);
  const sweep = await first.backlog.sweep();
  for (const most of [10, 4]) {
    await sweep.next();
    await sweep.take(most, new PathQueue(sweep.host));
  }
  const later = await first.backlog.freeze();
  expect([first.backlog.hosts, first.backlog.urls]).toEqual([2, 16]);
  expect(await sweep.next()).toBe(true);
  expect(sweep.drop()).toBe(10);
  expect(await sweep.next()).toBe(false);
  await first.backlog.endSweep();
  expect([first.backlog.hosts, first.backlog.urls]).toEqual([1, 6]);
  await first.backlog.close();
  const second = await openAt(folder, later);
  expect([second.backlog.hosts, second.backlog.urls]).toEqual([2, 16]);
  await second.backlog.close();
});

describe('files', () => {
  const addRun = async (backlog: Backlog, host: string, count = 3) => {
    for (let i = 0; i < count; i++)
      backlog.add(host, { url: `http://${host}/${i}`, depth: 0, redirects: 0 });
    await backlog.makeRoom();
  };

  test.each([
    0, 1e6,
  ])('of runs that a sweep emptied are closed and deleted', async (indexInMemory) => {
    const folder = temporaryFolder();
    const { files, backlog } = await openAt(folder, undefined, { indexInMemory });
    for (let i = 0; i < 7; i++) await addRun(backlog, `h${i % 2}.example`);
    expect(readdirSync(folder).length).toBeGreaterThan(2);
    expect(await drain(backlog)).toHaveLength(21);
    expect(readdirSync(folder)).toEqual([]);
    expect(files.now).toBe(0);
    await backlog.close();
  });

  test('that a checkpoint names are deleted when a later one does not name them', async () => {
    const folder = temporaryFolder();
    const { backlog } = await openAt(folder);
    await addRun(backlog, 'a');
    const first = await backlog.freeze();
    await backlog.discardOlder(first);
    await drain(backlog);
    expect(readdirSync(folder).sort()).toEqual(Object.keys(first.files).sort());
    await backlog.discardOlder(await backlog.freeze());
    expect(readdirSync(folder)).toEqual([]);
    await backlog.close();
  });

  test('are as many as before when nothing changed between two checkpoints', async () => {
    const folder = temporaryFolder();
    const { backlog } = await openAt(folder);
    await addRun(backlog, 'a');
    const first = await backlog.freeze();
    await backlog.discardOlder(first);
    const sweep = await backlog.sweep();
    await sweep.next();
    const second = await backlog.freeze();
    expect(second).toEqual(first);
    await backlog.close();
  });

  test('are few however many runs are written during sweeps', async () => {
    const { files, backlog } = await openAt(temporaryFolder(), undefined, { indexInMemory: 0 });
    for (let i = 0; i < 5; i++) await addRun(backlog, 'a');
    for (let round = 0; round < 4; round++) {
      const sweep = await backlog.sweep();
      await sweep.next();
      for (let i = 0; i < 20; i++) await addRun(backlog, 'a');
      await sweep.take(1, new PathQueue('a'));
      expect(await sweep.next()).toBe(false);
      await backlog.endSweep();
    }
    // Three runs being swept, with data and two indexes each; four that are not; another while two
    // are merged.
    expect(files.most).toBeLessThanOrEqual(3 * 3 + 4 * 2 + 2);
    expect(backlog.urls).toBe((5 + 4 * 20) * 3 - 4);
    expect(await drain(backlog)).toHaveLength((5 + 4 * 20) * 3 - 4);
    expect(files.now).toBe(0);
    await backlog.close();
  });

  test('are not much larger than the queued URLs, however long the rest of a host stays queued', async () => {
    const folder = temporaryFolder();
    const { backlog } = await openAt(folder, undefined, { waste: 1000 });
    for (let i = 0; i < 400; i++)
      backlog.add('a', { url: `http://a/${i}`, depth: 0, redirects: 0 });
    await backlog.makeRoom();
    const urls: string[] = [];
    while (urls.length < 400) {
      const sweep = await backlog.sweep();
      while (await sweep.next()) {
        const queue = new PathQueue('a');
        await sweep.take(10, queue);
        for (let next = queue.shift(); next; next = queue.shift()) urls.push(next.url);
      }
      await backlog.endSweep();
      const onDisk = readdirSync(folder).reduce(
        (sum, name) => sum + readFileSync(join(folder, name)).length,
        0,
      );
      expect(onDisk).toBeLessThan(Math.max(4 * 12 * (400 - urls.length), 2000) + 2 * 4096);
    }
    expect(urls).toEqual(Array.from({ length: 400 }, (_, i) => `http://a/${i}`));
    await backlog.close();
  });
});
