import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { search } from '../../src/cli/commands/search/work.ts';
import { Disk } from '../../src/disk/disk.ts';
import { buildIndex, indexArchives } from '../../src/search/build/build-index.ts';
import { crawlNames } from '../../src/search/build/crawl-names.ts';
import { CHANGED } from '../../src/search/changed/order.ts';
import { describe as described } from '../../src/search/query/results.ts';
import { SearchIndex, type SearchOptions } from '../../src/search/query/search-index.ts';
import { timelineOf } from '../../src/search/query/timeline.ts';
import { rangeOf } from '../../src/search/query/times.ts';
import { type ArchivedPage, writeCrawl } from '../corpus/lab-archive.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { addCaptures, disk } from './collection.ts';

const DAY = 86_400_000;
const OCTOBER = Date.UTC(2011, 9, 1);

const page = (url: string, title: string, text: string, around = ''): ArchivedPage => ({
  url,
  body: Buffer.from(
    `<html><head><title>${title}</title></head><body><nav>${around}</nav><main><p>${text}</p></main></body></html>`,
  ),
});

const PROSE =
  'In the capital the crowd asked for a no fly zone over the coast, and the old government said nothing about it that day.';
const OTHER =
  'The minister of trade visited the harbour with the mayor, and they spoke about the price of fish and of bread that winter.';

async function crawl(pages: readonly ArchivedPage[], from: number, name = 'crawl') {
  const dir = join(temporaryFolder(), name);
  await writeCrawl(dir, pages, { from });
  return dir;
}

async function indexed(places: readonly string[], out = join(temporaryFolder(), 'index')) {
  const summary = await indexArchives(places, out, { disk });
  return { out, summary, index: await SearchIndex.open([out], disk) };
}

async function urls(index: SearchIndex, query: string, options: SearchOptions = {}) {
  const results = await described(index, await index.search(query, options), { disk });
  return results.map(({ url }) => url);
}

describe('an index of archives', () => {
  test('has one version for captures with the same text, whatever is around it', async () => {
    const one = await crawl(
      Array.from({ length: 40 }, (_, i) =>
        page('http://a.example/', 'Coast', PROSE, `menu of day ${i} <a href="/${i}">x</a>`),
      ),
      OCTOBER,
    );
    const { index, summary } = await indexed([one]);
    expect(summary).toMatchObject({ pages: 40, versions: 1 });
    const [result] = await described(index, await index.search('crowd'), { disk });
    expect(result).toMatchObject({
      ...{ url: 'http://a.example/', title: 'Coast', captures: 40, versions: 1, language: 'en' },
      ...{ first: OCTOBER, last: OCTOBER + 39_000, place: one },
    });
    expect(result.snippet).toContain('the crowd asked for a no fly zone');
    await index.close();
  });

  test('ends a version when the page is gone, not when the server fails', async () => {
    const url = 'http://a.example/';
    const failing = { ...page(url, '', ''), status: 503 };
    const gone = { ...page(url, 'Not here', OTHER), status: 404 };
    const never = { ...page('http://b.example/', '', ''), status: 410 };
    const coast = page(url, 'Coast', PROSE);
    const place = await crawl([never, coast, failing, coast, gone, gone, failing, coast], OCTOBER);
    const { index, summary } = await indexed([place]);
    expect(summary).toMatchObject({ pages: 3, versions: 1, records: expect.any(Number) });
    const at = async (second: number) => {
      const time = OCTOBER + 1000 * second;
      return (await urls(index, 'crowd', { range: { from: time, to: time } })).length;
    };
    expect(await Promise.all([1, 2, 3, 4, 5, 6, 7].map(at))).toEqual([1, 1, 1, 0, 0, 0, 1]);
    expect(await urls(index, 'fish')).toEqual([]);
    await index.close();
  });

  test('sees each page as it was, and adds later archives without postings for old text', async () => {
    const first = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER, 'first');
    const second = await crawl(
      [page('http://a.example/', 'Trade', OTHER), page('http://b.example/', 'Coast', PROSE)],
      OCTOBER + 10 * DAY,
      'second',
    );
    const third = await crawl(
      [page('http://a.example/', 'Coast', PROSE)],
      OCTOBER + 20 * DAY,
      'third',
    );
    const { out, index: before } = await indexed([first]);
    await before.close();
    const { summary, index } = await indexed([second, third], out);
    expect(summary).toMatchObject({ versions: 2, allVersions: 3, parts: 2 });
    const at = (day: string) => urls(index, 'crowds', rangeOf({ at: day }));
    expect(await at('2011-10-05')).toEqual(['http://a.example/']);
    expect(await at('2011-10-15')).toEqual(['http://b.example/']);
    expect((await at('2011-10-21')).sort()).toEqual(['http://a.example/', 'http://b.example/']);
    const again = await indexArchives([first, second], out, { disk });
    expect(again).toMatchObject({ files: 0, skippedFiles: 2, parts: 2, versions: 0 });
    const counts = await timelineOf(index, '"no fly zone"');
    expect(counts.map(({ epoch, pages }) => [epoch, pages])).toEqual([
      ['first', 1],
      ['second', 1],
      ['third', 2],
    ]);
    await index.close();
  });

  test('names a capture that the place of a result holds', async () => {
    const late = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER + DAY, 'late');
    const early = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER, 'early');
    const { index } = await indexed([late, early]);
    for (const snippets of [true, false]) {
      const [result] = await described(index, await index.search('crowd'), { disk, snippets });
      expect(result).toMatchObject({ first: OCTOBER, place: late, stored: OCTOBER + DAY });
    }
    await index.close();
  });

  test('has a timeline of the time asked for, or of its last 5,000 days', async () => {
    const out = join(temporaryFolder(), 'index');
    const text = { url: 'http://a.example/', title: '', text: 'crowd', language: 'en' };
    const captures = [0, 5998, 5999].map((day) => ({ ...text, time: OCTOBER + day * DAY }));
    await addCaptures(out, captures, 'all', { epoch: 'day' });
    const index = await SearchIndex.open([out], disk);
    const days = async (options: SearchOptions) =>
      (await timelineOf(index, 'crowd', options)).map(({ epoch }) => epoch);
    expect(await days(rangeOf({ from: '2011-10-30', to: '2011-11-02' }))).toEqual(
      ['10-30', '10-31', '11-01', '11-02'].map((day) => `2011-${day}`),
    );
    const all = await days({});
    const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
    expect([all.length, all[0], all.at(-1)]).toEqual([
      ...[5000, dayOf(OCTOBER + 1000 * DAY), dayOf(OCTOBER + 5999 * DAY)],
    ]);
    await expect(days(rangeOf({ at: '2011-12' }))).rejects.toThrow('Use --from and --to.');
    await index.close();
  });

  test('has a timeline of the crawls in the time asked for', async () => {
    const out = join(temporaryFolder(), 'index');
    const text = { url: 'http://a.example/', title: '', text: 'crowd', language: 'en' };
    for (const [i, name] of ['one', 'two', 'three'].entries()) {
      const captures = [0, 4].map((day) => ({ ...text, time: OCTOBER + (10 * i + day) * DAY }));
      await addCaptures(out, captures, name);
    }
    const index = await SearchIndex.open([out], disk);
    const crawls = async (from: string, to: string) =>
      (await timelineOf(index, 'crowd', rangeOf({ from, to }))).map(({ epoch }) => epoch);
    expect(await crawls('2011-10-06', '2011-10-15')).toEqual(['two']);
    expect(await crawls('2011-10-03', '2011-10-12')).toEqual(['one', 'two']);
    await index.close();
  });

  test('takes a quoted word as it is written, and a site even with --any', async () => {
    const { index } = await indexed([
      await crawl(
        [page('http://a.example/', 'Coast', PROSE), page('http://b.example/', 'Trade', OTHER)],
        OCTOBER,
      ),
    ]);
    expect(await urls(index, 'crowds')).toEqual(['http://a.example/']);
    expect(await urls(index, '"crowds"')).toEqual([]);
    expect((await urls(index, '"the"')).length).toBe(2);
    const any = { any: true };
    expect(await urls(index, 'crowd harbour site:b.example', any)).toEqual(['http://b.example/']);
    await index.close();
  });

  test('finds a phrase in a title before a text that has its words in another order', async () => {
    const out = join(temporaryFolder(), 'index');
    const one = { url: 'http://a.example/', title: 'no fly', text: 'crowd', language: 'en' };
    const two = { url: 'http://b.example/', title: 'crowd', text: 'fly no', language: 'en' };
    await addCaptures(
      out,
      [one, two].map((each) => ({ ...each, time: OCTOBER })),
      'all',
    );
    const index = await SearchIndex.open([out], disk);
    const { results } = await index.search('"no fly"');
    expect(results.map(({ version }) => version)).toEqual([0]);
    await index.close();
  });

  test('says what to do about too many files, and about a query without quotation marks', async () => {
    const out = join(temporaryFolder(), 'index');
    const file = { bytes: 1, place: 'a', crawl: 'a' };
    const files = Array.from({ length: 65_537 }, (_, i) => ({ ...file, path: `/${i}` }));
    const none = () => {
      throw new Error('The archives were read.');
    };
    await expect(buildIndex(out, files, none, { disk })).rejects.toThrow('in several calls');
    const { out: good, index } = await indexed([
      await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER),
    ]);
    await index.close();
    const weights = {
      titleWeight: 1,
      anchorWeight: 1,
      variantWeight: 1,
      rankWeight: 1,
      spamWeight: 1,
    };
    const flags = { top: 10, snippets: true, k1: 1, b: 1, ...weights, ...CHANGED };
    await expect(search([good, 'arab', 'spring'], flags, process.stdout)).rejects.toThrow(
      "'arab spring'",
    );
  });

  test('prolongs a version by a revisit, and reports copies and damage', async () => {
    const dir = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER);
    const plain = join(temporaryFolder(), 'more.warc');
    const revisit = (url: string, of: string, date: string) =>
      `WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:${date}>\r\nWARC-Date: ${date}\r\n` +
      `WARC-Target-URI: ${url}\r\nWARC-Refers-To-Target-URI: ${of}\r\n` +
      'WARC-Refers-To-Date: 2011-10-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n';
    writeFileSync(
      plain,
      revisit('http://a.example/', 'http://a.example/', '2011-11-01T00:00:00Z') +
        revisit('http://c.example/', 'http://a.example/', '2011-11-02T00:00:00Z'),
    );
    appendFileSync(plain, 'no record');
    const warnings: string[] = [];
    const out = join(temporaryFolder(), 'index');
    const onWarning = (sentence: string) => warnings.push(sentence);
    const summary = await indexArchives([dir, plain], out, { disk, onWarning });
    expect(summary).toMatchObject({ versions: 1, revisits: 1, copies: 1 });
    expect(warnings).toEqual([expect.stringContaining('Pages after it are not in the index.')]);
    const index = await SearchIndex.open([out], disk);
    const [result] = await described(index, await index.search('crowd'), { disk });
    expect(result).toMatchObject({ captures: 2, last: Date.UTC(2011, 10, 1) });
    await index.close();
  });

  test('leaves out captures before 1970, and takes hosts of any length', async () => {
    const host = `${'long.'.repeat(380)}example`;
    const early = [Date.parse('0001-01-01T00:00:00Z'), Date.UTC(1900, 0)];
    const places = await Promise.all(
      early.map((time, i) => crawl([page('http://a.example/', 'Coast', PROSE)], time, `old${i}`)),
    );
    const plain = join(temporaryFolder(), 'more.warc');
    const revisit = (date: string, of: string) =>
      `WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:${date}>\r\nWARC-Date: ${date}\r\n` +
      `WARC-Target-URI: http://${host}/\r\nWARC-Refers-To-Date: ${of}\r\nContent-Length: 0\r\n\r\n\r\n\r\n`;
    writeFileSync(
      plain,
      revisit('1900-01-01T00:00:00Z', '2011-10-01T00:00:00Z') +
        revisit('2012-01-01T00:00:00Z', '1900-01-01T00:00:00Z'),
    );
    const late = await crawl([page(`http://${host}/`, 'Coast', PROSE)], OCTOBER);
    const { index, summary } = await indexed([...places, late, plain]);
    expect(summary).toMatchObject({ undated: 3, pages: 1, revisits: 1, versions: 1 });
    expect(await urls(index, 'crowd site:long.example')).toEqual([`http://${host}/`]);
    expect([index.pages.first, index.pages.last]).toEqual([OCTOBER, Date.UTC(2012, 0)]);
    await index.close();
  });

  test('is that of a quiet run after a kill at any moment', async () => {
    const pages = Array.from({ length: 8 }, (_, i) =>
      page(`http://a.example/${i % 5}`, `Page ${i}`, `${i % 2 ? PROSE : OTHER} Number ${i % 3}.`),
    );
    const [one, two] = [
      await crawl(pages, OCTOBER, 'one'),
      await crawl(pages, OCTOBER + DAY, 'two'),
    ];
    const options = { memory: 12_000, mostRuns: 2 };
    const answers = async (out: string) => {
      const index = await SearchIndex.open([out], disk);
      const found = await index.search('crowd or harbour', { top: 100 });
      const results = await described(index, found, { snippets: false, disk });
      await index.close();
      return results;
    };
    const quietDisk = new Disk(new FaultyFileSystem({ skipSync: true }));
    const quiet = join(temporaryFolder(), 'index');
    await indexArchives([one], quiet, { ...options, disk: quietDisk });
    await indexArchives([two], quiet, { ...options, disk: quietDisk });
    const expected = await answers(quiet);
    expect(expected).toHaveLength(5);
    const changes = (quietDisk.fileSystem as FaultyFileSystem).changes;
    for (let kill = 0; kill < 20; kill++) {
      const out = join(temporaryFolder(), 'index');
      const operations = Math.floor((kill * changes) / 20);
      const mortal = new Disk(new FaultyFileSystem({ skipSync: true, operations }));
      let died = false;
      for (const place of [one, two]) {
        if (!died)
          await indexArchives([place], out, { ...options, disk: mortal }).catch(() => {
            died = true;
          });
        if (died) await indexArchives([place], out, { ...options, disk });
      }
      expect(died).toBe(true);
      expect(await answers(out)).toEqual(expected);
      expect(readdirSync(out).sort()).toEqual(expect.not.arrayContaining(['work']));
    }
  });

  test('names crawls by as much of their paths as differs', async () => {
    const years = ['2011', '2012', '2013'].map((year) => join(temporaryFolder(), year, 'crawl'));
    for (const [i, dir] of years.entries())
      await writeCrawl(dir, [page('http://a.example/', 'Coast', PROSE)], {
        from: OCTOBER + i * DAY,
      });
    const { out, index } = await indexed(years.slice(0, 2));
    await index.close();
    const more = await indexed([years[2]], out);
    const names = ['2011/crawl', '2012/crawl', 'crawl'];
    expect(more.index.crawls.map(({ name }) => name)).toEqual(names);
    await more.index.close();
    const again = await indexed([...years].reverse(), out);
    expect(again.index.crawls.map(({ name }) => name)).toEqual(names);
    await again.index.close();
    const [a, b, c] = ['/x/a/c', '/y/a/c', '/z/c.warc.gz'];
    expect([...crawlNames([a, b, c], undefined)]).toEqual([
      [c, 'z/c'],
      [a, 'x/a/c'],
      [b, 'y/a/c'],
    ]);
    expect([...crawlNames(['/c.warc', '/c.warc.gz'], undefined).values()]).toEqual(['c', 'c']);
  });

  test('goes to no folder that holds something else', async () => {
    const dir = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER);
    const other = await crawl([page('http://b.example/', 'Coast', PROSE)], OCTOBER);
    const before = readdirSync(other);
    await expect(indexArchives([dir], other, { disk })).rejects.toThrow(
      'is not an index, and not empty. Name a new folder',
    );
    expect(readdirSync(other)).toEqual(before);
  });

  test('says how to go on if its progress is damaged', async () => {
    const dir = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER);
    const out = join(temporaryFolder(), 'index');
    const mortal = new Disk(new FaultyFileSystem({ skipSync: true, operations: 8 }));
    await expect(indexArchives([dir], out, { disk: mortal })).rejects.toThrow();
    writeFileSync(join(out, 'work/progress.json'), '{"runs":');
    await expect(indexArchives([dir], out, { disk })).rejects.toThrow(
      `progress.json is damaged: it is not JSON. Delete the folder ${join(out, 'work')}`,
    );
    rmSync(join(out, 'work'), { recursive: true });
    expect(await indexArchives([dir], out, { disk })).toMatchObject({ versions: 1 });
  });

  test('refuses damage, another version and no index', async () => {
    const dir = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER);
    const { out, index } = await indexed([dir]);
    await index.close();
    const open = () => SearchIndex.open([out], disk);
    const manifest = join(out, 'index.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace('"version":2', '"version":9'));
    await expect(open()).rejects.toThrow('is an index of version 9; this build reads version 2');
    writeFileSync(manifest, text.replace('"terms":', '"terms":1'));
    await expect(open()).rejects.toThrow('checksum');
    writeFileSync(manifest, text);
    truncateSync(join(out, 'parts/00000/versions'), 20);
    await expect(open()).rejects.toThrow('versions');
    await expect(SearchIndex.open([dir], disk)).rejects.toThrow('is not an index. Make one with');
    await expect(indexArchives([dir], out, { disk, epoch: 'day' })).rejects.toThrow(
      'is an index with epochs of a crawl',
    );
  });
});

describe('a query that cannot be answered', () => {
  let shared: ReturnType<typeof indexed> | undefined;

  test.each([
    ['"no fly', {}, 'has no end'],
    ['', {}, 'has no word to search for'],
    ['!!!', {}, 'has no word to search for'],
    ['-crowd', {}, 'only excludes'],
    ['the and', {}, 'more than a fifth of the versions have: the, and'],
    ['or crowd', {}, '"or" does not stand between two words'],
    ['crowd site:', {}, 'names no site'],
    ['a'.repeat(1_001), {}, 'it has 1,001 characters. Use 1,000 characters at most'],
    ['a '.repeat(101), {}, 'it has 101 words. Use 100 words at most'],
    [`"${'a '.repeat(60)}" ${'b '.repeat(41)}`, {}, 'it has 101 words'],
    ['a* '.repeat(9), {}, 'it has 9 words with *. Use 8 words with * at most'],
    ['crowd', { at: '2010' }, 'no capture before this time. Choose a time from 2011-10-01'],
    ['crowd', { from: '2012' }, 'no capture at or after this time'],
    ['crowd', { at: '2011-13' }, 'is not a time'],
    ['crowd', { at: '2011-02-30' }, 'is not a time'],
    ['crowd', { from: '2012', to: '2011' }, 'ends before it begins'],
    ['crowd', { at: '2011', to: '2012' }, 'Give "at" alone, or "from" and "to"'],
  ])('%s %o is an error with a remedy', async (query, times, fact) => {
    shared ??= crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER).then((dir) =>
      indexed([dir]),
    );
    const { index } = await shared;
    const asked = async () => index.search(query, rangeOf(times));
    await expect(asked()).rejects.toThrow(fact);
  });

  test('a phrase without positions is an error, a word with a hyphen is not', async () => {
    const dir = await crawl([page('http://a.example/', 'Coast', PROSE)], OCTOBER);
    const out = join(temporaryFolder(), 'index');
    await indexArchives([dir], out, { disk, positions: false });
    const index = await SearchIndex.open([out], disk);
    await expect(index.search('"no fly zone"')).rejects.toThrow(
      'index again without --no-positions',
    );
    expect(await urls(index, 'fly-zone')).toEqual(['http://a.example/']);
    await index.close();
  });
});
