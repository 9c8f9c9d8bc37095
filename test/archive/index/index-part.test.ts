import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexPart, partName } from '../../../src/archive/index/index-part.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/disk/file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

/** Reads and writes at once, so that other tasks run in every step of a write. */
const promptly: FileSystem = {
  ...nodeFileSystem,
  async open(path) {
    const fd = openSync(path, 'wx+');
    return {
      read: async (into, offset, length, position) => readSync(fd, into, offset, length, position),
      write: async (from, offset, length, position) =>
        writeSync(fd, from, offset, length, position),
      sync: async () => {},
      truncate: async () => {},
      size: async () => 0,
      close: async () => closeSync(fd),
    };
  },
};

/** Lines up to many times the first room of a part. */
const steps = fc.array(
  fc.oneof(
    fc.record({ add: fc.constantFrom(1, 30, 300, 8_000, 70_000) }),
    fc.constantFrom('write' as const, 'sum' as const),
  ),
  { maxLength: 25 },
);

test('a part knows length, sum and every line, also while a batch is written', async () => {
  const dir = temporaryFolder();
  let parts = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const name = `${parts++}.warc.gz`;
      const part = await IndexPart.create(new Disk(promptly), dir, name);
      const places: [number, string][] = [];
      let text = '';
      const add = (length: number) => {
        const line = String(places.length % 10).repeat(length);
        expect(part.length).toBe(text.length);
        places.push([part.add(`${line}\n`), line]);
        text += `${line}\n`;
      };
      for (const step of list) {
        if (step === 'sum') expect(part.sum).toBe(crc32(text));
        else if (step === 'write') {
          part.hold();
          const written = part.write();
          add(40);
          for (let step = 0; step < 20; step++) await Promise.resolve(add(3));
          await written;
          add(5);
        } else add(step.add);
      }
      expect([part.length, part.sum]).toEqual([text.length, crc32(text)]);
      for (const [at, line] of places) expect(await part.lineAt(at, 100_000)).toBe(line);
      part.hold();
      await part.write();
      await part.close();
      expect(part.isWritten).toBe(true);
      expect(await readFile(join(dir, partName(name)), 'latin1')).toBe(text);
    }),
    { numRuns: 60 },
  );
});
