/** filters.txt: the user's text is kept, and errors name the line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  keepFilters,
  parseFilters,
  readFilters,
  setFilter,
} from '../../../src/crawl/state/filters-file.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { STAGES, type Stage } from '../../../src/filter/subject.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../../disk/power-cut-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const disk = new Disk();
const inFolder = (text: string) => {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'filters.txt'), text);
  return { dir, text: () => readFileSync(join(dir, 'filters.txt'), 'utf8') };
};

const OURS =
  '# our filters\n\nschedule: HasQuery\n  and PathDepth < 4\n# before a fetch\nFetch : true\n';

describe('filters.txt', () => {
  test('holds a filter for each stage, in one line or more', () => {
    expect(parseFilters(OURS, 'f')).toEqual({
      schedule: 'HasQuery\n  and PathDepth < 4',
      fetch: 'true',
    });
    expect(parseFilters('\ufeffstore:\r\n  true\r\n\r\nparse:', 'f')).toEqual({ store: 'true' });
    expect(parseFilters('', 'f')).toEqual({});
  });

  test('keeps everything else when one filter is set', async () => {
    const { dir, text } = inFolder(OURS);
    await setFilter(disk, dir, 'fetch', 'false');
    expect(text()).toBe(OURS.replace('Fetch : true', 'fetch: false'));
    await setFilter(disk, dir, 'schedule', '');
    expect(text()).toBe('# our filters\n\n# before a fetch\nfetch: false\n');
    await setFilter(disk, dir, 'store', 'Status == 200');
    expect(text()).toBe('# our filters\n\n# before a fetch\nfetch: false\nstore: Status == 200\n');
  });

  test('is not written if it already holds the filters', async () => {
    const { dir, text } = inFolder(OURS);
    await keepFilters(disk, dir, { schedule: 'HasQuery\n  and PathDepth < 4', fetch: 'true' });
    expect(text()).toBe(OURS);
    await keepFilters(disk, dir, {});
    expect(await readFilters(disk, dir)).toEqual({});
  });

  test('does not exist before the first filter', async () => {
    const dir = temporaryFolder();
    expect(await readFilters(disk, dir)).toBeUndefined();
    await setFilter(disk, dir, 'parse', 'true');
    expect(await readFilters(disk, dir)).toEqual({ parse: 'true' });
  });

  test.each([
    ['schedule: a\n  b\nstroe: true', 3, 'there is no stage "stroe". Did you mean "store"?'],
    ['HasQuery', 1, 'this is not a filter'],
    ['  HasQuery', 1, 'this is not a filter'],
    ['fetch: a\n\nfetch: b', 3, 'there is already a filter for fetch'],
  ])('%j is rejected by its line', (text, line, words) => {
    expect(() => parseFilters(text, 'f.txt')).toThrow(`f.txt:${line}: ${words}`);
  });

  test('is the old or the new one after a crash or a power failure', async () => {
    for (let operations = 0; operations < 10; operations++) {
      const dir = temporaryFolder();
      const power = new PowerCutFileSystem();
      await setFilter(new Disk(power), dir, 'fetch', 'true');
      const faulty = new Disk(new FaultyFileSystem({ operations }, power));
      const outcome = await setFilter(faulty, dir, 'fetch', 'false').catch(() => 'failed');
      power.cutPower();
      const left = (await readFilters(disk, dir))?.fetch;
      expect(outcome === 'failed' ? ['true', 'false'] : ['false']).toContain(left);
    }
  });

  test('holds the filter set last, whatever was set before', async () => {
    const change = fc.tuple(
      fc.constantFrom(...STAGES),
      fc.constantFrom('', 'true', 'Port == 80', 'not HasQuery'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        const { dir } = inFolder('# ours\n');
        const model: { [stage in Stage]?: string } = {};
        for (const [stage, text] of changes) {
          await setFilter(disk, dir, stage, text);
          if (text === '') delete model[stage];
          else model[stage] = text;
        }
        expect(await readFilters(disk, dir)).toEqual(model);
      }),
      { numRuns: 20 },
    );
  });
});
