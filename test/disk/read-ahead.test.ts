import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { ReadAhead } from '../../src/disk/read-ahead.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('gives the bytes of a range in order, however far a peek looks and however little is skipped', async () => {
  const steps = fc.array(fc.tuple(fc.nat(70), fc.nat(70)), { maxLength: 30 });
  const content = fc.uint8Array({ maxLength: 300, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.nat(40),
      fc.nat(40),
      fc.integer({ min: 1, max: 50 }),
      steps,
      async (bytes, a, b, chunk, looks) => {
        const path = join(temporaryFolder(), 'file');
        writeFileSync(path, bytes);
        const file = await new Disk(new FaultyFileSystem({ shortTransfers: 7 })).open(path, 'read');
        const [start, end] = [
          Math.min(a, bytes.length),
          Math.max(Math.min(a, bytes.length), bytes.length - b),
        ];
        const reader = new ReadAhead(file, start, end, chunk);
        let at = start;
        for (const [look, take] of looks) {
          const got = await reader.peek(look);
          expect([...got.subarray(0, look)]).toEqual([
            ...bytes.subarray(at, Math.min(end, at + look)),
          ]);
          const taken = Math.min(take, got.length);
          reader.skip(taken);
          at += taken;
        }
        await reader.end();
        await file.close();
      },
    ),
    { numRuns: 150 },
  );
});

test('a range beyond the end of the file ends where the file does', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'short');
  const file = await new Disk().open(path, 'read');
  const reader = new ReadAhead(file, 2, 1000, 64);
  expect(Buffer.from(await reader.peek(500)).toString()).toBe('ort');
  reader.skip(3);
  expect((await reader.peek(1)).length).toBe(0);
  await file.close();
});

test('a failed read is thrown by the peek that needs its bytes, and by no other call', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'some bytes');
  const file = await new Disk().open(path, 'read');
  await file.close();
  const [asked, left] = [new ReadAhead(file, 0, 10), new ReadAhead(file, 0, 10)];
  await expect(asked.peek(1)).rejects.toMatchObject({ code: 'DISK_FAILED' });
  await left.end();
});
