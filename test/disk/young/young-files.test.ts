import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemCode } from '../../../src/base/errors.ts';
import { type FileSystem, nodeFileSystem, type RawFile } from '../../../src/disk/file-system.ts';
import { youngFiles } from '../../../src/disk/young/young-files.ts';
import { FaultyFileSystem } from '../faulty-file-system.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Small enough that files of a few bytes move to disk. */
const TINY = { largest: 8, mostHeld: 700 };

type Step =
  | { readonly do: 'create' | 'open' | 'remove' | 'list' }
  | { readonly do: 'rename' | 'close' | 'sync' | 'size'; readonly which: number }
  | { readonly do: 'truncate' | 'read'; readonly which: number; readonly at: number }
  | { readonly do: 'write'; readonly which: number; readonly at: number; readonly bytes: number };

const small = fc.nat({ max: 12 });
const which = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('create', 'open', 'remove', 'list') }),
  fc.record({ do: fc.constantFrom('rename', 'close', 'sync', 'size'), which }),
  fc.record({ do: fc.constantFrom('truncate', 'read'), which, at: small }),
  fc.record({ do: fc.constant('write' as const), which, at: small, bytes: small }),
);

/** What a program sees that takes these steps on files of a folder. */
async function seenBy(files: FileSystem, folder: string, steps: readonly Step[]) {
  const seen: unknown[] = [];
  const handles: RawFile[] = [];
  let made = 0;
  const last = () => join(folder, `file.${made}`);
  for (const [number, next] of steps.entries()) {
    const handle = 'which' in next ? handles[next.which % Math.max(1, handles.length)] : undefined;
    try {
      seen.push(await take(next, handle, number));
    } catch (error) {
      seen.push(systemCode(error));
    }
  }
  for (const handle of handles) await handle.close();
  const names = (await files.list(folder)).sort();
  for (const name of names) seen.push(name, await contentOf(files, join(folder, name)));
  return seen;

  async function take(next: Step, handle: RawFile | undefined, number: number): Promise<unknown> {
    if (next.do === 'create') {
      made++;
      handles.push(await files.open(last(), 'create'));
    } else if (next.do === 'open') handles.push(await files.open(last(), 'update'));
    else if (next.do === 'remove') await files.remove(last());
    else if (next.do === 'list') return (await files.list(folder)).sort();
    else if (next.do === 'rename') await files.rename(last(), join(folder, `renamed.${number}`));
    else if (handle === undefined) return undefined;
    else if (next.do === 'close') {
      await handle.close();
      handles.splice(handles.indexOf(handle), 1);
    } else if (next.do === 'sync') await handle.sync();
    else if (next.do === 'size') return handle.size();
    else if (next.do === 'truncate') await handle.truncate(next.at);
    else if (next.do === 'read') {
      const into = Buffer.alloc(20);
      return [await handle.read(into, 2, 16, next.at), into.toString('hex')];
    } else if (next.do === 'write')
      return handle.write(Buffer.alloc(next.bytes, number + 1), 0, next.bytes, next.at);
    return undefined;
  }
}

async function contentOf(files: FileSystem, path: string): Promise<string> {
  const file = await files.open(path, 'read');
  const bytes = Buffer.alloc(await file.size());
  await file.read(bytes, 0, bytes.length, 0);
  await file.close();
  return bytes.toString('hex');
}

test('a program sees the same files as without it, whatever it does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const [plain, young] = [temporaryFolder(), temporaryFolder()];
      expect(await seenBy(youngFiles(nodeFileSystem, TINY), young, steps)).toEqual(
        await seenBy(nodeFileSystem, plain, steps),
      );
    }),
    { numRuns: 150 },
  );
});

test('a file that is deleted before its first sync was never on disk', async () => {
  let opened = 0;
  const counted: FileSystem = {
    ...nodeFileSystem,
    open: (path, mode) => {
      opened++;
      return nodeFileSystem.open(path, mode);
    },
  };
  const files = youngFiles(counted);
  const path = join(temporaryFolder(), 'keys.1');
  const file = await files.open(path, 'create');
  await file.write(Buffer.from('some keys'), 0, 9, 0);
  await file.close();
  expect(await contentOf(files, path)).toBe(Buffer.from('some keys').toString('hex'));
  expect(existsSync(path)).toBe(false);
  await files.remove(path);
  expect(opened).toBe(0);
  await expect(files.open(path, 'read')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a synced file is on disk, and so is what is written to it later', async () => {
  const path = join(temporaryFolder(), 'keys.1');
  const files = youngFiles(nodeFileSystem);
  const file = await files.open(path, 'create');
  await file.write(Buffer.from('first'), 0, 5, 0);
  await file.sync();
  expect(readFileSync(path, 'utf8')).toBe('first');
  await file.write(Buffer.from(' second'), 0, 7, 5);
  expect(readFileSync(path, 'utf8')).toBe('first second');
  await file.close();
});

test('files begin on disk while much is in memory, and in memory again when it is free', async () => {
  const folder = temporaryFolder();
  const files = youngFiles(nodeFileSystem, { largest: 600, mostHeld: 1000 });
  const held = [];
  for (const name of ['a', 'b', 'c']) {
    const file = await files.open(join(folder, name), 'create');
    await file.write(Buffer.alloc(512), 0, 512, 0);
    held.push(file);
  }
  expect(['a', 'b', 'c'].filter((name) => existsSync(join(folder, name)))).toEqual(['c']);
  for (const file of held) await file.close();
  for (const name of ['a', 'b']) await files.remove(join(folder, name));
  const again = await files.open(join(folder, 'd'), 'create');
  expect(existsSync(join(folder, 'd'))).toBe(false);
  await again.close();
});

test('a full disk is reported by the sync, and by every call after it', async () => {
  const files = youngFiles(new FaultyFileSystem({ room: 4 }));
  const file = await files.open(join(temporaryFolder(), 'keys.1'), 'create');
  await file.write(Buffer.from('some keys'), 0, 9, 0);
  await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(file.write(Buffer.from('more'), 0, 4, 9)).rejects.toMatchObject({ code: 'ENOSPC' });
});
