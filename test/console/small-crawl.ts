/**
 * A crawl with URLs of every fate, written out: what the console must find is known beforehand.
 *
 * One site serves all hosts: 127.0.0.1 is crawled, 127.0.0.3 is blocked, 127.0.0.4 has budget 0,
 * and 127.0.0.5 is asked once a week, and nothing listens at 127.0.0.6.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { resolveConfig } from '../../src/config/settings.ts';
import type { UrlReason } from '../../src/console/look/url.ts';
import { Disk } from '../../src/disk/disk.ts';
import { setOverride } from '../../src/reputation/budget/overrides.ts';
import { fastClock } from '../crawl/fast-clock.ts';
import { startCrawl } from '../crawl/here.ts';
import { type Handler, linking, startSmallSite } from '../crawl/small-site.ts';

export const EACH = 20;

export interface SmallCrawl {
  readonly dir: string;
  /** Every URL with its fate. */
  readonly fates: ReadonlyMap<string, UrlReason>;
  readonly origin: string;
}

const many = (path: string): string[] => Array.from({ length: EACH }, (_, i) => `${path}${i}`);

export async function makeSmallCrawl(
  pages: Readonly<Record<string, string | Handler>> = {},
): Promise<SmallCrawl> {
  const dir = mkdtempSync(join(tmpdir(), 'console-'));
  const port = await freePort();
  const on = (ip: string) => `http://${ip}:${port}`;
  const origin = on('127.0.0.1');
  const closed = `http://127.0.0.6:${await freePort()}`;
  const fates = new Map<string, UrlReason>();
  const give = (urls: readonly string[], fate: UrlReason) => {
    for (const url of urls) fates.set(url, fate);
    return [...urls];
  };
  const linked = [
    ...give(many(`${origin}/ok/`), 'fetched'),
    ...give(many(`${origin}/same/`), 'fetched'),
    ...give(many(`${origin}/excluded/`), 'excluded'),
    ...give(many(`${origin}/unscheduled/`), 'schedule-filter'),
    ...give(many(`${origin}/unfetched/`), 'fetch-filter'),
    ...give(many(`${origin}/private/`), 'robots'),
    ...give(many(`${on('127.0.0.3')}/`), 'blocked'),
    ...give(many(`${on('127.0.0.4')}/`), 'budget-0'),
    ...give(many(`${closed}/fail/`), 'failed'),
    ...give(many(`${on('127.0.0.5')}/wait/`).slice(1), 'queued'),
    ...give(many(`${origin}/long/${'x'.repeat(300)}`), 'url-too-long'),
    ...give(many(`${origin}/unstored/`), 'store-filter'),
  ];
  const unfollowed = give(many(`${origin}/unfollowed/`), 'nofollow');
  give(many(`${origin}/never/`), 'never-discovered');
  give(many('ftp://127.0.0.1/'), 'not-a-url');
  give(many('http://outside.test/'), 'never-discovered');
  const first = `${on('127.0.0.5')}/wait/0`;
  const extra = Object.keys(pages).map((path) => origin + path);
  let decided = false;
  const all: Record<string, string | Handler> = {
    '/robots.txt': (_, response) => {
      if (!decided) return;
      response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end('User-agent: *\nDisallow: /private/\n');
    },
    '/':
      linking(...linked, ...extra, first) +
      unfollowed.map((url) => `<a rel=nofollow href="${url}">x</a>`).join(''),
    ...Object.fromEntries(
      many('/ok/').map((path) => [
        path,
        `<title>${path}</title><p>Page ${path} with words of its own.`,
      ]),
    ),
    ...Object.fromEntries(many('/unstored/').map((path) => [path, `<p>${path} is not kept.`])),
    ...Object.fromEntries(
      many('/same/').map((path) => [
        path,
        `<title>same</title><p>${'Always the same words. '.repeat(200)}`,
      ]),
    ),
    ...pages,
  };
  const site = await startSmallSite(all, '0.0.0.0', port);
  const disk = new Disk();
  try {
    writeFileSync(join(dir, '..', `delays-${port}`), 'host 127.0.0.5 7d\n');
    const config = resolveConfig({
      ...{
        dir: join(dir, 'crawl'),
        allowPrivate: true,
        agents: 2,
        delay: '1ms',
        addressDelay: '1ms',
      },
      budget: 'equal(1000)',
      ...{
        retries: '0',
        retryWait: '1ms',
        exclude: '*/excluded/*',
        maxUrlLength: '200',
        contact: 'test@example.org',
      },
      scheduleFilter: 'not PathStartsWith(/unscheduled/)',
      fetchFilter: 'not PathStartsWith(/unfetched/)',
      storeFilter: 'not PathStartsWith(/unstored/)',
      delays: join(dir, '..', `delays-${port}`),
    });
    await disk.makeFolder(config.dir);
    // The first run fetches nothing. So the decisions are there before the first page.
    const before = await startCrawl([`${origin}/`], config, { clock: fastClock(100), disk });
    before.stop();
    await before.finished;
    await setOverride(disk, config.dir, '127.0.0.3', 'blocked');
    await setOverride(disk, config.dir, '127.0.0.4', 0);
    decided = true;
    const run = await startCrawl([], config, { clock: fastClock(100), disk });
    const wanted = 1 + 3 * EACH + extra.length;
    for (let i = 0; i < 1500; i++) {
      const { pages: fetched, errors, disallowed } = run.progress();
      const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
      if (fetched >= wanted && failed >= EACH && disallowed >= EACH) break;
      await wait(10);
    }
    run.stop();
    await run.finished;
    return { dir: config.dir, fates, origin };
  } finally {
    await site.close();
  }
}

async function freePort(): Promise<number> {
  const site = await startSmallSite({});
  await site.close();
  return Number(new URL(site.origin).port);
}
