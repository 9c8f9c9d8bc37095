/**
 * Filters in a crawl: the effect of each stage, changes while it runs, hooks that the crawl waits
 * for.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { settingsIn } from '../../src/crawl/state/crawl-folder.ts';
import { setFilter } from '../../src/crawl/state/filters-file.ts';
import type { Page } from '../../src/crawl/store/page.ts';
import { crawl } from '../../src/crawl/stream.ts';
import { Disk } from '../../src/disk/disk.ts';
import type { UserPredicates } from '../../src/filter/predicates.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { archivedPages } from './archived.ts';
import { startCrawl } from './here.ts';
import { linking, type Pages, type SmallSite, startSmallSite } from './small-site.ts';

const LOCAL: CrawlOptions = { allowPrivate: true, delay: 0, agents: 1 };
let site: SmallSite | undefined;
afterEach(() => site?.close());

const WEB: Pages = {
  '/robots.txt': (_, response) => response.writeHead(404).end(),
  '/': linking('/a', '/b', '/moved'),
  '/a': linking('/a/1', '/a/2'),
  '/b': `${linking('/b/1')}<meta name=robots content=noindex>`,
  '/moved': (_, response) => response.writeHead(301, { location: '/target' }).end(),
  '/target': linking('/'),
  '/a/1': linking('/'),
  '/a/2': linking('/'),
  '/b/1': linking('/'),
};

async function run(options: CrawlOptions, predicates?: UserPredicates) {
  site = await startSmallSite(WEB);
  const shown: string[] = [];
  const { finished } = await startCrawl(
    [`${site.origin}/`],
    resolveConfig({ ...LOCAL, ...options }),
    {
      onPage: ({ url }) => void shown.push(new URL(url).pathname),
      ...(predicates && { predicates }),
    },
  );
  const summary = await finished;
  const asked = site.asked.filter((path) => path !== '/robots.txt').sort();
  return { summary, shown: shown.sort(), asked };
}

const EVERYTHING = ['/', '/a', '/a/1', '/a/2', '/b', '/b/1', '/moved', '/target'];

describe('the filter of each stage', () => {
  test('schedule: links that it refuses are not fetched; it does not apply to seeds', async () => {
    const { asked, summary } = await run({ scheduleFilter: 'PathStartsWith(/a)' });
    expect(asked).toEqual(['/', '/a', '/a/1', '/a/2']);
    expect(summary.refused['schedule-filter']).toBeGreaterThan(0);
  });

  test('schedule: a link discovered again nearer to a seed is judged again', async () => {
    const { asked } = await run({ scheduleFilter: 'Depth <= 1' });
    expect(asked).toEqual(['/', '/a', '/b', '/moved', '/target']);
  });

  test('fetch: queued URLs that it refuses are not fetched', async () => {
    const { asked, summary } = await run({ fetchFilter: 'HostPages < 3' });
    expect(asked).toHaveLength(3);
    expect(summary.refused['fetch-filter']).toBeGreaterThan(0);
    expect(summary.urlsQueued).toBe(0);
  });

  test('parse: pages that it refuses are stored and have no links', async () => {
    const { asked, shown, summary } = await run({ parseFilter: 'not PathEndsWith(/a)' });
    expect(asked).toEqual(['/', '/a', '/b', '/b/1', '/moved', '/target']);
    expect(shown).toEqual(asked);
    expect(summary.refused).toEqual({ 'parse-filter': 1 });
  });

  test('follow: links are read and not followed, redirects too', async () => {
    const { asked, summary } = await run({ followFilter: 'Links > 1 and not IsNoindex' });
    expect(asked).toEqual(['/', '/a', '/a/1', '/a/2', '/b', '/moved']);
    expect(summary.refused['follow-filter']).toBeGreaterThan(2);
  });

  test('store: pages that it refuses are neither archived nor shown, but their links are followed', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const { asked, shown, summary } = await run({
      dir,
      storeFilter: 'Status == 200 and not IsNoindex',
    });
    expect(asked).toEqual(EVERYTHING);
    const kept = EVERYTHING.filter((path) => path !== '/b' && path !== '/moved');
    expect(shown).toEqual(kept);
    const archived = (await archivedPages(dir)).map((url) => new URL(url).pathname);
    expect(archived.filter((path) => path !== '/robots.txt').sort()).toEqual(kept);
    expect(summary.pages).toBe(EVERYTHING.length);
    expect(summary.refused).toEqual({ 'store-filter': 2 });
  });

  test('store: by the text of HTML; a redirect has none', async () => {
    site = await startSmallSite({
      ...WEB,
      '/a/1': '<h2>References</h2><p>One two three four five six seven.</p>',
    });
    const filter = 'TextMatches(/^references$/i) and Words == 8 or Words == 0';
    const shown: string[] = [];
    const { finished } = await startCrawl(
      [`${site.origin}/`],
      resolveConfig({ ...LOCAL, storeFilter: filter }),
      { onPage: ({ url }) => void shown.push(new URL(url).pathname) },
    );
    await finished;
    expect(shown.sort()).toContain('/a/1');
    expect(shown).toContain('/moved');
  });

  test('a duplicate is recognised, and counted once', async () => {
    const { shown, summary } = await run({ storeFilter: 'not IsDuplicate' });
    // The pages with one link to / are the same.
    expect(shown).toHaveLength(EVERYTHING.length - 3);
    expect(summary.duplicates).toBe(3);
  });

  test('predicates of the caller are asked', async () => {
    const { asked } = await run(
      { scheduleFilter: 'Under(a) or Under(b)' },
      { Under: ({ url }, name) => new URL(url).pathname.startsWith(`/${name}`) },
    );
    expect(asked).toEqual(EVERYTHING.filter((path) => path !== '/moved' && path !== '/target'));
  });
});

describe('a filter that cannot be read is refused before the crawl starts', () => {
  test.each([
    [{ fetchFilter: 'Status == 200' }, 'Column 1 of the fetch filter: Status is not known'],
    [{ order: 'bfs' as const, scheduleFilter: 'DomainRank < 5' }, 'Crawl with --order budget'],
    [{ storeFilter: 'InList(/nowhere/x.txt)' }, '/nowhere/x.txt does not exist'],
    [{ predicates: '/nowhere/x.mjs' }, '/nowhere/x.mjs cannot be loaded'],
  ])('%j', async (options, words) => {
    const dir = join(temporaryFolder(), 'crawl');
    const config = resolveConfig({ ...LOCAL, dir, ...options });
    await expect(startCrawl(['http://127.0.0.1:9/'], config)).rejects.toThrow(words);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('filters in the folder', () => {
  test('are the current ones, and a resumed crawl keeps them', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const list = join(temporaryFolder(), 'blocked list.txt');
    writeFileSync(list, 'blocked.test\n');
    const filter = `not InList("${list}") and PathStartsWith(/a)`;
    await run({ dir, scheduleFilter: filter.replaceAll(' and ', '\n  and ') });
    expect(readFileSync(join(dir, 'filters.txt'), 'utf8')).toBe(`schedule: ${filter}\n`);
    await setFilter(new Disk(), dir, 'fetch', 'Depth < 9');
    await setFilter(new Disk(), dir, 'schedule', '');
    expect(await settingsIn(dir)).toMatchObject({ scheduleFilter: '', fetchFilter: 'Depth < 9' });
  });

  test('have no file when none is set', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    await run({ dir });
    expect(existsSync(join(dir, 'filters.txt'))).toBe(false);
  });

  test('that are changed while it runs apply from then on; filters that cannot be read change nothing', async () => {
    const dir = join(temporaryFolder(), 'crawl');
    const disk = new Disk();
    const logged = () =>
      existsSync(join(dir, 'log.jsonl')) ? readFileSync(join(dir, 'log.jsonl'), 'utf8') : '';
    const seen = async (event: string) => {
      while (!logged().includes(event)) await new Promise((later) => setTimeout(later, 10));
    };
    site = await startSmallSite(WEB);
    const { finished } = await startCrawl(
      [`${site.origin}/`],
      resolveConfig({ ...LOCAL, dir, checkpoint: 100, scheduleFilter: 'false' }),
      {
        // The links of the first page are followed after this.
        onPage: async ({ url }) => {
          if (new URL(url).pathname !== '/') return;
          await setFilter(disk, dir, 'schedule', 'nonsense');
          await seen('filters-refused');
          await setFilter(disk, dir, 'schedule', 'PathStartsWith(/a)');
          await seen('filters-changed');
        },
      },
    );
    await finished;
    expect(site.asked.filter((path) => path !== '/robots.txt').sort()).toEqual([
      '/',
      '/a',
      '/a/1',
      '/a/2',
    ]);
    expect(logged().match(/filters-refused/g)).toHaveLength(1);
    expect(logged()).toContain('there is no predicate \\"nonsense\\"');
  });
});

describe('hooks of the library', () => {
  const take = async (pages: AsyncGenerator<Page, unknown>) => {
    const paths: string[] = [];
    for await (const { url } of pages) paths.push(new URL(url).pathname);
    return paths.sort();
  };

  test('filters are given by stage, with functions beside them', async () => {
    site = await startSmallSite(WEB);
    const paths = await take(
      crawl({
        ...LOCAL,
        agents: 2,
        seeds: `${site.origin}/`,
        filters: {
          schedule: 'InA',
          store: 'Status < 300',
          predicates: { InA: ({ url }) => url.includes('/a') },
        },
      }),
    );
    expect(paths).toEqual(['/', '/a', '/a/1', '/a/2']);
  });

  test('an unknown stage is refused', async () => {
    const pages = crawl({
      ...LOCAL,
      seeds: 'http://127.0.0.1:9/',
      filters: { stroe: 'true' } as never,
    });
    await expect(pages.next()).rejects.toThrow(
      'There is no setting "stroeFilter". Did you mean "storeFilter"?',
    );
  });

  test('onPage comes before the loop, onError gets every failure, and the crawl waits for both', async () => {
    site = await startSmallSite({
      '/': linking('/bad', '/good'),
      '/bad': (_, response) => void response.socket?.end('this is no response\r\n\r\n'),
      '/good': (_, response) => response.writeHead(302, { location: '/good' }).end(),
    });
    const told: string[] = [];
    const slowly = async (what: string) => {
      for (let turns = 0; turns < 5; turns++) await turn();
      told.push(what);
    };
    const pages = crawl({
      ...LOCAL,
      seeds: `${site.origin}/`,
      maxRedirects: 0,
      onPage: ({ url }) => slowly(new URL(url).pathname),
      onError: ({ url = '', fault, host, urls }) =>
        slowly(`${fault} ${host} ${new URL(url).pathname} ${urls}`),
    });
    for await (const { url } of pages) expect(told).toContain(new URL(url).pathname);
    expect(told.sort()).toEqual([
      '/',
      '/good',
      'bad-response 127.0.0.1 /bad 1',
      'too-many-redirects 127.0.0.1 /good 1',
    ]);
  });

  test('what onError throws ends the crawl, and is what the caller gets', async () => {
    site = await startSmallSite({ '/': linking() });
    const refusal = new Error('enough');
    const pages = crawl({
      ...LOCAL,
      allowPrivate: '10.0.0.0/8',
      seeds: `${site.origin}/`,
      onError: ({ fault, urls, early }) => {
        if (early) return;
        expect([fault, urls]).toEqual(['address-refused', 1]);
        throw refusal;
      },
    });
    await expect(pages.next()).rejects.toBe(refusal);
  });
});
