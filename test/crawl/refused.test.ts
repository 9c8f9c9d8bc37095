/**
 * What a crawl refuses: every wall in front of a request, by what servers have seen and what the
 * crawl has counted. Each limit is met exactly, and exceeded by one.
 */
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../src/config/settings.ts';
import { linking } from './small-site.ts';
import { type Reply, type Server, TimedCrawl } from './timed-crawl.ts';

interface Row {
  readonly options?: CrawlOptions;
  /** What the first page links to. */
  readonly links?: readonly string[];
  /** Other answers of the first host. */
  readonly answers?: Readonly<Record<string, Reply>>;
  readonly others?: Readonly<Record<string, Server>>;
  /** What servers have seen beside the first page and its robots.txt. */
  readonly seen: readonly string[];
  /** Why the others were not requested, or no page came of them. */
  readonly counts: Readonly<Record<string, number>>;
}

const OPENED = '10.0.0.0/24';
const to = (url: string): Reply => ({ status: 302, headers: [`Location: ${url}`] });
/** `/r0` redirects to `/r1` and so on, up to `/r9`. */
const CHAIN = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`/r${i}`, to(`/r${i + 1}`)]));
const inside = (answers: Readonly<Record<string, Reply>> = {}, ip = '10.0.0.2'): Server => ({
  ip,
  isSeed: false,
  answer: (path) => answers[path] ?? (path === '/robots.txt' ? { status: 404 } : {}),
});
/** `/` and so many characters make a URL of this length. */
const pathFor = (length: number) => `/${'x'.repeat(length - 'http://a.example/'.length)}`;

const ROWS: Readonly<Record<string, Row>> = {
  'the redirect after the last that is allowed': {
    options: { maxRedirects: 3 },
    links: ['/r0'],
    answers: CHAIN,
    seen: ['/r0', '/r1', '/r2', '/r3'],
    counts: { 'too-many-redirects': 1 },
  },
  'every redirect, if none is allowed': {
    options: { maxRedirects: 0 },
    links: ['/r8'],
    answers: CHAIN,
    seen: ['/r8'],
    counts: { 'too-many-redirects': 1 },
  },
  'the redirect of a requisite after the last that is allowed': {
    options: { maxRedirects: 2, requisites: 'all' },
    answers: { ...CHAIN, '/': { body: '<img src=/r0>' } },
    seen: ['/r0', '/r1', '/r2'],
    counts: { 'too-many-redirects': 1 },
  },
  'a style in a style after the last that is allowed': {
    options: { maxRedirects: 2, requisites: 'all' },
    answers: {
      '/': { body: '<link rel=stylesheet href=/0.css>' },
      ...Object.fromEntries(
        [0, 1, 2, 3].map((i) => [
          `/${i}.css`,
          { body: `@import "/${i + 1}.css";`, type: 'text/css' },
        ]),
      ),
    },
    seen: ['/0.css', '/1.css', '/2.css'],
    counts: { 'requisite-depth': 1 },
  },
  'a redirect out of scope': {
    options: { scope: 'host' },
    links: ['/out', '/in'],
    answers: { '/out': to('http://b.example/'), '/in': to('/there') },
    others: { 'b.example': inside() },
    seen: ['/out', '/in', '/there'],
    counts: { 'out-of-scope': 1 },
  },
  'a redirect to another port of the host, which is another site': {
    options: { scope: 'host' },
    links: ['/out'],
    answers: { '/out': to('http://a.example:81/') },
    seen: ['/out'],
    counts: { 'out-of-scope': 1 },
  },
  'a link deeper than the deepest': {
    options: { maxDepth: 2 },
    links: ['/1'],
    answers: {
      '/1': { body: linking('/2') },
      '/2': { body: linking('/3') },
    },
    seen: ['/1', '/2'],
    counts: { 'too-deep': 1 },
  },
  'a URL longer than the longest': {
    options: { maxUrlLength: 60 },
    links: [pathFor(60), pathFor(61)],
    seen: [pathFor(60)],
    counts: { 'url-too-long': 1 },
  },
  'a page that robots.txt disallows': {
    links: ['/private', '/private/x', '/public'],
    answers: { '/robots.txt': { body: 'User-agent: *\nDisallow: /private$' } },
    seen: ['/private/x', '/public'],
    counts: { disallowed: 1 },
  },
  'a host at an address that is not opened': {
    links: ['http://b.example/', 'http://c.example/'],
    others: { 'b.example': inside({}, '10.0.1.1'), 'c.example': inside({}, '10.0.0.255') },
    seen: ['c.example/robots.txt', 'c.example/'],
    counts: { 'address-refused': 1 },
  },
  'an address that is not opened, in every spelling': {
    links: [
      ...['127.0.0.1', '2130706434', '0x7f.3', '0177.0.0.4', '127.5', '[::1]', '[::ffff:10.0.0.1]'],
      ...['169.254.169.254', '[fd00:ec2::254]', '0.0.0.0', '[64:ff9b::a00:1]'],
    ].map((host) => `http://${host}/`),
    seen: [],
    counts: { 'address-refused': 11 },
  },
  'a redirect to an address that is not opened': {
    links: ['/r'],
    answers: { '/r': to('http://b.example/') },
    others: { 'b.example': inside({}, '192.168.0.1') },
    seen: ['/r'],
    counts: { 'address-refused': 1 },
  },
  'a robots.txt at an address that is not opened, and with it its host': {
    links: ['http://b.example/'],
    others: {
      'b.example': inside({ '/robots.txt': to('http://c.example/robots.txt') }),
      'c.example': inside({}, '192.168.0.1'),
    },
    seen: ['b.example/robots.txt'],
    counts: { 'robots-unreachable': 1 },
  },
  'the redirect of a robots.txt after the fifth: there are no rules': {
    links: ['http://b.example/'],
    others: { 'b.example': inside({ ...CHAIN, '/robots.txt': to('/r0') }) },
    seen: [
      ...['/robots.txt', '/r0', '/r1', '/r2', '/r3', '/r4', '/'].map((path) => `b.example${path}`),
    ],
    counts: {},
  },
  'what is no page': {
    links: [
      'ftp://a.example/',
      'mailto:a@a.example',
      'javascript:x',
      'http://',
      'http://a.example:99999/',
    ],
    seen: [],
    counts: {},
  },
};

test.each(Object.entries(ROWS))('%s', async (_, row) => {
  const { options, links = [], answers = {}, others = {} } = row;
  const first: Server = {
    ip: '10.0.0.1',
    answer: (path) => {
      if (path === '/' && !answers['/']) return { body: linking(...links) };
      return answers[path] ?? (path === '/robots.txt' ? { status: 404 } : {});
    },
  };
  const asked = { delay: 1000, allowPrivate: [OPENED], requisites: 'none' as const, ...options };
  const crawl = new TimedCrawl({ 'a.example': first, ...others }, asked, {});
  await crawl.run();
  const { errors = {}, refused = {}, disallowed = 0 } = crawl.summary ?? {};
  const seen = crawl.requests
    .slice(2)
    .map(({ host, path }) => host.replace('a.example', '') + path);
  const counts = { ...errors, ...refused, ...(disallowed > 0 && { disallowed }) };
  expect({ seen: seen.sort(), counts }).toEqual({ seen: [...row.seen].sort(), counts: row.counts });
});
