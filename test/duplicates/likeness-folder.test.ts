import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Frozen } from '../../src/disk/checkpoint.ts';
import { Disk } from '../../src/disk/disk.ts';
import { fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import {
  LikenessFolder,
  LikenessMemory,
  type LikenessState,
} from '../../src/duplicates/likeness-folder.ts';

const disk = new Disk();
const MEMORY = 2 ** 13;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'drumlin-likeness-'));
  folders.push(made);
  return made;
}

const textOf = (n: number) =>
  fingerprintOf(Buffer.from(Array.from({ length: 40 }, (_, i) => `w${n}x${i}`).join(' ')));
const urlOf = (n: number) => `http://example.org/page?n=${n}&sid=s${n}`;
const open = (folder: string, at?: Frozen<LikenessState>) =>
  LikenessFolder.open({ disk, folder, memory: MEMORY, at });

function take(memory: LikenessMemory, n: number): void {
  const near = memory.pages.find(textOf(n), 0.65);
  memory.learner.learn(urlOf(n), textOf(n), memory.add(textOf(n), urlOf(n)), near);
}

/** The answers of a memory about pages. */
const answers = (memory: LikenessMemory, most: number) =>
  Array.from({ length: most }, (_, n) => memory.pages.find(textOf(n), 0.8)?.url);

describe('the memory of similar pages', () => {
  test('has the state of the checkpoint after a restart, independent of later pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        fc.nat(30),
        async (batches, later) => {
          const folder = newFolder();
          const model = new LikenessMemory(MEMORY);
          let known = await open(folder);
          let at: Frozen<LikenessState> | undefined;
          let n = 0;
          for (const batch of batches) {
            for (let i = 0; i < batch; i++, n++) {
              take(known, n);
              take(model, n);
            }
            at = await known.freeze();
            await known.discardOlder(at);
          }
          for (let i = 0; i < later; i++) take(known, n + i);
          known = await open(folder, at);
          expect(answers(known, n + later)).toEqual(answers(model, n + later));
          expect(known.rules.encode()).toEqual(model.rules.encode());
          // After opening it continues as it would have.
          take(known, n);
          take(model, n);
          expect(answers(known, n + 1)).toEqual(answers(model, n + 1));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a checkpoint has the pages from before its start, not those added while it is written', async () => {
    const folder = newFolder();
    const known = await open(folder);
    take(known, 1);
    const freezing = known.freeze();
    take(known, 2);
    const again = await open(newFolder());
    const at = await freezing;
    expect(answers(await open(folder, at), 3)).toEqual([undefined, urlOf(1), undefined]);
    expect(answers(again, 3)).toEqual([undefined, undefined, undefined]);
  });

  test('two files of pages and one of rules are kept, after any number of checkpoints', async () => {
    const folder = newFolder();
    const known = await open(folder);
    for (let n = 0; n < 300; n++) {
      take(known, n);
      if (n % 20 === 0) await known.discardOlder(await known.freeze());
    }
    const names = readdirSync(folder);
    expect(names.filter((name) => name.startsWith('pages.')).length).toBe(2);
    expect(names.filter((name) => name.startsWith('rules.')).length).toBe(1);
  });

  test('what a crash left of a later checkpoint is deleted', async () => {
    const folder = newFolder();
    const known = await open(folder);
    take(known, 1);
    const at = await known.freeze();
    await known.discardOlder(at);
    take(known, 2);
    await known.freeze();
    const again = await open(folder, at);
    expect(answers(again, 3)).toEqual([undefined, urlOf(1), undefined]);
    expect(readdirSync(folder).sort()).toEqual(Object.keys(at.files).sort());
  });

  test('a file that another program truncated is refused', async () => {
    const folder = newFolder();
    const known = await open(folder);
    take(known, 1);
    const at = await known.freeze();
    const files = Object.fromEntries(
      Object.entries(at.files).map(([name, length]) => [name, length + 1]),
    );
    await expect(open(folder, { ...at, files })).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });
});
