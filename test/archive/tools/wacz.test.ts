import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { mergeIndex } from '../../../src/archive/index/index-merge.ts';
import { StoredPayloads } from '../../../src/archive/payloads/stored-payloads.ts';
import { writeWacz } from '../../../src/archive/tools/wacz.ts';
import { ZipWriter } from '../../../src/archive/tools/zip-writer.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { leftOut, needs } from '../../left-out.ts';
import { makeExchange, readWithWarcio } from '../warc/fixtures.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const NOW = Date.UTC(2026, 2, 14, 15, 9, 26);

/** Reads a ZIP by its directory, according to its specification, without our own code. */
function unzip(path: string): { files: Map<string, Buffer>; uses64: boolean } {
  const zip = readFileSync(path);
  let end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  let [count, start] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 16)];
  const uses64 = start === 0xffffffff;
  if (uses64) {
    expect(zip.readUInt32LE(end - 20)).toBe(0x07064b50);
    end = Number(zip.readBigUInt64LE(end - 12));
    expect(zip.readUInt32LE(end)).toBe(0x06064b50);
    [count, start] = [Number(zip.readBigUInt64LE(end + 32)), Number(zip.readBigUInt64LE(end + 48))];
  }
  const files = new Map<string, Buffer>();
  for (let at = start; files.size < count; ) {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50);
    expect(zip.readUInt16LE(at + 10)).toBe(0);
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const long: number[] = [];
    if (extraLength > 0) {
      const extra = at + 46 + nameLength;
      expect(zip.readUInt16LE(extra)).toBe(1);
      for (let i = 4; i < extraLength; i += 8) long.push(Number(zip.readBigUInt64LE(extra + i)));
    }
    const field = (value: number) => (value === 0xffffffff ? long.shift()! : value);
    const size = field(zip.readUInt32LE(at + 24));
    expect(field(zip.readUInt32LE(at + 20))).toBe(size);
    const offset = field(zip.readUInt32LE(at + 42));
    expect(zip.readUInt32LE(offset)).toBe(0x04034b50);
    const data = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    const bytes = zip.subarray(data, data + size);
    // wabac relies on this.
    if (extraLength === 0) expect(zip.readUInt16LE(offset + 28)).toBe(0);
    expect(zip.readUInt32LE(at + 16)).toBe(crc32(bytes));
    expect(zip.readUInt32LE(offset + 14)).toBe(crc32(bytes));
    files.set(name, bytes);
    at += 46 + nameLength + extraLength;
  }
  return { files, uses64 };
}

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('a ZIP file', () => {
  const content = fc.dictionary(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
    fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
  );

  test.each([
    0xffffffff, 500, 0,
  ])('contains its entries, with 64-bit fields if lengths need them (from %i on)', async (large) => {
    await fc.assert(
      fc.asyncProperty(content, async (given) => {
        const path = join(temporaryFolder(), 'x.zip');
        const zip = await ZipWriter.create(disk, path, NOW, large);
        for (const [name, pieces] of Object.entries(given)) {
          const entry = await zip.add(name, Buffer.concat(pieces).length, pieces);
          expect(entry).toMatchObject({ name, hash: sha256(Buffer.concat(pieces)) });
        }
        await zip.finish();
        const { files, uses64 } = unzip(path);
        expect([...files]).toEqual(
          Object.entries(given).map(([name, pieces]) => [name, Buffer.concat(pieces)]),
        );
        if (large === 0) expect(uses64).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test.skipIf(leftOut(needs.program('python3')))(
    'is read by another program, with its names and times',
    async () => {
      for (const large of [0xffffffff, 0]) {
        const path = join(temporaryFolder(), 'x.zip');
        const zip = await ZipWriter.create(disk, path, NOW, large);
        await zip.add('a/ü.txt', 5, [Buffer.from('hello')]);
        await zip.add('b', 0, []);
        await zip.finish();
        const script =
          'import zipfile,sys;z=zipfile.ZipFile(sys.argv[1]);print(z.testzip(),[(i.filename,i.file_size,i.date_time) for i in z.infolist()],z.read("a/ü.txt"))';
        const said = execFileSync('python3', ['-X', 'utf8', '-c', script, path]).toString().trim();
        expect(said).toBe(
          "None [('a/ü.txt', 5, (2026, 3, 14, 15, 9, 26)), ('b', 0, (2026, 3, 14, 15, 9, 26))] b'hello'",
        );
      }
    },
  );
});

const html = (title: string) =>
  `<!doctype html><title>${title}</title><p>${'words '.repeat(300)}</p>`;
const HTML_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n';

async function someCrawl(): Promise<string> {
  const dir = temporaryFolder();
  const folder = join(dir, 'indexes/parts');
  mkdirSync(folder, { recursive: true });
  const payloads = await StoredPayloads.open({ disk, folder, files: [], memory: 2 ** 16 });
  const info = { software: 'drumlin/test' };
  const writer = await WarcWriter.open(join(dir, 'archive'), {
    info,
    indexDir: folder,
    disk,
    payloads,
    rotateBytes: 2500,
  });
  const put = (url: string, body: Buffer, head = HTML_HEAD) =>
    writer.write(makeExchange({ url, wire: [body], head }));
  await put(
    'http://a.test/robots.txt',
    Buffer.from('User-agent: *'),
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n',
  );
  await put('http://a.test/', Buffer.from(html('Über &amp; out')));
  await put('http://a.test/copy', Buffer.from(html('Über &amp; out')));
  await put(
    'http://a.test/zipped',
    gzipSync(html('Zipped')),
    `${HTML_HEAD.slice(0, -2)}Content-Encoding: gzip\r\n\r\n`,
  );
  await put(
    'http://a.test/none',
    Buffer.from(html('Not there')),
    HTML_HEAD.replace('200 OK', '404 Not Found'),
  );
  await put('http://a.test/untitled', Buffer.from('<p>text</p>'));
  await writer.close();
  await mergeIndex(disk, dir);
  return dir;
}

async function packed(place: string, options: object = {}) {
  const out = join(temporaryFolder(), 'x.wacz');
  const report = await writeWacz(disk, await Archive.open(disk, place), out, {
    now: NOW,
    ...options,
  });
  const { files } = unzip(out);
  const json = (name: string) => JSON.parse(files.get(name)!.toString());
  return { out, report, files, json };
}

describe('a WACZ', () => {
  test('contains the WARC files to the byte, the index and the pages, listed with lengths and digests', async () => {
    const dir = await someCrawl();
    const { report, files, json } = await packed(dir, {
      title: 'Mine',
      mainUrl: 'http://a.test/zipped',
    });
    const warcs = readdirSync(join(dir, 'archive')).sort();
    expect([...files.keys()]).toEqual([
      ...warcs.map((name) => `archive/${name}`),
      'indexes/index.cdxj',
      'pages/pages.jsonl',
      'datapackage.json',
      'datapackage-digest.json',
    ]);
    for (const name of warcs)
      expect(files.get(`archive/${name}`)).toEqual(readFileSync(join(dir, 'archive', name)));
    expect(files.get('indexes/index.cdxj')).toEqual(readFileSync(join(dir, 'indexes/index.cdxj')));
    const description = json('datapackage.json');
    expect(description).toMatchObject({
      profile: 'data-package',
      wacz_version: '1.1.1',
      title: 'Mine',
      created: '2026-03-14T15:09:26.000Z',
      mainPageUrl: 'http://a.test/zipped',
      mainPageDate: '2026-03-14T15:09:26.535Z',
    });
    expect(description.resources).toEqual(
      [...files].slice(0, -2).map(([path, bytes]) => ({
        name: path.split('/').at(-1),
        path,
        hash: sha256(bytes),
        bytes: bytes.length,
      })),
    );
    expect(json('datapackage-digest.json')).toEqual({
      path: 'datapackage.json',
      hash: sha256(files.get('datapackage.json')!),
    });
    expect(report).toMatchObject({ pages: 3, files: warcs.length });
  });

  test('lists the HTML pages with status 200 and their titles', async () => {
    const { files } = await packed(await someCrawl());
    const [header, ...pages] = files
      .get('pages/pages.jsonl')!
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toEqual({
      format: 'json-pages-1.0',
      id: 'pages',
      title: 'All Pages',
      hasText: false,
    });
    expect(pages.map(({ url, title, ts }) => [url, title, ts])).toEqual([
      ['http://a.test/', 'Über & out', '2026-03-14T15:09:26.535Z'],
      ['http://a.test/zipped', 'Zipped', '2026-03-14T15:09:26.535Z'],
      ['http://a.test/untitled', undefined, '2026-03-14T15:09:26.535Z'],
    ]);
    expect(new Set(pages.map(({ id }) => id)).size).toBe(3);
  });

  test('of files without an index has one, and another reader finds a record at every position in it', async () => {
    const dir = await someCrawl();
    const { files } = await packed(join(dir, 'archive'));
    const lines = files.get('indexes/index.cdxj')!.toString().trimEnd().split('\n');
    expect(lines.length).toBe(6);
    const work = temporaryFolder();
    for (const line of lines) {
      const { filename, offset, length, url } = JSON.parse(line.slice(line.indexOf('{')));
      const bytes = files
        .get(`archive/${filename}`)!
        .subarray(Number(offset), Number(offset) + Number(length));
      writeFileSync(join(work, 'one.warc.gz'), bytes);
      expect((await readWithWarcio(join(work, 'one.warc.gz'))).map((record) => record.url)).toEqual(
        [url],
      );
    }
  });

  test('is never left incomplete when the disk fills up', async () => {
    const dir = await someCrawl();
    const folder = temporaryFolder();
    const full = new Disk(new FaultyFileSystem({ room: 3000 }));
    const archive = await Archive.open(full, dir);
    await expect(
      writeWacz(full, archive, join(folder, 'x.wacz'), { now: NOW }),
    ).rejects.toMatchObject({
      code: 'DISK_FULL',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
