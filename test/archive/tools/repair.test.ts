/** Damage of single bytes: what `check` reports, and what `repair` keeps. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Compression } from '../../../src/archive/compress/compression.ts';
import { Archive } from '../../../src/archive/index/archive.ts';
import { checkArchive } from '../../../src/archive/tools/check.ts';
import { inspect, repair } from '../../../src/archive/tools/repair.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { collect, makeExchange } from '../warc/fixtures.ts';

const disk = new Disk();
const KINDS: Compression[] = ['gzip', 'zstd', 'none'];
const info = { software: 'drumlin/test', userAgent: 'test', robots: 'obey', hostname: 'here' };
const PAGES = 40;

/** The path of an archive with a few pages; the first record is the warcinfo. */
async function archiveOf(compress: Compression, pages = PAGES): Promise<string> {
  const dir = temporaryFolder();
  const writer = await WarcWriter.open(dir, { info, compress });
  for (let i = 0; i < pages; i++) {
    const wire = [Buffer.from(`<p>page ${i}</p>`.repeat(1 + (i % 5)))];
    await writer.write(makeExchange({ url: `http://a.test/${i}`, wire }));
  }
  await writer.close();
  const [name] = readdirSync(dir);
  return join(dir, name);
}

const bytesOf = async (path: string): Promise<string[]> =>
  (await collect(readWarc(path))).map(({ bytes }) => Buffer.from(bytes).toString('latin1'));

function damage(path: string, at: number, length = 1): void {
  const bytes = readFileSync(path);
  for (let i = at; i < at + length; i++) bytes[i] ^= 0xff;
  writeFileSync(path, bytes);
}

async function checked(path: string): Promise<string[]> {
  const words: string[] = [];
  await checkArchive(disk, await Archive.open(disk, path), (problem) => words.push(problem.words));
  return words;
}

describe.each(KINDS)('a file with compression %s', (compress) => {
  test.each([
    ['the first byte', 0, 1],
    ['the first four bytes', 0, 4],
    ['the fourth byte', 3, 1],
  ])('keeps all other records if %s is damaged', async (_, at, length) => {
    const path = await archiveOf(compress);
    const before = await bytesOf(path);
    damage(path, at, length);
    const out = `${path}.repaired`;
    const report = await repair(disk, path, out);
    expect(report).toMatchObject({ compression: compress, records: before.length - 1 });
    expect(report.leftOut).toMatchObject([{ offset: 0 }]);
    expect(await bytesOf(out)).toEqual(before.slice(1));
  });

  test('keeps all other records under any other name', async () => {
    const path = await archiveOf(compress, 3);
    const before = await bytesOf(path);
    damage(path, 0);
    const renamed = join(temporaryFolder(), 'download');
    writeFileSync(renamed, readFileSync(path));
    expect(await inspect(disk, renamed)).toMatchObject({
      compression: compress,
      records: before.length - 1,
    });
  });

  test('loses no more than one record to a damaged byte, and check agrees with repair', async () => {
    const path = await archiveOf(compress, 2);
    const sound = readFileSync(path);
    const { records } = await inspect(disk, path);
    // In a plain file, the header of the first record; elsewhere all of it.
    const most = compress === 'none' ? 80 : sound.length;
    for (let at = 0; at < most; at += 3) {
      writeFileSync(path, sound);
      damage(path, at);
      const report = await inspect(disk, path);
      const nothing = report.leftOut.length === 0 && report.parted === 0;
      const advised = (await checked(path)).some((words) => words.includes('archive repair'));
      expect([at, advised]).toEqual([at, !nothing]);
      expect(report.records).toBeGreaterThanOrEqual(records - 1);
    }
  });
});

test('a kept record with a wrong digest is reported', async () => {
  const path = await archiveOf('none', 2);
  const at = readFileSync(path).indexOf('page 1');
  damage(path, at);
  const report = await inspect(disk, path);
  expect(report.leftOut).toEqual([]);
  expect(report.wrongDigests).toMatchObject([
    { of: 'block', url: 'http://a.test/1' },
    { of: 'payload', url: 'http://a.test/1' },
  ]);
});
