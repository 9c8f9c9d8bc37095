import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Disk } from '../../../src/disk/disk.ts';
import { fingerprintAndWords } from '../../../src/duplicates/fingerprint.ts';
import { readCollection, writeCollection } from '../../../src/spam/collection.ts';
import { readQueries, WordCounts } from '../../../src/spam/crawls/frequent-words.ts';
import { type FeaturesRequest, makeFeatures } from '../../../src/spam/crawls/make-features.ts';
import { SiteBook, sitesOf } from '../../../src/spam/crawls/site-book.ts';
import { type FeatureTable, readFeatures, setOf } from '../../../src/spam/feature-table.ts';
import { PageMeter } from '../../../src/spam/features/content/page-meter.ts';
import { isHome, siteOf } from '../../../src/spam/features/sites.ts';
import { writeFeatures } from '../../../src/spam/write-features.ts';
import { type ArchivedPage, writeCrawl } from '../../corpus/lab-archive.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

const page = (url: string, text: string): ArchivedPage => ({
  url,
  body: Buffer.from(`<html><title>A title</title><p>${text}</p><a href="/">home</a></html>`),
});

/** Two hosts of one domain, and another domain; ten pages each. */
const PAGES = ['www.one.example', 'blog.one.example', 'two.example'].flatMap((host, h) =>
  Array.from({ length: 10 }, (_, i) =>
    page(
      `http://${host}/${i === 0 ? '' : `p${i}`}`,
      `the cat number ${i} sat ${'cheap pills '.repeat(h * i)} on host ${h}`,
    ),
  ),
);

async function crawlOf(pages: readonly ArchivedPage[]): Promise<string> {
  const dir = join(temporaryFolder(), 'crawl');
  await writeCrawl(dir, pages, { agents: 2 });
  return dir;
}

const request = (crawl: string, more: Partial<FeaturesRequest> = {}): FeaturesRequest => ({
  ...{ crawls: [crawl], level: 'host', sets: ['content', 'names'], pages: 400 },
  ...{ scratch: join(temporaryFolder(), 'scratch'), memory: 64 * 2 ** 20 },
  ...more,
});
const cellOf = (table: FeatureTable, site: string, name: string): number =>
  table.columns[table.names.indexOf(name)][table.sites.indexOf(site)];

describe('features of a stored crawl', () => {
  test('describe each host by the values of its pages', async () => {
    const crawl = await crawlOf(PAGES);
    const { table, collection } = await makeFeatures(
      disk,
      request(crawl, { queries: ['cheap', 'pills'] }),
    );
    expect(table.sites).toEqual(['blog.one.example', 'two.example', 'www.one.example']);
    expect(table.names).toHaveLength(74 + 68);
    expect(collection.words?.collection.slice(0, 2)).toEqual(['cheap', 'pills']);
    const meter = new PageMeter({ collection: [], queries: [], ...collection.words });
    const own = PAGES.slice(10, 20).map(({ body }) =>
      meter.measure(fingerprintAndWords(body).words),
    );
    const mean = own.reduce((sum, [words]) => sum + words, 0) / 10;
    expect(cellOf(table, 'blog.one.example', 'content:mean_words')).toBe(mean);
    expect(cellOf(table, 'blog.one.example', 'content:home_words')).toBe(own[0][0]);
    expect(cellOf(table, 'two.example', 'content:pages')).toBe(10);
    expect(cellOf(table, 'two.example', 'names:length')).toBe(11);
    expect(table.belongings[0]).toContain('domain one.example');
  });

  test('tell copied pages from those that came before, by the order of the archive', async () => {
    const text = (name: string) => Array.from({ length: 90 }, (_, i) => `${name}${i}`).join(' ');
    const dir = join(temporaryFolder(), 'crawl');
    const pages = [
      ...[page('http://first.example/', text('a')), page('http://first.example/b', text('b'))],
      ...[page('http://later.example/', text('a')), page('http://later.example/c', text('c'))],
      ...[page('http://first.example/c', text('c')), page('http://third.example/', 'not found')],
      ...[page('http://first.example/a', text('a')), page('http://other.example/', 'not found')],
    ];
    await writeCrawl(dir, pages, { agents: 1 });
    const { table } = await makeFeatures(disk, request(dir, { sets: ['copies'] }));
    expect(table.names).toEqual(['copies:share']);
    expect(Object.fromEntries(table.sites.map((site, i) => [site, table.columns[0][i]]))).toEqual({
      'first.example': 0.25,
      'later.example': 0.5,
      'other.example': 0,
      'third.example': 0,
    });
  });

  test('describe a domain by all its hosts, and its home page by that of www', async () => {
    const { table } = await makeFeatures(disk, request(await crawlOf(PAGES), { level: 'domain' }));
    expect(table.sites).toEqual(['one.example', 'two.example']);
    expect(cellOf(table, 'one.example', 'content:pages')).toBe(20);
    expect(cellOf(table, 'one.example', 'content:home_title_words')).toBe(2);
  });

  test('look at the first pages of a site only, the same in both readings', async () => {
    const { table } = await makeFeatures(disk, request(await crawlOf(PAGES), { pages: 3 }));
    for (const site of table.sites) expect(cellOf(table, site, 'content:pages')).toBe(3);
  });

  test('by the lists of a model are those of its collection', async () => {
    const others = ['dogs', 'bark'].map((text, i) => page(`http://other${i}.example/`, text));
    const crawl = await crawlOf([...PAGES, ...others]);
    const first = await makeFeatures(disk, request(crawl, { sets: ['content', 'bm25'] }));
    const { collection } = first;
    const again = await makeFeatures(
      disk,
      request(await crawlOf(PAGES.slice(0, 10)), { sets: ['content', 'bm25'], collection }),
    );
    expect(again.table.names).toEqual(first.table.names);
    const place = first.table.sites.indexOf('www.one.example');
    for (const [j, column] of again.table.columns.entries())
      expect(column[0]).toBe(first.table.columns[j][place]);
  });

  test('are written and read again to the last bit, in every format', async () => {
    const groups = new Map([['two.example', "a farm, of 'two'"]]);
    const crawl = await crawlOf([...PAGES.slice(0, 21), page('http://three.example/', 'dogs')]);
    const made = await makeFeatures(
      disk,
      request(crawl, { groups, sets: ['content', 'bm25', 'names'] }),
    );
    const folder = temporaryFolder();
    // A site of one page has no deviation: missing values are written, too.
    expect(cellOf(made.table, 'two.example', 'content:deviation_words')).toBeNaN();
    for (const ending of ['parquet', 'arff', 'csv', 'tsv', 'csv.gz']) {
      const path = join(folder, `f.${ending}`);
      await writeFeatures(disk, path, made.table);
      expect(await readFeatures(path), ending).toEqual(made.table);
    }
    await expect(writeFeatures(disk, join(folder, 'f.txt'), made.table)).rejects.toThrow(/format/);
  });

  test('keep what they depend on in a file beside the table', async () => {
    const path = join(temporaryFolder(), 'f.csv');
    expect(await readCollection(disk, path)).toBeUndefined();
    const about = { level: 'host', words: { collection: ['a'], queries: [] } } as const;
    await writeCollection(disk, path, about);
    expect(await readCollection(disk, path)).toEqual(about);
    writeFileSync(`${path}.collection.json`, '{"format":"other"}');
    await expect(readCollection(disk, path)).rejects.toThrow(/damaged/);
  });

  test('of all sets together come from two crawls, and leave no files behind', async () => {
    const others = ['dogs', 'bark', 'dogs'].map((text, i) =>
      page(`http://other${i}.example/`, `${text} <a href="http://two.example/p1">two</a>`),
    );
    const best = [
      { url: 'http://three.example/', body: Buffer.from('<a href="/best">the best</a> page') },
      { url: 'http://three.example/best', body: Buffer.from('<p>here it is</p> without links !') },
    ];
    const crawls = [
      await crawlOf([...PAGES.slice(10), ...others.slice(1)]),
      await crawlOf([...PAGES, ...others, ...best]),
    ];
    const scratch = join(temporaryFolder(), 'work');
    const sets = ['content-b', 'links', 'bm25', 'bm25-ave', 'temporal', 'names', 'neighbours'];
    const { table } = await makeFeatures(
      disk,
      request('', { crawls, scratch, sets: sets as FeaturesRequest['sets'] }),
    );
    expect(new Set(table.names.map(setOf))).toEqual(
      new Set(sets.map((set) => set.replace('content-b', 'content'))),
    );
    expect(table.names.filter((name) => name.startsWith('links:'))).toHaveLength(176);
    expect(table.sites).toHaveLength(7);
    // Its page of greatest PageRank is not its home page.
    expect(cellOf(table, 'three.example', 'content:home_words')).toBe(3);
    expect(cellOf(table, 'three.example', 'content:top_words')).toBe(5);
    expect(cellOf(table, 'two.example', 'neighbours:near_share')).toBeGreaterThanOrEqual(0);
    const term = table.names.find((name) => name.startsWith('bm25:')) ?? '';
    expect(table.names).toContain(term.replace('bm25:', 'bm25-ave:'));
    expect(existsSync(scratch)).toBe(false);
    await expect(makeFeatures(disk, request(crawls[0], { sets: ['temporal'] }))).rejects.toThrow(
      /more than 1 crawls/,
    );
  });

  test('need pages, one part of content, and queries for those of queries', async () => {
    const crawl = await crawlOf([{ ...PAGES[0], status: 404 }]);
    await expect(makeFeatures(disk, request(crawl))).rejects.toThrow(/no HTML pages/);
    await expect(
      makeFeatures(disk, request(crawl, { sets: ['content', 'content-b'] })),
    ).rejects.toThrow(/same names/);
    await expect(makeFeatures(disk, request(crawl, { sets: ['content-aa'] }))).rejects.toThrow(
      /looks at queries/,
    );
  });

  test('come with what could be read of a damaged archive', async () => {
    const crawl = await crawlOf(PAGES);
    const file = join(crawl, 'archive', readdirSync(join(crawl, 'archive'))[0]);
    writeFileSync(file, readFileSync(file).subarray(0, -40));
    const notes: string[] = [];
    const { table } = await makeFeatures(disk, request(crawl, { onNote: (t) => notes.push(t) }));
    expect(table.sites).toHaveLength(3);
    expect(notes.length).toBeGreaterThan(0);
  });
});

describe('sites', () => {
  test('keep the addresses of their pages, but for one that most sites have', () => {
    const book = new SiteBook('domain', 9);
    for (const [i, address] of ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.9'].entries())
      for (const one of [address, '127.0.0.1'])
        book.siteOf({ url: `http://s${i}.example/`, body: new Uint8Array(0), address: one });
    const sites = sitesOf(book.records(), new Map([['s2.example', 'farm']]));
    expect(sites.map(({ addresses }) => addresses)).toEqual([
      ...[['10.0.0.1'], ['10.0.0.1'], ['10.0.0.2'], ['10.0.0.9']],
    ]);
    expect(sites.map(({ group }) => group)).toEqual([undefined, undefined, 'farm', undefined]);
  });

  test('are hosts or domains, each with its home page', () => {
    expect(siteOf('https://www.a.example.co.uk/x', 'host')).toBe('www.a.example.co.uk');
    expect(siteOf('https://www.a.example.co.uk/x', 'domain')).toBe('example.co.uk');
    expect(isHome('http://a.example.com/', 'host')).toBe(true);
    expect(isHome('http://a.example.com/', 'domain')).toBe(false);
    expect(isHome('http://www.example.com/', 'domain')).toBe(true);
    expect(isHome('http://example.com/?q=1', 'domain')).toBe(false);
  });
});

describe('frequent words', () => {
  test('of queries are read with how often each was asked', async () => {
    const path = join(temporaryFolder(), 'queries.txt');
    writeFileSync(path, 'cheap flights\t3\nFlights to Rome\n\n<b>&amp; maps\t2\n');
    expect(await readQueries(disk, path)).toEqual([
      ...['flights', 'cheap', 'amp', 'b', 'maps', 'rome', 'to'],
    ]);
    writeFileSync(path, 'cheap\tmany\n');
    await expect(readQueries(disk, path)).rejects.toThrow(/no number of times/);
    writeFileSync(path, ' \n');
    await expect(readQueries(disk, path)).rejects.toThrow(/no words/);
  });

  test('are found though rare words are forgotten, and long ones are left out', () => {
    const counts = new WordCounts(50);
    const key = 'k'.repeat(65);
    for (let i = 0; i < 400; i++) counts.add([`rare${i}`, 'often', `some${i % 3}`, key, key]);
    expect(counts.top().slice(0, 4)).toEqual(['often', 'some0', 'some1', 'some2']);
  });
});
