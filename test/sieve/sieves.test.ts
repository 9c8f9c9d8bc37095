import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { DrumSieve, MercatorSieve } from '../../src/sieve/disk-sieve.ts';
import { MemorySieve } from '../../src/sieve/memory-sieve.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { TINY, TINY_MERCATOR } from '../drum/tiny-geometry.ts';
import { type Subject, sieveConformance } from './conformance.ts';

const root = mkdtempSync(join(tmpdir(), 'drumlin-sieves-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const disk = () => new Disk(new FaultyFileSystem({ skipSync: true }));
const folder = () => join(root, String(count++));

function onDisk(
  form: typeof DrumSieve | typeof MercatorSieve,
  options: object,
): Omit<Subject, 'name' | 'ordered'> {
  return {
    open: () => form.open({ folder: folder(), memory: 2 ** 20, disk: disk(), ...options }),
    durable() {
      const fixed = { folder: folder(), memory: 2 ** 20, disk: disk(), ...options };
      return { open: (at) => form.openAt(fixed, at as Parameters<typeof form.openAt>[1]) };
    },
  };
}

sieveConformance({ name: 'MemorySieve', ordered: true, open: async () => new MemorySieve(16) });
sieveConformance({
  name: 'DrumSieve with tiny buckets',
  ordered: false,
  ...onDisk(DrumSieve, { geometry: TINY, cache: 0 }),
});
sieveConformance({
  name: 'DrumSieve with tiny buckets behind a cache',
  ordered: false,
  ...onDisk(DrumSieve, { geometry: TINY, cache: 128 }),
});
sieveConformance({
  name: 'DrumSieve limited in disk space',
  ordered: false,
  ...onDisk(DrumSieve, { geometry: { ...TINY, bucketKeys: 1000 }, diskLimit: 300, cache: 0 }),
});
sieveConformance({
  name: 'MercatorSieve with a tiny bucket',
  ordered: true,
  ...onDisk(MercatorSieve, { geometry: TINY_MERCATOR, cache: 64 }),
});
