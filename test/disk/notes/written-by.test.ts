/** Who wrote a file that people may write too. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { ANOTHER_PROGRAM, replaceFileBy, writerOf } from '../../../src/disk/notes/written-by.ts';
import { FaultyFileSystem } from '../faulty-file-system.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const NAME = 'filters.txt';

test('the last writer is named, whatever programs and people wrote before', async () => {
  const step = fc.record({
    text: fc.constantFrom('', 'a', 'b', 'fetch: true\n'),
    by: fc.constantFrom('console', 'drumlin set', undefined),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const dir = temporaryFolder();
      let model = { text: '', by: '' };
      for (const { text, by } of steps) {
        if (by === undefined) writeFileSync(join(dir, NAME), text);
        else await replaceFileBy(disk, dir, NAME, text, by);
        // A person who writes what is there already changes nothing.
        if (by !== undefined) model = { text, by };
        const writer = model.by !== '' && model.text === text ? model.by : ANOTHER_PROGRAM;
        expect(await writerOf(disk, dir, NAME, text)).toBe(writer);
      }
    }),
    { numRuns: 40 },
  );
});

test('a note that is damaged or missing is none', async () => {
  const dir = temporaryFolder();
  for (const note of ['', '{', '7', 'null', '{"by":3,"hash":"x"}']) {
    writeFileSync(join(dir, `${NAME}.by`), note);
    expect(await writerOf(disk, dir, NAME, 'text')).toBe(ANOTHER_PROGRAM);
  }
});
