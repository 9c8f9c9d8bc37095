import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { listDomains } from '../../src/crawl/state/domain-list.ts';
import { Disk } from '../../src/disk/disk.ts';
import { createHttpClient } from '../../src/fetch/http-client.ts';
import { createResolver } from '../../src/net/dns.ts';

/** Pages by URL: links, or where it redirects to. Domains are a.example, b.example and c.co.uk. */
const WEB: Readonly<Record<string, readonly string[] | string>> = {
  'a.example/': ['www.a.example/1', 'b.example/1', 'c.co.uk/', 'a.example/away'],
  'www.a.example/1': ['a.example/2', 'b.example/', 'a.example/there'],
  'a.example/2': ['a.example/too-deep'],
  'a.example/too-deep': [],
  'a.example/away': 'b.example/2',
  'a.example/there': 'a.example/here',
  'a.example/here': [],
  'b.example/': ['x.b.example/3', 'a.example/'],
  'b.example/1': [],
  'b.example/2': [],
  'x.b.example/3': ['d.co.uk/', 'b.example/4'],
  'b.example/4': ['b.example/5'],
  'b.example/5': [],
  'moved.example/': 'elsewhere.example/',
  'elsewhere.example/': [],
  'c.co.uk/': [],
  'd.co.uk/': [],
};
/** Depth 2 in the domain of each seed; a redirect is no step. */
const ALLOWED = [
  ...['a.example/', 'www.a.example/1', 'a.example/away', 'a.example/2', 'a.example/there'],
  ...['a.example/here', 'b.example/', 'x.b.example/3', 'b.example/4', 'moved.example/'],
].sort();

let server: http.Server;
let port: number;
let folder: string;
let asked: string[] = [];
/** Resolves when the client has ended the response with an unwanted body; true if it did so. */
let ended: Promise<boolean> | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scope-parent-'));
  server = http.createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
});

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  const name = `${request.headers.host!.split(':')[0]}${request.url}`;
  if (request.url === '/robots.txt') {
    response.writeHead(404).end();
    return;
  }
  asked.push(name);
  if (request.url === '/film') {
    film(response);
    return;
  }
  if (request.url === '/far') {
    const long = { location: urlOf('a.example/here'), 'content-length': 200_000 };
    response.writeHead(302, long).end(Buffer.alloc(200_000));
    return;
  }
  const page = WEB[name];
  if (typeof page === 'string') {
    response.writeHead(302, { location: urlOf(page) }).end();
    return;
  }
  const links = page?.map((link) => `<a href="${urlOf(link)}">x</a>`) ?? [];
  response.writeHead(200, { 'content-type': 'text/html' }).end(links.join('\n'));
}

/** Sends 8 KB of a film and waits; a client that is still there gets the rest. */
function film(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1e6 });
  response.write(Buffer.alloc(8192));
  ended = Promise.race([
    once(response, 'close').then(() => true),
    new Promise<boolean>((wake) => {
      setTimeout(() => wake(false), 5000).unref();
    }),
  ]);
  void ended.then(() => response.end(Buffer.alloc(1e6 - 8192)));
}

const urlOf = (name: string) => `http://${name.replace('/', `:${port}/`)}`;

async function crawl(seeds: readonly string[], options: CrawlOptions) {
  const network = {
    createClient: createHttpClient,
    createResolver: (of: Parameters<typeof createResolver>[0]) => ({
      ...createResolver(of),
      resolve: async () => [{ ip: '127.0.0.1', family: 4 as const }],
      close: () => {},
    }),
  };
  const config = resolveConfig({
    contact: 'test@example.com',
    allowPrivate: true,
    delay: 0,
    agents: 1,
    ...options,
  });
  const run = await startCrawl(seeds.map(urlOf), config, { here: true, network });
  return run.finished;
}

const SEEDS = ['a.example/', 'b.example/', 'moved.example/'];

for (const agents of [1, 3])
  test(`no request leaves the domain of its parent, with ${agents} agents`, async () => {
    await crawl(SEEDS, { scope: 'parent', maxDepth: 2, agents });
    expect(asked.sort()).toEqual(ALLOWED);
  });

test('the scope holds after restarts', async () => {
  const dir = join(folder, 'restarted');
  await crawl(SEEDS, { scope: 'parent', maxDepth: 2, dir, maxPages: 2 });
  expect(asked.length).toBeLessThan(ALLOWED.length);
  for (let run = 0; run < 2; run++)
    await crawl([], { scope: 'parent', maxDepth: 2, dir, maxPages: run === 0 ? 3 : 1000 });
  expect(asked.sort()).toEqual(ALLOWED);
});

test('a queued URL outside the domains of the seeds is skipped when the scope changes', async () => {
  const dir = join(folder, 'rescoped');
  await crawl(SEEDS.slice(0, 1), { scope: 'any', maxDepth: 2, dir, maxPages: 1 });
  await crawl([], { scope: 'parent', maxDepth: 2, dir });
  expect(asked.filter((name) => !name.includes('a.example'))).toEqual([]);
});

test('a response of an unwanted type is ended after its headers', async () => {
  const { pages } = await crawl(['a.example/film'], { types: ['text/html'], scope: 'host' });
  expect(await ended).toBe(true);
  expect(pages).toBe(1);
});

test('a response that states too long a body is ended after its headers if it is to be skipped', async () => {
  await crawl(['a.example/film'], { maxBody: 100_000, longBodies: 'skip', scope: 'host' });
  expect(await ended).toBe(true);
});

test('a redirect with a long body is followed even if long bodies are skipped', async () => {
  await crawl(['a.example/far'], { maxBody: 100_000, longBodies: 'skip', scope: 'host' });
  expect(asked).toEqual(['a.example/far', 'a.example/here']);
});

test('the blacklist holds for links, for redirects and for seeds', async () => {
  const path = join(folder, 'blacklist.txt');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path, '.b.example\nc.co.uk\nelsewhere.example\n');
  await crawl(SEEDS, { blacklist: path, scope: 'any' });
  const hosts = new Set(asked.map((name) => name.slice(0, name.indexOf('/'))));
  expect([...hosts].sort()).toEqual(['a.example', 'moved.example', 'www.a.example']);
});

test('with --rank list, domains are ranked by a file', async () => {
  const { writeFile } = await import('node:fs/promises');
  const [dir, path] = [join(folder, 'ranked'), join(folder, 'ranks.txt')];
  await writeFile(path, '# best first\nb.example 0.9\na.example 0.5\nunseen.example 7\n');
  await crawl(SEEDS, { rank: 'list', rankFile: path, scope: 'any', dir });
  const { by, rows } = await listDomains(new Disk(), dir, 'rank', 2);
  expect(by).toBe('list');
  expect(rows.map(({ rank, domain }) => [rank, domain])).toEqual([
    [1, 'b.example'],
    [2, 'a.example'],
  ]);
  await expect(crawl(SEEDS, { rank: 'list' })).rejects.toThrow(/needs a file.*--rank-file/);
  await writeFile(path, 'b.example 0.9\na.example\n');
  await expect(crawl(SEEDS, { rank: 'list', rankFile: path })).rejects.toThrow(/ranks\.txt:2/);
});
