import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchFile } from '../../src/disk/batch-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from './faulty-file-system.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('whatever writes are shortened or fail, the file holds whole batches only, each once', async () => {
  const batch = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 3 });
  // For each batch, the free space at each try; after these there is enough.
  const step = fc.record({ batch, rooms: fc.array(fc.nat({ max: 25 }), { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, shortTransfers) => {
        const path = join(temporaryFolder(), 'x');
        const system = new FaultyFileSystem({ shortTransfers, skipSync: true });
        const file = await BatchFile.create(new Disk(system), path);
        let model = Buffer.alloc(0);
        for (const { batch, rooms } of steps) {
          const after = Buffer.concat([model, ...batch]);
          for (const room of [...rooms, Infinity]) {
            system.faults.room = room;
            const failure = await file.append(batch).catch((error) => error);
            expect(failure?.code).toBe(
              room < after.length - model.length ? 'DISK_FULL' : undefined,
            );
            if (failure === undefined) break;
            expect((await readFile(path)).equals(model)).toBe(true);
            expect(file.length).toBe(model.length);
          }
          model = after;
          expect(file.length).toBe(model.length);
        }
        await file.sync();
        await file.close();
        expect((await readFile(path)).equals(model)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test('a ragged end that could not be truncated is overwritten by the same batch', async () => {
  const path = join(temporaryFolder(), 'x');
  const system = new FaultyFileSystem({ shortTransfers: 2 });
  const file = await BatchFile.create(new Disk(system), path);
  await file.append([Buffer.from('one.')]);
  system.faults.operations = 1;
  await expect(file.append([Buffer.from('two.')])).rejects.toMatchObject({ code: 'DISK_FAILED' });
  expect((await readFile(path)).toString()).toBe('one.tw');
  expect(file.length).toBe(4);
  system.faults.operations = 9;
  await file.append([Buffer.from('two.')]);
  await file.close();
  expect((await readFile(path)).toString()).toBe('one.two.');
});

test('an existing file is an error and stays as it is', async () => {
  const path = join(temporaryFolder(), 'x');
  const disk = new Disk();
  const file = await BatchFile.create(disk, path);
  await file.append([Buffer.from('kept')]);
  await file.close();
  await expect(BatchFile.create(disk, path)).rejects.toMatchObject({ cause: { code: 'EEXIST' } });
  expect((await readFile(path)).toString()).toBe('kept');
  expect(disk.traffic.written).toBe(4);
});
