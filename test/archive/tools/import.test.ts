import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { EarlierPayloads, gatherEarlier } from '../../../src/archive/payloads/earlier-payloads.ts';
import { importWarcs } from '../../../src/archive/tools/import.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { settingsIn } from '../../../src/crawl/state/crawl-folder.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { crawlLinks } from '../../../src/graph/io/crawl-links.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { makeExchange, readWithWarcio } from '../warc/fixtures.ts';
import { indexFaults } from '../warc/true-index.ts';

const disk = new Disk();
const NOW = Date.UTC(2026, 2, 14);
const page = (path: string, link: string) =>
  makeExchange({
    url: `http://a.test/${path}`,
    wire: [Buffer.from(`<a href="${link}">x</a>${'words '.repeat(300)}`)],
  });

/** A folder with one WARC file of two pages. */
async function warcs(name: string): Promise<string> {
  const folder = temporaryFolder();
  const writer = await WarcWriter.open(folder, { info: { software: 'other' }, prefix: 'rec' });
  await writer.write(page(`${name}1`, '/x'));
  await writer.write(page(`${name}2`, '/y'));
  await writer.close();
  return folder;
}

describe('imported WARC files', () => {
  test('are linked and indexed, and a graph can be made of them', async () => {
    const [one, two] = [await warcs('a'), await warcs('b')];
    const [file] = readdirSync(two);
    const dir = join(temporaryFolder(), 'new');
    const report = await importWarcs(disk, [one, join(two, file)], dir, { now: NOW });
    expect(report).toEqual({ files: 2, linked: 2, captures: 4 });
    expect(statSync(join(two, file)).nlink).toBe(2);
    expect(await indexFaults(dir)).toEqual([]);
    const links: string[] = [];
    for await (const [from, to] of crawlLinks(disk, dir, { level: 'page' }))
      if (to) links.push(`${from} ${to}`);
    expect(links.sort()).toEqual([
      'http://a.test/a1 http://a.test/x',
      'http://a.test/a2 http://a.test/y',
      'http://a.test/b1 http://a.test/x',
      'http://a.test/b2 http://a.test/y',
    ]);
  });

  test('are copied on request, or if the file system has no links', async () => {
    const source = await warcs('a');
    const [file] = readdirSync(source);
    const copied = join(temporaryFolder(), 'new');
    expect((await importWarcs(disk, [source], copied, { now: NOW, copy: true })).linked).toBe(0);
    const unlinked = join(temporaryFolder(), 'new');
    const without = new Disk(new FaultyFileSystem({ skipSync: true }));
    expect((await importWarcs(without, [source], unlinked, { now: NOW })).linked).toBe(0);
    for (const dir of [copied, unlinked]) {
      const [name] = readdirSync(join(dir, 'archive'));
      expect(readFileSync(join(dir, 'archive', name))).toEqual(readFileSync(join(source, file)));
      expect(statSync(join(dir, 'archive', name)).nlink).toBe(1);
    }
  });

  test('get unique names with the right extension, even if two have the same name', async () => {
    const source = await warcs('a');
    const [file] = readdirSync(source);
    const other = temporaryFolder();
    mkdirSync(join(other, 'deep'));
    copyFileSync(join(source, file), join(other, file));
    copyFileSync(join(source, file), join(other, 'deep', 'odd.bad'));
    const dir = join(temporaryFolder(), 'new');
    await importWarcs(disk, [source, other, join(other, 'deep', 'odd.bad')], dir, { now: NOW });
    expect(readdirSync(join(dir, 'archive')).sort()).toEqual(
      [`2-${file}`, 'odd.bad.warc.gz', file].sort(),
    );
    expect(await indexFaults(dir)).toEqual([]);
  });

  test('may be damaged: complete records are indexed, and the damage is reported', async () => {
    const folder = temporaryFolder();
    const source = await warcs('a');
    const [file] = readdirSync(source);
    const bytes = readFileSync(join(source, file));
    const last = (await readWithWarcio(join(source, file))).findLast(
      ({ type }) => type === 'response',
    );
    writeFileSync(join(folder, 'cut.warc.gz'), bytes.subarray(0, (last?.offset ?? 0) + 50));
    const warnings: string[] = [];
    const dir = join(temporaryFolder(), 'new');
    const report = await importWarcs(disk, [folder], dir, {
      now: NOW,
      onWarning: (text) => void warnings.push(text),
    });
    expect(report.captures).toBe(1);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^cut\.warc\.gz is truncated at byte \d+ \(the last gzip member is cut off\)/,
      ),
    ]);
    expect((await (await Archive.open(disk, dir)).nearest('http://a.test/a1'))?.status).toBe('200');
  });

  test('can be deduplicated against by a later crawl, by date and identifier', async () => {
    const dir = join(temporaryFolder(), 'new');
    await importWarcs(disk, [await warcs('a')], dir, { now: NOW });
    const folder = temporaryFolder();
    await gatherEarlier(disk, folder, [dir]);
    const originals = readFileSync(join(folder, 'originals'), 'latin1');
    expect(originals).toMatch(
      /sha1:[A-Z2-7]{32} 2026-03-14T15:09:26\.535Z [0-9a-f-]{36} http:\/\/a\.test\/a1\n/,
    );
    await (await EarlierPayloads.open(disk, folder, 1024)).close();
  });

  test('are refused by name if one is not a WARC file, and no folder is made', async () => {
    const dir = join(temporaryFolder(), 'new');
    const text = join(temporaryFolder(), 'notes.warc');
    writeFileSync(text, 'no WARC at all\n');
    await expect(
      importWarcs(disk, [await warcs('a'), text], dir, { now: NOW }),
    ).rejects.toMatchObject({
      code: 'NOT_WARC',
      exitCode: 8,
    });
    expect(existsSync(dir)).toBe(false);
  });

  test('go into a new folder only, which no crawl resumes', async () => {
    const source = await warcs('a');
    const dir = join(temporaryFolder(), 'new');
    await importWarcs(disk, [source], dir, { now: NOW });
    await expect(importWarcs(disk, [source], dir, { now: NOW })).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
      exitCode: 5,
    });
    await expect(settingsIn(dir)).rejects.toMatchObject({ code: 'FOLDER_NOT_EMPTY' });
    await expect(
      importWarcs(disk, [temporaryFolder()], join(dir, 'x'), { now: NOW }),
    ).rejects.toMatchObject({
      code: 'ARCHIVE_MISSING',
    });
  });
});
