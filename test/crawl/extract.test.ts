/** Fields of pages beside the archive: a row for each page, once, whatever interrupts the crawl. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { startCrawl } from './here.ts';
import { type SmallSite, startSmallSite } from './small-site.ts';

let folder: string;
let site: SmallSite;
const PAGES = 12;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-extract-'));
  const page = (n: number) =>
    `<h1>Page "${n}"</h1><a href="/${n + 1}">next</a><a href=/file>f</a><i class=tag>x</i>`;
  site = await startSmallSite({
    '/file': (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('f'),
    ...Object.fromEntries(Array.from({ length: PAGES }, (_, n) => [`/${n}`, page(n)])),
  });
});
afterEach(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const text = (name: string) => readFileSync(join(folder, 'crawl', name), 'utf8');

test('rows survive stops and another number of agents: each page has one', async () => {
  writeFileSync(
    join(folder, 'fields.yaml'),
    'title: h1\nlinks: { selector: a, attribute: href, many: true }\n',
  );
  const run = async (agents: number, maxPages: number, failing = false) => {
    const config = resolveConfig({
      ...{ dir: join(folder, 'crawl'), extract: join(folder, 'fields.yaml'), crawlLog: true },
      ...{ allowPrivate: true, delay: 0, scope: 'host', agents, maxPages },
    });
    let pages = 0;
    const onPage = () => {
      if (failing && ++pages === 3) throw new Error('crash');
    };
    const { finished } = await startCrawl([`${site.origin}/0`], config, { onPage });
    await finished.catch((error) => expect(error.message).toBe('crash'));
  };
  await run(1, 3);
  await run(3, 100, true);
  await run(1, 100);
  const rows = text('extracted.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const paths = rows.map(({ url }) => new URL(url).pathname);
  expect(paths.sort()).toEqual(Array.from({ length: PAGES }, (_, n) => `/${n}`).sort());
  expect(rows.find(({ url }) => url.endsWith('/3'))).toMatchObject({
    ...{ status: 200, title: 'Page "3"', links: ['/4', '/file'] },
  });
  const table = text('extracted.csv').trim().split('\r\n');
  expect(table[0]).toBe('url,status,time,title,links');
  expect(table).toHaveLength(PAGES + 1);
  expect(table.find((line) => line.includes('/3,'))).toMatch(/,"Page ""3""",\/4 \| \/file$/);
  // The page after the last is a 404, and the file is no page with fields: both are in the log.
  const logged = text('crawl.log')
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/)[3]);
  expect(new Set(logged).size).toBe(logged.length);
  expect(logged).toHaveLength(PAGES + 2);
});

test.each([
  [{ crawlLog: true }, 'the crawl has no folder'],
  [{ extract: 'fields.yaml' }, 'the crawl has no folder'],
  [{ convertLinks: true }, 'Only pages that are stored as files'],
])('%j without a place for its files is refused', async (options, fact) => {
  const config = resolveConfig({ ...options, allowPrivate: true });
  await expect(startCrawl([`${site.origin}/0`], config)).rejects.toThrow(fact);
});

test('a file of fields that cannot be read is refused before anything is fetched', async () => {
  const config = resolveConfig({
    ...{ dir: join(folder, 'crawl'), extract: join(folder, 'none.yaml'), allowPrivate: true },
  });
  await expect(startCrawl([`${site.origin}/0`], config)).rejects.toThrow('none.yaml');
  expect(site.asked).toEqual([]);
});
