import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppendLog } from '../../src/disk/append-log.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { Format } from '../../src/disk/format.ts';
import { SequentialReader } from '../../src/disk/sequential-reader.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FORMAT: Format = { type: 'tst', version: 1 };

test('an append log holds its header and then every byte in order, whatever the sizes and the buffer', async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 1, max: 7 }),
      async (pieces, buffer, shortTransfers) => {
        const path = join(folder, `log${run++}`);
        const disk = new Disk(new FaultyFileSystem({ shortTransfers }));
        const log = await AppendLog.create(disk, path, FORMAT, buffer);
        for (const piece of pieces) await log.append(piece);
        const length = log.length;
        await log.close();
        const content = readFileSync(path);
        expect(content.subarray(0, 8).toString('latin1')).toBe('DRML\x01tst');
        expect(content.subarray(8)).toEqual(Buffer.concat(pieces));
        expect(length).toBe(content.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('a log opened at an earlier length drops later bytes and continues from there', async () => {
  const path = join(temporaryFolder(), 'log');
  const disk = new Disk();
  const log = await AppendLog.create(disk, path, FORMAT, 8);
  await log.append(Buffer.from('kept'));
  await log.sync();
  const length = log.length;
  await log.append(Buffer.from('forgotten, though it reached the disk'));
  await log.close();
  const again = await AppendLog.open(disk, path, FORMAT, length, 8);
  await again.append(Buffer.from('!'));
  await again.close();
  expect(readFileSync(path).subarray(8).toString()).toBe('kept!');
});

test('a full disk is reported with the file and the remedy, and every later call fails', async () => {
  const path = join(temporaryFolder(), 'log');
  const log = await AppendLog.create(new Disk(new FaultyFileSystem({ room: 20 })), path, FORMAT, 8);
  await log.append(new Uint8Array(12));
  const writing = async () => {
    await log.append(new Uint8Array(64));
    await log.flush();
  };
  await expect(writing()).rejects.toMatchObject({ code: 'DISK_FULL', exitCode: 4 });
  await expect(log.flush()).rejects.toMatchObject({ code: 'DISK_FULL' });
  await log.abandon();
});

test('a failed fsync is an error', async () => {
  const path = join(temporaryFolder(), 'log');
  const log = await AppendLog.create(
    new Disk(new FaultyFileSystem({ failSync: true })),
    path,
    FORMAT,
  );
  await expect(log.sync()).rejects.toMatchObject({ code: 'DISK_FAILED' });
  await log.abandon();
});

test.each([
  ['another type', 'DRML\x01oth', 'FILE_FORMAT'],
  ['another version', 'DRML\x09tst', 'FILE_VERSION'],
  ['another program', 'GIF89a\0\0', 'FILE_DAMAGED'],
  ['nothing', '', 'FILE_DAMAGED'],
])('a file of %s is refused by name', async (_, content, code) => {
  const path = join(temporaryFolder(), 'log');
  writeFileSync(path, content, 'latin1');
  await expect(AppendLog.open(new Disk(), path, FORMAT, 8)).rejects.toMatchObject({
    code,
    fact: expect.stringContaining(path),
  });
});

test('a sequential reader gives back any split of the bytes, and reports a truncated record', async () => {
  const path = join(temporaryFolder(), 'bytes');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(30)),
      fc.integer({ min: 1, max: 16 }),
      fc.integer({ min: 1, max: 5 }),
      async (sizes, buffer, shortTransfers) => {
        const bytes = Buffer.from(sizes.flatMap((n, i) => Array(n).fill(i % 256)));
        writeFileSync(path, bytes);
        const file = await new Disk(new FaultyFileSystem({ shortTransfers })).open(path, 'read');
        const reader = new SequentialReader(file, 0, bytes.length, buffer);
        for (const [i, n] of sizes.entries()) {
          if (n === 0) continue;
          if (i % 3 === 2) await reader.skip(n);
          else expect([...(await reader.take(n))!]).toEqual(Array(n).fill(i % 256));
        }
        expect(await reader.take(1)).toBeUndefined();
        await file.close();
      },
    ),
    { numRuns: 60 },
  );
  writeFileSync(path, 'abc');
  const file = await new Disk().open(path, 'read');
  await expect(new SequentialReader(file, 0, 3, 2).take(5)).rejects.toMatchObject({
    code: 'FILE_SHORT',
  });
  await file.close();
});

test('the error about a file that is too short names it', async () => {
  const path = join(temporaryFolder(), 'short');
  writeFileSync(path, 'abc');
  const file = await new Disk().open(path, 'read');
  await expect(file.readAll(new Uint8Array(4), 0)).rejects.toMatchObject({ code: 'FILE_SHORT' });
  await file.close();
});

test('traffic counts every byte moved', async () => {
  const disk = new Disk(new FaultyFileSystem({ shortTransfers: 3 }));
  const file = await disk.open(join(temporaryFolder(), 'counted'), 'create');
  await file.writeAll(new Uint8Array(10), 0);
  await file.readAll(new Uint8Array(7), 2);
  await file.close();
  expect(disk.traffic).toEqual({ read: 7, written: 10 });
});
