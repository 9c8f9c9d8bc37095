/** Where pages go: a folder of files, a user's own sink, or nowhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { pagePath } from '../../../src/crawl/store/page-path.ts';
import { crawl as streamed } from '../../../src/crawl/stream.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { canonicalise } from '../../../src/url/canonical.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { startCrawl } from '../here.ts';
import { linking, type SmallSite, startSmallSite } from '../small-site.ts';

let site: SmallSite | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

const LOCAL = { agents: 1, allowPrivate: true, delay: 0 } as const;

describe('the name of a page', () => {
  test.each([
    ['https://example.org/', true, 'https/example.org/index.html'],
    ['https://example.org:8080/docs/', true, 'https/example.org+8080/docs/index.html'],
    ['http://example.org/a.html', true, 'http/example.org/a.html'],
    ['https://example.org/img/logo.png', false, 'https/example.org/img/logo.png'],
    ['https://example.org/a', true, /^https\/example\.org\/a~[0-9a-f]{16}\.html$/],
    ['https://example.org/index.html', true, /^https\/example\.org\/index~[0-9a-f]{16}\.html$/],
    ['https://example.org/a.html?b=1', true, /^https\/example\.org\/a~[0-9a-f]{16}\.html$/],
    ['https://example.org/A.html', true, /^https\/example\.org\/a~[0-9a-f]{16}\.html$/],
    ['https://example.org/a.php', true, /^https\/example\.org\/a~[0-9a-f]{16}\.html$/],
    ['https://example.org/v1.2/x.css', false, /^https\/example\.org\/v1_2~[0-9a-f]{16}\/x\.css$/],
    ['https://example.org/con.html', true, /^https\/example\.org\/con~[0-9a-f]{16}\.html$/],
    ['https://[2001:db8::1]/', true, /^https\/_2001_db8_1_~[0-9a-f]{16}\/index\.html$/],
  ])('of %s is readable', (url, isHtml, name) => {
    if (typeof name === 'string') expect(pagePath(url, isHtml)).toBe(name);
    else expect(pagePath(url, isHtml)).toMatch(name);
  });

  test('is safe and unique, and never a folder of another, for any URLs', () => {
    const segment = fc.constantFrom(
      'a',
      'A',
      'a.html',
      'index.html',
      '..',
      '.',
      '',
      'a~1',
      'con',
      '%2e%2e',
      'ü',
      'x'.repeat(150),
      'a.b',
      'a?b',
      '?',
      'index',
    );
    const anyUrl = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom('a.org', 'A.org:81', 'nul', '[::1]'),
        fc.array(segment, { maxLength: 4 }),
      )
      .map(
        ([scheme, host, segments]) =>
          canonicalise(`${scheme}://${host}/${segments.join('/')}`) ?? 'http://b.org/',
      );
    fc.assert(
      fc.property(fc.uniqueArray(anyUrl, { size: 'max', maxLength: 60 }), (urls) => {
        const names = urls.map((url) => pagePath(url, true).toLowerCase());
        expect(new Set(names).size).toBe(urls.length);
        for (const name of names) {
          expect(name).toMatch(/^https?\/[^/]+\/[^/]+(?:\/[^/]+)*$/);
          expect(
            name.split('/').some((part) => part === '..' || part === '.' || part.length > 110),
          ).toBe(false);
          expect(names.some((other) => other.startsWith(`${name}/`))).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a crawl into a folder of files', () => {
  const start = () =>
    startSmallSite({
      '/': linking('/docs/', '/zipped', '/gone', '/image.png'),
      '/docs/': '<p>docs</p>',
      '/zipped': (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(gzipSync('<p>zipped</p>')),
      '/image.png': (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'image/png' })
          .end(Buffer.from([0x89, 0x50, 1])),
    });
  const crawl = async (dir: string, options: CrawlOptions = {}, disk?: Disk) => {
    const config = resolveConfig({ dir, ...LOCAL, store: 'files', ...options });
    return (await startCrawl([`${site?.origin}/`], config, disk && { disk })).finished;
  };
  const filesIn = (dir: string) =>
    readdirSync(join(dir, 'pages'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.jsonl'))
      .map((entry) => join(entry.parentPath, entry.name));
  const listOf = (dir: string) =>
    readFileSync(join(dir, 'pages/pages-0.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('writes the decoded pages, and a list of all responses', async () => {
    site = await start();
    const dir = join(temporaryFolder(), 'crawl');
    expect(await crawl(dir)).toMatchObject({ pages: 5 });
    const list = listOf(dir);
    expect(list.map(({ url, status }) => `${status} ${new URL(url).pathname}`).sort()).toEqual([
      '200 /',
      '200 /docs/',
      '200 /image.png',
      '200 /zipped',
      '404 /gone',
    ]);
    const text = (path: string) => {
      const { file } = list.find(({ url }) => new URL(url).pathname === path);
      return readFileSync(join(dir, 'pages', file)).toString('latin1');
    };
    expect(text('/zipped')).toBe('<p>zipped</p>');
    expect(text('/docs/')).toBe('<p>docs</p>');
    expect(text('/image.png')).toBe('\x89P\x01');
    expect(filesIn(dir)).toHaveLength(4);
    expect(existsSync(join(dir, 'archive'))).toBe(false);
    expect(existsSync(join(dir, 'indexes/index.cdxj'))).toBe(false);
  });

  test('that is interrupted anywhere has every page in the end, and each once in the list', async () => {
    site = await start();
    const dir = join(temporaryFolder(), 'crawl');
    for (let operations = 5; operations < 200; operations = Math.ceil(operations * 1.6)) {
      const disk = new Disk(new FaultyFileSystem({ skipSync: true, operations }));
      await crawl(dir, { checkpoint: 100 }, disk).catch(() => {});
    }
    await crawl(dir);
    expect(filesIn(dir)).toHaveLength(4);
    const urls = listOf(dir).map(({ url }) => url);
    expect(urls.length).toBe(5);
    expect(new Set(urls).size).toBe(5);
  });
});

test('a crawl resumed with another store keeps the files of the first, and can return to it', async () => {
  site = await startSmallSite({ '/': linking('/1', '/2'), '/1': 'a', '/2': 'b' });
  const dir = join(temporaryFolder(), 'crawl');
  for (const [maxPages, store] of [
    [1, 'warc'],
    [1, 'files'],
    [1, 'warc'],
  ] as const) {
    const config = resolveConfig({ dir, ...LOCAL, maxPages, store });
    await (await startCrawl([`${site.origin}/`], config)).finished;
  }
  const files = readdirSync(join(dir, 'archive'));
  expect(files).toHaveLength(2);
  expect(
    readFileSync(join(dir, 'indexes/index.cdxj'), 'latin1').match(/"status":"200"/g),
  ).toHaveLength(2);
  expect(readFileSync(join(dir, 'pages/pages-0.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(
    1,
  );
});

describe('a sink of the user', () => {
  test('gets every page, is awaited, and is closed when the crawl has ended', async () => {
    site = await startSmallSite({
      '/': linking('/1', '/2', '/3'),
      '/1': 'a',
      '/2': 'b',
      '/3': 'c',
    });
    const events: string[] = [];
    let busy = 0;
    let most = 0;
    const pages = streamed({
      ...{ seeds: `${site.origin}/`, ...LOCAL },
      store: {
        async write({ url }) {
          most = Math.max(most, ++busy);
          await new Promise((later) => setImmediate(later));
          busy--;
          events.push(new URL(url).pathname);
        },
        close: () => void events.push('closed'),
      },
    });
    for await (const _ of pages);
    expect(events.slice(0, -1).sort()).toEqual(['/', '/1', '/2', '/3']);
    expect(events.at(-1)).toBe('closed');
    // One page of a host at a time, and the next only after the last was accepted.
    expect(most).toBe(1);
  });

  test('that fails ends the crawl with its error, and is still closed', async () => {
    site = await startSmallSite({ '/': linking('/1') });
    let closed = 0;
    const store = { write: () => Promise.reject(new Error('no room')), close: () => void closed++ };
    const run = async () => {
      for await (const _ of streamed({ seeds: `${site?.origin}/`, ...LOCAL, store }));
    };
    await expect(run()).rejects.toThrow('no room');
    expect(closed).toBe(1);
  });

  test('"none" stores nothing, even if the crawl has a folder', async () => {
    site = await startSmallSite({ '/': 'x' });
    const dir = join(temporaryFolder(), 'crawl');
    for await (const _ of streamed({ seeds: `${site.origin}/`, ...LOCAL, dir, store: 'none' }));
    expect(existsSync(join(dir, 'archive'))).toBe(false);
    expect(readdirSync(dir)).toContain('crawl.json');
  });
});
