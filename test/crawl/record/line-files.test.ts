import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { crawlLogLine, hopsOf } from '../../../src/crawl/record/crawl-log.ts';
import { LineFiles, type LineLength } from '../../../src/crawl/record/line-files.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const open = (agent: number, earlier?: readonly LineLength[]) =>
  LineFiles.open(disk, folder, agent, ['extracted'], earlier);
const linesOf = (agent: number) =>
  readFileSync(join(folder, `extracted-${agent}`), 'utf8')
    .split('\n')
    .slice(0, -1);

describe('lines beside the archive', () => {
  test('are after a crash exactly those of the last checkpoint, whatever was written since', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('a', 'ü', 'x'.repeat(40_000)) },
      { weight: 2, arbitrary: fc.constant('checkpoint') },
      { weight: 1, arbitrary: fc.constant('crash') },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        rmSync(folder, { recursive: true });
        let files = await open(0);
        let earlier: readonly LineLength[] | undefined;
        let [saved, all]: [string[], string[]] = [[], []];
        for (const what of steps) {
          if (what === 'checkpoint') {
            [earlier, saved] = [files.lengths(), [...all]];
            await files.makeDurable();
          } else if (what === 'crash') {
            await files.close(); // writes more than the checkpoint counts
            files = await open(0, earlier);
            all = [...saved];
          } else {
            files.add('extracted', what);
            all.push(what);
          }
        }
        await files.close();
        expect(linesOf(0)).toEqual(all);
      }),
      { numRuns: 30 },
    );
  });

  test('of an agent that no longer exists stay as they are, and count', async () => {
    const old = await open(3);
    old.add('extracted', 'kept');
    const lengths = old.lengths();
    await old.close();
    const files = await open(0, lengths);
    files.add('extracted', 'new');
    expect(files.lengths()).toEqual([...lengths, { file: 'extracted-0', length: 4 }]);
    await files.close();
    expect([linesOf(3), linesOf(0)]).toEqual([['kept'], ['new']]);
  });

  test('of a kind that is not asked for are not written', async () => {
    const files = await open(0);
    files.add('crawl-log', 'x');
    await files.close();
    expect(readdirSync(folder)).toEqual(['extracted-0']);
  });
});

describe('a line of the crawl log', () => {
  const NOW = Date.parse('2026-11-17T12:00:00Z');

  test('has the twelve columns of Heritrix', () => {
    const line = crawlLogLine(
      {
        ...{ url: 'http://a/b', trail: 'LE http://a/', status: 200, bytes: 1234 },
        ...{ type: 'Text/HTML; charset=x', begun: NOW - 50, duration: 42.4, digest: 'sha1:ABC' },
      },
      7,
      NOW,
    );
    expect(line).toBe(
      '2026-11-17T12:00:00.000Z   200       1234 http://a/b LE http://a/ text/html #007 20261117115959950+42 sha1:ABC - -',
    );
  });

  test('of a failure has what is known', () => {
    const line = crawlLogLine(
      { url: 'http://a/', status: -2, remarks: ['connect-refused'] },
      0,
      NOW,
    );
    expect(line).toBe(
      '2026-11-17T12:00:00.000Z    -2          - http://a/ - - no-type #000 - - - connect-refused',
    );
  });

  test('counts hops beyond the fiftieth, however often they are added to', () => {
    let trail = '';
    for (let i = 0; i < 200; i++) trail = `${hopsOf(trail)}L http://a/`;
    expect(hopsOf(trail)).toBe(`150+${'L'.repeat(50)}`);
    expect(trail.length).toBeLessThan(80);
  });
});
