/** Crawls that show what each setting of storing does: the folder, the archive, checkpoints. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { type Handler, linking, type Pages } from '../../crawl/small-site.ts';
import { answer, page, words } from './pages.ts';
import type { Crawled, CrawlRow } from './row.ts';

const has =
  (...names: string[]) =>
  (crawled: Crawled): void =>
    assert.ok(crawled.has(...names), `there is no ${names.join('/')}`);

const PAGES: Pages = {
  '/': page(words(200), '/a.html', '/b.html'),
  '/a.html': `<h1>Heading</h1>${words(100, 2)}<a href="/b.html">b</a>`,
  '/b.html': page(words(100, 3), '/a.html'),
};

const files: CrawlRow = {
  name: 'pagefiles',
  prepare: (stage) => {
    stage.write('fields.yaml', 'heading: h1\n');
    return [
      ...[`${stage.site('pagefiles.test', PAGES)}/`, '--store', 'files', '--convert-links'],
      ...['--extract', 'fields.yaml', '--crawl-log', '--list-skipped', 'false', '--agents', '2'],
    ];
  },
  shows: {
    '--dir': has('crawl.json'),
    '--agents': has('agents', '1'),
    '--store': (c) => assert.ok(c.files('pages').some((name) => name.endsWith('a.html'))),
    '--convert-links': (c) => assert.match(c.textOf('browse', /a\.html$/), /href="b\.html"/),
    '--extract': (c) => assert.match(c.file('extracted.csv'), /a\.html,200,[^,]+,Heading/),
    '--crawl-log': (c) => assert.match(c.file('crawl.log'), /200 .*pagefiles\.test:\d+\/a\.html/),
    '--list-skipped': (c) => assert.ok(!c.has('skipped')),
  },
};

const records: CrawlRow = {
  name: 'records',
  prepare: (stage) => {
    const same = { '/twin1': page(words(400, 5)), '/twin2': page(words(400, 5)) };
    const more = { '/': linking('/twin1', '/twin2', '/a.html') };
    return [
      ...[`${stage.site('records.test', { ...PAGES, ...same, ...more })}/`, '--gzip', '9'],
      ...['--warc-size', '2000', '--duplicates', 'skip', '--metadata', '--text', '--dns-records'],
    ];
  },
  shows: {
    // The eighth byte of gzip says "slowest algorithm".
    '--gzip': (c) => assert.equal(c.bytes('archive')[8], 2),
    '--warc-size': (c) => assert.ok(c.files('archive').length > 1),
    // By default, the second one is a revisit.
    '--duplicates': (c) => {
      assert.ok(c.asked('/twin2') && c.stored('/twin1') !== c.stored('/twin2'));
      assert.ok(!c.stored('/twin1', 'revisit') && !c.stored('/twin2', 'revisit'));
    },
    '--metadata': (c) => assert.ok(c.stored('/a.html', 'metadata')),
    '--text': (c) => assert.ok(c.stored('/a.html', 'conversion')),
    '--dns-records': (c) => assert.match(c.archive, /Target-URI: dns:records\.test/),
  },
};

/** A page that says when it has changed, and a request with that. */
const again: Pages = {
  '/': linking('/same', '/tagged'),
  '/same': page(words(400)),
  '/tagged': (request, response) => {
    const isKnown = request.headers['if-none-match'] === '"v1"';
    response.writeHead(isKnown ? 304 : 200, { 'content-type': 'text/html', etag: '"v1"' });
    response.end(isKnown ? undefined : page(words(450)));
  },
};

const later: CrawlRow = {
  name: 'later',
  before: async (stage) => {
    const seed = `${stage.site('later.test', again)}/`;
    await stage.run(['crawl', seed, '--dns', stage.dns, '--allow-private', '--dir', 'earlier']);
  },
  prepare: (stage) => [
    ...[`${stage.origin('later.test')}/`, '--dedup-against', 'earlier', '--conditional'],
    ...['--compress', 'none', '--checkpoint', '100ms', '--private-delay', '250ms'],
  ],
  shows: {
    '--dedup-against': (c) => assert.ok(c.stored('/same', 'revisit')),
    '--conditional': (c) =>
      assert.equal(c.requests('/tagged')[0]?.headers['if-none-match'], '"v1"'),
    '--compress': (c) => assert.ok(c.files('archive').every((name) => name.endsWith('.warc'))),
    // One at the end, and one before.
    '--checkpoint': (c) =>
      assert.ok(JSON.parse(c.file('agents/0/checkpoint.json')).sequence > 2, 'one checkpoint'),
  },
};

let metrics = '';
const measured: CrawlRow = {
  name: 'measured',
  prepare: async (stage) => {
    const port = await stage.freePort();
    const scrape: Handler = (_, response) =>
      void get(`http://127.0.0.1:${port}/metrics`, (answered) => {
        answered.setEncoding('utf8').on('data', (text) => (metrics += text));
        answered.on('end', () => response.end('measured'));
      }).on('error', () => response.end('not measured'));
    const seed = `${stage.site('measured.test', { '/': linking('/x'), '/x': scrape })}/`;
    return [seed, '--metrics-port', `${port}`, '--compress', 'zstd', '--zstd', '19'];
  },
  shows: {
    '--metrics-port': () => assert.match(metrics, /^drumlin_crawl_agents 1$/m),
    '--zstd': (c) => assert.ok(c.files('archive').every((name) => name.endsWith('.warc.zst'))),
  },
};

/** Texts that differ: more than the memories can hold. */
const MANY = Array.from({ length: 300 }, (_, i) => `/${i}`);
const forgetful: CrawlRow = {
  name: 'forgetful',
  prepare: (stage) => [
    `${stage.site('forgetful.test', {
      '/': linking(...MANY, '/last'),
      ...Object.fromEntries(MANY.map((path, i) => [path, page(words(260, i + 10))])),
      '/last': answer('text/html', 'last'),
    })}/`,
    ...['--dedup-memory', '1Ki', '--near-duplicates', 'store', '--similarity-memory', '64Ki'],
  ],
  shows: {
    '--dedup-memory': (c) => assert.ok(c.summary.forgotten.digests > 0),
    '--similarity-memory': (c) => assert.ok(c.summary.forgotten.pages > 0),
  },
};

export const STORING_ROWS: readonly CrawlRow[] = [files, records, later, measured, forgetful];
