/** The faces of the library beyond what its examples show. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { append, DrumMap, from64, keyOf, max64, to64, UniqueKeys } from '../../src/api/drum.ts';
import { buildGraph, edgeList, importGraph, memoryGraph, openGraph } from '../../src/api/graph.ts';
import { startLab } from '../../src/api/lab.ts';
import { linksOf, parsePage, parseSitemap } from '../../src/api/links.ts';
import { parseRobots, robotsOfResponse } from '../../src/api/robots.ts';
import {
  canonicalise,
  fingerprint,
  parametersToDrop,
  partition,
  payLevelDomain,
  segmentRepeats,
  whyNotCanonical,
} from '../../src/api/url.ts';
import {
  captureOf,
  capturesIn,
  checkDigests,
  formatCdxj,
  openArchive,
  parseCdxj,
  readWarc,
  responseOf,
  surt,
  WarcWriter,
} from '../../src/api/warc.ts';
import { DrumlinError } from '../../src/base/errors.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';

const MEMORY = 2 ** 20;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('drumlin/drum', () => {
  test('a set hands each text out once, also after it was closed and opened again', async () => {
    const folder = temporaryFolder();
    const first = await UniqueKeys.open(folder, { memory: MEMORY, order: 'arrival' });
    for (const text of ['b', 'a', 'b', 'ä']) await first.add(text);
    expect(await all(first.novel())).toEqual(['b', 'a', 'ä']);
    await first.add('c');
    await first.close();
    const second = await UniqueKeys.open(folder, { memory: MEMORY });
    for (const text of ['a', 'd']) await second.add(text);
    expect((await all(second.novel())).sort()).toEqual(['c', 'd']);
    expect(second.size).toBe(5);
    await second.close();
  });

  test('a set with more texts than a batch agrees with a Set', async () => {
    const seen = await UniqueKeys.open(temporaryFolder(), { memory: MEMORY });
    const texts = Array.from({ length: 20_000 }, (_, i) => `text ${(i * 7919) % 6007}`);
    for (const text of texts) await seen.add(text);
    expect((await all(seen.novel())).sort()).toEqual([...new Set(texts)].sort());
    await seen.close();
  });

  test('a map combines updates and answers checks with what was there', async () => {
    const folder = temporaryFolder();
    const options = { memory: MEMORY, valueBytes: 8, combine: max64 };
    const map = await DrumMap.open(folder, options);
    await map.check('a', 'before');
    await map.update('a', from64(7));
    await map.checkUpdate('a', from64(5), 'between');
    await map.check(keyOf('a'), 'after');
    const answers = await all(map.answers());
    expect(
      answers.map(({ key, value, note }) => [key, value && to64(value), String(Buffer.from(note))]),
    ).toEqual([
      [keyOf('a'), undefined, 'before'],
      [keyOf('a'), 7n, 'between'],
      [keyOf('a'), 7n, 'after'],
    ]);
    await map.close();
    const again = await DrumMap.open(folder, options);
    expect(await all(again.entries())).toEqual([{ key: keyOf('a'), value: from64(7) }]);
    expect(again.size).toBe(1);
    await again.close();
  });

  test('values of a map may have any length', async () => {
    const map = await DrumMap.open(temporaryFolder(), { memory: MEMORY, combine: append });
    for (const letter of 'hills') await map.update(1n, Buffer.from(letter));
    const [{ value }] = await all(map.entries());
    expect(Buffer.from(value).toString()).toBe('hills');
    await map.close();
  });

  test('a folder with other files, or open already, is refused', async () => {
    const folder = temporaryFolder();
    const map = await DrumMap.open(folder, { memory: MEMORY });
    await expect(DrumMap.open(folder)).rejects.toThrow('is in use by process');
    await map.close();
    const other = temporaryFolder();
    writeFileSync(join(other, 'letters.txt'), 'mine');
    await expect(DrumMap.open(other)).rejects.toThrow('is not empty and holds no DRUM');
    await expect(UniqueKeys.open(other)).rejects.toThrow(DrumlinError);
    expect(readdirSync(other)).toEqual(['letters.txt']);
  });
});

describe('drumlin/warc', () => {
  test.each(['gzip', 'zstd', 'none'] as const)('reads what it writes: %s', async (compress) => {
    const folder = temporaryFolder();
    const writer = await WarcWriter.open(folder, { compress, prefix: 'mine', operator: 'me' });
    const date = new Date('2026-03-14T15:09:26.535Z');
    const place = await writer.writeResponse({
      url: 'https://example.org/a?b=c',
      status: 404,
      statusText: 'Not Found',
      headers: [['Content-Type', 'text/plain; charset=utf-8']],
      body: 'gone',
      date,
    });
    await writer.writeResource({
      uri: 'urn:x:1',
      contentType: 'text/plain',
      content: 'note',
      date,
    });
    await writer.close();

    const path = join(folder, place.file);
    expect(place.file).toMatch(/^mine-/);
    const records = await all(readWarc(path));
    expect(records.map(({ type }) => type)).toEqual([
      'warcinfo',
      'response',
      'request',
      'resource',
    ]);
    expect(records[1]).toMatchObject({ offset: place.offset, length: place.length });
    // Nothing is stated about an address that nobody gave.
    expect(records[1].headers.get('WARC-IP-Address')).toBeUndefined();
    expect(Buffer.from(records[2].block).toString()).toBe(
      'GET /a?b=c HTTP/1.1\r\nHost: example.org\r\n\r\n',
    );
    for (const record of records) expect(checkDigests(record).block).toBe('ok');
    const response = await responseOf(records[1]);
    expect(response).toMatchObject({ url: 'https://example.org/a?b=c', date, status: 404 });
    expect(response?.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(Buffer.from(response?.body ?? []).toString()).toBe('gone');
    expect(await responseOf(records[2])).toBeUndefined();
  });

  test('indexes a file, and finds its captures again', async () => {
    const folder = temporaryFolder();
    const writer = await WarcWriter.open(folder);
    for (const [i, body] of ['first', 'second'].entries()) {
      const date = new Date(Date.UTC(2026, i, 1));
      await writer.writeResponse({ url: 'http://www.example.org/', status: 200, body, date });
    }
    await writer.close();
    const archive = await openArchive(folder);
    const captures = await all(capturesIn(archive.files[0].path));
    expect(captures.map(({ key, timestamp }) => [key, timestamp])).toEqual([
      [surt('http://example.org/'), '20260101000000'],
      ['org,example)/', '20260201000000'],
    ]);
    expect(parseCdxj(formatCdxj(captures[0]))).toEqual(captures[0]);
    expect(await all(archive.captures({ from: '202602' }))).toEqual([captures[1]]);
    const nearest = await archive.nearest('http://www.example.org/', new Date('2026-01-02'));
    expect(nearest).toEqual(captures[0]);
    const record = await archive.page(captures[0]);
    expect(captureOf(record, captures[0].filename)).toEqual(captures[0]);
    expect(String(Buffer.from((await responseOf(record))?.body ?? []))).toBe('first');
  });

  test('a header with a line end is refused, so that none can be forged', async () => {
    const writer = await WarcWriter.open(temporaryFolder());
    const response = { url: 'http://a.org/', status: 200, headers: { A: 'b\r\nC: d' } };
    await expect(writer.writeResponse(response)).rejects.toThrow('cannot hold a line end');
    await writer.close();
  });

  test('damage ends the records and is reported', async () => {
    const path = join(temporaryFolder(), 'x.warc');
    writeFileSync(path, 'this is no archive');
    const reader = readWarc(path);
    expect(await all(reader)).toEqual([]);
    expect(reader.fault).toMatchObject({ offset: 0, kind: 'corrupt' });
  });
});

describe('drumlin/robots', () => {
  test('the group of the crawler wins over that of all, and is named', () => {
    const robots = parseRobots('User-agent: *\nDisallow: /\n\nUser-agent: Mine\nAllow: /', 'mine');
    expect(robots.allowed('/a')).toBe(true);
    expect(robots.group).toEqual({ agent: 'mine', lines: [4] });
    expect(() => robots.allowed('mailto:a@b.org')).toThrow(DrumlinError);
  });

  test.each([
    [200, false],
    [404, true],
    [429, false],
    [503, false],
  ])('a response with status %i allows a URL: %s', (status, allowed) => {
    const body = Buffer.from('User-agent: *\nDisallow: /');
    expect(robotsOfResponse(status, body, 'mine').allowed('http://a.org/x')).toBe(allowed);
  });
});

describe('drumlin/url', () => {
  test('drops parameters, explains refusals, and tells traps', () => {
    const drop = parametersToDrop(['utm_*']);
    expect(canonicalise('http://A.org/?utm_x=1&b=2', { drop })).toBe('http://a.org/?b=2');
    expect(whyNotCanonical('ftp://a.org/')?.reason).toBe('scheme');
    expect(whyNotCanonical('http://a.org/')).toBeUndefined();
    expect(segmentRepeats('http://a.org/x/y/x/y/x/y/')).toBe(3);
  });

  test('a fingerprint begins with the partition of the domain', () => {
    const url = 'https://www.example.co.uk/a';
    expect(Number(fingerprint(url) >> 54n)).toBe(partition(payLevelDomain('www.example.co.uk')));
    expect(payLevelDomain('alice.blogspot.com')).toBe('blogspot.com');
    expect(payLevelDomain('alice.blogspot.com', true)).toBe('alice.blogspot.com');
  });
});

describe('drumlin/links', () => {
  test('text is UTF-8 whatever the page declares, bytes are in the charset of the header', () => {
    const html = '<meta charset=iso-8859-1><title>é</title><a href=/?q=é>';
    expect(parsePage(html, 'http://a.org/')).toMatchObject({ charset: 'UTF-8', title: 'é' });
    const options = { contentType: 'text/html; charset=windows-1252' };
    const page = parsePage(Buffer.from('<title>\xe9</title>', 'latin1'), 'http://a.org/', options);
    expect(page.title).toBe('é');
  });

  test('keeps the limits and drops the parameters that it is given', () => {
    const html = '<a href=/?s=1&p=2><a href=/b><a href=/c>';
    const options = { maxLinks: 2, dropParameters: ['s'] };
    const urls = linksOf(html, 'http://a.org/', options).map(({ url }) => url);
    expect(urls).toEqual(['http://a.org/?p=2', 'http://a.org/b']);
  });

  test('what is not a sitemap is undefined', () => {
    expect(parseSitemap('<html>')).toBeUndefined();
    const one = '<urlset><url><loc>http://a.org/</loc></url></urlset>';
    expect(parseSitemap(one, 0)).toMatchObject({ kind: 'pages', entries: [], truncated: true });
  });
});

describe('drumlin/graph', () => {
  test('a graph goes out as text and comes back the same', async () => {
    const folder = temporaryFolder();
    const arcs = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'b'],
    ] as const;
    const facts = await buildGraph(join(folder, 'one'), arcs, { level: 'host' });
    expect(facts).toEqual({ nodes: 3, arcs: 3, named: true, level: 'host' });
    const graph = await openGraph(join(folder, 'one'));
    const text = Buffer.concat(await all(edgeList(graph)));
    await graph.close();
    writeFileSync(join(folder, 'edges.txt'), text);
    const back = await importGraph([join(folder, 'edges.txt')], join(folder, 'two'));
    expect(back).toEqual({ nodes: 3, arcs: 3, named: true });
    const inMemory = memoryGraph(
      3,
      [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
      ['a', 'b', 'c'],
    );
    expect(Buffer.concat(await all(edgeList(inMemory)))).toEqual(text);
  });
});

describe('drumlin/lab', () => {
  test('knows its pages and domains, and refuses an unknown scenario', async () => {
    const lab = await startLab({ scenario: 'site', pages: 3 });
    expect(lab.expected(lab.seeds[0])?.status).toBe(200);
    expect(lab.truth(new URL(lab.seeds[0]).hostname)?.spam).toBe(false);
    expect(lab.ports.http).toBeGreaterThan(0);
    await lab.close();
    await expect(startLab({ scenario: 'calm' as never })).rejects.toThrow(
      'There is no scenario "calm"',
    );
  });
});
