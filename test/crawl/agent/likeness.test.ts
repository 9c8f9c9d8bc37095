/**
 * Pages that are like others, in complete crawls: what is stored, followed, learned and counted.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/crawl.ts';
import { archivedPages } from '../archived.ts';
import { startCrawl } from '../here.ts';
import { type Handler, type Pages, type SmallSite, startSmallSite } from '../small-site.ts';

let dir: string;
const sites: SmallSite[] = [];

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-likeness-')), 'crawl');
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Serves the pages of `answer`; other paths answer 404. */
async function site(answer: (path: string) => string | undefined): Promise<SmallSite> {
  const handler: Handler = (request, response) => {
    const path = request.url ?? '/';
    const page = path === '/robots.txt' ? undefined : answer(path);
    response
      .writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' })
      .end(page ?? 'none');
  };
  const started = await startSmallSite(new Proxy({} as Pages, { get: () => handler }));
  sites.push(started);
  return started;
}

async function crawl(seed: string, options: CrawlOptions = {}): Promise<Summary> {
  const looking = { nearDuplicates: 'store', learnTraps: true, softErrors: 'store' } as const;
  const config = resolveConfig({
    allowPrivate: true,
    delay: 0,
    dir,
    agents: 1,
    ...looking,
    ...options,
  });
  return (await startCrawl([seed], config)).finished;
}

const textOf = (topic: string): string =>
  Array.from({ length: 60 }, (_, i) => `w${topic}x${i}`).join(' ');
const page = (topic: string, ...links: string[]): string =>
  `<!doctype html><title>${topic}</title><p>${textOf(topic)}</p>${links.map((href) => `<a href="${href}">x</a>`).join('')}`;
const events = (name: string) =>
  readFileSync(join(dir, 'log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === name);

/** Every URL that passed the sieve, and every URL that we made up, is counted in one of these. */
function expectAccount({
  urlsUnique,
  pages,
  disallowed,
  errors,
  refused,
  alike,
  urlsQueued,
}: Summary): void {
  const given = Object.values(errors).reduce((sum, n) => sum + n, 0);
  const made = alike['soft-404-question'] ?? 0;
  expect(pages + disallowed + given + (refused.trap ?? 0) + urlsQueued).toBe(urlsUnique + made);
}

describe('a page that is nearly another', () => {
  const copies = async () =>
    site((path) => {
      if (path === '/') return page('home', '/original', '/copy');
      if (path === '/original') return page('same', '/from-original');
      if (path === '/copy') return page('same', '/from-copy').replace('wsamex30', 'another');
      return path.startsWith('/from') ? page(path.slice(1)) : undefined;
    });

  test('is stored and followed by default, and logged', async () => {
    const { origin } = await copies();
    const summary = await crawl(`${origin}/`);
    expect(await archivedPages(dir)).toHaveLength(5);
    expect(summary.alike).toEqual({ 'near-duplicate': 1 });
    const [told] = events('near-duplicate');
    expect([told.url, told.of].sort()).toEqual([`${origin}/copy`, `${origin}/original`]);
    expect(told.similarity).toBeGreaterThan(0.8);
    expectAccount(summary);
  });

  test('can be stored and not followed', async () => {
    const { origin } = await copies();
    const summary = await crawl(`${origin}/`, { nearDuplicates: 'no-follow' });
    expect(await archivedPages(dir)).toHaveLength(4);
    expectAccount(summary);
  });

  test('can be skipped, and is counted', async () => {
    const { origin } = await copies();
    const summary = await crawl(`${origin}/`, { nearDuplicates: 'skip' });
    expect(await archivedPages(dir)).toHaveLength(3);
    expect(summary.refused).toMatchObject({ 'near-duplicate': 1 });
    expect(summary.pages).toBe(4);
    expectAccount(summary);
  });

  test('is a page like any other when pages are not compared', async () => {
    const { origin } = await copies();
    const summary = await crawl(`${origin}/`, {
      nearDuplicates: 'off',
      learnTraps: false,
      softErrors: 'off',
    });
    expect(summary.alike).toEqual({});
    expect(await archivedPages(dir)).toHaveLength(5);
  });
});

describe('a site that gives every link a new session id', () => {
  const PAGES = 12;
  let ids = 0;
  const shop = () =>
    site((path) => {
      const [name] = path.split('?');
      const links = Array.from(
        { length: PAGES },
        (_, i) => `/p${i}?sid=${(ids++ * 7919).toString(16)}z`,
      );
      return name === '/' || /^\/p\d+$/.test(name)
        ? page(`of${name.slice(1)}`, ...links)
        : undefined;
    });

  test('ends, with every page in the archive and every URL counted', async () => {
    const { origin } = await shop();
    const summary = await crawl(`${origin}/`, { maxPages: 2000 });
    expect(summary.end).toBe('finished');
    expect(summary.pages).toBeLessThan(400);
    expect(summary.refused.trap).toBeGreaterThan(0);
    expect(summary.alike['link-rewritten']).toBeGreaterThan(0);
    expect(new Set((await archivedPages(dir)).map((url) => new URL(url).pathname)).size).toBe(
      PAGES + 1,
    );
    expect(events('trap-learned').map(({ rule }) => rule)).toContain('?sid');
    expectAccount(summary);
  });

  test('does not end without learning', async () => {
    const { origin } = await shop();
    const summary = await crawl(`${origin}/`, { maxPages: 150, learnTraps: false });
    expect(summary.end).toBe('max-pages');
  });

  test('is still known after the crawl is resumed', async () => {
    const { origin, asked } = await shop();
    await crawl(`${origin}/`, { maxPages: 80 });
    const before = asked.length;
    const summary = await crawl(`${origin}/`, { maxPages: 2000 });
    expect(summary.end).toBe('finished');
    expect(asked.length - before).toBeLessThan(100);
  });
});

describe('a calendar with a next month and a last one, always', () => {
  const pathOf = (month: number) => `/calendar/${Math.floor(month / 12)}/${1 + (month % 12)}`;
  /** Something happens in 2025. */
  const calendar = () =>
    site((path) => {
      const [, name, year, month] = path.split('/');
      if (path === '/') return page('home', '/calendar/2025/6');
      if (name !== 'calendar') return undefined;
      const at = Number(year) * 12 + Number(month) - 1;
      const topic = year === '2025' ? `month${month}` : 'nothing';
      return page(topic, pathOf(at - 1), pathOf(at + 1));
    });

  test('ends, with all months that have events, and logs why', async () => {
    const { origin } = await calendar();
    const summary = await crawl(`${origin}/`, { maxPages: 1000 });
    expect(summary.end).toBe('finished');
    expect(summary.pages).toBeLessThan(100);
    const archived = await archivedPages(dir);
    for (let month = 2025 * 12; month < 2026 * 12; month++)
      expect(archived).toContain(origin + pathOf(month));
    const [above] = events('trap-learned').filter(({ rule }) => rule.includes('above'));
    expect(above).toMatchObject({
      host: origin,
      rule: expect.stringMatching(/^\/calendar\/#\/#: numbers 1, 2 above 202[56], /),
    });
    expect(above.why).toMatch(/^\d+ pages beyond it had the same text$/);
    expect(above.examples).toHaveLength(2);
    for (const url of above.examples) expect(archived).toContain(url);
    expectAccount(summary);
  });

  test('does not end without learning', async () => {
    const { origin } = await calendar();
    expect((await crawl(`${origin}/`, { maxPages: 150, learnTraps: false })).end).toBe('max-pages');
  });
});

describe('a site that answers for every page', () => {
  const WORDS = ['apple', 'pear', 'plum', 'cherry', 'quince', 'grape', 'melon', 'fig'];
  const gone = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, i) => `/gone/${WORDS[(from + i) % 8]}-${WORDS[(from + i) >> 3]}.html`,
    );
  /** The question is asked before the queued URLs, which are nearly all. */
  const pages: Readonly<Record<string, string>> = { '/': page('home', ...gone(0, 45)) };
  const careless = () => site((path) => pages[path] ?? page('sorry'));

  test('is asked for a page that cannot exist, which is not archived; soft 404s are counted', async () => {
    const { origin, asked } = await careless();
    const summary = await crawl(`${origin}/`);
    const known = ['/robots.txt', ...Object.keys(pages), ...gone(0, 45)];
    const made = asked.filter((path) => !known.includes(path));
    expect(made).toHaveLength(1);
    expect((await archivedPages(dir)).some((url) => url.endsWith(made[0]))).toBe(false);
    expect(summary.refused).toMatchObject({ 'soft-404-question': 1 });
    expect(summary.alike['soft-404']).toBeGreaterThanOrEqual(40);
    expect(events('soft-404')).toHaveLength(1);
    expectAccount(summary);
  });

  test('can be archived without its soft 404s', async () => {
    const { origin } = await careless();
    const summary = await crawl(`${origin}/`, { softErrors: 'skip' });
    expect(summary.refused['soft-404']).toBeGreaterThanOrEqual(40);
    expect((await archivedPages(dir)).length).toBe(summary.pages - summary.refused['soft-404'] - 1);
  });

  test('is not asked when soft 404s are off', async () => {
    const { origin, asked } = await careless();
    await crawl(`${origin}/`, { softErrors: 'off' });
    expect(asked).toHaveLength(1 + 1 + 45);
  });
});
