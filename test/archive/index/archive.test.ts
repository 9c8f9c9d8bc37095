/** Records are found by their captures, and by nothing else. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { writeCrawl } from '../../corpus/lab-archive.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const disk = new Disk();
const url = (n: number) => `http://a.test/${n}`;

/** Six pages by two agents. */
async function archiveOf(compress: 'gzip' | 'zstd' | 'none') {
  const dir = join(temporaryFolder(), 'crawl');
  const pages = Array.from({ length: 6 }, (_, n) => ({
    url: url(n),
    body: Buffer.from(`page ${n}`),
  }));
  await writeCrawl(dir, pages, { agents: 2, compress });
  const archive = await Archive.open(disk, dir);
  const captures = [];
  for await (const capture of archive.captures()) captures.push(capture);
  return { archive, captures };
}

describe.each(['gzip', 'zstd', 'none'] as const)('an archive with compression %s', (compress) => {
  test('gives each capture its own record', async () => {
    const { archive, captures } = await archiveOf(compress);
    expect(captures.map((each) => each.url)).toEqual([0, 1, 2, 3, 4, 5].map(url));
    for (const capture of captures) {
      const { headers } = await archive.record(capture);
      expect([headers.get('WARC-Type'), headers.targetUri]).toEqual(['response', capture.url]);
    }
  });

  test('refuses a capture at the place of another, between two, or behind the end', async () => {
    const { archive, captures } = await archiveOf(compress);
    const [first, , third] = captures;
    expect(first.filename).toBe(third.filename);
    const places = [third.offset, third.offset + 1, first.offset + 1, 1e6];
    for (const offset of places)
      await expect(archive.record({ ...first, offset })).rejects.toMatchObject({
        code: 'CAPTURE_GONE',
      });
  });

  test('refuses a capture in a file that is gone, or in the file of the other agent', async () => {
    const { archive, captures } = await archiveOf(compress);
    const [first, second] = captures;
    expect(first.filename).not.toBe(second.filename);
    for (const filename of ['gone.warc.gz', second.filename])
      await expect(archive.record({ ...first, filename })).rejects.toMatchObject({
        code: 'CAPTURE_GONE',
      });
  });
});
