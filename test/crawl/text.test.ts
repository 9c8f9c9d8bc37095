/** The text of pages while crawling: `conversion` records, and `page.text` in the library. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { crawl } from '../../src/api/index.ts';
import { archivedPages } from './archived.ts';
import { type SmallSite, startSmallSite } from './small-site.ts';

const LOCAL = { allowPrivate: true, delay: 0, agents: 1 };
const PROSE =
  'A drumlin is a hill of glacial till, long and smooth, in the form of half an egg in the field.';
const page = (text: string) =>
  `<title>t</title><nav><a href="/">Home</a> <a href="/a">A</a> <a href="/gone">B</a></nav><p>${text}</p>`;

let dir = '';
let site: SmallSite | undefined;
afterEach(async () => {
  await site?.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Record_ {
  readonly fields: Record<string, string>;
  readonly block: string;
}

function recordsIn(folder: string): Record_[] {
  const archive = join(folder, 'archive');
  return readdirSync(archive)
    .filter((name) => name.endsWith('.warc.gz'))
    .flatMap((name) => {
      const text = gunzipSync(readFileSync(join(archive, name))).toString('latin1');
      return text
        .split('WARC/1.1\r\n')
        .slice(1)
        .map((record) => {
          const end = record.indexOf('\r\n\r\n');
          const lines = record.slice(0, end).split('\r\n');
          const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
          return {
            fields,
            block: record.slice(end + 4, end + 4 + Number(fields['Content-Length'])),
          };
        });
    });
}

async function crawlSite(options: object): Promise<void> {
  site = await startSmallSite({ '/': page(`${PROSE} Été.`), '/a': page('') });
  dir = mkdtempSync(join(tmpdir(), 'drumlin-text-'));
  for await (const _page of crawl({ ...LOCAL, seeds: `${site.origin}/`, dir, ...options }));
}

test('--text stores the main text of a page beside its response', async () => {
  await crawlSite({ text: true });
  const records = recordsIn(dir);
  const conversions = records.filter(({ fields }) => fields['WARC-Type'] === 'conversion');
  // Neither a page without text nor an error has one.
  expect(conversions.map(({ fields }) => fields['WARC-Target-URI'])).toEqual([`${site?.origin}/`]);
  const [{ fields, block }] = conversions;
  const response = records.find(
    (other) => other.fields['WARC-Record-ID'] === fields['WARC-Refers-To'],
  );
  expect(response?.fields).toMatchObject({
    'WARC-Type': 'response',
    'WARC-Target-URI': `${site?.origin}/`,
    'WARC-Date': fields['WARC-Date'],
  });
  expect(fields['Content-Type']).toBe('text/plain');
  expect(Buffer.from(block, 'latin1').toString()).toBe(`${PROSE} Été.`);
  // The digests and the index of the archive are true, as an independent reader sees them.
  expect(await archivedPages(dir)).toEqual(
    ['/', '/a', '/gone'].map((path) => `${site?.origin}${path}`),
  );
});

test('without --text there is none', async () => {
  await crawlSite({});
  const types = recordsIn(dir).map(({ fields }) => fields['WARC-Type']);
  expect(types).not.toContain('conversion');
});

test('a page has its text and its language when they are read', async () => {
  site = await startSmallSite({ '/': page(PROSE), '/a': page('') });
  const found: [path: string, text: string, language: string][] = [];
  for await (const page of crawl({ ...LOCAL, seeds: `${site.origin}/` })) {
    const { code } = await page.language;
    found.push([new URL(page.url).pathname, page.text, code]);
  }
  expect(found.sort()).toEqual([
    ['/', PROSE, 'en'],
    ['/a', '', ''],
    ['/gone', 'no such page', expect.any(String)],
  ]);
});
