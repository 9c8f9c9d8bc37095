import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Pacer } from '../../src/base/pacer.ts';
import { xxh64 } from '../../src/base/xxh64.ts';
import { Disk } from '../../src/disk/disk.ts';
import { drumOverhead, PAPER } from '../../src/drum/cost-model.ts';
import { drumGeometry, type Geometry } from '../../src/drum/geometry.ts';
import { KeyDrum } from '../../src/drum/key-drum.ts';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { pack, unpack } from '../sieve/packing.ts';
import { TINY } from './tiny-geometry.ts';

const open = (geometry: Geometry, more: object = {}) =>
  KeyDrum.open({ disk: new Disk(), folder: temporaryFolder(), geometry, ...more });

async function takeKeys(drum: KeyDrum): Promise<bigint[]> {
  const keys: bigint[] = [];
  for (let batch = await drum.take(); batch; batch = await drum.take())
    keys.push(...unpack(batch).map((o) => o.key));
  return keys;
}

test('answers come in the order of arrival within a bucket, buckets in the order of keys', async () => {
  const drum = await open({ ...TINY, bucketKeys: 100 });
  const low = [5n, 3n, 9n, 3n, 1n];
  const high = [2n ** 64n - 1n, 2n ** 64n - 9n];
  await drum.offer(pack([high[0], ...low, high[1]].map((key) => ({ key, text: `${key}` }))));
  await drum.flush();
  expect(await takeKeys(drum)).toEqual([5n, 3n, 9n, 1n, ...high]);
  await drum.close();
});

test('bytes moved are within a tenth of what Theorem 2 predicts', async () => {
  const memory = 4 * 2 ** 20;
  const diskLimit = 2 * 2 ** 20;
  const disk = new Disk();
  const drum = await open(drumGeometry(memory), { disk, diskLimit });
  const batch = new BatchBuilder();
  const urls = 180_000;
  let novel = 0;
  let bytes = 0;
  for (let i = 0; i < urls; ) {
    batch.clear();
    for (let n = 0; n < 1000; n++, i++) {
      const id = i % 9 === 0 ? i : (i * 7919) % (i + 1);
      const url = `http://www.example.com/a/path/that/makes/it/long/enough/${String(id - (id % 9)).padStart(14, '0')}`;
      batch.addText(xxh64(url), url);
      bytes += url.length;
    }
    await drum.offer(batch);
    novel += (await takeKeys(drum)).length;
  }
  await drum.flush();
  novel += (await takeKeys(drum)).length;
  expect(novel).toBe(urls / 9);
  const urlBytes = bytes / urls;
  const uniqueShare = novel / urls;
  const model = {
    ...PAPER,
    pages: urls,
    linksPerPage: 1,
    memory: 1e9,
    disk: diskLimit,
    urlBytes,
    uniqueShare,
    seen: 0,
  };
  const moved = disk.traffic.read + disk.traffic.written;
  const ratio = moved / (drumOverhead(model) * bytes);
  expect(ratio).toBeGreaterThan(0.9);
  expect(ratio).toBeLessThan(1.1);
  await drum.close();
});

test('buckets follow the keys: a narrow range of them still fills all buckets evenly', async () => {
  const geometry = { ...TINY, buckets: 4, bucketKeys: 1000, keyChunk: 64, textChunk: 256 };
  const drum = await open(geometry);
  // An agent that owns two of 1024 partitions: nine or ten constant bits.
  const keys = Array.from(
    { length: 800 },
    (_, i) => (BigInt(300 + (i % 2)) << 54n) | (xxh64(`${i}`) >> 10n),
  );
  await drum.offer(pack(keys.map((key) => ({ key, text: '' }))));
  await drum.flush();
  const { state } = await drum.freeze();
  const starts = state.collecting.starts.map((slot) => slot / 64);
  expect(starts[0]).toBe(0);
  expect(starts[1]).toBeCloseTo(300.5, 0);
  expect(starts[2]).toBeCloseTo(301, 0);
  expect(starts[3]).toBeCloseTo(301.5, 0);
  await drum.close();
});

test('a merge lets other work run between its slices', async () => {
  let pauses = 0;
  const pacer: Pacer = {
    pause: () => {
      pauses++;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
  const drum = await open({ ...drumGeometry(2 ** 20), buckets: 1 }, { pacer });
  await drum.offer(
    pack(Array.from({ length: 20_000 }, (_, i) => ({ key: xxh64(`${i}`), text: '' }))),
  );
  await drum.flush();
  expect(pauses).toBeGreaterThan(2);
  expect(drum.size).toBe(20_000);
  await drum.close();
});

test('keys that are not fingerprints, all in one bucket, are merged too', async () => {
  const drum = await open(drumGeometry(2 ** 20));
  const keys = Array.from({ length: 30_000 }, (_, i) => BigInt(((i * 7) % 20_000) ** 2));
  await drum.offer(pack(keys.map((key) => ({ key, text: '' }))));
  await drum.flush();
  expect(drum.size).toBe(new Set(keys).size);
  await drum.close();
});

test('files that no checkpoint needs are deleted as soon as their answers are taken', async () => {
  const folder = temporaryFolder();
  const disk = new Disk();
  const drum = await KeyDrum.open({ disk, folder, geometry: TINY });
  for (let i = 0; i < 40; i++) await drum.offer(pack([{ key: xxh64(`${i}`), text: 'text' }]));
  await drum.flush();
  await takeKeys(drum);
  expect((await disk.list(folder)).map((name) => name.split('.')[0]).sort()).toEqual([
    'keys',
    'offers',
  ]);
  await drum.close();
});

test('a damaged repository is refused with its path', async () => {
  const folder = temporaryFolder();
  const disk = new Disk();
  const drum = await KeyDrum.open({ disk, folder, geometry: TINY });
  await drum.offer(pack([{ key: 1n, text: '' }]));
  await drum.flush();
  const at = await drum.freeze();
  await drum.close();
  const name = Object.keys(at.files).find((file) => file.startsWith('keys'))!;
  const file = await disk.open(join(folder, name), 'update');
  await file.writeAll(Buffer.from('GARBAGE!'), 0);
  await file.close();
  await expect(KeyDrum.open({ disk, folder, geometry: TINY, at })).rejects.toMatchObject({
    code: 'FILE_DAMAGED',
    fact: expect.stringContaining(name),
  });
});
