import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import type { Page } from '../../src/crawl/store/page.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type Pages, type SmallSite, startSmallSite } from './small-site.ts';

let dir: string;
const sites: SmallSite[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-crawl-'));
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
  rmSync(dir, { recursive: true, force: true });
});

async function site(pages: Pages): Promise<SmallSite> {
  const started = await startSmallSite(pages);
  sites.push(started);
  return started;
}

const LOCAL: CrawlOptions = { allowPrivate: true, delay: 0 };

/** Crawls to the end without a folder; returns the summary and the pages fetched. */
async function crawlAll(
  seeds: string[],
  options: CrawlOptions = {},
  clock?: Clock,
): Promise<{ summary: Summary; pages: Page[] }> {
  const pages: Page[] = [];
  const run = await startCrawl(seeds, resolveConfig({ ...LOCAL, ...options }), {
    onPage: (page) => void pages.push(page),
    ...(clock && { clock }),
  });
  return { summary: await run.finished, pages };
}

describe('a crawl', () => {
  test('fetches robots.txt first, then every page that is linked, once', async () => {
    const { origin, asked } = await site({
      '/': linking('/a', '/b', '/a#x', 'mailto:x@example.org'),
      '/a': linking('/', '/b', '/c'),
      '/b': linking('/a'),
      '/c': 'no links',
    });
    const { summary } = await crawlAll([`${origin}/`]);
    expect(asked[0]).toBe('/robots.txt');
    expect(asked.slice(1).sort()).toEqual(['/', '/a', '/b', '/c']);
    expect(summary).toMatchObject({
      end: 'finished',
      pages: 4,
      urlsUnique: 4,
      urlsQueued: 0,
      hosts: 1,
    });
  });

  test('fetches nothing that robots.txt disallows', async () => {
    const { origin, asked } = await site({
      '/robots.txt': (_, response) => response.end('User-agent: *\nDisallow: /private\n'),
      '/': linking('/private/x', '/public'),
    });
    const { summary } = await crawlAll([`${origin}/`]);
    expect(asked).toEqual(['/robots.txt', '/', '/public']);
    expect(summary.disallowed).toBe(1);
  });

  test('asks four times for a robots.txt that answers 503, minutes apart, and then fetches nothing', async () => {
    const { origin, asked, times } = await site({
      '/robots.txt': (_, response) => response.writeHead(503).end(),
      '/': linking('/a'),
    });
    const { summary } = await crawlAll([`${origin}/`], {}, fastClock(1000));
    expect(asked).toEqual(Array(4).fill('/robots.txt'));
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(119);
    expect(summary).toMatchObject({ pages: 0, disallowed: 0, errors: { 'robots-unreachable': 1 } });
  });

  test('does not obey half a robots.txt', async () => {
    let cut = true;
    const { origin, asked } = await site({
      '/robots.txt': (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        if (cut) response.write('User-agent: *\n', () => response.destroy());
        else response.end('User-agent: *\nDisallow: /a\n'.padEnd(100));
        cut = false;
      },
      '/': linking('/a'),
    });
    await crawlAll([`${origin}/`], {}, fastClock(1000));
    expect(asked).toEqual(['/robots.txt', '/robots.txt', '/']);
  });

  test('obeys the rules of a robots.txt that redirects', async () => {
    const { origin, asked } = await site({
      '/robots.txt': (_, response) => response.writeHead(301, { location: '/rules' }).end(),
      '/rules': (_, response) => response.end('User-agent: drumlin\nDisallow: /b'),
      '/': linking('/a', '/b'),
    });
    await crawlAll([`${origin}/`]);
    expect(asked).toEqual(['/robots.txt', '/rules', '/', '/a']);
  });

  test('keeps the delay between the redirects of a robots.txt, and stops at a loop', async () => {
    const { origin, asked, times } = await site({
      '/robots.txt': (_, response) => response.writeHead(301, { location: '/1' }).end(),
      '/1': (_, response) => response.writeHead(301, { location: '/robots.txt' }).end(),
      '/': 'page',
    });
    await crawlAll([`${origin}/`], { delay: 30 });
    expect(asked).toEqual(['/robots.txt', '/1', '/robots.txt', '/1', '/robots.txt', '/1', '/']);
    expect(Math.min(...times.slice(1).map((time, i) => time - times[i]))).toBeGreaterThanOrEqual(
      29,
    );
  });

  test('follows a robots.txt to another host, and makes no other request to its address meanwhile', async () => {
    const rules = await site({
      '/rules': (_, response) => response.end('User-agent: *\nDisallow: /no'),
    });
    const { origin, asked } = await site({
      '/robots.txt': (_, response) =>
        response
          .writeHead(302, { location: `${rules.origin.replace('127.0.0.1', 'localhost')}/rules` })
          .end(),
      '/': linking('/no', '/yes'),
    });
    await crawlAll([`${origin}/`]);
    expect(rules.asked).toEqual(['/rules']);
    expect(asked).toEqual(['/robots.txt', '/', '/yes']);
  });

  test('follows redirects as links, up to the limit in a row', async () => {
    const { origin, asked } = await site(
      Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [
          `/${i}`,
          (_request, response) => response.writeHead(302, { location: `/${i + 1}` }).end(),
        ]),
      ),
    );
    const { summary } = await crawlAll([`${origin}/0`], { maxRedirects: 3 });
    expect(asked).toEqual(['/robots.txt', '/0', '/1', '/2', '/3']);
    expect(summary.errors).toEqual({ 'too-many-redirects': 1 });
  });

  test('does not follow links that ask for it, alone or for the whole page', async () => {
    const { origin, asked } = await site({
      '/': '<a rel="nofollow" href="/x"></a><a href="/meta"></a>',
      '/meta': '<meta name="robots" content="nofollow"><a href="/y"></a>',
    });
    const { pages } = await crawlAll([`${origin}/`]);
    expect(asked).toEqual(['/robots.txt', '/', '/meta']);
    expect(pages[0].links.map((link) => [link.url, link.nofollow])).toEqual([
      [`${origin}/x`, true],
      [`${origin}/meta`, false],
    ]);
  });

  test('stops at exactly the page limit, and reports what is still queued', async () => {
    const { origin, asked } = await site({
      '/': linking(...Array.from({ length: 30 }, (_, i) => `/${i}`)),
    });
    const { summary } = await crawlAll([`${origin}/`], { maxPages: 7 });
    expect(summary).toMatchObject({ end: 'max-pages', pages: 7, urlsQueued: 24 });
    expect(asked.length).toBe(8);
  });

  test('follows no further than the depth asked for', async () => {
    const { origin, asked } = await site({
      '/': linking('/1'),
      '/1': linking('/2'),
      '/2': linking('/3'),
    });
    await crawlAll([`${origin}/`], { maxDepth: 1 });
    expect(asked).toEqual(['/robots.txt', '/', '/1']);
  });

  test('makes one request to a host at a time, with its delay between the end of one and the next', async () => {
    const asking = await site({ '/': linking('/a', '/b', '/c') });
    const { origin, asked, times } = asking;
    await crawlAll([`${origin}/`], { delay: 60 });
    expect(asked.length).toBe(5);
    expect(asking.mostAtOnce).toBe(1);
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
  });

  test('caps a Crawl-delay that would in effect disallow everything, and logs it', async () => {
    const { origin } = await site({
      '/': linking('/a', '/b'),
      '/robots.txt': (_, response) => response.end('User-agent: *\nCrawl-delay: 86400'),
    });
    const folder = join(dir, 'crawl');
    const config = resolveConfig({ ...LOCAL, dir: folder, maxCrawlDelay: 50 });
    expect(await (await startCrawl([`${origin}/`], config)).finished).toMatchObject({ pages: 3 });
    expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).toContain('24 h 0 min cut to 50 ms');
  });

  test('keeps the delay that robots.txt asks for, when it is longer than ours', async () => {
    const { origin, times } = await site({
      '/robots.txt': (_, response) => response.end('User-agent: *\nCrawl-delay: 0.15'),
      '/': 'page',
    });
    await crawlAll([`${origin}/`], { delay: 10 });
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(149);
  });

  test('keeps the longest delay that any origin of a host asks for', async () => {
    const slow = await site({
      '/robots.txt': (_, response) => response.end('User-agent: *\nCrawl-delay: 0.2'),
      '/': linking('/1', '/2'),
    });
    const other = await site({ '/': 'no robots.txt here' });
    await crawlAll([`${slow.origin}/`, `${other.origin}/`]);
    const gaps = slow.times.slice(1).map((time, i) => time - slow.times[i]);
    expect(slow.asked.length).toBe(4);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(199);
  });

  test('retries what answered "not now", after the time that the server asks for', async () => {
    let tries = 0;
    const { origin, asked, times } = await site({
      '/': (_, response) => {
        if (++tries === 1) response.writeHead(429, { 'retry-after': '600' }).end();
        else response.end('here you are');
      },
    });
    const { summary } = await crawlAll([`${origin}/`], {}, fastClock(1000));
    expect(asked).toEqual(['/robots.txt', '/', '/']);
    expect(times[2] - times[1]).toBeGreaterThanOrEqual(599);
    expect(summary).toMatchObject({ pages: 1, statuses: { 200: 1 }, retries: { 'status-429': 1 } });
  });

  test('tries the other address of a name when the first does not answer', async () => {
    const server = await startSmallSite({ '/': 'page' }, '::1').catch(() => undefined);
    if (!server) return; // no IPv6 here
    sites.push(server);
    const { summary } = await crawlAll([`${server.origin.replace('[::1]', 'localhost')}/`]);
    expect(summary).toMatchObject({ pages: 1, errors: {} });
  });

  test('reads a redirect in UTF-8 as browsers do', async () => {
    const { origin, asked } = await site({
      '/': (_, response) =>
        void response.socket?.end(
          'HTTP/1.1 302 Found\r\nLocation: /caf\u00e9\r\nConnection: close\r\n\r\n',
        ),
    });
    await crawlAll([`${origin}/`]);
    expect(asked).toContain('/caf%C3%A9');
  });

  test('reaches the page limit, though some fetches fail', async () => {
    const broken = (_: unknown, response: ServerResponse) =>
      void response.socket?.end('garbage\r\n\r\n');
    const { origin } = await site({
      '/': linking('/x', '/y', '/1', '/2', '/3'),
      '/x': broken,
      '/y': broken,
    });
    const { summary } = await crawlAll([`${origin}/`], { maxPages: 3 });
    expect(summary).toMatchObject({ end: 'max-pages', pages: 3 });
  });

  test('fetches from other hosts while a slow page of one is under way', async () => {
    const second = await startSmallSite({ '/': 'other' }, '127.0.0.2');
    sites.push(second);
    const first = await site({
      '/': linking('/slow', `${second.origin}/`),
      '/slow': (_, response) => {
        // Answers only after a request to the other host: a crawl that waits for this page never
        // ends.
        const timer = setInterval(() => {
          if (!second.asked.includes('/')) return;
          clearInterval(timer);
          response.end('slow');
        }, 1);
      },
    });
    const { summary } = await crawlAll([`${first.origin}/`]);
    expect(summary.pages).toBe(3);
  });

  test('resolves a name again when its address has expired, also while it runs', async () => {
    const leaves = Array.from({ length: 12 }, (_, i) => `/${i}`);
    const { origin, asked } = await site({ '/': linking(...leaves) });
    const { summary } = await crawlAll([`${origin}/`], { delay: '10m' }, fastClock(60_000));
    expect(summary.end).toBe('finished');
    expect(asked.length).toBe(14);
  });

  test('keeps the delay of an address whose hosts have none', async () => {
    const { origin, times } = await site({ '/': linking('/a', '/b') });
    const delays = join(dir, 'delays.txt');
    writeFileSync(delays, 'address 127.0.0.1 60ms\n');
    await crawlAll([`${origin}/`], { delays });
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
  });

  test('loses no URL when it is stopped while names are being looked up', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((bound) => silent.bind(0, '127.0.0.1', bound));
    const folder = join(dir, 'crawl');
    const dns = `127.0.0.1:${silent.address().port}`;
    const config = resolveConfig({ ...LOCAL, dir: folder, dns: [dns] });
    const run = await startCrawl(['http://a.test/', 'http://b.test/'], config);
    await new Promise((asked) => silent.once('message', asked));
    run.stop();
    expect(await run.finished).toMatchObject({ urlsQueued: 2 });
    const again = await startCrawl([], config);
    again.stop();
    expect(await again.finished).toMatchObject({ urlsQueued: 2, urlsUnique: 2 });
    silent.close();
  });

  test('fetches again what never reached the disk', async () => {
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const { origin, asked } = await site({ '/': linking(...paths) });
    const folder = join(dir, 'crawl');
    const options = { ...LOCAL, dir: folder };
    const failing = await startCrawl([`${origin}/`], resolveConfig(options), {
      onPage: ({ url }) => {
        if (url.endsWith('/7')) throw new Error('stop here');
      },
    });
    await expect(failing.finished).rejects.toThrow('stop here');
    await (await startCrawl([], resolveConfig(options))).finished;
    expect(new Set(asked)).toEqual(new Set(['/robots.txt', '/', ...paths]));
    expect(asked.filter((path) => path === '/7').length).toBe(2);
  });

  test('counts failures by their kind, and continues', async () => {
    const { origin } = await site({
      '/': linking('/garbage', '/fine'),
      '/garbage': (_, response) => void response.socket?.end('this is not HTTP\r\n\r\n'),
      '/fine': 'fine',
    });
    const { summary } = await crawlAll([`${origin}/`]);
    expect(summary).toMatchObject({ pages: 2, errors: { 'bad-response': 1 } });
  });

  test('refuses to crawl the public web without a contact', async () => {
    await expect(startCrawl(['http://example.org/'], resolveConfig({}))).rejects.toThrow(
      'Add --contact',
    );
  });

  test('keeps away from public addresses without a contact, even where private ones are allowed', async () => {
    const { summary } = await crawlAll(['http://93.184.216.34/']);
    expect(summary).toMatchObject({ pages: 0, errors: { 'address-refused': 1 } });
  });

  test('keeps away from private addresses unless they are allowed', async () => {
    const { origin, asked } = await site({ '/': 'page' });
    const { summary } = await crawlAll([`${origin}/`], {
      allowPrivate: false,
      contact: 'me@example.org',
    });
    expect(asked).toEqual([]);
    expect(summary.errors).toEqual({ 'address-refused': 1 });
  });

  test('waits for the code that reads its pages', async () => {
    const { origin } = await site({ '/': linking('/a', '/b') });
    let inside = 0;
    const run = await startCrawl([`${origin}/`], resolveConfig(LOCAL), {
      onPage: async () => {
        expect(inside++).toBe(0);
        await new Promise((later) => setImmediate(later));
        inside--;
      },
    });
    expect((await run.finished).pages).toBe(3);
  });

  test('fails as a whole when the code that reads its pages fails', async () => {
    const { origin } = await site({ '/': 'page' });
    const run = await startCrawl([`${origin}/`], resolveConfig(LOCAL), {
      onPage: () => Promise.reject(new Error('reader broke')),
    });
    await expect(run.finished).rejects.toThrow('reader broke');
  });
});

describe("a crawl's folder", () => {
  test('is resumed where the crawl was stopped: fetches nothing twice and leaves nothing out', async () => {
    const paths = ['/', ...Array.from({ length: 20 }, (_, i) => `/${i}`)];
    const { origin, asked } = await site(
      Object.fromEntries(paths.map((path) => [path, linking(...paths)])),
    );
    const folder = join(dir, 'crawl');
    for (let part = 0; part < 4; part++) {
      const config = resolveConfig({ ...LOCAL, dir: folder, maxPages: 6 });
      const run = await startCrawl(part === 0 ? [`${origin}/`] : [], config);
      await run.finished;
    }
    const pages = asked.filter((path) => path !== '/robots.txt');
    expect(pages.length).toBe(21);
    expect(new Set(pages).size).toBe(21);
  });

  test('holds the settings, the archive and the log', async () => {
    const { origin } = await site({ '/': 'page' });
    const folder = join(dir, 'crawl');
    await (await startCrawl([`${origin}/`], resolveConfig({ ...LOCAL, dir: folder }))).finished;
    expect(readdirSync(folder).sort()).toEqual([
      'agents',
      'archive',
      'checkpoints',
      'crawl.json',
      'indexes',
      'log.jsonl',
      'skipped',
      'status.json',
    ]);
    const asked = JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8'));
    expect(asked).toMatchObject({
      drumlin: 'crawl',
      seeds: [`${origin}/`],
      settings: { delay: 0 },
    });
    const events = readFileSync(join(folder, 'log.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual(['crawl-started', 'crawl-stopping', 'crawl-ended']);
  });

  test('is not made where there are other files', async () => {
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    const config = resolveConfig({ ...LOCAL, dir });
    await expect(startCrawl(['http://127.0.0.1:1/'], config)).rejects.toThrow(
      'holds other files and no crawl',
    );
    expect(readdirSync(dir)).toEqual(['notes.txt']);
  });

  test('is made where a process died before its crawl began, whatever it left of its lock', async () => {
    const { origin } = await site({ '/': 'page' });
    for (const name of ['LOCK', 'LOCK.4711', 'LOCK.takeover']) {
      const owner = { pid: 2 ** 22 + 1, host: hostname(), started: '1' };
      writeFileSync(join(dir, name), JSON.stringify(owner));
    }
    const run = await startCrawl([`${origin}/`], resolveConfig({ ...LOCAL, dir }));
    expect(await run.finished).toMatchObject({ pages: 1 });
  });

  test('is refused without seeds when there is no crawl to resume', async () => {
    const config = resolveConfig({ ...LOCAL, dir: join(dir, 'none') });
    await expect(startCrawl([], config)).rejects.toThrow('no crawl in');
    expect(readdirSync(dir)).toEqual([]);
  });

  test('belongs to one process at a time', async () => {
    const { origin } = await site({
      '/': (_, response) => void setImmediate(() => response.end('page')),
    });
    const config = resolveConfig({ ...LOCAL, dir: join(dir, 'crawl') });
    const run = await startCrawl([`${origin}/`], config);
    await expect(startCrawl([`${origin}/`], config)).rejects.toThrow('in use by');
    await run.finished;
  });
});
