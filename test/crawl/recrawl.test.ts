import { afterEach, expect, test } from 'vitest';
import { Archive } from '../../src/archive/index/archive.ts';
import { Disk } from '../../src/disk/disk.ts';
import { Later } from '../refresh/lab-refresh.ts';
import { archivedPages } from './archived.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';

let later: Later;
afterEach(() => later.close());

test('a crawl that begins again asks with conditions, and follows the links of unchanged pages', async () => {
  later = new Later({ domains: 8, pages: 15 });
  await later.stepTo(0);
  const first = await later.crawl();
  await later.stepTo(1, 'access.jsonl');
  const options = { recrawl: true, clock: fastClock(50) };
  const config = later.config(later.old, { order: 'bfs' });
  const again = await (await startCrawl([], config, options)).finished;
  const web = new Set(later.lab.web.allUrls());
  await later.lab.close();
  // Every page of the new step is found, through unchanged pages too.
  const archived = await archivedPages(later.old);
  const before = first.pages;
  expect(archived.length).toBe(before + again.pages);
  const reached = new Set(archived);
  const missed = [...web].filter((url) => !reached.has(url));
  expect(missed).toEqual([]);
  expect(again.statuses['304']).toBeGreaterThan(5);
  const log = later.requests('access.jsonl').filter(({ path }) => path !== '/robots.txt');
  expect(new Set(log.map(({ host, path }) => host + path)).size).toBe(log.length);
  expect(log.filter(({ condition }) => condition).length).toBeGreaterThan(before / 2);
  const archive = await Archive.open(new Disk(), later.old);
  for await (const capture of archive.captures({ status: '304' })) {
    const page = await archive.page(capture);
    expect(page.type).toBe('response');
    expect(page.headers.targetUri).toBe(capture.url);
  }
});
