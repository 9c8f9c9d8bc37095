/** Crawls that show what each setting of fetching does: delays, failures, identity, network. */
import assert from 'node:assert/strict';
import type { Handler } from '../../crawl/small-site.ts';
import { linking } from '../../crawl/small-site.ts';
import { AUTHORITY } from '../../fetch/certificates.ts';
import { forwardProxy } from '../../fetch/forward-proxy.ts';
import { all, fetched, gapOf, leastGap, left, logs, sends } from './checks.ts';
import { answer } from './pages.ts';
import type { CrawlRow } from './row.ts';

const THREE = { '/': linking('/1', '/2'), '/1': 'one', '/2': 'two' };

const delays: CrawlRow = {
  name: 'delays',
  prepare: (stage) => {
    const slow = stage.site('slow-delays.test', THREE);
    const asking = { '/robots.txt': answer('text/plain', 'User-agent: *\nCrawl-delay: 90') };
    const capped = stage.site('capped-delays.test', { ...asking, ...THREE }, 1);
    stage.write('delays.txt', 'host slow-delays.test 700ms\n');
    return [
      ...[`${stage.site('own-delays.test', THREE)}/`, `${slow}/`, `${capped}/`],
      ...['--private-delay', '400ms', '--delays', 'delays.txt', '--max-crawl-delay', '550ms'],
    ];
  },
  shows: {
    '--private-delay': gapOf(400, 'own-delays.test'),
    '--delays': gapOf(700, 'slow-delays.test'),
    '--max-crawl-delay': all(
      gapOf(550, 'capped-delays.test'),
      logs('crawl-delay-capped', /capped-delays/),
    ),
  },
};

const delay: CrawlRow = {
  name: 'onedelay',
  prepare: (stage) => [
    ...[`${stage.site('onedelay.test', THREE)}/`, '--delay', '300ms'],
    ...['--private-delay', '300ms'],
  ],
  shows: { '--delay': gapOf(300) },
};

const address: CrawlRow = {
  name: 'address',
  prepare: (stage) => [
    ...['a', 'b', 'c'].map((name) => `${stage.site(`${name}-address.test`, { '/': name })}/`),
    ...['--private-delay', '200ms', '--address-delay', '200ms'],
  ],
  shows: { '--address-delay': gapOf(200) },
};

/** With one request at once, a domain of the least budget has the slow delay. */
const slow: CrawlRow = {
  name: 'slowhost',
  prepare: (stage) => [
    ...[`${stage.site('slowhost.test', THREE)}/`, '--fetches', '1'],
    ...['--private-delay', '1ms', '--slow-delay', '400ms', '--slow-address-delay', '1ms'],
  ],
  shows: { '--slow-delay': gapOf(400) },
};

const slowAddress: CrawlRow = {
  name: 'slowip',
  prepare: (stage) => [
    ...['a', 'b', 'c'].map((name) => `${stage.site(`${name}-slowip.test`, { '/': name })}/`),
    ...['--fetches', '1', '--private-delay', '1ms', '--address-delay', '1ms'],
    ...['--slow-delay', '1ms', '--slow-address-delay', '400ms'],
  ],
  shows: { '--slow-address-delay': gapOf(400) },
};

/** Two addresses, whose answers take a while. */
const oneAtOnce: CrawlRow = {
  name: 'atonce',
  prepare: (stage) => {
    const late: Handler = (_, response) => void setTimeout(() => response.end('late'), 250);
    const pages = { '/robots.txt': answer('text/plain', ''), '/': late };
    return [
      ...['a', 'b'].map((name, at) => `${stage.site(`${name}-atonce.test`, pages, at)}/`),
      ...['--fetches', '1'],
    ];
  },
  shows: { '--fetches': (c) => assert.ok(leastGap(c) >= 230, `${leastGap(c)} ms`) },
};

const unavailable = (after?: string): Handler =>
  answer('text/plain', 'busy', after === undefined ? {} : { 'retry-after': after }, 503);

const failures: CrawlRow = {
  name: 'failures',
  prepare: (stage) => [
    ...[`${stage.site('busy-failures.test', { '/': unavailable() })}/`],
    ...[`${stage.site('good-failures.test', { '/good': 'good' })}/good`],
    ...[`${stage.site('later-failures.test', { '/': unavailable('3000') })}/`],
    ...['--retries', '2', '--retry-wait', '50ms', '--max-retry-after', '100ms'],
  ],
  shows: {
    '--retries': (c) => assert.equal(c.requests('/', 'busy-failures.test').length, 3),
    '--retry-wait': (c) => assert.ok(c.requests('/', 'busy-failures.test').length > 1),
    '--max-retry-after': (c) => assert.equal(c.requests('/', 'later-failures.test').length, 3),
  },
};

/** Sends the head and a part of the body; the rest depends on the test. */
const part = (drip: boolean): Handler => {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>begun');
    if (!drip) return;
    const timer = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(timer));
  };
};

const times: CrawlRow = {
  name: 'times',
  prepare: async (stage) => {
    const silent = await stage.silent();
    return [
      ...[`${stage.site('mute-times.test', { '/': () => {} })}/`],
      ...[`${stage.site('idle-times.test', { '/': part(false) })}/`],
      ...[`${stage.site('drip-times.test', { '/': part(true) })}/`],
      `https://${silent}/`,
      ...['--connect-timeout', '300ms', '--response-timeout', '500ms', '--idle-timeout', '400ms'],
      ...['--fetch-timeout', '900ms', '--retries', '0', '--retry-wait', '10ms'],
    ];
  },
  shows: {
    '--connect-timeout': logs('robots-unreachable', /127\.0\.0\.1.*(?:tls|connect)/),
    '--response-timeout': logs('url-given-up', /mute-times.*timed out|mute-times.*timeout/),
    '--idle-timeout': (c) => assert.ok(c.stored('/') && /idle-times/.test(truncated(c))),
    '--fetch-timeout': (c) => assert.match(truncated(c), /drip-times.*time/),
  },
};

const truncated = (crawled: { events(name: string): object[] }): string =>
  crawled
    .events('page-truncated')
    .map((one) => JSON.stringify(one))
    .join('\n');

/** Two bodies that fill the memory, and arrive more slowly than asked. */
const rates: CrawlRow = {
  name: 'rates',
  prepare: (stage) => {
    const body: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('x'.repeat(900_000));
      let left = 200;
      const drip = () => (left-- > 0 ? response.write('y'.repeat(2000)) : response.end());
      const timer = setInterval(drip, 50);
      response.on('close', () => clearInterval(timer));
    };
    return [
      ...['a', 'b'].map((name, at) => `${stage.site(`${name}-rates.test`, { '/': body }, at)}/`),
      ...['--min-rate', '1Mi', '--body-memory', '1Mi'],
    ];
  },
  shows: {
    '--min-rate': (c) => assert.match(truncated(c), /rates/),
    // Only a full memory cuts what is slow.
    '--body-memory': (c) => assert.match(truncated(c), /rates/),
  },
};

const identity: CrawlRow = {
  name: 'identity',
  prepare: (stage) => {
    const own = stage.site('identity.test', {
      '/': answer('text/html', linking('/next'), { 'set-cookie': 'kept=1' }),
      '/next': 'next',
    });
    stage.write('auth.txt', 'identity.test ann secret\n');
    stage.write('headers.txt', 'identity.test X-Token: t0ken\n');
    const soon = 4102444800;
    const cookie = ['identity.test', 'FALSE', '/', 'FALSE', `${soon}`, 'given', 'yes'];
    stage.write('cookies.txt', `# Netscape HTTP Cookie File\n${cookie.join('\t')}\n`);
    return [
      ...[`${own}/`, '--user-agent', 'Conforming/1.0', '--header', 'Accept-Language: de'],
      ...['--auth', 'auth.txt', '--header-file', 'headers.txt', '--cookies', 'cookies.txt'],
      '--keep-cookies',
    ];
  },
  shows: {
    '--user-agent': sends('/', 'user-agent', /^Conforming\/1\.0$/),
    '--header': sends('/', 'accept-language', /^de$/),
    '--auth': sends('/', 'authorization', /^Basic YW5uOnNlY3JldA==$/),
    '--header-file': sends('/', 'x-token', /^t0ken$/),
    '--cookies': sends('/', 'cookie', /given=yes/),
    '--keep-cookies': all(sends('/next', 'cookie', /kept=1/), sends('/', 'cookie', /^given=yes$/)),
  },
};

const contact: CrawlRow = {
  name: 'contact',
  prepare: (stage) => [
    ...[`${stage.site('contact.test', { '/': linking('/1'), '/1': '1' })}/`],
    ...['--contact', 'me@example.org', '--allow-private', '127.0.0.1/32'],
    `${stage.site('refused-contact.test', { '/': 'x' }, 1)}/`,
  ],
  shows: {
    '--contact': sends('/', 'user-agent', /me@example\.org/),
    '--allow-private': all(fetched('/1'), left('/', 'refused-contact.test')),
    '--dns': fetched('/', 'contact.test'),
  },
};

const encrypted: CrawlRow = {
  name: 'lab',
  prepare: (stage) => {
    stage.write('ca.pem', AUTHORITY);
    return [`${stage.site('lab.test', { '/': 'x' }, 2)}/`, '--ca', 'ca.pem'];
  },
  shows: { '--ca': fetched('/') },
};

const insecure: CrawlRow = {
  name: 'insecure',
  prepare: (stage) => [`${stage.site('insecure.test', { '/': 'x' }, 2)}/`, '--insecure'],
  shows: { '--insecure': fetched('/') },
};

let heads: readonly string[];
const proxied: CrawlRow = {
  name: 'proxied',
  prepare: async (stage) => {
    const proxy = await forwardProxy();
    stage.later(proxy.close);
    heads = proxy.heads;
    const seed = `${stage.site('proxied.test', { '/': 'x' })}/`;
    return [seed, '--proxy', `http://127.0.0.1:${proxy.port}`];
  },
  shows: {
    '--proxy': all(fetched('/'), () => assert.match(heads.join(''), /^GET http:\/\/proxied\.test/)),
  },
};

export const FETCHING_ROWS: readonly CrawlRow[] = [
  ...[delays, delay, address, slow, slowAddress, oneAtOnce, failures, times, rates],
  ...[identity, contact, encrypted, insecure, proxied],
];
