import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readWarc } from '../../src/archive/warc/warc-reader.ts';
import { exportIndex } from '../../src/corpus/columnar/export-index.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { type ArchivedPage, writeCrawl } from './lab-archive.ts';
import { readParquet } from './read-parquet.ts';

const html = (text: string) => Buffer.from(`<html><body><p>${text}</p></body></html>`);
const ENGLISH = 'This is a long enough sentence in the English language to be recognised as such. ';
const PAGES: readonly ArchivedPage[] = [
  { url: 'http://www.b.example.co.uk:8080/x/?q=1', body: html(ENGLISH.repeat(3)) },
  { url: 'http://a.example/', body: html(ENGLISH) },
  {
    url: 'http://a.example/robots.txt',
    body: Buffer.from('User-agent: *'),
    contentType: 'text/plain',
  },
  { url: 'http://a.example/gone', body: html('gone'), status: 404 },
  { url: 'http://a.example/old', body: html('moved'), status: 301, headers: 'Location: /new\r\n' },
  {
    url: 'http://192.0.2.1/i.png',
    body: Buffer.from('\x89PNG\r\n\x1a\nxx', 'latin1'),
    contentType: 'text/html',
  },
];

describe('the index as a table', () => {
  test('has the subsets and columns of Common Crawl, sorted by key', async () => {
    const dir = join(temporaryFolder(), 'my-crawl');
    await writeCrawl(dir, PAGES);
    const out = join(temporaryFolder(), 'index');
    expect(await exportIndex(dir, out)).toEqual({ warc: 3, crawldiagnostics: 2, robotstxt: 1 });
    const folder = join(out, 'crawl=my-crawl');
    expect(readdirSync(folder).sort()).toEqual([
      'subset=crawldiagnostics',
      'subset=robotstxt',
      'subset=warc',
    ]);
    const read = (subset: string) =>
      readParquet(join(folder, `subset=${subset}`, 'part-00000.parquet'));
    const rows = await read('warc');
    expect(rows.map(({ url_surtkey }) => url_surtkey)).toEqual([
      '1,2,0,192)/i.png',
      'example,a)/',
      'uk,co,example,b:8080)/x?q=1',
    ]);
    expect(rows[2]).toMatchObject({
      ...{ url_host_name: 'www.b.example.co.uk', url_host_tld: 'uk', url_host_2nd_last_part: 'co' },
      ...{ url_host_3rd_last_part: 'example', url_host_5th_last_part: 'www' },
      ...{ url_host_registry_suffix: 'co.uk', url_host_registered_domain: 'example.co.uk' },
      ...{ url_host_name_reversed: 'uk.co.example.b.www', url_protocol: 'http', url_port: 8080 },
      ...{ url_path: '/x/', url_query: 'q=1', fetch_status: 200, content_languages: 'eng' },
      ...{ content_mime_type: 'text/html', content_mime_detected: 'text/html' },
    });
    expect(rows[0]).toMatchObject({ url_host_tld: null, content_mime_detected: 'image/png' });
    const [redirect] = (await read('crawldiagnostics')).filter(
      ({ fetch_status }) => fetch_status === 301,
    );
    expect(redirect.fetch_redirect).toBe('http://a.example/new');
    for (const row of rows) {
      const path = join(dir, row.warc_filename);
      for await (const record of readWarc(path, { start: row.warc_record_offset })) {
        const id = Buffer.from(row.warc_record_id).toString('hex');
        expect(record.headers.get('WARC-Record-ID')?.replaceAll('-', '')).toContain(id);
        expect(record.length).toBe(row.warc_record_length);
        break;
      }
    }
  });
});
