import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { createHttpClient } from '../../src/fetch/http-client.ts';
import { BUILT_IN } from '../../src/filter/predicates.ts';
import { BookFolder } from '../../src/focus/book/book.ts';
import { forgetDay } from '../../src/focus/crawl/day-folder.ts';
import { type DayOptions, openDay } from '../../src/focus/crawl/open-day.ts';
import { ArchiveHarvest } from '../../src/focus/learn/archive-harvest.ts';
import { learn } from '../../src/focus/learn/learn.ts';
import { requestsOf } from '../../src/focus/learn/requests.ts';
import { DEFAULT_USEFUL, readRule } from '../../src/focus/learn/rules.ts';
import { Usefulness } from '../../src/focus/learn/usefulness.ts';
import { createResolver } from '../../src/net/dns.ts';
import { unsyncedDisk } from './unsynced-disk.ts';

const disk = unsyncedDisk();
const PAPER = `${'word '.repeat(1200)}\n\nReferences\n\n`;
/** Pages have links; documents are plain texts. */
const WEB: Record<string, readonly string[] | string> = {
  'uni.example/': ['uni.example/1.txt', 'uni.example/people', 'shop.example/'],
  'uni.example/people': ['uni.example/2.txt', 'uni.example/old'],
  'uni.example/old': ['uni.example/deep', 'uni.example/deeper.txt'],
  'uni.example/deep': ['uni.example/too-deep'],
  'uni.example/1.txt': `${PAPER}http://uni.example:PORT/2.txt`,
  'uni.example/2.txt': `${PAPER}two http://uni.example:PORT/1.txt http://new.example:PORT/x/3.txt`,
  'uni.example/deeper.txt': `${PAPER}three`,
  'shop.example/': ['shop.example/offer.txt', 'shop.example/film.mp4'],
  'shop.example/offer.txt': 'Buy now.',
};
const MOVED = 'uni.example/moved';

let server: http.Server;
let port: number;
let folder: string;
let asked: string[] = [];
const conditions: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'focus-crawl-'));
  server = http.createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  const name = `${request.headers.host!.split(':')[0]}${request.url}`;
  const page = WEB[name];
  if (name === MOVED) {
    asked.push(name);
    response.writeHead(302, { location: urlOf('uni.example/') }).end();
    return;
  }
  if (request.url !== '/robots.txt') asked.push(name);
  if (page === undefined) {
    response.writeHead(404).end();
    return;
  }
  const isPage = typeof page !== 'string';
  const etag = `"${name}${page.length}"`;
  if (request.headers['if-none-match'] !== undefined) conditions.push(name);
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(200, { etag, 'content-type': isPage ? 'text/html' : 'text/plain' });
  response.end(
    isPage
      ? page.map((link) => `<a href="${urlOf(link)}">x</a>`).join('\n')
      : page.replaceAll('PORT', String(port)),
  );
}

const urlOf = (name: string) => `http://${name.replace('/', `:${port}/`)}`;

async function run(seeds: readonly string[], config: ReturnType<typeof resolveConfig>) {
  const network = {
    createClient: createHttpClient,
    createResolver: (of: Parameters<typeof createResolver>[0]) => ({
      ...createResolver(of),
      resolve: async () => [{ ip: '127.0.0.1', family: 4 as const }],
      close: () => {},
    }),
  };
  await (await startCrawl(seeds, config, { here: true, network })).finished;
}

const local = (options = {}) =>
  resolveConfig({
    contact: 'test@example.com',
    allowPrivate: true,
    delay: 0,
    agents: 1,
    types: ['text/*'],
    ...options,
  });

const DAY: DayOptions = {
  policy: 'whitelist',
  count: 10,
  isSpread: false,
  broad: [],
  top: 100,
  quality: 'references',
  temporary: tmpdir(),
  recheck: 86_400,
  now: 0,
};

const WANTED = 'Status == 200 and ContentTypeIs(text/plain)';

/** Learns a crawl as the command line does. */
async function learnCrawl(book: BookFolder, dir: string, extras = {}) {
  const wanted = await readRule(disk, WANTED, BUILT_IN);
  const useful = await readRule(disk, DEFAULT_USEFUL, BUILT_IN);
  const usefulness = new Usefulness(useful.accepts);
  const harvest = await ArchiveHarvest.open(
    disk,
    dir,
    { wanted: wanted.accepts, usefulness },
    extras,
  );
  const rules = { wanted: wanted.text, useful: useful.text };
  const day = await learn(disk, book, harvest, { rules });
  await usefulness.close();
  return day;
}

/** Days are apart, however fast they are crawled. */
let days = 0;

async function crawlDay(book: BookFolder, options: Partial<DayOptions>) {
  asked = [];
  const all = { ...DAY, now: Math.floor(Date.now() / 1000) + 10 * ++days, ...options };
  const { day, settings } = await openDay(disk, book.book!, all);
  await run(day.seeds, settings(local()));
  const { policy, listed, round } = day;
  const tried = { urls: day.seeds, time: day.started * 1000, finished: true };
  return { plan: day, day: await learnCrawl(book, day.dir, { policy, listed, round, tried }) };
}

describe('a focused crawl', () => {
  test('learns from a broad crawl, then stays in good domains and asks for no known document', async () => {
    const path = join(folder, 'book');
    const first = join(folder, 'broad');
    await run([urlOf('uni.example/')], local({ dir: first, maxDepth: 2 }));
    const book = await BookFolder.open(disk, path);
    const history = await learnCrawl(book, first);
    expect(history).toMatchObject({ policy: 'history', fetched: 3, fresh: 3, useful: 2 });
    expect(history).toMatchObject({ parents: 3, usefulParents: 2, usefulLinked: 2 });

    const { plan, day } = await crawlDay(book, {});
    expect(plan.seeds.map((url) => new URL(url).hostname)).toEqual(['uni.example', 'uni.example']);
    expect(asked.sort()).toEqual([
      ...['uni.example/', 'uni.example/deep', 'uni.example/deeper.txt'],
      ...['uni.example/old', 'uni.example/people'],
    ]);
    expect(day).toMatchObject({ policy: 'whitelist', fetched: 1, fresh: 1, useful: 1, listed: 1 });
    expect(await readFile(`${plan.dir}.known`, 'utf8')).toContain(urlOf('uni.example/1.txt'));

    // The hybrid policy leaves the domain, but known documents are still not requested.
    await crawlDay(book, { policy: 'hybrid' });
    expect(asked).toContain('shop.example/');
    expect(asked.filter((name) => name.endsWith('.txt'))).toEqual([]);

    // Outside the list: the folder of an address that a useful document names.
    await crawlDay(book, { policy: 'adaptive', count: 20 });
    expect(asked).toContain('new.example/x/');

    // All are due: requested with the validators of their captures.
    const again = await crawlDay(book, { recheck: 1, now: Math.floor(Date.now() / 1000) + 1000 });
    expect(conditions).toContain('uni.example/1.txt');
    expect(again.day).toMatchObject({ fetched: 0, fresh: 0 });
    expect(book.book!.days.map(({ policy }) => policy)).toHaveLength(5);

    // Pages that the server confirms stay parents, however often.
    expect(conditions).toContain('uni.example/people');
    const { parents } = book.book!.records;
    for (let day = 2; day < 5; day++)
      await crawlDay(book, { recheck: 1, now: Math.floor(Date.now() / 1000) + 1000 * day });
    expect(book.book!.records.parents).toBe(parents);
    expect(book.book!.days.at(-1)).toMatchObject({ parents: 3, usefulParents: 3 });
    book.close();
  });

  test('resumes a day that was planned and not learned', async () => {
    const book = await BookFolder.open(disk, join(folder, 'book'));
    const options = { ...DAY, now: Math.floor(Date.now() / 1000) + 5000 };
    const planned = await openDay(disk, book.book!, options);
    expect(planned.day.seeds.length).toBeGreaterThan(0);
    const resumed = await openDay(disk, book.book!, { ...options, now: options.now + 1 });
    expect([planned.isResumed, resumed.isResumed]).toEqual([false, true]);
    expect(resumed.day).toEqual(planned.day);
    // The settings of its policy hold whether its crawl began or not, and as often as it resumes.
    const settings = planned.settings(local());
    expect(settings).toMatchObject({ scope: 'parent', maxDepth: 2, longBodies: 'skip' });
    expect(settings.fetchFilter).toContain(`${planned.day.dir}.known`);
    expect(resumed.settings(local())).toEqual(settings);
    expect(resumed.settings(settings)).toEqual(settings);
    book.close();
  });

  test('a day that was deleted leaves no crawl to the next one', async () => {
    const book = await BookFolder.open(disk, join(folder, 'book'));
    const options = { ...DAY, now: Math.floor(Date.now() / 1000) + 6000 };
    const { day } = await openDay(disk, book.book!, options);
    await run(day.seeds, local({ dir: day.dir }));
    await forgetDay(disk, day.dir);
    const again = await openDay(disk, book.book!, options);
    expect(again.isResumed).toBe(false);
    await expect(readFile(join(again.day.dir, 'crawl.json'))).rejects.toThrow(/ENOENT/);
    // Killed in between: the plan is gone, the crawl is still there.
    await forgetDay(disk, again.day.dir);
    await mkdir(again.day.dir);
    expect((await openDay(disk, book.book!, options)).day.dir).not.toBe(again.day.dir);
    book.close();
  });

  test('does without a crawl that was moved, and finds the days of a book that was moved', async () => {
    await rename(join(folder, 'broad'), join(folder, 'moved'));
    await rename(join(folder, 'book'), join(folder, 'moved-book'));
    const path = join(folder, 'moved-book');
    const book = await BookFolder.open(disk, path);
    const options = { ...DAY, recheck: 1, now: Math.floor(Date.now() / 1000) + 7000 };
    const { day, isResumed } = await openDay(disk, book.book!, options);
    expect(isResumed).toBe(true); // that of the test before
    await forgetDay(disk, day.dir);
    const next = await openDay(disk, book.book!, options);
    expect(next.isResumed).toBe(false);
    expect(next.gone).toEqual([join(folder, 'broad')]);
    const config = next.settings(local({ dedupAgainst: [join(folder, 'broad')] }));
    expect(config.dedupAgainst).not.toContain(join(folder, 'broad'));
    asked = [];
    await run(next.day.seeds, next.settings(local()));
    expect(asked).toContain('uni.example/1.txt');
    book.close();
    await rename(join(folder, 'moved'), join(folder, 'broad'));
  });

  test('counts the requests that a server saw, and no URL that was only given up', async () => {
    const dir = join(folder, 'counted');
    asked = [];
    await run([urlOf(MOVED), urlOf('uni.example/')], local({ dir, maxRedirects: 0, maxDepth: 1 }));
    expect(asked.length).toBeGreaterThan(3);
    expect(await requestsOf(disk, dir)).toBe(asked.length);
  });

  test('needs seeds for a broad crawl', async () => {
    const path = join(folder, 'other');
    const book = await BookFolder.open(disk, path);
    await learnCrawl(book, join(folder, 'broad'));
    const options = { ...DAY, policy: 'blacklist' as const };
    await expect(openDay(disk, book.book!, options)).rejects.toThrow(/seeds of a broad crawl/);
    await expect(openDay(disk, book.book!, { ...DAY, top: 0 })).rejects.toThrow(/--top 1 or more/);
    book.close();
  });
});
