/** What a corpus says of itself, recomputed from its rows; damaged files among good ones. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WarcRecord } from '../../src/archive/warc/warc-reader.ts';
import { exportCorpus } from '../../src/corpus/export.ts';
import { masked } from '../../src/corpus/mask.ts';
import { pageKeys, revisitKey } from '../../src/corpus/revisits.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { type ArchivedPage, writeCrawl } from './lab-archive.ts';
import { readParquet } from './read-parquet.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
const TINY = { segment: 2000, rowGroup: 4000, part: 3000, memory: 2 ** 20 };
const SENTENCES = [
  'The river rises in the hills and flows through three counties before it meets the sea.',
  'Der Fluss entspringt in den Bergen und fließt durch drei Länder, bevor er das Meer erreicht.',
];

/** Pages of 1 to 7 sentences in two languages, on 60 domains: more than are listed. */
const pages = Array.from({ length: 150 }, (_, n): ArchivedPage => {
  const sentences = Array.from({ length: 1 + (n % 7) }, () => SENTENCES[n % 2]);
  const text = `<p>${sentences.join(` Number ${n}. `)}</p>`;
  const domain = `d${n < 30 ? 0 : n % 60}.example`;
  return { url: `http://www.${domain}/${n}`, body: Buffer.from(`<title>${n}</title>${text}`) };
});

async function crawlOf(own: readonly ArchivedPage[], name: string, agents = 1): Promise<string> {
  const dir = join(temporaryFolder(), name);
  await writeCrawl(dir, own, { agents, from: Date.UTC(2026, 2, 14) });
  return dir;
}
const fileOf = (dir: string): string => join(dir, 'archive', readdirSync(join(dir, 'archive'))[0]);

async function exported(places: string[], options = {}) {
  const out = join(temporaryFolder(), 'corpus');
  const warnings: string[] = [];
  const onWarning = (text: string) => warnings.push(text);
  const summary = await exportCorpus(places, out, { disk, sizes: TINY, onWarning, ...options });
  const rows = [];
  for (const { name } of summary.parts) rows.push(...(await readParquet(join(out, name))));
  return { summary, rows, warnings };
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

test('the counts of a corpus are those of its rows, also between damaged files', async () => {
  const [one, half, two] = [
    await crawlOf(pages.slice(0, 70), 'one', 2),
    await crawlOf(pages.slice(70, 90), 'half'),
    await crawlOf(pages.slice(90), 'two'),
  ];
  const cut = fileOf(half);
  writeFileSync(cut, readFileSync(cut).subarray(0, -700));
  const noise = join(half, 'archive', 'noise.warc');
  writeFileSync(noise, 'This is no archive.\n'.repeat(20));
  const places = [one, half, two];
  const { summary, rows, warnings } = await exported(places, { where: ['words >= 20'] });
  const [halfRows, good] = [
    rows.filter(({ crawl }) => crawl === 'half'),
    rows.filter(({ crawl }) => crawl !== 'half'),
  ];
  const isLong = (n: number) => n % 7 > 0;
  const goodNumbers = [...pages.keys()].filter((n) => (n < 70 || n >= 90) && isLong(n));
  expect(good.map(({ url }) => url).sort()).toEqual(goodNumbers.map((n) => pages[n].url).sort());
  expect(halfRows.length).toBeGreaterThan(5);
  expect(halfRows.length).toBeLessThan(20 - 3);
  const damaged = summary.inputs.filter(({ damage }) => damage !== undefined);
  expect(damaged.map(({ path }) => path).sort()).toEqual([cut, noise].sort());
  expect(warnings.map((text) => text.split(' ')[0]).sort()).toEqual([cut, noise].sort());
  const words = rows.map((row) => Number(row.words));
  const domains = Object.entries(tally(rows.map(({ domain }) => String(domain))));
  const byRows = domains.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const { counts } = summary;
  expect(counts).toMatchObject({
    ...{ rows: rows.length, words: words.reduce((a, b) => a + b, 0), truncated: 0, noText: 0 },
    languages: tally(rows.map(({ language }) => String(language))),
    lengths: tally(words.map((count) => String(count.toString(2).length))),
    ...{ domains: byRows.length, topDomains: byRows.slice(0, 50) },
    optOuts: {},
  });
  expect(byRows.length).toBeGreaterThan(50);
  expect(counts.pages).toBe(rows.length + counts.conditions['words >= 20']);
  const parts = summary.parts.reduce((sum, part) => sum + part.rows, 0);
  expect(parts).toBe(rows.length);
  expect(summary.parts.length).toBeGreaterThan(3);
});

test.each([
  [599, false],
  [600, false],
  [601, true],
])('a page of %i bytes, of which 600 are read: cut is %s', async (bytes, isCut) => {
  const body = Buffer.from('a '.repeat(300).padEnd(bytes, 'b').slice(0, bytes));
  const page = { url: 'http://a.example/', body, contentType: 'text/plain' };
  const { rows, summary } = await exported([await crawlOf([page], 'one')], { maxPage: 600 });
  expect(rows).toMatchObject([{ truncated: isCut }]);
  expect(rows[0].text).toBe(body.toString().slice(0, 600).trim());
  expect(summary.counts.truncated).toBe(isCut ? 1 : 0);
});

test.each([
  ['a@b.example, c.d+e@f.g.example.', '<email>, <email>.'],
  ['a@b and @b.example', 'a@b and @b.example'],
  ['0.0.0.0 255.255.255.255 256.1.1.1', '<address> <address> 256.1.1.1'],
  ['1.2.3 and 1.2.3.4.5', '1.2.3 and 1.2.3.4.5'],
  ['1:2:3:4:5:6:7:8 fe80::1 12:30:45', '<address> <address> 12:30:45'],
])('personal data in %j is replaced', (text, expected) => {
  expect(masked(text, ['emails', 'addresses'])).toBe(expected);
  expect(masked(text, [])).toBe(text);
});

test('personal data is replaced in the title and the author, too', async () => {
  const body = Buffer.from(
    '<title>a@b.example</title><meta name="author" content="c@d.example"><p>e@f.example</p>',
  );
  const dir = await crawlOf([{ url: 'http://a.example/', body }], 'one');
  const { rows } = await exported([dir], { mask: ['emails'], extract: 'all' });
  const [{ title, author, text }] = rows;
  expect([title, author, text]).toEqual(['<email>', '<email>', '<email>']);
});

test('parts are as large as was asked for, each made of several segments', async () => {
  const dir = await crawlOf(pages, 'one');
  const partsOf = async (part: number) =>
    (await exported([dir], { sizes: { ...TINY, part } })).summary.parts.length;
  const [many, few] = [await partsOf(1000), await partsOf(4000)];
  expect(few).toBeGreaterThan(1);
  expect(many).toBeGreaterThan(2 * few);
});

describe('a revisit', () => {
  const [id, url, time] = ['6f1c8b1e-0000-4000-8000-00000000abcd', 'http://a.example/', 1e12];
  const keyOf = (headers: Record<string, string>): string => {
    const all = new Map(Object.entries(headers));
    const targetUri = all.get('WARC-Target-URI');
    const view = { targetUri, get: (name: string) => all.get(name) };
    return revisitKey({ headers: view } as unknown as WarcRecord);
  };
  const [byId, byUrl] = pageKeys(id, url, time + 700);
  const at = (ms: number) => ({ 'WARC-Refers-To-Date': new Date(time + ms).toISOString() });

  test.each<[headers: Record<string, string>, key: string | undefined]>([
    [{ 'WARC-Refers-To': `<urn:uuid:${id}>` }, byId],
    [{ 'WARC-Refers-To': `<urn:uuid:${id.toUpperCase()}>`, ...at(9000) }, byId],
    [{ 'WARC-Refers-To-Target-URI': url, 'WARC-Target-URI': 'http://b.example/', ...at(0) }, byUrl],
    [{ 'WARC-Target-URI': `<${url}>`, ...at(999) }, byUrl],
    [{ 'WARC-Target-URI': url, ...at(1000) }, undefined],
    [{ 'WARC-Target-URI': 'http://b.example/', ...at(700) }, undefined],
  ])('with %j belongs to the page that it names', (headers, key) => {
    const found = [byId, byUrl].find((each) => each === keyOf(headers));
    expect(found).toBe(key);
  });
});

test('only what is asked for is replaced', () => {
  const text = 'a@b.example at 192.0.2.1';
  expect(masked(text, ['emails'])).toBe('<email> at 192.0.2.1');
  expect(masked(text, ['addresses'])).toBe('a@b.example at <address>');
});
