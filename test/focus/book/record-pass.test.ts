import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordReader, RecordWriter } from '../../../src/focus/book/record-file.ts';
import { RecordPass } from '../../../src/focus/book/record-pass.ts';
import { unsyncedDisk } from '../unsynced-disk.ts';

const disk = unsyncedDisk();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'focus-pass-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Few letters, so that keys share prefixes, are prefixes of each other, and collide. */
const key = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 6 });
const records = fc.dictionary(key, fc.string({ unit: fc.constantFrom('x', 'ÿ'), maxLength: 3 }));

async function write(path: string, content: Readonly<Record<string, string>>): Promise<void> {
  const writer = await RecordWriter.create(disk, path);
  for (const name of Object.keys(content).sort()) {
    if (writer.isFull) await writer.drain();
    writer.put(Buffer.from(name, 'latin1'), name.length, content[name]);
  }
  await writer.close();
}

async function read(path: string): Promise<[string, string][]> {
  const reader = await RecordReader.open(disk, path, 1);
  const all: [string, string][] = [];
  while (await reader.next()) all.push([reader.keyText, reader.value]);
  await reader.close();
  return all;
}

const sorted = (content: Iterable<[string, string]>) =>
  [...content].sort(([a], [b]) => (a < b ? -1 : 1));

test('a pass agrees with a Map: puts, replacements and drops', async () => {
  const change = fc.constantFrom('put', 'drop', 'look');
  await fc.assert(
    fc.asyncProperty(records, fc.dictionary(key, change), async (before, changes) => {
      const [from, to] = [join(folder, 'from'), join(folder, 'to')];
      await write(from, before);
      const model = new Map(Object.entries(before));
      const pass = await RecordPass.open(disk, from, to);
      for (const name of Object.keys(changes).sort()) {
        const found = await pass.seek(name);
        expect(found ? pass.value : undefined).toBe(before[name]);
        if (changes[name] === 'put') {
          await pass.put('new');
          model.set(name, 'new');
        } else if (changes[name] === 'drop' && found) {
          await pass.drop();
          model.delete(name);
        }
      }
      const { records: count } = await pass.finish();
      expect(await read(to)).toEqual(sorted(model));
      expect(count).toBe(model.size);
    }),
    { numRuns: 60 },
  );
});

test('records that span many windows are copied as they are', async () => {
  const content: Record<string, string> = {};
  for (let i = 0; i < 12_000; i++)
    content[`domain-${i % 97}.example http://domain-${i % 97}.example/${i * 7}`] = `${i}`.repeat(3);
  const [from, to] = [join(folder, 'many'), join(folder, 'many-to')];
  await write(from, content);
  const pass = await RecordPass.open(disk, from, to);
  const names = Object.keys(content).sort();
  const changed = names.filter((_, i) => i % 1000 === 3);
  for (const name of changed) {
    expect(await pass.seek(name)).toBe(true);
    await pass.put('changed');
    content[name] = 'changed';
  }
  expect((await pass.finish()).records).toBe(names.length);
  expect(await read(to)).toEqual(names.map((name) => [name, content[name]]));
});

test('without a file to read, a pass writes what is put', async () => {
  const to = join(folder, 'first');
  const pass = await RecordPass.open(disk, undefined, to);
  expect(await pass.seek('a')).toBe(false);
  await pass.put('1');
  await pass.finish();
  expect(await read(to)).toEqual([['a', '1']]);
});

test('a file that was cut off is refused', async () => {
  const path = join(folder, 'cut');
  await write(path, { a: 'x'.repeat(5000), b: 'y'.repeat(5000) });
  const file = await disk.open(path, 'update');
  await file.truncate((await file.size()) - 4096);
  await file.close();
  await expect(read(path)).rejects.toThrow(/middle of a record/);
});
