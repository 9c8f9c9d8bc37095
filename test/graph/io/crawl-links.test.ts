import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphLevel } from '../../../src/graph/graph-file.ts';
import { crawlLinks } from '../../../src/graph/io/crawl-links.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { quickDisk } from '../fixtures.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

function record(url: string, head: string, body: string | Buffer = '', type = 'response'): Buffer {
  const block = Buffer.concat([Buffer.from(`${head}\r\n`), Buffer.from(body)]);
  const fields = [
    `WARC-Type: ${type}`,
    `WARC-Target-URI: ${url}`,
    `Content-Length: ${block.length}`,
  ];
  return Buffer.concat([
    Buffer.from(`WARC/1.1\r\n${fields.join('\r\n')}\r\n\r\n`),
    block,
    Buffer.from('\r\n\r\n'),
  ]);
}

const page = (url: string, ...links: string[]) =>
  record(url, OK, links.map((href) => `<a href="${href}">x</a>`).join(''));

/**
 * The folder of a crawl whose archive holds these records, the first half in one file, the rest in
 * another.
 */
function crawlOf(...records: Buffer[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'archive'));
  const half = Math.ceil(records.length / 2);
  writeFileSync(
    join(folder, 'archive', 'a-00000.warc.gz'),
    Buffer.concat(records.slice(0, half).map((r) => gzipSync(r))),
  );
  writeFileSync(join(folder, 'archive', 'a-00001.warc'), Buffer.concat(records.slice(half)));
  return folder;
}

async function linksOf(folder: string, level: GraphLevel, nofollow?: boolean) {
  const warnings: string[] = [];
  const links: string[] = [];
  const shares: number[] = [];
  const options = {
    level,
    nofollow,
    onWarning: (text: string) => void warnings.push(text),
    onRead: (share: number) => void shares.push(share),
  };
  for await (const names of crawlLinks(quickDisk(), folder, options)) links.push(names.join(' '));
  return { links, warnings, shares };
}

describe('the captured pages of a crawl', () => {
  const moved = (from: string, to: string) =>
    record(from, `HTTP/1.1 301 Moved\r\nLocation: ${to}\r\n`);
  const linksAmong = async (folder: string, memory = 2 ** 20) => {
    const captured = { scratch: join(folder, 'scratch'), memory };
    const options = { level: 'page' as const, captured };
    const links = new Set<string>();
    for await (const names of crawlLinks(quickDisk(), folder, options)) links.add(names.join(' '));
    expect(existsSync(captured.scratch)).toBe(false);
    return [...links].sort();
  };

  test('are those with status 200, and links lead to them through redirects', async () => {
    const folder = crawlOf(
      page('http://a.test/', '/b', '/old', '/loop', '/gone', '/never-fetched', '/'),
      moved('http://a.test/old', '/older'),
      moved('http://a.test/older', 'http://a.test/b'),
      moved('http://a.test/loop', '/loop'),
      record('http://a.test/gone', 'HTTP/1.1 404 Not Found\r\n'),
      page('http://a.test/b', '/gone', '/old'),
      record('http://a.test/robots.txt', OK, ''),
      record('dns:a.test', OK, ''),
    );
    expect(await linksAmong(folder)).toEqual([
      'http://a.test/',
      'http://a.test/ http://a.test/',
      'http://a.test/ http://a.test/b',
      'http://a.test/b',
      'http://a.test/b http://a.test/b',
    ]);
  });

  test('equal a set and a map in memory, whatever redirects where, with room for two lines', async () => {
    const path = fc.nat(7).map((n) => `http://a.test/${n}`);
    const fetched = fc.oneof(
      fc.record({ url: path, links: fc.array(path, { maxLength: 4 }) }),
      fc.record({ url: path, to: path }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fetched, { minLength: 1, maxLength: 16 }), async (records) => {
        const all = [...records, { url: 'http://a.test/0', links: ['/1', '/7'] }];
        const folder = crawlOf(
          ...all.map((one) => ('to' in one ? moved(one.url, one.to) : page(one.url, ...one.links))),
        );
        const pages = new Set(all.flatMap((one) => ('to' in one ? [] : one.url)));
        const redirects = new Map(all.flatMap((one) => ('to' in one ? [[one.url, one.to]] : [])));
        const endOf = (href: string) => {
          let at: string | undefined = new URL(href, 'http://a.test/').href;
          for (let hop = 0; hop < 10 && at !== undefined && !pages.has(at); hop++)
            at = redirects.get(at);
          return at !== undefined && pages.has(at) ? [at] : [];
        };
        const expected = new Set<string>(pages);
        for (const one of all) {
          if ('to' in one) continue;
          for (const end of one.links.flatMap(endOf)) expected.add(`${one.url} ${end}`);
        }
        expect(await linksAmong(folder, 200)).toEqual([...expected].sort());
      }),
      { numRuns: 60 },
    );
  });

  test('must be there', async () => {
    const folder = crawlOf(record('http://a.test/', 'HTTP/1.1 404 Not Found\r\n'));
    await expect(linksAmong(folder)).rejects.toThrow(/holds no page with status 200/);
  });
});

describe('the links of a crawl', () => {
  const small = () =>
    crawlOf(
      page(
        'http://www.a.test/',
        '/about',
        'http://b.test/x',
        'http://b.test/x#again',
        'http://news.a.test/',
      ),
      page('http://b.test/x', 'http://www.a.test/', '?q=1'),
      page('http://b.test/none'),
    );

  test('lead from pages to pages, each once, and a page without links is there too', async () => {
    const { links, warnings, shares } = await linksOf(small(), 'page');
    expect(links).toEqual([
      'http://www.a.test/',
      'http://www.a.test/ http://www.a.test/about',
      'http://www.a.test/ http://b.test/x',
      'http://www.a.test/ http://news.a.test/',
      'http://b.test/x',
      'http://b.test/x http://www.a.test/',
      'http://b.test/x http://b.test/x?q=1',
      'http://b.test/none',
    ]);
    expect(warnings).toEqual([]);
    expect(shares.at(-1)).toBe(1);
  });

  test('lead from host to host and from domain to domain, none to itself', async () => {
    expect((await linksOf(small(), 'host')).links).toEqual([
      'www.a.test',
      'www.a.test b.test',
      'www.a.test news.a.test',
      'b.test',
      'b.test www.a.test',
      'b.test',
    ]);
    expect((await linksOf(small(), 'domain')).links).toEqual([
      'a.test',
      'a.test b.test',
      'b.test',
      'b.test a.test',
      'b.test',
    ]);
  });

  test('a redirect is a link, and the only one of its page', async () => {
    const head = 'HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Type: text/html\r\n';
    const folder = crawlOf(record('http://a.test/here', head, '<a href=/other>x</a>'));
    expect((await linksOf(folder, 'page')).links).toEqual([
      'http://a.test/here',
      'http://a.test/here http://a.test/there',
    ]);
  });

  test('of coded and chunked pages are read, those of other types are not', async () => {
    const html = gzipSync('<a href=/1>x</a>');
    const chunked = Buffer.concat([
      Buffer.from(`${html.length.toString(16)}\r\n`),
      html,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    const folder = crawlOf(
      record(
        'http://a.test/',
        `${OK}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n`,
        chunked,
      ),
      record(
        'http://a.test/text',
        'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n',
        '<a href=/2>x</a>',
      ),
      record('http://a.test/bare', 'HTTP/1.1 200 OK\r\n', '<!doctype html><a href=/3>x</a>'),
    );
    expect((await linksOf(folder, 'page')).links).toEqual([
      'http://a.test/',
      'http://a.test/ http://a.test/1',
      'http://a.test/text',
      'http://a.test/bare',
      'http://a.test/bare http://a.test/3',
    ]);
  });

  test('that are nofollow are left out, unless asked for', async () => {
    const folder = crawlOf(
      record('http://a.test/', OK, '<a href=/1 rel=nofollow>x</a><a href=/2>x</a>'),
      record('http://a.test/meta', OK, '<meta name=robots content=nofollow><a href=/3>x</a>'),
      record('http://a.test/head', `${OK}X-Robots-Tag: nofollow\r\n`, '<a href=/4>x</a>'),
    );
    const targets = async (nofollow?: boolean) =>
      (await linksOf(folder, 'page', nofollow)).links.flatMap((link) => link.split(' ').slice(1));
    expect(await targets()).toEqual(['http://a.test/2']);
    expect(await targets(true)).toEqual([1, 2, 3, 4].map((n) => `http://a.test/${n}`));
  });

  test('are not searched in records that are no pages', async () => {
    const folder = crawlOf(
      record('http://a.test/robots.txt', OK, '<a href=/1>x</a>'),
      record('http://a.test/', 'GET / HTTP/1.1\r\n', '', 'request'),
      record('dns:a.test', OK, '<a href=/1>x</a>'),
      record('http://a.test/garbled', 'no head at all', '<a href=/1>x</a>'),
      page('http://a.test/page'),
    );
    expect((await linksOf(folder, 'page')).links).toEqual(['http://a.test/page']);
  });

  test('lose the parameters that the crawl dropped', async () => {
    const folder = crawlOf(page('http://a.test/', '/1?utm_source=x', '/2?mine=1&b=2'));
    const settings = { dropParameters: ['tracking', 'mine'] };
    writeFileSync(join(folder, 'crawl.json'), JSON.stringify({ drumlin: 'crawl', settings }));
    expect((await linksOf(folder, 'page')).links.slice(1)).toEqual([
      'http://a.test/ http://a.test/1',
      'http://a.test/ http://a.test/2?b=2',
    ]);
    writeFileSync(join(folder, 'crawl.json'), '{');
    await expect(linksOf(folder, 'page')).rejects.toMatchObject({ code: 'CRAWL_DAMAGED' });
  });

  test('before a damage are given, and the damage is reported', async () => {
    const folder = crawlOf(
      page('http://a.test/1'),
      page('http://a.test/2'),
      page('http://a.test/3'),
    );
    const path = join(folder, 'archive', 'a-00000.warc.gz');
    writeFileSync(path, readFileSync(path).subarray(0, -10));
    const { links, warnings } = await linksOf(folder, 'page');
    expect(links).toEqual(['http://a.test/1', 'http://a.test/3']);
    expect(warnings).toEqual([expect.stringMatching(/a-00000\.warc\.gz is truncated at byte \d+/)]);
  });

  test('of a folder without an archive are refused', async () => {
    await expect(linksOf(temporaryFolder(), 'page')).rejects.toMatchObject({
      code: 'CRAWL_MISSING',
      exitCode: 5,
    });
  });
});
