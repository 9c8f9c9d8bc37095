import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppendHandle, createAppendFile, type Handle } from '../../src/archive/append-file.ts';
import { temporaryFolder } from './fixtures.ts';

type Write = { most: number } | 'refuse';

/** A handle to a real file whose writes are cut short, or refused, in the order told. */
async function fickleHandle(path: string, writes: Write[]): Promise<Handle> {
  const real = await open(path, 'wx');
  const write = async (bytes: Buffer, from: number, length: number, at: number) => {
    const next = writes.shift();
    if (next === 'refuse') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return real.write(bytes, from, Math.min(length, next?.most ?? length), at);
  };
  return {
    write: write as unknown as Handle['write'],
    truncate: (length) => real.truncate(length),
    datasync: () => real.datasync(),
    close: () => real.close(),
  };
}

test('whatever writes are cut short or refused, the file holds whole batches only, and each one once', async () => {
  const write = fc.oneof(fc.record({ most: fc.integer({ min: 1, max: 5 }) }), fc.constant<Write>('refuse'));
  const batch = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(write), fc.array(batch, { maxLength: 6 }), async (writes, batches) => {
      const dir = await temporaryFolder();
      const path = join(dir, 'x');
      const file = new AppendHandle(await fickleHandle(path, writes), dir);
      let model = Buffer.alloc(0);
      for (const pieces of batches) {
        for (let tries = 0; ; tries++) {
          const failure = await file.append(pieces).then(
            () => undefined,
            (error: { code: string }) => error.code,
          );
          if (failure === undefined) break;
          expect(failure).toBe('ENOSPC');
          expect((await readFile(path)).equals(model)).toBe(true);
          expect(tries).toBeLessThan(100);
        }
        model = Buffer.concat([model, ...pieces]);
        expect(file.length).toBe(model.length);
      }
      await file.sync();
      await file.close();
      expect((await readFile(path)).equals(model)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('an existing file is not touched', async () => {
  const path = join(await temporaryFolder(), 'x');
  const file = await createAppendFile(path);
  await file.append([Buffer.from('kept')]);
  await file.close();
  await expect(createAppendFile(path)).rejects.toMatchObject({ code: 'EEXIST' });
  expect((await readFile(path)).toString()).toBe('kept');
});
