/** The life of a URL: the reason for URLs of every fate, judged by what the test's site did. */
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { CrawlArchive } from '../../src/console/look/crawl-archive.ts';
import { DomainTables } from '../../src/console/look/domain-table.ts';
import { lifeOf, type UrlReason } from '../../src/console/look/url.ts';
import { setFilter } from '../../src/crawl/state/filters-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { makeSmallCrawl, type SmallCrawl } from './small-crawl.ts';

const disk = new Disk();
let crawl: SmallCrawl;
let parts: Parameters<typeof lifeOf>[1];
const life = (url: string) => lifeOf(disk, parts, url);

beforeAll(async () => {
  crawl = await makeSmallCrawl();
  const { dir } = crawl;
  const tables = new DomainTables(disk, dir, systemClock);
  parts = { dir, tables, archive: new CrawlArchive(disk, dir, systemClock) };
});

describe('the URL inspector', () => {
  test('gives the right reason for more than 200 URLs of every fate', async () => {
    const wrong: string[] = [];
    for (const [url, fate] of crawl.fates) {
      const { reason, answer } = await life(url);
      if (reason !== fate) wrong.push(`${url.slice(0, 60)}: ${reason} (${answer}), not ${fate}`);
    }
    expect(crawl.fates.size).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });

  test('names the part that decided', async () => {
    const steps = async (path: string) =>
      (await life(crawl.origin + path)).steps.filter(({ verdict }) => verdict === 'stops');
    expect(await steps('/private/3')).toEqual([
      {
        part: 'robots.txt',
        verdict: 'stops',
        fact: `line 2 of ${crawl.origin}/robots.txt: Disallow: /private/ (the group for *, line 1)`,
      },
    ]);
    expect((await steps('/unfetched/3')).map(({ part, fact }) => [part, fact])).toEqual([
      ['fetch filter', 'not PathStartsWith(/unfetched/): PathStartsWith(/unfetched/) is true'],
    ]);
    expect((await steps('/excluded/3')).map(({ part }) => part)).toEqual(['scope']);
  });

  test('shows captures, revisits and the failure in the log', async () => {
    const mimes = new Set<string>();
    for (let i = 0; i < 20; i++)
      for (const { mime } of (await life(`${crawl.origin}/same/${i}`)).captures) mimes.add(mime);
    expect([...mimes].sort()).toEqual(['text/html', 'warc/revisit']);
    const [failing] =
      [...crawl.fates].find(([, fate]) => fate === ('failed' satisfies UrlReason)) ?? [];
    const { answer } = await life(failing ?? '');
    expect(answer).toMatch(/^It failed: /);
  });

  test('knows what a filter of an earlier time has skipped', async () => {
    await setFilter(disk, crawl.dir, 'fetch', '');
    const { reason, answer, steps } = await life(`${crawl.origin}/unfetched/3`);
    expect([reason, answer]).toEqual([
      'fetch-filter',
      'The fetch filter of that time rejected it; the one of now does not.',
    ]);
    expect(steps.filter(({ verdict }) => verdict === 'stops')).toEqual([
      { part: 'list of skipped URLs', verdict: 'stops', fact: 'fetch-filter (filter)' },
    ]);
  });

  test('brings a URL into canonical form first', async () => {
    const { url, reason } = await life(`${crawl.origin.toUpperCase()}/a/../ok/1#part`);
    expect([url, reason]).toEqual([`${crawl.origin}/ok/1`, 'fetched']);
  });
});
