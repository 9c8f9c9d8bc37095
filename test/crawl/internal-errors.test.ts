/**
 * An error that should not happen, in each phase of one page or one host: that page fails and is
 * named, all other pages are fetched, and no URL is lost. An error of the agent's own state, and
 * one that the user's functions throw, still end the crawl.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountOf } from '../../soak/hostile/verdict.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Likeness } from '../../src/crawl/agent/likeness.ts';
import { Admission } from '../../src/crawl/agent/link-admission.ts';
import { TurnPolicy } from '../../src/crawl/agent/turn-policy.ts';
import type { CrawlHooks } from '../../src/crawl/crawl.ts';
import { troubleOf } from '../../src/crawl/monitor/health.ts';
import { ArchiveStore } from '../../src/crawl/store/archive-store.ts';
import type * as Decode from '../../src/fetch/decode.ts';
import type { Exchange, FetchRequest } from '../../src/fetch/exchange.ts';
import type * as Client from '../../src/fetch/http-client.ts';
import type * as Dns from '../../src/net/dns.ts';
import type * as Parse from '../../src/parse/page.ts';
import type * as Robots from '../../src/robots/parse-robots.ts';
import { PackedUrls } from '../../src/url/packed-urls.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

/** Throws in the phase that a test has set, for what has `bad` in its name. */
const trap = vi.hoisted(() => {
  const state = {
    phase: '',
    thrown: undefined as unknown,
    spring: (phase: string, about: string) => {
      if (phase === state.phase && about.includes('bad')) throw state.thrown;
    },
  };
  return state;
});

vi.mock('../../src/fetch/http-client.ts', async (original) => {
  const real = await original<typeof Client>();
  const createHttpClient: typeof real.createHttpClient = (options) => {
    const client = real.createHttpClient(options);
    const fetch = async (request: FetchRequest): Promise<Exchange> => {
      trap.spring('connect', request.url);
      const exchange = await client.fetch(request);
      trap.spring('head', request.url);
      if (trap.phase !== 'body' || !request.url.includes('bad')) return exchange;
      return new Proxy(exchange, {
        get: (target, key) => {
          if (key === 'payload') trap.spring('body', request.url);
          return Reflect.get(target, key);
        },
      });
    };
    return { fetch, close: () => client.close() };
  };
  return { ...real, createHttpClient };
});
vi.mock('../../src/fetch/decode.ts', async (original) => {
  const real = await original<typeof Decode>();
  const decodeHeld: typeof real.decodeHeld = async (exchange, ...more) => {
    trap.spring('decode', (exchange as Exchange).url);
    return real.decodeHeld(exchange, ...more);
  };
  return { ...real, decodeHeld };
});
vi.mock('../../src/parse/page.ts', async (original) => {
  const real = await original<typeof Parse>();
  const parsePage: typeof real.parsePage = (body, page, ...more) => {
    trap.spring('parse', page.url);
    return real.parsePage(body, page, ...more);
  };
  return { ...real, parsePage };
});
vi.mock('../../src/robots/parse-robots.ts', async (original) => {
  const real = await original<typeof Robots>();
  const robotsFromResponse: typeof real.robotsFromResponse = (status, body, ...more) => {
    trap.spring('robots', Buffer.from(body).toString());
    return real.robotsFromResponse(status, body, ...more);
  };
  return { ...real, robotsFromResponse };
});
vi.mock('../../src/net/dns.ts', async (original) => {
  const real = await original<typeof Dns>();
  const createResolver: typeof real.createResolver = (options) => {
    const resolver = real.createResolver(options);
    const resolve: typeof resolver.resolve = async (host, anew) => {
      trap.spring('resolve', host);
      if (trap.phase === 'empty answer' && host.includes('bad')) return [];
      return resolver.resolve(host, anew);
    };
    return { resolve, close: () => resolver.close() };
  };
  return { ...real, createResolver };
});

const GOOD = Array.from({ length: 12 }, (_, i) => `/good/${i}`);
const PAGES = {
  '/robots.txt': 'User-agent: *\nAllow: /\n',
  '/': linking(...GOOD.slice(0, 6), '/bad', ...GOOD.slice(6)),
  '/bad': linking('/from-bad'),
  '/from-bad': linking(),
  ...Object.fromEntries(GOOD.map((path) => [path, linking()])),
};

let site: SmallSite;
afterEach(async () => {
  vi.restoreAllMocks();
  trap.phase = '';
  await site?.close();
});

/** Crawls with an error in a phase; `hosts` are names of the site, all of them loopback. */
async function run(phase: string, options: CrawlOptions = {}, hooks: CrawlHooks = {}) {
  Object.assign(trap, { phase, thrown: new Error(`boom in ${phase}`) });
  site = await startSmallSite(PAGES);
  const { port } = new URL(site.origin);
  const dir = join(temporaryFolder(), 'crawl');
  const config = { allowPrivate: true, delay: 0, agents: 1, checkpoint: 3_600_000, order: 'bfs' };
  const seeds = [`http://localhost:${port}/`];
  if (phase === 'resolve' || phase === 'empty answer') seeds.push(`http://bad.localhost:${port}/`);
  const crawl = await startCrawl(
    seeds,
    resolveConfig({ ...config, dir, ...options } as CrawlOptions),
    { clock: fastClock(1000), ...hooks },
  );
  const summary = await crawl.finished;
  const log = readFileSync(join(dir, 'log.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const errors = log.filter(({ event }) => event === 'internal-error');
  return { summary, errors, trouble: troubleOf(crawl.progress()) };
}

const throwing = (phase: string): [CrawlOptions, CrawlHooks] =>
  phase === 'filter predicate'
    ? [
        { parseFilter: 'Judged()' },
        {
          predicates: {
            Judged: ({ url }) => {
              trap.spring(phase, url);
              return true;
            },
          },
        },
      ]
    : [phase === 'likeness' ? { nearDuplicates: 'skip' } : {}, {}];

function throwIn<Method extends (...given: never[]) => unknown>(
  prototype: object,
  method: string,
  phase: string,
  about: (...given: Parameters<Method>) => string,
): void {
  const real = Reflect.get(prototype, method) as Method;
  Reflect.set(prototype, method, function (this: unknown, ...given: Parameters<Method>) {
    trap.spring(phase, about(...given));
    return real.apply(this, given);
  });
}
throwIn<Likeness['judge']>(Likeness.prototype, 'judge', 'likeness', (url) => url);
throwIn<TurnPolicy['answered']>(TurnPolicy.prototype, 'answered', 'policy', (s) => s.discovery.url);
throwIn<Admission['discover']>(Admission.prototype, 'discover', 'discover', (urls) =>
  (urls instanceof PackedUrls ? urls.all() : urls).every((url) => url.includes('from-bad'))
    ? 'bad'
    : '',
);

describe('an error of our own for one page, in', () => {
  const phases = ['connect', 'head', 'policy', 'body', 'decode', 'parse', 'filter predicate'];
  test.each([
    ...phases,
    'likeness',
  ])('%s: the page fails, all others are fetched', async (phase) => {
    const { summary, errors, trouble } = await run(phase, ...throwing(phase));
    for (const path of GOOD) expect(site.asked).toContain(path);
    expect(summary).toMatchObject({
      end: 'finished',
      pages: 1 + GOOD.length,
      retries: { 'internal-error': 1 },
      errors: { 'internal-error': 1 },
    });
    expect(accountOf(summary)).toMatchObject({ givenUp: 1, lost: 0, waiting: 0 });
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({
      host: 'localhost',
      url: expect.stringMatching(/\/bad$/),
      message: `Error: boom in ${phase}`,
      stack: expect.stringContaining('internal-errors.test'),
    });
    expect(trouble).toMatchObject({ code: 'internal-error', isHealthy: true });
  });

  test('discover: the page counts, its links are counted as lost', async () => {
    const { summary, errors } = await run('discover');
    expect(summary).toMatchObject({
      pages: 2 + GOOD.length,
      errors: {},
      refused: { 'links-lost': 1 },
    });
    expect(accountOf(summary).lost).toBe(0);
    expect(errors).toHaveLength(1);
  });

  test('the filter of links: that link is refused, the others of its page are fetched', async () => {
    const judged = ({ url }: { url: string }) => {
      trap.spring('link', url);
      return true;
    };
    const filter = { scheduleFilter: 'Judged()' };
    const { summary, errors } = await run('link', filter, { predicates: { Judged: judged } });
    expect(summary).toMatchObject({ pages: 1 + GOOD.length, refused: { 'schedule-filter': 1 } });
    expect(errors).toMatchObject([{ url: expect.stringMatching(/\/bad$/) }]);
  });
});

describe('an error of our own for one host, in', () => {
  test.each(['resolve', 'empty answer'])('%s: only that host fails', async (phase) => {
    const { summary, errors } = await run(phase);
    const fault = phase === 'resolve' ? 'internal-error' : 'dns-not-found';
    expect(summary).toMatchObject({ pages: 3 + GOOD.length, errors: { [fault]: 1 } });
    expect(accountOf(summary).lost).toBe(0);
    expect(errors).toHaveLength(phase === 'resolve' ? 2 : 0);
  });
});

test('an error in reading a robots.txt leaves its host unreachable, and the crawl ends in order', async () => {
  const { '/robots.txt': _, ...pages } = PAGES;
  Object.assign(trap, { phase: 'robots', thrown: new Error('boom') });
  const bad = await startSmallSite({ '/robots.txt': 'bad', '/': linking() }, '127.0.0.2');
  site = await startSmallSite(pages);
  const config = resolveConfig({ allowPrivate: true, delay: 0, agents: 1 });
  const seeds = [`${site.origin}/`, `${bad.origin}/`];
  const crawl = await startCrawl(seeds, config, { clock: fastClock(1000) });
  expect(await crawl.finished).toMatchObject({
    pages: 3 + GOOD.length,
    errors: { 'robots-unreachable': 1 },
    retries: { 'internal-error': 1 },
  });
  await bad.close();
});

describe('what still ends the crawl, with the same error:', () => {
  const broken = new Error('broken');

  test('the store fails', async () => {
    vi.spyOn(ArchiveStore.prototype, 'store').mockRejectedValue(broken);
    await expect(run('none')).rejects.toBe(broken);
  });

  test('the sieve fails', async () => {
    vi.spyOn(Admission.prototype, 'carry').mockRejectedValue(broken);
    await expect(run('none')).rejects.toBe(broken);
  });

  test.each(['onPage', 'onError'] as const)('%s throws', async (hook) => {
    const hooks = {
      [hook]: () => {
        throw broken;
      },
    };
    await expect(run('connect', {}, hooks)).rejects.toBe(broken);
  });
});
