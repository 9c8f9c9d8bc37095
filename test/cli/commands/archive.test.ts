import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { mergeIndex } from '../../../src/archive/index/index-merge.ts';
import { WarcWriter } from '../../../src/archive/write/warc-writer.ts';
import { check, reindex, repairFile } from '../../../src/cli/commands/archive-care.ts';
import { get, list } from '../../../src/cli/commands/archive-look.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { makeExchange, readWithWarcio } from '../../archive/warc/fixtures.ts';
import { indexFaults } from '../../archive/warc/true-index.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { ARCHIVES } from '../../foreign-archives.ts';
import { leftOut } from '../../left-out.ts';

const info = { software: 'drumlin/test' };

class Paper {
  text = '';
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

/** The text that a command writes to a stream. */
async function printed(work: (output: PassThrough) => Promise<void>): Promise<string> {
  const output = new PassThrough();
  const pieces: Buffer[] = [];
  output.on('data', (piece) => pieces.push(piece));
  await work(output);
  return Buffer.concat(pieces).toString();
}

const page = (
  url: string,
  body: string,
  date: string,
  head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n',
) => ({
  ...makeExchange({ url, wire: [Buffer.from(body)], head }),
  startedAt: Date.parse(date),
  headers: { get: () => 'text/html', all: () => [], entries: () => [] },
});

const PAGES = [
  page('http://a.test/', 'old', '2026-01-01T00:00:00Z'),
  page('http://a.test/', 'middle', '2026-02-01T00:00:00Z'),
  page('https://www.a.test/', 'new', '2026-03-01T00:00:00Z'),
  page('http://a.test/docs/', 'docs', '2026-01-02T00:00:00Z'),
  page('http://a.test/docs/x?b=1&a=2', 'x', '2026-01-02T00:00:01Z'),
  page('http://a.test/docsy', 'docsy', '2026-01-02T00:00:02Z'),
  page('http://b.test/', 'b', '2026-01-03T00:00:00Z'),
];

/** A crawl's folder, with or without its index and the parts of the index. */
async function crawlFolder(state: 'indexed' | 'running' | 'bare'): Promise<string> {
  const dir = temporaryFolder();
  const writer = await WarcWriter.open(join(dir, 'archive'), {
    info,
    indexDir: join(dir, 'indexes/parts'),
    rotateBytes: 1500,
  });
  for (const exchange of PAGES) await writer.write(exchange);
  await writer.close();
  if (state === 'indexed') await mergeIndex(new Disk(), dir);
  if (state === 'bare') rmSync(join(dir, 'indexes'), { recursive: true });
  return dir;
}

async function listed(place: string, flags: object = {}): Promise<string[]> {
  const text = await printed((output) => list(place, { json: true, ...flags }, output));
  const captures = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return captures.map(({ timestamp, url }) => `${timestamp.slice(0, 8)} ${url}`);
}

describe('drumlin archive list', () => {
  test.each([
    'indexed',
    'running',
    'bare',
  ] as const)('lists the captures of a crawl in order (%s)', async (state) => {
    const dir = await crawlFolder(state);
    expect(await listed(dir)).toEqual([
      '20260101 http://a.test/',
      '20260201 http://a.test/',
      '20260301 https://www.a.test/',
      '20260102 http://a.test/docs/',
      '20260102 http://a.test/docs/x?b=1&a=2',
      '20260102 http://a.test/docsy',
      '20260103 http://b.test/',
    ]);
    expect(await listed(dir, { url: 'http://a.test' })).toEqual([
      '20260101 http://a.test/',
      '20260201 http://a.test/',
      '20260301 https://www.a.test/',
    ]);
    expect(await listed(dir, { prefix: 'http://a.test/docs/' })).toEqual([
      '20260102 http://a.test/docs/',
      '20260102 http://a.test/docs/x?b=1&a=2',
    ]);
    expect(await listed(dir, { prefix: 'http://a.test/docs/x?b=1' })).toHaveLength(1);
    expect(await listed(dir, { prefix: 'http://b.test' })).toEqual(['20260103 http://b.test/']);
    expect(await listed(dir, { from: '20260103', to: '202602' })).toEqual([
      '20260201 http://a.test/',
      '20260103 http://b.test/',
    ]);
    expect(await listed(dir, { limit: 2 })).toHaveLength(2);
    expect(await listed(dir, { status: '2xx' })).toHaveLength(7);
    await expect(listed(dir, { status: '20x' })).resolves.toHaveLength(7);
    await expect(listed(dir, { status: '404' })).rejects.toMatchObject({ code: 'NOT_ARCHIVED' });
    await expect(listed(dir, { url: 'http://c.test/' })).rejects.toMatchObject({
      code: 'NOT_ARCHIVED',
    });
    await expect(listed(dir, { from: '2027' })).rejects.toMatchObject({
      code: 'NOT_ARCHIVED',
      exitCode: 8,
    });
  });

  test('reads a folder of WARC files or a single file, and prints readable lines', async () => {
    const dir = await crawlFolder('bare');
    const folder = join(dir, 'archive');
    expect(await listed(folder)).toHaveLength(7);
    const [first] = readdirSync(folder).sort();
    const text = await printed((output) => list(join(folder, first), {}, output));
    expect(text.split('\n')[0]).toBe(
      '2026-01-01 00:00:00  200  text/html                 http://a.test/',
    );
  });

  test('reports a file without captures, and how to see its records', async () => {
    const file = join(temporaryFolder(), 'info.warc');
    const head = [
      'WARC/1.1',
      'WARC-Type: warcinfo',
      'WARC-Date: 2026-01-01T00:00:00Z',
      'Content-Length: 0',
    ];
    writeFileSync(file, `${head.join('\r\n')}\r\n\r\n\r\n\r\n`);
    await expect(listed(file)).rejects.toMatchObject({
      fact: `${file} holds no captures.`,
      remedy: expect.stringContaining('archive check'),
    });
  });

  test('rejects a place without WARC files, by name', async () => {
    const folder = temporaryFolder();
    await expect(listed(folder)).rejects.toMatchObject({ code: 'ARCHIVE_MISSING', exitCode: 5 });
    await expect(listed(join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_MISSING' });
  });
});

describe('input that is not an archive, or not a URL', () => {
  const noted = async (
    work: (output: PassThrough, note: (text: string) => void) => Promise<void>,
  ) => {
    const notes: string[] = [];
    const text = await printed((output) => work(output, (note) => void notes.push(note)));
    return { notes, text };
  };

  test.each([
    ['README.md', '# no archive\n', 'Give a crawl folder'],
    ['rubbish.warc.gz', '\x1f\x8brubbish', 'Give a crawl folder'],
    ['my.wacz', 'PK\x03\x04', 'A WACZ is a zip file: unpack it'],
  ])('%s is rejected by list and get, with what to name instead', async (name, text, remedy) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, text, 'latin1');
    const refusal = { code: 'NOT_WARC', exitCode: 8, remedy: expect.stringContaining(remedy) };
    await expect(printed((output) => list(path, {}, output))).rejects.toMatchObject(refusal);
    await expect(
      printed((output) => get(path, 'http://a.test/', {}, output)),
    ).rejects.toMatchObject(refusal);
  });

  test('a truncated file yields its complete records, with a note about the damage', async () => {
    const dir = await crawlFolder('bare');
    const [first] = readdirSync(join(dir, 'archive')).sort();
    const path = join(dir, 'archive', first);
    const { size } = statSync(path);
    truncateSync(path, size - 20);
    const { notes, text } = await noted((output, note) => list(path, {}, output, note));
    expect(text).toContain('http://a.test/');
    expect(notes).toEqual([
      expect.stringMatching(/was not read to its end: it is damaged from byte \d+ on/),
    ]);
    const asked = noted((output, note) => get(path, 'http://nowhere.test/', {}, output, note));
    await expect(asked).rejects.toMatchObject({ code: 'NOT_ARCHIVED' });
  });

  test.each([
    '/docs/',
    'a.test/docs/',
    'localhost:8765/docs/',
  ])('%s is not a whole URL', async (url) => {
    const dir = await crawlFolder('indexed');
    const refusal = { code: 'NOT_A_URL', exitCode: 2 };
    await expect(printed((output) => get(dir, url, {}, output))).rejects.toMatchObject(refusal);
    await expect(printed((output) => list(dir, { url }, output))).rejects.toMatchObject(refusal);
    await expect(printed((output) => list(dir, { prefix: url }, output))).rejects.toMatchObject(
      refusal,
    );
  });

  test('an unknown URL is rejected, with the most similar URL in the archive', async () => {
    const dir = await crawlFolder('indexed');
    const asked = printed((output) => get(dir, 'http://a.test/docy', {}, output));
    await expect(asked).rejects.toThrow('Did you mean http://a.test/docsy?');
  });

  test('the time of the capture is printed if --at names a time', async () => {
    const dir = await crawlFolder('indexed');
    const { notes } = await noted((output, note) =>
      get(dir, 'http://a.test/', { at: '2020' }, output, note),
    );
    expect(notes).toEqual(['the capture of 2026-01-01 00:00:00']);
  });
});

describe('control characters in an archive', () => {
  const EVIL = '\x1b[2J\x9b1m\x7f\u202e';
  const RAW = /(?!\n)[\p{Cc}\p{Cf}]/u;

  /** A file of another tool, with control characters wherever a server or a tool can put them. */
  function foreignFile(): string {
    const body = `evil ${EVIL}`;
    const http = `HTTP/1.1 200 OK\r\nContent-Type: text/ht\x1b[31mml\r\n\r\n${body}`;
    const head = [
      'WARC/1.1',
      `WARC-Type: response`,
      'WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>',
      'WARC-Date: 2026-01-01T00:00:00Z',
      `WARC-Target-URI: http://a.test/${EVIL}`,
      'Content-Type: application/http;msgtype=response',
      'WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      `Content-Length: ${Buffer.byteLength(http)}`,
    ];
    const path = join(temporaryFolder(), 'foreign.warc');
    writeFileSync(path, `${head.join('\r\n')}\r\n\r\n${http}\r\n\r\n`);
    return path;
  }

  test.each([{}, { json: true }])('are shown, not printed, by list %j', async (flags) => {
    const text = await printed((output) => list(foreignFile(), flags, output));
    expect(text).not.toMatch(RAW);
    expect(text).toContain(flags.json ? '\\u001b' : 'text/ht\\u{1b}[31mml');
    if (flags.json) expect(JSON.parse(text).url).toBe(`http://a.test/${EVIL}`);
  });

  test.each([{}, { json: true }])('are shown, not printed, by check %j', async (flags) => {
    const paper = new Paper();
    expect(await check(foreignFile(), flags, paper)).toBe(false);
    expect(paper.text).toContain('the digest of the block is wrong');
    expect(paper.text).not.toMatch(RAW);
  });

  test('are shown, not printed, by repair', async () => {
    const paper = new Paper();
    await repairFile(foreignFile(), { out: 'unused' }, paper);
    expect(paper.text).toContain('the digest of the block of http://a.test/\\u{1b}');
    expect(paper.text).not.toMatch(RAW);
  });

  test('of a page reach a pipe as they are, and a terminal as text', async () => {
    const path = foreignFile();
    const got = (isTTY: boolean) =>
      printed((output) => get(path, `http://a.test/${EVIL}`, {}, Object.assign(output, { isTTY })));
    expect(await got(false)).toBe(`evil ${EVIL}`);
    expect(await got(true)).toBe('evil \\u{1b}[2J\\u{9b}1m\\u{7f}\\u{202e}');
  });
});

describe('drumlin archive get', () => {
  const got = (place: string, url: string, flags: object = {}) =>
    printed((output) => get(place, url, flags, output));

  test.each([
    'indexed',
    'running',
    'bare',
  ] as const)('prints the page nearest to a time, or the latest (%s)', async (state) => {
    const dir = await crawlFolder(state);
    expect(await got(dir, 'http://a.test/')).toBe('middle');
    expect(await got(dir, 'https://www.a.test/')).toBe('new');
    expect(await got(dir, 'http://a.test/', { at: '2026' })).toBe('old');
    expect(await got(dir, 'http://a.test/', { at: '20260117' })).toBe('middle');
    expect(await got(dir, 'http://a.test/', { headers: true })).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n',
    );
    await expect(got(dir, 'http://c.test/')).rejects.toMatchObject({
      code: 'NOT_ARCHIVED',
      exitCode: 8,
    });
  });

  test('decodes the body, unless --raw asks for the bytes as sent', async () => {
    const dir = temporaryFolder();
    const zipped = gzipSync('plain');
    const writer = await WarcWriter.open(dir, { info });
    const wire = [
      Buffer.from(`${zipped.length.toString(16)}\r\n`),
      zipped,
      Buffer.from('\r\n0\r\n\r\n'),
    ];
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n';
    await writer.write(makeExchange({ url: 'http://a.test/', head, wire, payload: zipped }));
    await writer.close();
    expect(await got(dir, 'http://a.test/')).toBe('plain');
    const raw = await printed((output) => get(dir, 'http://a.test/', { raw: true }, output));
    expect(raw).toBe(Buffer.concat(wire).toString());
  });

  test('reports an index entry that points at no record', async () => {
    const dir = await crawlFolder('indexed');
    for (const name of readdirSync(join(dir, 'archive')))
      truncateSync(join(dir, 'archive', name), 700);
    await expect(got(dir, 'http://b.test/')).rejects.toMatchObject({
      code: 'CAPTURE_GONE',
      exitCode: 8,
    });
  });
});

async function checked(place: string): Promise<{ sound: boolean; problems: string[] }> {
  const paper = new Paper();
  const sound = await check(place, {}, paper);
  return { sound, problems: paper.text.split('\n').filter((line) => line.includes(', byte ')) };
}

describe('drumlin archive check', () => {
  test('finds a crawl sound, and prints what it checked', async () => {
    const dir = await crawlFolder('indexed');
    const paper = new Paper();
    expect(await check(dir, {}, paper)).toBe(true);
    expect(paper.text).toMatch(
      /: sound\n {2}\d files, \d+ records, 7 captures, \d+ digests confirmed, 7 in the index\n$/,
    );
  });

  test('finds every index line that is wrong, missing or out of order', async () => {
    const dir = await crawlFolder('indexed');
    const index = join(dir, 'indexes/index.cdxj');
    const lines = readFileSync(index, 'latin1').trimEnd().split('\n');
    const moved = lines[1].replace(/"offset":"\d+"/, '"offset":"1"');
    const changed = [lines[0], moved, ...lines.slice(3), lines[2], 'zz'];
    writeFileSync(index, `${changed.join('\n')}\n`, 'latin1');
    const { sound, problems } = await checked(dir);
    expect(sound).toBe(false);
    expect(problems.map((line) => line.replace(/^.*byte \d+: /, '').replace(dir, ''))).toEqual([
      expect.stringContaining('line 7 is out of order'),
      expect.stringContaining('line 8 is not a CDXJ line: zz'),
      expect.stringContaining('lists http://a.test/, which does not exist'),
      expect.stringContaining('does not list http://a.test/'),
    ]);
  });

  test('finds a changed byte anywhere', async () => {
    const dir = temporaryFolder();
    const writer = await WarcWriter.open(dir, { info, gzipLevel: 0 });
    await writer.write(PAGES[0]);
    await writer.close();
    const [name] = readdirSync(dir);
    const bytes = readFileSync(join(dir, name));
    for (let at = 0; at < bytes.length; at += 7) {
      const spoilt = Buffer.from(bytes);
      spoilt[at] ^= 0x55;
      // The time and system in a gzip header do not affect the record.
      const inHeader = [...bytes.keys()].some(
        (i) => bytes[i] === 0x1f && bytes[i + 1] === 0x8b && at - i >= 4 && at - i < 10,
      );
      if (inHeader) continue;
      writeFileSync(join(dir, name), spoilt);
      expect((await checked(dir)).sound, `byte ${at}`).toBe(false);
    }
  });
});

describe('the broken files of other tools', () => {
  const SHARED =
    'several records share one gzip member, so no index can point at them; "drumlin archive repair" separates them';
  const REPAIR = '"drumlin archive repair" keeps the complete records';
  /** For each file: what `check` says, by byte, and what `repair` says. */
  const words: Record<string, { check: string[]; repair: string; sound?: boolean }> = {
    'example-bad-non-chunked.warc.gz': {
      check: [
        `byte 0: ${SHARED}`,
        'byte 0: revisit of http://example.com/: the digest of the block is wrong',
      ],
      repair: '6 records shared a gzip member; each now has its own',
    },
    'example-bad.warc.gz.bad': {
      check: [`byte 0: ${SHARED}`],
      repair: '6 records shared a gzip member; each now has its own',
    },
    'example-digest.warc': {
      check: ['byte 0: request of http://example.com/: the digest of the payload is wrong'],
      repair: 'nothing to repair, 4 records, 3.7 kB',
    },
    'example-iana.org-chunked.warc': {
      check: [
        'byte 405: response of http://www.iana.org/: the payload digest covers the chunk framing',
      ],
      repair: 'nothing to repair, 3 records, 8.8 kB',
      sound: true,
    },
    'example-space-in-target-uri.warc.gz': {
      check: ['byte 241: resource of file:///example with spaces.png: the URI contains blanks'],
      repair: 'nothing to repair, 2 records, 583 B',
      sound: true,
    },
    'example-trunc.warc': {
      check: [
        `byte 1197: corrupt: Content-Length is too small: no empty line follows the block; ${REPAIR}`,
      ],
      repair:
        'bytes from byte 1197 (corrupt: Content-Length is too small: no empty line follows the block)',
    },
    'example-wget-bad-target-uri.warc.gz': {
      check: [
        'byte 410: request of http://example.com/: the URI is in angle brackets',
        'byte 824: response of http://example.com/: the URI is in angle brackets',
        'byte 1978: metadata of metadata://gnu.org/software/wget/warc/MANIFEST.txt: the URI is in angle brackets',
        'byte 2295: resource of metadata://gnu.org/software/wget/warc/wget_arguments.txt: the URI is in angle brackets',
        'byte 2681: resource of metadata://gnu.org/software/wget/warc/wget.log: the URI is in angle brackets',
      ],
      repair: 'nothing to repair, 6 records, 3.3 kB',
      sound: true,
    },
    'example-wrong-chunks.warc.gz': {
      check: [`byte 0: corrupt: a record does not end within its gzip member; ${REPAIR}`],
      repair:
        'contains no complete record (corrupt: a record does not end within its gzip member).',
    },
    'example-resource.warc.gz': {
      check: [],
      repair: 'nothing to repair, 3 records, 1.8 kB',
      sound: true,
    },
    'example.warc': { check: [], repair: 'nothing to repair, 6 records, 5.1 kB', sound: true },
    'example.warc.gz': { check: [], repair: 'nothing to repair, 6 records, 3.8 kB', sound: true },
    'post-test.warc.gz': { check: [], repair: 'nothing to repair, 6 records, 3.6 kB', sound: true },
  };

  describe.each(ARCHIVES)('$name', (archives) => {
    const own = Object.entries(words).filter(([name]) => archives.has(name));

    test.skipIf(leftOut(archives)).each(own)(
      '%s is rejected or repaired, with the right message',
      async (name, said) => {
        const work = temporaryFolder();
        const path = join(work, name);
        copyFileSync(join(archives.path, name), path);
        const { sound, problems } = await checked(path);
        expect(problems.map((line) => line.replace(/^(?:note: )?.*?, (?=byte )/, ''))).toEqual(
          said.check,
        );
        expect(sound).toBe(said.sound ?? false);
        const paper = new Paper();
        const out = join(work, 'repaired.warc');
        const failure = await repairFile(path, { out }, paper).catch((error) => error);
        expect(`${failure?.message ?? ''}${paper.text}`).toContain(said.repair);
        expect(readFileSync(path)).toEqual(readFileSync(join(archives.path, name)));
        if (!existsSync(out)) return;
        // A repaired file needs no repair, and another reader can read all of it.
        const again = new Paper();
        await repairFile(out, { out: `${out}2` }, again);
        expect(again.text).toContain('nothing to repair');
        expect((await readWithWarcio(out)).length).toBeGreaterThan(0);
      },
    );
  });
});

describe('drumlin archive repair', () => {
  test('keeps the complete records of a file truncated at any byte, in place, and the old file as .bak', async () => {
    const source = temporaryFolder();
    const writer = await WarcWriter.open(source, { info });
    for (const exchange of PAGES) await writer.write(exchange);
    await writer.close();
    const [name] = readdirSync(source);
    const bytes = readFileSync(join(source, name));
    const records = await readWithWarcio(join(source, name));
    for (let length = 300; length < bytes.length; length += 97) {
      const work = temporaryFolder();
      const path = join(work, name);
      writeFileSync(path, bytes.subarray(0, length));
      const whole = records.filter((record) => record.offset + record.length <= length);
      const end = whole.reduce((sum, record) => sum + record.length, 0);
      const paper = new Paper();
      await repairFile(path, { inPlace: true }, paper).catch((error) => {
        expect(error).toMatchObject({ code: 'NOTHING_WHOLE', exitCode: 8 });
      });
      if (whole.length === 0) continue;
      expect(readFileSync(path)).toEqual(bytes.subarray(0, end));
      if (end === length) continue;
      expect(readFileSync(`${path}.bak`)).toEqual(bytes.subarray(0, length));
      expect(paper.text).toContain(
        `${length - end} bytes from byte ${end} (truncated: the last gzip member is cut off)`,
      );
    }
  });

  test('finds the records after damage in the middle', async () => {
    const dir = await crawlFolder('bare');
    const [name] = readdirSync(join(dir, 'archive')).sort();
    const path = join(dir, 'archive', name);
    const records = await readWithWarcio(path);
    const bytes = readFileSync(path);
    bytes[records[1].offset + 40] ^= 0xff;
    writeFileSync(path, bytes);
    const out = join(dir, 'whole.warc.gz');
    await repairFile(path, { out }, new Paper());
    const left = await readWithWarcio(out);
    expect(left.map(({ block }) => block)).toEqual(
      records.filter((_, i) => i !== 1).map(({ block }) => block),
    );
  });

  test('overwrites no file, and requires a place to write', async () => {
    const work = temporaryFolder();
    const path = join(work, 'x.warc');
    writeFileSync(path, 'WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\nWARC/1.1\r\n');
    await expect(repairFile(path, {}, new Paper())).rejects.toMatchObject({ code: 'USAGE' });
    writeFileSync(`${path}.bak`, 'precious');
    await expect(repairFile(path, { inPlace: true }, new Paper())).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    });
    await expect(repairFile(path, { out: `${path}.bak` }, new Paper())).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    });
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe('precious');
  });
});

describe('drumlin archive index', () => {
  test('builds the index of a crawl again from its WARC files, whatever it held', async () => {
    const dir = await crawlFolder('indexed');
    appendFileSync(join(dir, 'indexes/index.cdxj'), 'wrong\n');
    for (const part of readdirSync(join(dir, 'indexes/parts')))
      writeFileSync(join(dir, 'indexes/parts', part), '');
    const paper = new Paper();
    await reindex(dir, paper);
    expect(paper.text).toBe(`${join(dir, 'indexes')}: 7 captures\n`);
    expect(await indexFaults(dir)).toEqual([]);
    mkdirSync(join(dir, 'empty'));
    await expect(reindex(join(dir, 'empty'), paper)).rejects.toMatchObject({ exitCode: 5 });
  });
});
