/** Pages with the same payload, within one crawl and across crawls. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Archive } from '../../src/archive/index/archive.ts';
import { payloadOf } from '../../src/archive/warc/http-block.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { crawlLinks } from '../../src/graph/io/crawl-links.ts';
import { readWithWarcio } from '../archive/warc/fixtures.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { archivedPages } from './archived.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const LONG = `<p>${'the same words again '.repeat(100)}</p>`;
/** Relative links: the same bytes lead elsewhere from another folder. */
const COPY = `${LONG}<a href="leaf">leaf</a>`;
let site: SmallSite;

beforeEach(async () => {
  site = await startSmallSite({
    '/': linking('/a/copy', '/b/copy', '/c/copy', '/short1', '/short2'),
    '/a/copy': COPY,
    '/b/copy': COPY,
    '/c/copy': COPY,
    '/a/leaf': `${LONG}a`,
    '/b/leaf': `${LONG}b`,
    '/c/leaf': `${LONG}c`,
    '/short1': 'short',
    '/short2': 'short',
  });
});

afterEach(() => site.close());

async function crawl(dir: string, options: CrawlOptions = {}) {
  const config = resolveConfig({ dir, agents: 1, allowPrivate: true, delay: 0, ...options });
  return (await startCrawl([`${site.origin}/`], config)).finished;
}

async function kinds(dir: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of readdirSync(join(dir, 'archive'))) {
    for (const { type, url } of await readWithWarcio(join(dir, 'archive', file))) {
      if (type !== 'request' && !url?.endsWith('/robots.txt'))
        counts[type] = (counts[type] ?? 0) + 1;
    }
  }
  return counts;
}

const PATHS = [
  '/',
  '/a/copy',
  '/a/leaf',
  '/b/copy',
  '/b/leaf',
  '/c/copy',
  '/c/leaf',
  '/short1',
  '/short2',
];

describe('pages with the same payload', () => {
  test('are stored once and referred to after that, and the links of each are followed', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const summary = await crawl(dir);
    expect(summary).toMatchObject({ pages: 9, revisits: 2 });
    expect(await kinds(dir)).toEqual({ warcinfo: 1, response: 7, revisit: 2 });
    expect((await archivedPages(dir)).map((url) => new URL(url).pathname)).toEqual(PATHS);
    const archive = await Archive.open(new Disk(), dir);
    for (const folder of ['a', 'b', 'c']) {
      const page = await archive.page((await archive.nearest(`${site.origin}/${folder}/copy`))!);
      expect(Buffer.from(payloadOf(page.block)).toString()).toBe(COPY);
    }
  });

  test('have their links in the graph, resolved against their own URLs', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    await crawl(dir);
    const arcs: string[] = [];
    for await (const [from, to] of crawlLinks(new Disk(), dir, { level: 'page' })) {
      if (to?.endsWith('leaf')) arcs.push(`${new URL(from).pathname} ${new URL(to).pathname}`);
    }
    expect(arcs.sort()).toEqual(['/a/copy /a/leaf', '/b/copy /b/leaf', '/c/copy /c/leaf']);
  });

  test.each([
    ['store', { warcinfo: 1, response: 9 }, 0],
    ['skip', { warcinfo: 1, response: 7 }, 2],
  ] as const)('are handled as the setting says: %s', async (duplicates, expected, revisits) => {
    const dir = join(temporaryFolder(), 'crawl');
    expect(await crawl(dir, { duplicates })).toMatchObject({ pages: 9, revisits });
    expect(await kinds(dir)).toEqual(expected);
  });

  test('are recognised by a resumed crawl, and by a later one that names it', async () => {
    const first = join(temporaryFolder(), 'crawl');
    for (let pages = 1; pages <= 4; pages++) await crawl(first, { maxPages: pages === 4 ? 9 : 2 });
    expect(await kinds(first)).toMatchObject({ response: 7, revisit: 2 });
    const second = join(temporaryFolder(), 'crawl');
    expect(await crawl(second, { dedupAgainst: [first] })).toMatchObject({ pages: 9, revisits: 6 });
    // A short payload is stored again: a reference would be no shorter.
    expect(await kinds(second)).toEqual({ warcinfo: 1, response: 3, revisit: 6 });
    const third = join(temporaryFolder(), 'crawl');
    const summary = await crawl(third, {
      dedupAgainst: join(first, 'indexes/index.cdxj'),
      duplicates: 'skip',
    });
    expect(summary.revisits).toBe(6);
    expect(await kinds(third)).toEqual({ warcinfo: 1, response: 3 });
  });

  test('are found in the archive they refer to; if it is missing that is reported, with a warning where links are wanted', async () => {
    const [first, second] = [join(temporaryFolder(), 'crawl'), join(temporaryFolder(), 'crawl')];
    await crawl(first);
    await crawl(second, { dedupAgainst: [first] });
    const archive = await Archive.open(new Disk(), second);
    const capture = await archive.nearest(`${site.origin}/a/copy`);
    expect(await archive.page(capture!)).toMatchObject({ type: 'response' });
    rmSync(first, { recursive: true });
    const alone = await Archive.open(new Disk(), second);
    await expect(alone.page(capture!)).rejects.toMatchObject({
      code: 'ORIGINAL_MISSING',
      exitCode: 8,
    });
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    for await (const _ of crawlLinks(new Disk(), second, { level: 'page', onWarning }));
    expect(warnings).toEqual([
      expect.stringContaining('6 pages are duplicates of others that are not in'),
    ]);
    expect(readFileSync(join(second, 'log.jsonl'), 'utf8')).toContain('"revisits":6');
  });
});
