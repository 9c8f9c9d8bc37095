/**
 * Files of blocks with checksums: they grow, they survive torn writes, they notice every damage.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppendLog, writeStateFile } from '../../src/disk/append-log.ts';
import { openStateFile } from '../../src/disk/block-file.ts';
import { BLOCK_BYTES, CONTENT_BYTES, storedLength } from '../../src/disk/block-sums.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { Format } from '../../src/disk/format.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FORMAT: Format = { type: 'tst', version: 1, summed: true };

/** Bytes that differ from one place to the next. */
const pattern = (from: number, length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, i) => ((from + i) * 2_654_435_761) >>> 13));

async function contentOf(disk: Disk, path: string, length: number): Promise<Buffer> {
  const file = await openStateFile(disk, path, FORMAT);
  try {
    const bytes = Buffer.alloc(length - 8);
    await file.readAll(bytes, 8);
    return bytes;
  } finally {
    await file.close();
  }
}

test('a log of blocks gives back every byte, whatever the sizes, the buffer and the transfers', async () => {
  const folder = temporaryFolder();
  let run = 0;
  const sizes = fc.array(fc.oneof(fc.nat(60), fc.nat(3 * CONTENT_BYTES)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 20_000 }), async (lengths, buffer) => {
      const path = join(folder, `log${run++}`);
      const disk = new Disk(new FaultyFileSystem({ shortTransfers: 1500 }));
      let log = await AppendLog.create(disk, path, FORMAT, buffer);
      for (const length of lengths) {
        await log.append(pattern(log.length - 8, length));
        if (length % 3 === 0) await log.flush();
        if (length % 5 !== 0) continue;
        await log.close();
        log = await AppendLog.open(disk, path, FORMAT, log.length, buffer);
      }
      const { length } = log;
      await log.close();
      expect(await contentOf(disk, path, length)).toEqual(pattern(0, length - 8));
      const stored = readFileSync(path);
      expect(stored.length).toBe(storedLength(length));
      expect(stored.subarray(0, 8).toString('latin1')).toBe('DRMS\x01tst');
      const file = await openStateFile(disk, path, FORMAT);
      expect(await file.size()).toBe(length);
      await file.close();
    }),
    { numRuns: 60 },
  );
});

test('a power cut that tears the writes after a checkpoint leaves the checkpoint whole', async () => {
  const folder = temporaryFolder();
  const disk = new Disk();
  let run = 0;
  const steps = fc.array(
    fc.record({ length: fc.nat(1500), how: fc.constantFrom('append', 'flush', 'sync') }),
    { maxLength: 14 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), fc.boolean(), async (script, seed, isStored) => {
      const path = join(folder, `log${run++}`);
      const log = await AppendLog.create(disk, path, FORMAT, BLOCK_BYTES);
      await log.sync();
      // The checkpoint being stored and the one before, and what was on disk at each.
      let [before, last] = [log.length, log.length];
      let durable = readFileSync(path);
      for (const { length, how } of script) {
        await log.append(pattern(log.length - 8, length));
        if (how === 'flush') await log.flush();
        if (how !== 'sync') continue;
        await log.sync();
        [before, last] = [last, log.length];
        durable = readFileSync(path);
      }
      await log.flush();
      const written = readFileSync(path);
      await log.abandon();
      const torn = Buffer.from(
        Uint8Array.from(written, (byte, i) => (random(seed, i) ? byte : (durable[i] ?? 0))),
      );
      writeFileSync(path, torn);
      const length = isStored ? last : before;
      const again = await AppendLog.open(disk, path, FORMAT, length);
      await again.append(pattern(length - 8, 100));
      await again.close();
      expect(await contentOf(disk, path, length + 100)).toEqual(pattern(0, length + 92));
    }),
    { numRuns: 150 },
  );
});

const random = (seed: number, i: number): boolean =>
  ((Math.imul(seed + i * 31, 0x9e3779b1) >>> 7) & 1) === 1;

test('every wrong bit is noticed or harmless, and named with file and place', async () => {
  const path = join(temporaryFolder(), 'file');
  const disk = new Disk();
  const length = await writeStateFile(disk, path, FORMAT, [pattern(0, 2 * CONTENT_BYTES - 100)]);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += at % BLOCK_BYTES < 16 ? 1 : 13) {
    const flipped = Buffer.from(whole);
    flipped[at] ^= 1 << (at % 8);
    writeFileSync(path, flipped);
    const read = contentOf(disk, path, length);
    const inBlock = at % BLOCK_BYTES;
    const isUsed =
      (inBlock < CONTENT_BYTES &&
        Math.floor(at / BLOCK_BYTES) * CONTENT_BYTES + inBlock < length) ||
      (inBlock >= CONTENT_BYTES && inBlock < CONTENT_BYTES + 8);
    if (!isUsed) expect(await read).toEqual(pattern(0, length - 8));
    else if (at < 4) await expect(read).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    else {
      const first = at - inBlock;
      await expect(read).rejects.toMatchObject({
        code: 'FILE_DAMAGED',
        fact: expect.stringContaining(`${path} is damaged at bytes ${first} to ${first + 4095}`),
        remedy: expect.stringContaining('drumlin repair'),
      });
    }
  }
});

test('blocks that changed places, and a file that ends too soon, are damage', async () => {
  const path = join(temporaryFolder(), 'file');
  const disk = new Disk();
  const same = Buffer.alloc(3 * CONTENT_BYTES, 7);
  const length = await writeStateFile(disk, path, FORMAT, [same]);
  const whole = readFileSync(path);
  const swapped = Buffer.from(whole);
  whole.copy(swapped, BLOCK_BYTES, 2 * BLOCK_BYTES, 3 * BLOCK_BYTES);
  whole.copy(swapped, 2 * BLOCK_BYTES, BLOCK_BYTES, 2 * BLOCK_BYTES);
  writeFileSync(path, swapped);
  await expect(contentOf(disk, path, length)).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  for (const size of [whole.length - 1, 2 * BLOCK_BYTES, 100]) {
    writeFileSync(path, whole.subarray(0, size));
    await expect(contentOf(disk, path, length)).rejects.toMatchObject({ code: 'FILE_SHORT' });
    await expect(AppendLog.open(disk, path, FORMAT, length)).rejects.toMatchObject({
      code: 'FILE_SHORT',
    });
  }
});

test('a file without checksums is read and continued as it was', async () => {
  const path = join(temporaryFolder(), 'file');
  const disk = new Disk();
  await writeStateFile(disk, path, { type: 'tst', version: 1 }, [Buffer.from('old')]);
  const log = await AppendLog.open(disk, path, FORMAT, 11);
  await log.append(Buffer.from('er'));
  await log.close();
  expect(readFileSync(path, 'latin1')).toBe('DRML\x01tstolder');
  expect((await contentOf(disk, path, 13)).toString()).toBe('older');
});
