/**
 * What a pause is made of: every reason to wait, against what servers have seen in virtual time. A
 * pause that is too long is as wrong as one that is too short.
 */
import { expect, test } from 'vitest';
import type { Millis } from '../../src/base/units.ts';
import type { CrawlOptions } from '../../src/config/settings.ts';
import { linking } from './small-site.ts';
import { type Events, type Reply, type Server, TimedCrawl } from './timed-crawl.ts';

/** Connections, files and the rounding of clocks take less than this. */
const ROUNDING: Millis = 200;
/** Times are whole milliseconds, by the clocks of two runs. */
const CLOCKS: Millis = 3;
const SECOND: Millis = 1000;

interface Row {
  readonly options?: CrawlOptions;
  readonly servers?: Readonly<Record<string, Server>>;
  readonly events?: Events;
  /** The agents of each run. */
  readonly agents?: readonly number[];
  /** Only requests whose host, address and path match. */
  readonly at?: string;
  /** The first ones: from an answer, or the start of a run, to the next request; in seconds. */
  readonly pauses: readonly number[];
}

const A = '10.0.0.1';
const B = '10.0.0.2';
const C = '10.0.0.3';
/** Delays follow budgets; all are small here. */
const BUSY: CrawlOptions = { order: 'budget', fetches: 1 };
type Answers = NonNullable<Server['answer']>;
const alone = (answer: Answers | undefined, more: Partial<Server> = {}) => ({
  'a.example': { ip: A, ...(answer && { answer }), ...more },
});
/** Answers of some paths, by their visit; the last one stays. */
const replies =
  (by: Readonly<Record<string, readonly (Reply | undefined)[]>>): Answers =>
  (path, visit) =>
    by[path]?.[Math.min(visit, by[path].length - 1)];
const robots = (...lines: string[]): Reply => ({ body: `User-agent: *\n${lines.join('\n')}\n` });
const later = (status: number, retryAfter?: string): Reply => ({
  status,
  headers: retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`],
});
const stop = (crawl: TimedCrawl) => crawl.stop();

const RULES = robots('Crawl-delay: 9');
const asksForPause = replies({ '/robots.txt': [RULES] });
/** Its robots.txt is at another host. */
const movedRules: Server = {
  ip: A,
  answer: replies({
    '/robots.txt': [{ status: 301, headers: ['Location: http://b.example/rules.txt'] }],
  }),
};
const rules = [robots('Disallow: /no')];
const many = linking('/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8');
const closes = { headers: ['Connection: close'] };

const ROWS: Readonly<Record<string, Row>> = {
  'the delay of the host': { pauses: [4, 4, 4, 4, 4] },
  'the delay of a private address': {
    options: { privateDelay: 400 },
    pauses: [0.4, 0.4, 0.4, 0.4, 0.4],
  },
  'the delay of an address, between its hosts': {
    options: { addressDelay: 1600 },
    servers: { 'a.example': { ip: A }, 'b.example': { ip: A }, 'c.example': { ip: A } },
    at: A,
    pauses: Array(17).fill(1.6),
  },
  'the delay of the host, with none of addresses': {
    options: { addressDelay: 0 },
    pauses: [4, 4, 4, 4, 4],
  },
  'the delay of each host of an address': {
    options: { addressDelay: 1600 },
    servers: { 'a.example': { ip: A }, 'b.example': { ip: A } },
    at: 'b.example',
    pauses: [4, 4, 4, 4, 4],
  },

  'a Crawl-delay': { servers: alone(asksForPause), pauses: [9, 9, 9, 9, 9] },
  'a Crawl-delay shorter than the delay': {
    servers: alone(replies({ '/robots.txt': [robots('Crawl-delay: 2')] })),
    pauses: [4, 4, 4, 4, 4],
  },
  'a Crawl-delay longer than the longest': {
    options: { maxCrawlDelay: 20 * SECOND },
    servers: alone(replies({ '/robots.txt': [robots('Crawl-delay: 900')] })),
    pauses: [20, 20, 20, 20, 20],
  },

  'Retry-After in seconds': {
    servers: alone(replies({ '/': [later(503, '20'), undefined] })),
    pauses: [4, 20, 4, 4, 4, 4],
  },
  'Retry-After as a date': {
    servers: alone((path, visit, at) => {
      if (path !== '/' || visit > 0) return undefined;
      const ends = at - (at % SECOND) + SECOND;
      const asked = new Date(ends + 30 * SECOND).toUTCString();
      return { ...later(429, asked), takes: ends - at };
    }),
    pauses: [4, 30, 4, 4, 4, 4],
  },
  'Retry-After longer than the longest': {
    options: { maxRetryAfter: 50 * SECOND },
    servers: alone(replies({ '/': [later(503, '86400'), undefined] })),
    pauses: [4, 50, 4, 4, 4, 4],
  },
  'Retry-After shorter than the delay': {
    servers: alone(replies({ '/': [later(503, '1'), undefined] })),
    pauses: [4, 4, 4, 4, 4, 4],
  },
  'Retry-After of a robots.txt, and its retry': {
    servers: alone(replies({ '/robots.txt': [later(503, '30'), later(503), undefined] })),
    pauses: [30, 120, 4, 4, 4, 4, 4],
  },
  'the wait of a page that failed': {
    servers: alone(replies({ '/1': [later(503), undefined] })),
    at: '/1',
    pauses: [120],
  },

  'a slow answer, and quick ones after it': {
    servers: alone(replies({ '/': [{ body: many, takes: 2 * SECOND }] })),
    pauses: [4, 15, 12.4, 10.2, 8.4, 6.6, 5.2, 4, 4],
  },
  'errors in a row': {
    options: { delay: 400 },
    servers: alone((path) => {
      if (path === '/robots.txt') return undefined;
      return path === '/' ? { body: many } : later(500);
    }),
    pauses: [0.4, 0.4, 0.4, 0.4, 1, 2, 4, 8, 16, 30, 30],
  },
  'errors before a robots.txt that answers, which count no more': {
    options: { delay: 400 },
    servers: {
      'b.example': {
        ip: B,
        answer: replies({
          '/': [
            { body: linking('//a.example/1', '//a.example/2', '//a.example/3', '//a.example/4') },
          ],
        }),
      },
      'a.example': {
        ip: A,
        isSeed: false,
        answer: (path, visit) => {
          if (path !== '/robots.txt') return later(500);
          return visit < 2 ? later(503) : undefined;
        },
      },
    },
    at: 'a.example',
    pauses: [120, 120, 0.4, 0.4, 0.4, 1],
  },
  'errors with an answer between': {
    options: { delay: 400 },
    servers: alone(replies({ '/2': [later(500)], '/4': [later(500)], '/3': [later(500)] })),
    pauses: [0.4, 0.4, 0.4, 0.4, 0.4, 28.6, 0.4, 0.6],
  },
  'connections that cannot be made': {
    options: { delay: 400 },
    servers: alone((path) => ({ ...(path === '/' && { body: many }), ...closes }), {
      refuses: (n) => n > 1,
    }),
    pauses: [0.4, 0.4, 0.4, 5, 10, 20, 40, 80, 120, 120],
  },

  'a small budget, while all fetchers are busy': {
    options: { ...BUSY, slowDelay: 12 * SECOND },
    pauses: [12, 12, 12, 12, 12],
  },
  'a small budget, at an address': {
    options: { ...BUSY, slowDelay: 12 * SECOND, slowAddressDelay: 8 * SECOND },
    servers: { 'a.example': { ip: A }, 'b.example': { ip: A } },
    at: A,
    pauses: Array(11).fill(8),
  },
  'a small budget, while a fetcher is free': {
    options: { ...BUSY, fetches: 2, slowDelay: 12 * SECOND },
    pauses: [4, 4, 4, 4, 4],
  },

  'a shorter delay from now on': {
    events: { 2: (crawl) => crawl.change({ delay: '2s' }) },
    pauses: [4, 4, 4, 2, 2],
  },
  'a longer delay from now on': {
    events: { 2: (crawl) => crawl.change({ delay: '6s' }) },
    pauses: [4, 4, 4, 6, 6],
  },
  'another delay of addresses from now on': {
    options: { addressDelay: 2 * SECOND },
    servers: { 'a.example': { ip: A }, 'b.example': { ip: A } },
    events: { 2: (crawl) => crawl.change({ 'address-delay': '3s' }) },
    at: A,
    pauses: [2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3],
  },
  'another delay of small budgets from now on': {
    options: { ...BUSY, slowDelay: 12 * SECOND },
    events: { 2: (crawl) => crawl.change({ 'slow-delay': '8s' }) },
    pauses: [12, 12, 12, 8, 8],
  },
  'fewer fetchers from now on, all of them busy': {
    options: { ...BUSY, fetches: 2, slowDelay: 12 * SECOND },
    events: { 2: (crawl) => crawl.change({ fetches: '1' }) },
    pauses: [4, 4, 4, 12, 12],
  },

  'a host that was asked out of turn': {
    servers: {
      'a.example': movedRules,
      'b.example': { ip: B, answer: replies({ '/rules.txt': rules }) },
    },
    at: 'b.example',
    pauses: [4, 4, 4, 4, 4, 4],
  },
  'a host with a Crawl-delay that was asked out of turn': {
    servers: {
      'a.example': movedRules,
      'b.example': { ip: B, answer: replies({ '/robots.txt': [RULES], '/rules.txt': rules }) },
    },
    at: 'b.example',
    pauses: [9, 9, 9, 9, 9, 9],
  },
  'a slow host that was asked out of turn': {
    servers: {
      'a.example': movedRules,
      'b.example': {
        ip: B,
        answer: replies({ '/': [{ body: many, takes: 2 * SECOND }], '/rules.txt': rules }),
      },
    },
    at: 'b.example',
    pauses: [4, 15, 15, 12.4, 10.2, 8.4, 6.6, 5.2, 4, 4],
  },
  'a host that is only asked out of turn': {
    servers: {
      'a.example': movedRules,
      'c.example': { ...movedRules, ip: C },
      'b.example': { ip: B, answer: replies({ '/rules.txt': rules }), isSeed: false },
    },
    at: 'b.example',
    pauses: [4],
  },
  'an address whose host was asked out of turn': {
    options: { addressDelay: 2 * SECOND },
    servers: {
      'a.example': movedRules,
      'b.example': { ip: B, answer: replies({ '/rules.txt': rules }), isSeed: false },
      'c.example': { ip: B },
    },
    at: B,
    pauses: [4, 2, 2, 4, 4, 4],
  },

  'a resume': { events: { 2: stop }, agents: [1, 1], pauses: [4, 4, 4, 4, 4] },
  'a resume, with a Crawl-delay': {
    servers: alone(asksForPause),
    events: { 2: stop },
    agents: [1, 1],
    pauses: [9, 9, 9, 9, 9],
  },
  'a resume, while the host asks for a pause': {
    servers: alone(replies({ '/': [later(503, '60'), undefined] })),
    events: { 1: stop },
    agents: [1, 1],
    pauses: [4, 60, 4, 4, 4, 4],
  },
  'a resume after a crash': {
    servers: alone(asksForPause),
    events: { 3: (crawl) => crawl.kill() },
    agents: [1, 1],
    pauses: [9, 9, 9, 9],
  },
  'a resume after a crash, with other agents': {
    servers: alone(asksForPause),
    events: { 3: (crawl) => crawl.kill() },
    agents: [1, 2],
    pauses: [9, 9, 9, 9],
  },
  'a resume, with a host that was not in memory': {
    options: { frontHosts: 1 },
    servers: {
      'a.example': { ip: A },
      'b.example': { ip: B, answer: asksForPause },
      'c.example': { ip: C },
    },
    events: { 8: stop },
    agents: [1, 1],
    at: 'b.example',
    pauses: [9, 9, 9, 9, 9],
  },
  'a host asked out of turn after a resume': {
    servers: {
      'a.example': {
        ip: A,
        answer: replies({ '/': [{ body: linking('http://c.example/') }] }),
      },
      'c.example': { ...movedRules, ip: C, isSeed: false },
      'b.example': { ip: B, answer: replies({ '/rules.txt': rules }), isSeed: false },
    },
    events: { 1: stop },
    agents: [1, 1],
    at: 'rules|a.example.*robots',
    pauses: [60],
  },
  'more agents': {
    servers: alone(asksForPause),
    events: { 2: stop },
    agents: [1, 3],
    pauses: [9, 9, 9, 9, 9],
  },
  'fewer agents': {
    servers: alone(asksForPause),
    events: { 2: stop },
    agents: [3, 1],
    pauses: [9, 9, 9, 9, 9],
  },
};

/** The pauses before all requests but the first of all, rounded down. */
async function pausesOf({ servers = alone(undefined), events = {}, agents, at = '', ...row }: Row) {
  const options = { delay: 4 * SECOND, addressDelay: SECOND, ...row.options };
  const crawl = new TimedCrawl(servers, options, events);
  await crawl.run(agents);
  const seen = crawl.requests.filter(({ host, ip, path }) =>
    new RegExp(at).test(`${host} ${ip} ${path}`),
  );
  return seen.slice(1).map((request, i) => {
    const began = crawl.began.findLast((time) => time < request.at) ?? 0;
    const pause = request.at - Math.max(seen[i].ended, began);
    return (Math.floor((pause + CLOCKS) / ROUNDING) * ROUNDING) / SECOND;
  });
}

test.each(Object.entries(ROWS))('%s', async (_, row) => {
  expect((await pausesOf(row)).slice(0, row.pauses.length)).toEqual(row.pauses);
});
