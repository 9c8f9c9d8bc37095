import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { mergeIndex } from '../../../src/archive/index/index-merge.ts';
import { EarlierPages, gatherEarlierPages } from '../../../src/archive/payloads/earlier-pages.ts';
import { payloadOf } from '../../../src/archive/warc/http-block.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import type { Original } from '../../../src/archive/warc/warc-record.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { makeExchange, readWithWarcio } from '../warc/fixtures.ts';
import { indexFaults } from '../warc/true-index.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);

function response(url: string, day: number, head: string, body = ''): Exchange {
  const made = makeExchange({ url, head, wire: [Buffer.from(body)] });
  const status = Number(head.slice(9, 12));
  return { ...made, status, startedAt: FIRST + day * DAY };
}
const page = (url: string, day: number, tag: string): Exchange =>
  response(url, day, `HTTP/1.1 200 OK\r\nETag: "${tag}"\r\n\r\n`, `the text ${tag} of ${url}`);
const confirmation = (url: string, day: number): Exchange =>
  response(url, day, 'HTTP/1.1 304 Not Modified\r\n\r\n');

async function store(dir: string, all: readonly { page: Exchange; confirms?: Original }[]) {
  const indexDir = join(dir, 'indexes/parts');
  await disk.makeFolder(indexDir);
  const info = { software: 'drumlin/test' };
  const writer = await WarcWriter.open(join(dir, 'archive'), { info, disk, indexDir });
  for (const { page, confirms } of all)
    await writer.write(page, undefined, { hopsFromSeed: 0, confirms });
  await writer.close();
  await mergeIndex(disk, dir);
}

async function table(folder: string, sources: readonly string[], memory?: number) {
  await gatherEarlierPages(disk, folder, sources, memory);
  return EarlierPages.open(disk, folder, 2 ** 16);
}

const A = 'http://a.test/';
const originalOf = (url: string, day: number) => ({
  url,
  date: new Date(FIRST + day * DAY).toISOString(),
});

describe('the earlier pages', () => {
  test('are those of their sources, whenever gathering those of others was killed', async () => {
    const [one, two, here] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    await store(one, [{ page: page(A, 0, 'x') }]);
    await store(two, [{ page: page(A, 1, 'y') }]);
    for (let operations = 0, done = false; !done; operations++) {
      await gatherEarlierPages(disk, here, [one]);
      const mortal = new Disk(new FaultyFileSystem({ skipSync: true, operations }));
      done = await gatherEarlierPages(mortal, here, [two]).then(
        () => true,
        () => false,
      );
      const pages = await table(here, [one]);
      expect(await pages.find(A)).toMatchObject({ etag: '"x"', original: originalOf(A, 0) });
      await pages.close();
    }
  });

  test('know the newest capture of a page, which a 304 confirms', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    await store(one, [{ page: page(A, 0, 'x') }, { page: page(`${A}b`, 0, 'y') }]);
    await store(two, [{ page: confirmation(A, 5), confirms: originalOf(A, 0) }]);
    const pages = await table(join(two, 'earlier'), [one, two]);
    expect(await pages.find(A)).toMatchObject({ etag: '"x"', original: originalOf(A, 0) });
    expect(await pages.find(`${A}c`)).toBeUndefined();
    await pages.close();
  });

  test('never name the validators of a truncated capture, or of a page that failed', async () => {
    const dir = temporaryFolder();
    const cut = { ...page(A, 1, 'cut'), truncated: 'length' as const };
    const failed = response(`${A}b`, 1, 'HTTP/1.1 500 Oops\r\nETag: "oops"\r\n\r\n', 'oops');
    await store(dir, [{ page: page(A, 0, 'x') }, { page: cut }, { page: failed }]);
    const pages = await table(join(dir, 'earlier'), [dir]);
    expect((await pages.find(A))?.etag).toBeUndefined();
    expect(await pages.find(`${A}b`)).toBeUndefined();
    await pages.close();
  });

  test('are those of a naive model, in any order and with little memory', async () => {
    const look = fc.record({ url: fc.nat(4), kind: fc.constantFrom('page', 'same', 'gone') });
    await fc.assert(
      fc.asyncProperty(fc.array(look, { minLength: 1, maxLength: 20 }), async (looks) => {
        const dir = temporaryFolder();
        const model = new Map<string, number>();
        const all: { page: Exchange; confirms?: Original }[] = [];
        for (const [day, { url: n, kind }] of looks.entries()) {
          const url = `${A}${n}`;
          const known = model.get(url);
          if (kind === 'page') {
            all.push({ page: page(url, day, String(day)) });
            model.set(url, day);
          } else if (kind === 'same' && known !== undefined)
            all.push({ page: confirmation(url, day), confirms: originalOf(url, known) });
          else all.push({ page: response(url, day, 'HTTP/1.1 404 Gone\r\n\r\n') });
        }
        await store(dir, all);
        const pages = await table(join(dir, 'earlier'), [dir], 200);
        for (let n = 0; n <= 4; n++) {
          const known = model.get(`${A}${n}`);
          const found = await pages.find(`${A}${n}`);
          expect(found?.etag).toBe(known === undefined ? undefined : `"${known}"`);
        }
        await pages.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe('a confirmed page', () => {
  test('is a revisit without digest and block, and leads to the page it confirms', async () => {
    const dir = temporaryFolder();
    await store(dir, [
      { page: page(A, 0, 'x') },
      { page: confirmation(A, 3), confirms: originalOf(A, 0) },
      { page: confirmation(`${A}unasked`, 3) },
    ]);
    expect(await indexFaults(dir)).toEqual([]);
    const archive = await Archive.open(disk, dir);
    const capture = await archive.nearest(A);
    expect(capture).toMatchObject({ status: '304', mime: 'warc/revisit', digest: '-' });
    const revisit = await archive.record(capture!);
    expect(revisit.block.length).toBe(0);
    expect(revisit.headers.get('WARC-Payload-Digest')).toBeUndefined();
    expect(revisit.headers.get('WARC-Profile')).toMatch(/\/1\.1\/revisit\/server-not-modified$/);
    expect(Buffer.from(payloadOf((await archive.page(capture!)).block)).toString()).toContain(
      'text x',
    );
    for (const { path } of archive.files) {
      const types: string[] = [];
      for await (const record of readWarc(path, { disk })) types.push(record.type);
      expect(types.filter((type) => type === 'revisit')).toHaveLength(1);
      expect((await readWithWarcio(path)).every(({ blockConfirmed }) => blockConfirmed)).toBe(true);
    }
  });
});
