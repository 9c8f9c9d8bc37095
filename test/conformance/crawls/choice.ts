/** Crawls that show what each setting of choice does: which URLs are fetched, and when it ends. */
import assert from 'node:assert/strict';
import { linking, type Pages } from '../../crawl/small-site.ts';
import { all, ends, fetched, left } from './checks.ts';
import { answer, page, words } from './pages.ts';
import type { CrawlRow } from './row.ts';

/** Twenty pages that the first one links to. */
const TWENTY: Pages = {
  '/': linking(...Array.from({ length: 20 }, (_, i) => `/${i}`)),
  ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/${i}`, `page ${i}`])),
};

const links: CrawlRow = {
  name: 'links',
  prepare: (stage) => {
    const other = stage.site('other-links.test', { '/in/': 'other' });
    const own = stage.site('links.test', {
      '/robots.txt': answer('text/plain', 'Sitemap: /sm.xml'),
      '/in/': linking(
        ...['/out', '/in/excluded', '/in/black', '/in/d1', `/in/${'l'.repeat(80)}`],
        ...['/in/a/a/a/', '/in/p?sid=1&q=2', '/in/hop1', `${other}/in/`, '/in/many'],
        ...['/in/scheduled', '/in/later', '/in/unparsed', '/in/unfollowed', '/in/big', '/in/cut'],
        ...['/in/own', '/in/pdf'],
      )
        .concat('<a rel=nofollow href=/in/nofollow>x</a>')
        .concat('<img src=/in/pic.png>'),
      '/in/d1': linking('/in/d2'),
      '/in/d2': linking('/in/d3'),
      '/in/hop1': answer('text/html', '', { location: '/in/hop2' }, 301),
      '/in/hop2': answer('text/html', '', { location: '/in/hop3' }, 301),
      '/in/many': linking(...Array.from({ length: 30 }, (_, i) => `/in/many${i}`)),
      '/in/unparsed': linking('/in/hidden1'),
      '/in/unfollowed': linking('/in/hidden2'),
      '/in/big': answer('text/html', 'b'.repeat(5e5), { 'content-length': '500000' }),
      '/in/cut': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('c'.repeat(3000));
        response.end('c'.repeat(6000));
      },
      '/in/pdf': answer('application/x-pdf', 'pdf'),
      '/in/pic.png': answer('image/png', 'png'),
      '/sm.xml': answer('application/xml', sitemapOf(stage.origin('links.test'), '/in/listed')),
      '/sm2.xml': answer('application/xml', sitemapOf(stage.origin('links.test'), '/in/named')),
    });
    stage.write('black.txt', `${own}/in/black\n`);
    stage.write('own.mjs', 'export const IsOwn = ({ url }) => url.endsWith("/in/own");');
    return [
      ...[`${own}/in/`, '--scope', 'host', '--include', '*/in/*', '--exclude', '*/excluded'],
      ...['--blacklist', 'black.txt', '--max-depth', '2', '--max-url-length', '60'],
      ...['--max-repeats', '1', '--drop-parameters', 'sid', '--max-redirects', '1'],
      ...['--nofollow', 'follow', '--max-links', '22', '--types', 'text/html'],
      ...['--max-body', '4000', '--long-bodies', 'skip', '--requisites', 'site'],
      ...['--sitemaps', '--sitemap', `${own}/sm2.xml`, '--predicates', 'own.mjs'],
      ...['--schedule-filter', 'not PathEndsWith(/scheduled)'],
      ...['--fetch-filter', 'not PathEndsWith(/later) and not IsOwn'],
      ...['--parse-filter', 'not PathEndsWith(/unparsed)'],
      ...['--follow-filter', 'not PathEndsWith(/unfollowed)'],
      ...['--store-filter', 'not PathEndsWith(/d1)'],
    ];
  },
  shows: {
    '--scope': left('/in/', 'other-links.test'),
    '--include': all(left('/out'), fetched('/in/d1')),
    '--exclude': left('/in/excluded'),
    '--blacklist': left('/in/black'),
    '--max-depth': all(fetched('/in/d2'), left('/in/d3')),
    '--max-url-length': left(`/in/${'l'.repeat(80)}`),
    '--max-repeats': left('/in/a/a/a/'),
    '--drop-parameters': all(fetched('/in/p?q=2'), left('/in/p?sid=1&q=2')),
    '--max-redirects': all(fetched('/in/hop2'), left('/in/hop3')),
    '--nofollow': fetched('/in/nofollow'),
    '--max-links': all(fetched('/in/many21'), left('/in/many22')),
    '--types': (c) => assert.ok(c.asked('/in/pdf') && !c.stored('/in/pdf') && c.stored('/in/d2')),
    '--max-body': (c) => assert.match(c.archive, /WARC-Truncated: length/),
    '--long-bodies': (c) => assert.ok(c.asked('/in/big') && !c.archive.includes('b'.repeat(100))),
    '--requisites': fetched('/in/pic.png'),
    '--sitemaps': fetched('/in/listed'),
    '--sitemap': fetched('/in/named'),
    '--schedule-filter': left('/in/scheduled'),
    '--fetch-filter': left('/in/later'),
    '--predicates': left('/in/own'),
    '--parse-filter': all(fetched('/in/unparsed'), left('/in/hidden1')),
    '--follow-filter': all(fetched('/in/unfollowed'), left('/in/hidden2')),
    '--store-filter': (c) => assert.ok(c.asked('/in/d1') && !c.stored('/in/d1')),
  },
};

const sitemapOf = (origin: string, path: string): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}${path}</loc></url></urlset>`;

const few: CrawlRow = {
  name: 'few',
  prepare: (stage) => [`${stage.site('few.test', TWENTY)}/`, '--max-pages', '3', '--order', 'bfs'],
  code: 6,
  shows: {
    '--max-pages': all(ends('max-pages'), (c) => assert.equal(c.summary.pages, 3)),
    // Without budgets there are no domains to keep.
    '--order': all(fetched('/0'), fetched('/1'), (c) => assert.ok(!c.has('agents/0/domains'))),
  },
};

const bytes: CrawlRow = {
  name: 'bytes',
  prepare: (stage) => [`${stage.site('bytes.test', TWENTY)}/`, '--max-bytes', '1500'],
  code: 6,
  shows: { '--max-bytes': ends('max-bytes') },
};

const time: CrawlRow = {
  name: 'time',
  prepare: (stage) => [
    ...[`${stage.site('time.test', TWENTY)}/`, '--max-time', '300ms'],
    ...['--private-delay', '10s'],
  ],
  code: 6,
  shows: { '--max-time': ends('max-time') },
};

const perHost: CrawlRow = {
  name: 'per',
  prepare: (stage) => [
    `${stage.site('a.per.test', TWENTY)}/`,
    `${stage.site('b.per.test', TWENTY)}/`,
    ...['--max-pages-per-host', '4', '--max-pages-per-domain', '6'],
  ],
  shows: {
    '--max-pages-per-host': (c) => {
      const most = ['a', 'b'].map((one) => c.pages.filter((p) => p.host.startsWith(one)).length);
      assert.equal(Math.max(...most), 4);
    },
    '--max-pages-per-domain': (c) => assert.equal(c.summary.pages, 6),
  },
};

/** Pages alike, pages that exist no more, and a parameter that changes nothing. */
const alike: CrawlRow = {
  name: 'alike',
  prepare: (stage) => [
    `${stage.site('alike.test', {
      '/': linking('/first', '/second', '/third', ...GONE, ...TRAP.map((i) => `/trap?s=${i}`)),
      '/first': page(words(300), '/x1'),
      '/second': page(`${words(300)} end`, '/x2'),
      '/third': page(`${words(210)} ${words(90, 7)}`, '/x3'),
      ...Object.fromEntries(TRAP.map((i) => [`/trap?s=${i}`, page(words(200, 3), '/')])),
      '*': page(words(250, 9)),
      '/robots.txt': answer('text/plain', ''),
    })}/`,
    ...['--near-duplicates', 'no-follow', '--similarity', '0.9', '--learn-traps'],
    ...['--soft-errors', 'skip', '--similarity-memory', '64Ki', '--order', 'bfs'],
  ],
  shows: {
    '--near-duplicates': left('/x2'),
    '--similarity': fetched('/x3'),
    '--learn-traps': (c) => assert.ok(c.events('trap-learned').length > 0),
    '--soft-errors': (c) => assert.ok(c.events('soft-404').length > 0),
  },
};
/** Paths that have nothing in common, and the same text. */
const GONE = ['/autumn/leaves', '/b/c/d.html', '/zoo', '/7/xyz.php', '/my-old-page/'];
const TRAP = Array.from({ length: 60 }, (_, i) => i);

export const CHOICE_ROWS: readonly CrawlRow[] = [links, few, bytes, time, perHost, alike];
