/** Archives that other tools have written: ARC, folded fields, lower case, segments. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { checkArchive } from '../../../src/archive/tools/check.ts';
import { importWarcs } from '../../../src/archive/tools/import.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { pack, repairFile } from '../../../src/cli/commands/archive-care.ts';
import { get, list } from '../../../src/cli/commands/archive-look.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { collect } from './fixtures.ts';

const disk = new Disk();
const PAGE = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<p>drumlin</p>';

const arcRecord = (line: string, block: string) => `${line} ${block.length}\n${block}\n`;
const FILE = '1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n';
const ARC_1 = [
  arcRecord('filedesc://old.arc 0.0.0.0 19961104142103 text/plain', FILE),
  arcRecord('http://example.org/ 192.0.2.1 19961104142103 text/html', PAGE),
  arcRecord('http://example.org/a b 192.0.2.1 19961104142104 text/html', PAGE),
  arcRecord('dns:example.org 192.0.2.53 19961104142105 text/dns', 'example.org. IN A 192.0.2.1\n'),
];
const VERSION_2 =
  '2 0 Alexa Internet\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n';
const ARC_2 = [
  arcRecord('filedesc://new.arc 0.0.0.0 20010101000000 text/plain 200 - - 0 new.arc', VERSION_2),
  arcRecord('http://example.org/2 192.0.2.1 20010101000000 text/html 200 abc - 177 new.arc', PAGE),
];

function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  const dir = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return dir;
}

async function textOf(work: (output: PassThrough) => Promise<unknown>): Promise<string> {
  const output = new PassThrough();
  await work(output);
  return String(output.read() ?? '');
}

/** Faults only: a note is about a sound record. */
async function problemsOf(place: string): Promise<string[]> {
  const problems: string[] = [];
  const archive = await Archive.open(disk, place);
  await checkArchive(disk, archive, ({ weight, words }) => {
    if (weight === 'fault') problems.push(words);
  });
  return problems;
}

describe('an ARC file', () => {
  const members = (records: readonly string[]) =>
    Buffer.concat(records.map((record) => gzipSync(record)));
  let dir: string;
  beforeEach(() => {
    dir = written({ 'old.arc': ARC_1.join(''), 'new.arc.gz': members(ARC_2) });
  });

  test('is listed like a WARC file', async () => {
    const lines = (await textOf((output) => list(dir, {}, output))).split('\n');
    expect(lines.slice(0, -1)).toEqual([
      expect.stringMatching(/^1996-11-04 14:21:05 +- +text\/dns +dns:example\.org$/),
      expect.stringMatching(/^1996-11-04 14:21:03 +200 +text\/html +http:\/\/example\.org\/$/),
      expect.stringMatching(/^2001-01-01 00:00:00 +200 +text\/html +http:\/\/example\.org\/2$/),
      expect.stringMatching(/^1996-11-04 14:21:04 +200 +text\/html +http:\/\/example\.org\/a b$/),
    ]);
  });

  test('gives its pages, with their headers', async () => {
    for (const url of ['http://example.org/', 'http://example.org/2', 'http://example.org/a b'])
      expect(await textOf((output) => get(dir, url, {}, output))).toBe('<p>drumlin</p>');
    const headers = await textOf((output) =>
      get(dir, 'http://example.org/2', { headers: true }, output),
    );
    expect(headers).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('is checked: a sound one is sound, a bad one is named with its fault', async () => {
    expect(await problemsOf(dir)).toEqual([]);
    const bad = written({
      'cut.arc': ARC_1.join('').slice(0, -20),
      'length.arc': ARC_1[0] + ARC_1[1].replace(/ \d+\n/, ' -1\n'),
      'short.arc': ARC_1[0] + ARC_1[1].replace(/ \d+\n/, ' 20\n'),
    });
    expect(await problemsOf(bad)).toEqual([
      expect.stringContaining('truncated: the last record is cut off'),
      expect.stringContaining('corrupt: an ARC record without a length'),
      expect.stringContaining('corrupt: Content-Length is too small'),
    ]);
  });

  test('is imported, and its pages are found by an index', async () => {
    const into = join(temporaryFolder(), 'imported');
    const { files, captures } = await importWarcs(disk, [dir], into, { now: 0 });
    expect({ files, captures }).toEqual({ files: 2, captures: 4 });
    expect(await problemsOf(into)).toEqual([]);
    const page = await textOf((output) => get(into, 'http://example.org/2', {}, output));
    expect(page).toBe('<p>drumlin</p>');
  });

  test('is neither repaired nor packed, and the error says what can be done', async () => {
    const output = new PassThrough();
    const path = join(dir, 'old.arc');
    await expect(repairFile(path, { out: 'x' }, output)).rejects.toMatchObject({ code: 'ARC' });
    await expect(pack(dir, { out: join(dir, 'x.wacz') }, output)).rejects.toMatchObject({
      code: 'ARC',
    });
  });

  test('other text is not taken for one', async () => {
    const { fault } = await readThrough(
      written({ 'a.arc': 'http://a.example/ is a URL\n' }),
      'a.arc',
    );
    expect(fault?.fact).toBe('not a WARC or ARC record');
  });
});

async function readThrough(dir: string, name: string) {
  const reader = readWarc(join(dir, name));
  return { records: await collect(reader), fault: reader.fault };
}

describe('a WARC file of another tool', () => {
  const record = (fields: readonly string[], block: string) =>
    `${[...fields, `Content-Length: ${block.length}`].join('\r\n')}\r\n\r\n${block}\r\n\r\n`;
  const sha1 = (text: string) => `sha1:${createHash('sha1').update(text).digest('hex')}`;
  const response = (id: string, ...more: string[]) => [
    'WARC-Type: response',
    `WARC-Record-ID: <urn:uuid:${id}>`,
    'WARC-Date: 2010-01-01T00:00:00Z',
    'Content-Type: application/http;msgtype=response',
    ...more,
  ];

  test('may write its version in lower case, and fold its fields', async () => {
    const fields = ['warc/1.0', ...response('1', 'WARC-Target-URI:\r\n http://a.example/x')];
    const folded = [...fields, 'Subject: one\r\n\ttwo\r\n  three'];
    const dir = written({ 'a.warc': record(folded, PAGE) });
    const { records, fault } = await readThrough(dir, 'a.warc');
    expect(fault).toBeUndefined();
    expect(records[0].headers.targetUri).toBe('http://a.example/x');
    expect(records[0].headers.get('subject')).toBe('one two three');
    expect(await problemsOf(dir)).toEqual([]);
  });

  test('may cut a page into segments, in several files: it is sound, and the page is whole', async () => {
    const [a, b, c] = [PAGE.slice(0, 60), PAGE.slice(60, 65), PAGE.slice(65)];
    const payload = `WARC-Payload-Digest: ${sha1('<p>drumlin</p>')}`;
    const target = 'WARC-Target-URI: http://a.example/x';
    const segment = (number: number, block: string, ...more: string[]) =>
      record(
        [
          ...['WARC/1.0', 'WARC-Type: continuation', `WARC-Record-ID: <urn:uuid:c${number}>`],
          ...['WARC-Date: 2010-01-01T00:00:00Z', 'WARC-Segment-Origin-ID: <urn:uuid:1>', target],
          ...[`WARC-Segment-Number: ${number}`, `WARC-Block-Digest: ${sha1(block)}`, ...more],
        ],
        block,
      );
    const first = ['WARC/1.0', ...response('1', target, 'WARC-Segment-Number: 1', payload)];
    const last = segment(3, c, `WARC-Segment-Total-Length: ${PAGE.length}`);
    const dir = written({
      'a.warc': record(first, a) + segment(2, b),
      'b.warc': last,
    });
    expect(await problemsOf(dir)).toEqual([]);
    const url = 'http://a.example/x';
    expect(await textOf((output) => get(dir, url, {}, output))).toBe('<p>drumlin</p>');
    const alone = join(dir, 'a.warc');
    await expect(get(alone, url, {}, new PassThrough())).rejects.toMatchObject({
      code: 'SEGMENTS_MISSING',
    });
  });
});
