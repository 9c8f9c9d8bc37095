/** A refresh over sockets: the lab is crawled at step 0 and refreshed later. */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Archive } from '../../src/archive/index/archive.ts';
import { payloadOf } from '../../src/archive/warc/http-block.ts';
import { Disk } from '../../src/disk/disk.ts';
import { crawlLinks } from '../../src/graph/io/crawl-links.ts';
import { archivedPages } from '../crawl/archived.ts';
import { Later } from './lab-refresh.ts';

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
    later = new Later({ domains: 60, pages: 30 });
    await later.stepTo(0);
    await later.crawl({ maxPages: 600 });
    await later.stepTo(11, 'access.jsonl');
    const summary = await later.refresh('new', { alpha: 1, z: '5%' });
    const verdicts = later.verdicts('new');
    console.log({ ...summary, curve: 0 });
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
    console.log({ ...summary, curve: 0 });
    expect(summary.verdicts.unchanged).toBeGreaterThan(5);
    const unchanged = later.verdicts('new').filter(({ verdict }) => verdict === 'unchanged');
    const fetched = later.requests('access.jsonl');
    await later.lab.close();
    for (const { url } of unchanged) {
      const { hostname, pathname, search } = new URL(url);
      const asked = fetched.filter((one) => one.host === hostname && one.path === pathname + search);
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
});
