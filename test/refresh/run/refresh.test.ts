/** A refresh over sockets: the lab is crawled at step 0 and refreshed later. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Archive } from '../../../src/archive/index/archive.ts';
import { payloadOf } from '../../../src/archive/warc/http-block.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { RefreshSummary } from '../../../src/crawl/planned/refresh-summary.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { crawlLinks } from '../../../src/graph/io/crawl-links.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { wholeOrder } from '../../../src/refresh/compare/compare.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { costsOf } from '../../../src/refresh/orders/cost.ts';
import { findOrder } from '../../../src/refresh/orders/registry.ts';
import type { RefreshOptions } from '../../../src/refresh/run/refresh.ts';
import { archivedPages } from '../../crawl/archived.ts';
import { Later } from '../lab-refresh.ts';

const disk = new Disk();
let later: Later;
afterEach(() => later.close());

const isAlive = (verdict: string) => ['unchanged', 'changed', 'moved'].includes(verdict);
/** Whether a page is there at the lab's step; undefined if it never answers completely. */
function truth(url: string): boolean | undefined {
  const answer = later.lab.expected(url);
  return answer && answer.status === 200 && !Buffer.from(answer.body).includes('Page Not Found');
}

describe('a refresh', () => {
  test('of the clean web after eleven months is right about every page', async () => {
    later = new Later({ domains: 60, pages: 20 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 300 });
    await later.stepTo(11, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 1, z: '5%' });
    const verdicts = later.verdicts('new');
    expect(verdicts.filter(({ url, verdict }) => isAlive(verdict) !== truth(url))).toEqual([]);
    expect(summary.verdicts).toMatchObject({ unknown: 0 });
    expect(summary.verdicts['soft-404']).toBeGreaterThan(0);
    await later.lab.close();
    const log = later.requests('access.jsonl').filter(({ path }) => path !== '/robots.txt');
    expect(log.length).toBe(summary.requests);
    expect(new Set(log.map(({ host, path }) => host + path)).size).toBe(log.length);
  });

  test('transfers no unchanged body, and its archive leads to the old one', async () => {
    later = new Later({ domains: 12, pages: 20 });
    await later.stepTo(0);
    await later.crawl();
    await later.stepTo(1, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 1, by: 'bfs' });
    expect(summary.verdicts.unchanged).toBeGreaterThan(5);
    const unchanged = later.verdicts('new').filter(({ verdict }) => verdict === 'unchanged');
    await later.lab.close();
    const fetched = later.requests('access.jsonl');
    for (const { url } of unchanged) {
      const { hostname, pathname, search } = new URL(url);
      const asked = fetched.filter(
        (one) => one.host === hostname && one.path === pathname + search,
      );
      expect(asked).toMatchObject([{ status: 304, bytes: 0, condition: 'etag,date' }]);
    }
    // The archive is sound, and finds unchanged pages in the old one.
    const dir = join(later.folder, 'new');
    expect((await archivedPages(dir)).length).toBe(summary.requests);
    const archive = await Archive.open(disk, dir);
    const old = await Archive.open(disk, later.old);
    for (const { url } of unchanged) {
      const capture = await archive.nearest(url);
      const page = await archive.page(capture!);
      const first = await old.page((await old.nearest(url))!);
      expect(Buffer.from(payloadOf(page.block)).equals(payloadOf(first.block))).toBe(true);
    }
    // So do graphs and the next refresh.
    const links = new Map<string, number>();
    for await (const [from, to] of crawlLinks(disk, dir, { level: 'page' }))
      if (to !== undefined) links.set(from, (links.get(from) ?? 0) + 1);
    expect(unchanged.every(({ url }) => (links.get(url) ?? 0) > 0)).toBe(true);
    await later.stepTo(1, 'again.jsonl');
    const again = await later.refresh('again', { old: dir, alpha: 1, by: 'ai' });
    expect(again).toMatchObject({ pages: summary.alive, alive: summary.alive });
    expect(again.verdicts).toMatchObject({ unchanged: summary.alive });
  });

  test('of the mixed web is right about 99 pages in 100', async () => {
    later = new Later({ scenario: 'mixed', domains: 30, pages: 20, seed: 3 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 150, maxPagesPerDomain: 30 });
    await later.stepTo(11);
    const summary = await later.refresh('new', { alpha: 1, by: 'pagerank' });
    const known = later.verdicts('new').filter(({ verdict }) => verdict !== 'unknown');
    const judged = known.filter(({ url }) => truth(url) !== undefined);
    const wrong = judged.filter(({ url, verdict }) => isAlive(verdict) !== truth(url));
    expect(wrong.length).toBeLessThanOrEqual(judged.length / 100);
    expect(judged.length).toBeGreaterThan(0.8 * summary.pages);
  });

  test('with HEAD is right about every page, and stores no page without a body', async () => {
    later = new Later({ domains: 16, pages: 12 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 120 });
    await later.stepTo(11, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 1, test: 'head', by: 'asf' });
    const verdicts = later.verdicts('new');
    expect(verdicts.filter(({ url, verdict }) => isAlive(verdict) !== truth(url))).toEqual([]);
    await later.lab.close();
    const log = later.requests('access.jsonl').filter(({ path }) => path !== '/robots.txt');
    const heads = log.filter(({ method }) => method === 'HEAD');
    expect(heads.length).toBeGreaterThan(0.9 * summary.pages);
    const archive = await Archive.open(disk, join(later.folder, 'new'));
    const asked = new Set(heads.map(({ host, path }) => host + path));
    for await (const { url, status } of archive.captures()) {
      const { hostname, pathname, search } = new URL(url);
      if (status === '200' && asked.has(hostname + pathname + search))
        expect(log.some(({ method, path }) => method === 'GET' && path === pathname + search)).toBe(
          true,
        );
    }
  });

  test('stops when it has found the share of living pages that was asked for', async () => {
    later = new Later({ domains: 16, pages: 12 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 120 });
    await later.stepTo(11, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 0.5, z: '10%' });
    expect(summary.alive).toBeGreaterThanOrEqual(summary.wanted!);
    // Requests under way at that moment may add a few.
    expect(summary.alive).toBeLessThan(summary.wanted! + 40);
    expect(summary.tested).toBeLessThan(summary.pages);
    // It resumes with a larger share and other agents, and asks for nothing again.
    const resumed = await later.refresh('new', { alpha: 1 }, { agents: 3 });
    expect(resumed.tested).toBe(resumed.pages);
    // Nothing is left to ask for.
    expect(await later.refresh('new', {}, { agents: 2 })).toMatchObject({
      tested: resumed.pages,
      verdicts: resumed.verdicts,
    });
    await later.lab.close();
    const log = later.requests('access.jsonl').filter(({ path }) => path !== '/robots.txt');
    expect(new Set(log.map(({ host, path }) => host + path)).size).toBe(log.length);
  });
});

describe('the requests of a refresh', () => {
  test.each([
    ['large', { domains: 10, pages: 60 }, 400, 0.6],
    ['small', { domains: 60, pages: 8 }, 350, 0.75],
  ])('are as many as the order costs, on %s sites', async (_, web, maxPages, alpha) => {
    later = new Later(web);
    await later.stepTo(0);
    await later.crawl({ maxPages });
    await later.stepTo(11, 'access.jsonl');
    const options = { frontUrls: 20, fetches: 10 };
    const summary = await later.refresh('new', { alpha, z: '5%' }, options);
    const predicted = await requestsNeeded(join(later.folder, 'new'), summary);
    await later.lab.close();
    const log = later.requests('access.jsonl');
    expect(log.length / predicted).toBeGreaterThan(0.9);
    expect(log.length / predicted).toBeLessThan(1.1);
  });

  test('keep the delays that a crawl keeps', async () => {
    later = new Later({ domains: 4, pages: 6 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 20 });
    await later.stepTo(3, 'access.jsonl');
    const delay = 300;
    await later.refresh('new', { alpha: 1 }, { delay, addressDelay: 0 }, systemClock);
    await later.lab.close();
    const last = new Map<string, number>();
    for (const { host, time } of later.requests('access.jsonl')) {
      const before = last.get(host);
      // The log has the time of the answer, and the delay counts from the end of a request.
      if (before !== undefined) expect(time - before).toBeGreaterThan(delay - 20);
      last.set(host, time);
    }
  });
});

/** How many requests the order needs to find as many living pages as were wanted. */
async function requestsNeeded(dir: string, { wanted = 0 }: RefreshSummary): Promise<number> {
  const graph = await openGraph(join(dir, 'refresh/graph'), disk);
  const collection = new Collection(graph);
  const z = Math.ceil(0.05 * graph.nodes);
  const lives: number[] = [];
  for await (const url of graph.names.all()) lives.push(truth(url) === true ? 1 : 0);
  const alive = Uint8Array.from(lives);
  const size = { by: 'random' as const, z, seed: 1 };
  const order = await wholeOrder(collection, findOrder('pa+-'), size, alive);
  const alpha = wanted / lives.reduce((a, b) => a + b, 0);
  const [cost] = costsOf(order, alive, [Math.min(1, alpha)], await collection.hosts());
  await graph.close();
  return cost * wanted;
}

describe('a refresh refuses', () => {
  test('what cannot work, with a remedy', async () => {
    later = new Later({ domains: 2, pages: 5 });
    await later.stepTo(0);
    const refused = (asked: RefreshOptions, name = 'new') =>
      expect(later.refresh(name, asked)).rejects;
    await refused({ old: join(later.folder, 'nothing') }).toMatchObject({ code: 'CRAWL_MISSING' });
    await later.crawl();
    await refused({ z: '1000' }).toMatchObject({ code: 'SAMPLE' });
    await refused({ z: '0' }, 'b').toMatchObject({ code: 'SAMPLE' });
    await refused({ alpha: 0 }, 'c').toMatchObject({ code: 'ALPHA' });
    await refused({ alpha: 1.5 }, 'd').toMatchObject({ code: 'ALPHA' });
    await refused({ by: 'pagrank' }, 'e').toMatchObject({ code: 'ORDER' });
    await refused({}, 'old').toMatchObject({ code: 'REFRESH_FOLDER' });
    mkdirSync(join(later.folder, 'f'));
    writeFileSync(join(later.folder, 'f', 'letter.txt'), 'Dear reader');
    await refused({}, 'f').toMatchObject({ code: 'FOLDER_NOT_EMPTY' });
    await later.refresh('g', { alpha: 1 });
    await refused({ by: 'bfs' }, 'g').toMatchObject({ code: 'REFRESH_DIFFERS' });
    const [warc] = readdirSync(join(later.old, 'archive'));
    const path = join(later.old, 'archive', warc);
    const bytes = readFileSync(path);
    bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 50);
    writeFileSync(path, bytes);
    await refused({}, 'h').toMatchObject({ code: 'ARCHIVE_DAMAGED', exitCode: 8 });
  });
});
