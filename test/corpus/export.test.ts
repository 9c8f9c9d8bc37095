import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { StoredPayloads } from '../../src/archive/payloads/stored-payloads.ts';
import { readWarc } from '../../src/archive/warc/warc-reader.ts';
import { WarcWriter } from '../../src/archive/write/warc-writer.ts';
import { DrumlinError } from '../../src/base/errors.ts';
import { type ExportOptions, exportCorpus } from '../../src/corpus/export.ts';
import { SIZES } from '../../src/corpus/plan.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { witnessedDisk } from '../disk/witness-file-system.ts';
import { type ArchivedPage, exchangeOf, writeCrawl } from './lab-archive.ts';
import { type ReadRow, readParquet, rowGroupsOf, sizesIn } from './read-parquet.ts';

const { disk, witness } = witnessedDisk();
/** Sizes that make many segments, row groups and parts of little. */
const TINY = { segment: 2000, rowGroup: 4000, part: 3000, memory: 2 ** 20 };

const SENTENCES = [
  'The river rises in the hills and flows through three counties before it meets the sea.',
  'Engineers built the old bridge of stone and timber, and it has stood there ever since.',
  'In winter the water freezes near the banks, and children walk across it with their parents.',
  'Nobody remembers who planted the long row of trees that follows the road to the village.',
];

/** A word of its own for each number. */
const letters = (n: number) =>
  ((n * 7919) % 456976).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]);

/** A page with a text of its own: the sentences, and many words of its own. */
function article(n: number, extra = ''): ArchivedPage {
  const paragraphs = SENTENCES.map((sentence, i) => `<p>${sentence} Number ${n * 7 + i}.</p>`);
  const own = Array.from({ length: 30 }, (_, i) => letters(n * 31 + i * 17)).join(' ');
  const body = `<html><head><title>Page ${n}</title>${extra}</head><body><main><h1>Page ${n}</h1>${paragraphs.join('')}<p>The list has ${own}.</p></main></body></html>`;
  return { url: `http://site${n % 5}.example/${n}`, body: Buffer.from(body) };
}

async function crawlOf(
  pages: readonly ArchivedPage[],
  name = 'crawl',
  agents = 1,
  from = Date.UTC(2026, 2, 14),
) {
  const dir = join(temporaryFolder(), name);
  await writeCrawl(dir, pages, { agents, from });
  return dir;
}

async function exported(places: string[], options: ExportOptions = {}) {
  const out = join(temporaryFolder(), 'corpus');
  const summary = await exportCorpus(places, out, { disk, sizes: TINY, ...options });
  expect(witness.undurable(out)).toEqual([]);
  return { out, summary, rows: await rowsIn(out) };
}

async function rowsIn(out: string): Promise<ReadRow[]> {
  const parts = readdirSync(out).filter((name) => name.endsWith('.parquet'));
  return (await Promise.all(parts.sort().map((name) => readParquet(join(out, name))))).flat();
}

/** The digest of every file of a folder, by name. */
const digests = (out: string) =>
  readdirSync(out)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha1')
          .update(readFileSync(join(out, name)))
          .digest('hex')}`,
    );

describe('a corpus', () => {
  test('has one row for each page, which leads back to its record', async () => {
    const pages = Array.from({ length: 40 }, (_, n) => article(n));
    const dir = await crawlOf(
      [
        ...pages,
        { ...article(100), status: 404 },
        { ...article(101), contentType: 'image/png' },
        { url: 'http://site1.example/robots.txt', body: Buffer.from('User-agent: *\n') },
        {
          url: 'http://site1.example/a.txt',
          body: Buffer.from('Just a text.'),
          contentType: 'text/plain',
        },
      ],
      'rivers',
      2,
    );
    const { rows, summary, out } = await exported([dir]);
    expect(rows.map(({ url }) => url).sort()).toEqual(
      [...pages.map(({ url }) => url), 'http://site1.example/a.txt'].sort(),
    );
    expect(summary.counts).toMatchObject({
      ...{ rows: 41, pages: 41, otherRecords: { status: 1, type: 1, 'robots.txt': 1 } },
    });
    expect(summary.parts.length).toBeGreaterThan(2);
    expect(rowGroupsOf(join(out, summary.parts[0].name))).toBeGreaterThan(1);
    for (const row of rows) {
      const path = summary.inputs.find(({ name }) => name === row.file)!.path;
      for await (const record of readWarc(path, { start: Number(row.offset) })) {
        expect(record.headers.get('WARC-Record-ID')).toBe(`<urn:uuid:${row.id}>`);
        expect(record.headers.targetUri).toBe(row.url);
        expect(row.date.toISOString()).toBe(record.headers.get('WARC-Date'));
        break;
      }
    }
    const page = rows.find(({ url }) => url === 'http://site3.example/3')!;
    expect(page).toMatchObject({ title: 'Page 3', crawl: 'rivers', domain: 'site3.example' });
    expect(page.text).toContain('The river rises in the hills');
    expect(page).toMatchObject({ language: 'en', truncated: false, opt_out: null, revisits: 0 });
    expect(page.words).toBeGreaterThan(80);
  });

  test('is the same for any size of a segment, and for gzip, zstd and no compression', async () => {
    const pages = Array.from({ length: 30 }, (_, n) => article(n));
    const texts: unknown[] = [];
    for (const compress of ['gzip', 'zstd', 'none'] as const) {
      const dir = join(temporaryFolder(), 'crawl');
      await writeCrawl(dir, pages, { compress });
      for (const sizes of [TINY, { ...SIZES, memory: 2 ** 20 }]) {
        const { rows } = await exported([dir], { sizes });
        texts.push(
          rows.map(({ url, text, words, cluster }) => [url, text, words, cluster === null]),
        );
      }
    }
    for (const other of texts) expect(other).toEqual(texts[0]);
  });

  test('reads crawls, folders and files, each under the name of its crawl', async () => {
    const dir = await crawlOf([article(1)], 'first');
    const other = await crawlOf([article(2)], 'second');
    const [file] = readdirSync(join(other, 'archive'));
    const { rows } = await exported([dir, join(other, 'archive', file), join(other, 'archive')]);
    expect(rows.map(({ crawl }) => crawl)).toEqual([
      'first',
      file.replace('.warc.gz', ''),
      'archive',
    ]);
    expect(new Set(rows.map((row) => row.file)).size).toBe(3);
  });

  test('takes the texts that the crawl stored, also where there is nothing else', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    mkdirSync(join(dir, 'archive'), { recursive: true });
    const writer = await WarcWriter.open(join(dir, 'archive'), {
      ...{ info: { software: 'test' }, disk, compress: 'none' },
    });
    // A line that stands on all pages of a site is not the text of one.
    const textOf = (n: number) => `Stored text ${n}, as the crawl saw it.\nSame on all pages.`;
    for (let n = 0; n < 4; n++) {
      const page = { ...article(n), url: `http://x.example/${n}` };
      const text = n === 3 ? '' : textOf(n);
      await writer.write(exchangeOf(page, 1e12 + 1000 * n), undefined, {
        text: () => text,
      } as never);
    }
    await writer.close();
    const { rows } = await exported([dir]);
    expect(rows.map(({ text, title }) => [text.slice(0, 13), title])).toEqual([
      ['Stored text 0', 'Page 0'],
      ['Stored text 1', 'Page 1'],
      ['Stored text 2', 'Page 2'],
      [expect.stringMatching(/^Page 3/), 'Page 3'],
    ]);
    expect(rows[0].text).not.toContain('Same on all pages');
    const whole = await exported([dir], { extract: 'all' });
    expect(whole.rows[0].text).toContain('The river rises');

    const [name] = readdirSync(join(dir, 'archive'));
    const records = readFileSync(join(dir, 'archive', name), 'latin1').split(/(?=WARC\/1\.1\r\n)/);
    const texts = join(temporaryFolder(), 'texts.warc');
    const only = records.filter((record) => /WARC-Type: (?:warcinfo|conversion)/.test(record));
    writeFileSync(texts, only.join(''), 'latin1');
    const alone = await exported([texts]);
    expect(alone.rows.map(({ url, text, title }) => [url, text.slice(0, 13), title])).toEqual(
      [0, 1, 2].map((n) => [`http://x.example/${n}`, `Stored text ${n}`, null]),
    );
    for (const { id, offset } of alone.rows) {
      for await (const record of readWarc(texts, { start: Number(offset) })) {
        expect(record.headers.get('WARC-Record-ID')).toBe(`<urn:uuid:${id}>`);
        break;
      }
    }
  });

  test('states the sizes of its columns before and after compression', async () => {
    const dir = await crawlOf(Array.from({ length: 60 }, (_, n) => article(n)));
    const { out, rows } = await exported([dir], { sizes: SIZES });
    const { chunks, groups } = sizesIn(join(out, 'part-00000.parquet'));
    const text = chunks.find(({ name }) => name === 'text')!;
    const plain = rows.reduce((sum, row) => sum + Buffer.byteLength(row.text) + 4, 0);
    // Headers of pages come on top.
    expect(text.plain - plain).toBeGreaterThanOrEqual(0);
    expect(text.plain - plain).toBeLessThan(100);
    expect(text.compressed).toBeLessThan(text.plain / 2);
    expect(groups).toEqual([chunks.reduce((sum, chunk) => sum + chunk.plain, 0)]);
  });

  test('has the lines of JSON instead, compressed as wanted', async () => {
    const dir = await crawlOf([article(1), article(2)]);
    const { out, summary } = await exported([dir], { format: 'jsonl.gz' });
    const lines = gunzipSync(readFileSync(join(out, summary.parts[0].name)))
      .toString()
      .trim();
    const rows = lines.split('\n').map((line) => JSON.parse(line));
    const same = (await exported([dir])).rows;
    expect(rows.map(({ text }) => text)).toEqual(same.map(({ text }) => text));
    expect(rows[0].date).toBe(same[0].date.toISOString());
    const zstd = await exported([dir], { format: 'jsonl.zst' });
    expect(readdirSync(zstd.out)).toContain('part-00000.jsonl.zst');
  });
});

describe('what is known of domains', () => {
  const pages = [0, 1, 2].map((n) => article(n));
  const ranksIn = (rows: readonly ReadRow[]) => rows.map((row) => [row.crawl, row.domain_rank]);

  test('is their ranks in the crawl of each page, and nothing for other files', async () => {
    const [one, two] = [await crawlOf(pages, 'one', 2), await crawlOf(pages, 'two')];
    const file = join(two, 'archive', readdirSync(join(two, 'archive'))[0]);
    const warnings: string[] = [];
    const { rows } = await exported([one, two, file], {
      duplicates: 'keep',
      onWarning: (sentence) => void warnings.push(sentence),
      ranksOf: async (folder) => {
        if (folder === two) throw new DrumlinError('DAMAGED', 'The records are damaged.', '');
        return [
          ['site0.example', 3],
          ['site1.example', 1],
        ];
      },
    });
    expect(ranksIn(rows.slice(0, 3)).sort()).toEqual([
      ['one', null],
      ['one', 1],
      ['one', 3],
    ]);
    expect(rows.slice(3).every((row) => row.domain_rank === null)).toBe(true);
    expect(warnings).toEqual([`The records are damaged. The pages of ${two} have no domain_rank.`]);
  });

  test('is what a list says: lines of a domain and a number, or of drumlin rank', async () => {
    const dir = await crawlOf(pages);
    const [ranks, spam] = ['ranks', 'spam'].map((name) => join(dir, '..', name));
    writeFileSync(ranks, '# ranked\n2\tsite0.example\t0.5\n1\tsite2.example\t0.9\n');
    writeFileSync(spam, 'SITE1.example 0.25\n\n');
    const ranksOf = () => Promise.reject(new Error('a list is given'));
    const { rows } = await exported([dir], { ranks, spam, ranksOf });
    expect(rows.map((row) => [row.domain_rank, row.spam])).toEqual([
      [2, null],
      [null, 0.25],
      [1, null],
    ]);
    writeFileSync(ranks, 'site0.example high\n');
    await expect(exported([dir], { ranks })).rejects.toThrow(/ranks:1: "site0.example high"/);
    await expect(exported([dir], { ranks: join(dir, 'none') })).rejects.toMatchObject({
      code: 'FILE_MISSING',
    });
  });
});

describe('what is left out', () => {
  test('is counted by the condition that did it', async () => {
    const pages = [article(1), article(2), { ...article(3), body: Buffer.from('<p>Short.</p>') }];
    const dir = await crawlOf(pages);
    const where = ['words >= 50 and (language == en or words > 9k)', 'not domain == site1.example'];
    const { rows, summary } = await exported([dir], { where });
    expect(rows.map(({ url }) => url)).toEqual([pages[1].url]);
    expect(summary.counts.conditions).toEqual({
      'words >= 50': 1,
      'not domain == site1.example': 1,
    });
  });

  test.each([
    ['wrods >= 50', /no column "wrods".*Did you mean "words"\?/s],
    ['language >= 50', /language is a text/],
    ['words == en', /expected a number/],
    ['truncated > 1', /true or false/],
    ['cluster == x', /No condition can use cluster/],
    ['words > 1 or revisits > 1', /known only after all pages were read/],
  ])('refuses %s', async (condition, words) => {
    const dir = await crawlOf([article(1)]);
    const out = join(temporaryFolder(), 'corpus');
    await expect(exportCorpus([dir], out, { where: [condition] })).rejects.toThrow(words);
  });

  test('are pages that say so, unless they are asked for', async () => {
    const robots = 'User-agent: *\nContent-Usage: /secret train-ai=n\nAllow: /\n';
    const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`;
    const pages: [ArchivedPage, string | null][] = [
      [article(0), null],
      [article(1, meta('robots', 'noindex, nofollow')), 'noindex'],
      [article(2, meta('ROBOTS', 'NOAI')), 'noai'],
      [article(3, meta('robots', 'nosnippet')), 'nosnippet'],
      [article(4, meta('googlebot', 'noindex')), null],
      [{ ...article(5), headers: 'X-Robots-Tag: otherbot: noindex, noai\r\n' }, null],
      [{ ...article(6), headers: 'X-Robots-Tag: noai\r\n' }, 'noai'],
      [{ ...article(7), headers: 'TDM-Reservation: 1\r\n' }, 'tdm-reservation'],
      [{ ...article(8), headers: 'Content-Usage: train-ai=n, search=y\r\n' }, 'content-usage'],
      [{ ...article(9), headers: 'Content-Usage: train-ai=y\r\n' }, null],
      [{ ...article(10), url: 'http://r.example/secret/1' }, 'content-usage in robots.txt'],
      [{ ...article(11), url: 'http://r.example/open' }, null],
      [article(12, meta('tdm-reservation', '1')), 'tdm-reservation'],
    ];
    const site = {
      url: 'http://r.example/robots.txt',
      body: Buffer.from(robots),
      contentType: 'text/plain',
    };
    const dir = await crawlOf([...pages.map(([page]) => page), site]);
    const kept = await exported([dir]);
    expect(kept.rows.map(({ url }) => url)).toEqual(
      pages.filter(([, why]) => why === null).map(([{ url }]) => url),
    );
    expect(kept.summary.counts.optOuts).toEqual({
      ...{ noindex: 1, noai: 2, nosnippet: 1, 'tdm-reservation': 2, 'content-usage': 1 },
      'content-usage in robots.txt': 1,
    });
    const all = await exported([dir], { includeOptOuts: true });
    expect(all.rows.map(({ opt_out }) => opt_out)).toEqual(pages.map(([, why]) => why));
    expect(all.summary.settings.includeOptOuts).toBe(true);
  });

  test('are e-mail addresses and addresses of machines, if they are masked', async () => {
    const body =
      '<p>Write to jane.doe@mail.example.org or call 192.0.2.17 or 2001:db8::1 at 10:30, version 1.2.3.</p>';
    const dir = await crawlOf([{ url: 'http://a.example/', body: Buffer.from(body) }]);
    const { rows } = await exported([dir], { mask: ['emails', 'addresses'], extract: 'all' });
    expect(rows[0].text).toBe(
      'Write to <email> or call <address> or <address> at 10:30, version 1.2.3.',
    );
  });
});

describe('pages that are alike', () => {
  const copies = [
    ...Array.from({ length: 6 }, (_, n) => article(n)),
    { ...article(2), url: 'http://copy.example/2' },
    { ...article(4), url: 'http://copy.example/4' },
  ];

  test('are marked or dropped, across crawls; the earliest stays', async () => {
    const first = await crawlOf(copies.slice(0, 4), 'first', 2);
    const second = await crawlOf(copies.slice(4), 'second', 1, Date.UTC(2026, 5, 1));
    const { rows, summary } = await exported([second, first], { similarity: 0.95 });
    const byUrl = new Map(rows.map((row) => [row.url, row]));
    const copy = byUrl.get('http://copy.example/2')!;
    const original = byUrl.get(copies[2].url)!;
    expect(copy.near_duplicate_of).toBe(original.id);
    expect(original).toMatchObject({ near_duplicate_of: null, cluster: original.id });
    expect(copy.cluster).toBe(original.id);
    expect(summary.counts).toMatchObject({ nearDuplicates: 2, clusters: 2, rows: 8 });
    const dropped = await exported([second, first], { duplicates: 'drop', similarity: 0.95 });
    expect(dropped.rows.map(({ url }) => url).sort()).toEqual(
      copies
        .slice(0, 6)
        .map(({ url }) => url)
        .sort(),
    );
    const kept = await exported([second, first], { duplicates: 'keep' });
    expect(kept.rows.every(({ cluster }) => cluster === null)).toBe(true);
  });

  test('are counted as revisits where the archive says so', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const indexDir = join(dir, 'indexes/parts');
    for (const folder of [join(dir, 'archive'), indexDir]) mkdirSync(folder, { recursive: true });
    const payloads = await StoredPayloads.open({
      disk,
      folder: indexDir,
      files: [],
      memory: 2 ** 20,
    });
    const writer = await WarcWriter.open(join(dir, 'archive'), {
      ...{ info: { software: 'test' }, indexDir, payloads, disk },
    });
    // A short payload is stored again: a reference would be no shorter.
    const page = (url: string, n: number) => ({
      url,
      body: Buffer.from(article(n).body.toString().repeat(8)),
    });
    for (const [i, [url, n]] of (
      [
        ['a', 1],
        ['b', 1],
        ['c', 2],
        ['d', 1],
      ] as const
    ).entries())
      await writer.write(exchangeOf(page(`http://x.example/${url}`, n), 1e12 + 1000 * i));
    await writer.close();
    const { rows, summary } = await exported([dir]);
    expect(rows.map(({ url, revisits }) => [url, revisits])).toEqual([
      ['http://x.example/a', 2],
      ['http://x.example/c', 0],
    ]);
    expect(summary.counts.revisits).toBe(2);
  });
});

describe('bad input', () => {
  test('that is damaged is read up to the damage, and reported', async () => {
    const dir = await crawlOf(Array.from({ length: 10 }, (_, n) => article(n)));
    const [name] = readdirSync(join(dir, 'archive'));
    const path = join(dir, 'archive', name);
    writeFileSync(path, readFileSync(path).subarray(0, -700));
    const warnings: string[] = [];
    const { rows, summary } = await exported([dir], { onWarning: (text) => warnings.push(text) });
    expect(rows.length).toBeGreaterThan(6);
    expect(rows.length).toBeLessThan(10);
    expect(warnings).toEqual([expect.stringMatching(/truncated at byte \d+/)]);
    expect(summary.inputs[0].damage).toMatch(/truncated/);
  });

  test('that is no text has an empty text and is counted; what is too long is cut', async () => {
    const binary = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7) % 256));
    const dir = await crawlOf([{ url: 'http://a.example/b', body: binary }, article(1)]);
    const { rows, summary } = await exported([dir], { maxPage: 600 });
    expect(rows.map(({ text, truncated }) => [text === '', truncated])).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(summary.counts).toMatchObject({ noText: 1, truncated: 2 });
  });

  test('is a folder of another export, or of anything else', async () => {
    const dir = await crawlOf([article(1)]);
    const { out } = await exported([dir]);
    const again = { disk, sizes: TINY };
    expect((await exportCorpus([dir], out, again)).counts.rows).toBe(1);
    await expect(
      exportCorpus([dir], out, { ...again, where: ['words > 1'] }),
    ).rejects.toMatchObject({
      code: 'OTHER_CORPUS',
      exitCode: 5,
    });
    await expect(exportCorpus([dir], dir, again)).rejects.toMatchObject({
      code: 'FOLDER_NOT_EMPTY',
    });
    const [name] = readdirSync(join(dir, 'archive'));
    appendFileSync(join(dir, 'archive', name), 'more');
    await expect(exportCorpus([dir], out, again)).rejects.toMatchObject({ code: 'OTHER_CORPUS' });
  });

  test('without pages gives a corpus without rows', async () => {
    const { rows, summary } = await exported([await crawlOf([{ ...article(1), status: 404 }])]);
    expect(rows).toEqual([]);
    expect(summary.parts).toMatchObject([{ rows: 0 }]);
  });
});

describe('an export that is stopped', () => {
  test('by a failing disk, at any operation, leaves whole parts and ends with the same bytes', async () => {
    const dir = await crawlOf(
      [0, 1, 2, 3, 2, 5].map((n) => article(n)),
      'crawl',
      2,
    );
    const options = { sizes: TINY };
    const quiet = join(temporaryFolder(), 'corpus');
    await exportCorpus([dir], quiet, { ...options, disk });
    const expected = digests(quiet);
    const out = join(temporaryFolder(), 'corpus');
    let failures = 0;
    for (let left = 3; ; left += 11) {
      const faulty = new Disk(new FaultyFileSystem({ skipSync: true, operations: left }));
      try {
        await exportCorpus([dir], out, { ...options, disk: faulty });
        break;
      } catch {
        failures++;
      }
      for (const name of readdirSync(out).filter((file) => file.endsWith('.parquet')))
        expect(expected).toContain(
          `${name} ${createHash('sha1')
            .update(readFileSync(join(out, name)))
            .digest('hex')}`,
        );
    }
    expect(failures).toBeGreaterThan(5);
    expect(digests(out)).toEqual(expected);
  });
});
