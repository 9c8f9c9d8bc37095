import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { createScope, type Scope } from '../../../src/crawl/agent/scope.ts';
import { canonicalise } from '../../../src/url/canonical.ts';
import { payLevelDomain } from '../../../src/url/domain.ts';

const scopeOf = (options: CrawlOptions, ...seeds: string[]): Scope =>
  createScope(resolveConfig(options), seeds);

/** A small web in which everything collides: few names, few paths, ports, www and both schemes. */
const host = fc.constantFrom(
  ...[
    'a.org',
    'www.a.org',
    'b.a.org',
    'www.b.a.org',
    'xa.org',
    'a.org.uk',
    'b.co.uk',
    'www.co.uk',
    'co.uk',
  ],
  ...['alice.github.io', 'bob.github.io', 'github.io', 'localhost', '192.0.2.1', '[2001:db8::1]'],
);
const segment = fc.constantFrom('a', 'b', 'a.html', 'ab');
const path = fc
  .tuple(
    fc.array(segment, { maxLength: 3 }),
    fc.constantFrom('', '/'),
    fc.constantFrom('', '?q=/a/b/', '?q'),
  )
  .map(
    ([segments, slash, query]) =>
      `/${segments.join('/')}${segments.length > 0 ? slash : ''}${query}`,
  );
const url = fc
  .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('', '', ':8080'), path)
  .map(([scheme, name, port, rest]) => canonicalise(`${scheme}://${name}${port}${rest}`)!);
const seedList = fc.array(url, { minLength: 1, maxLength: 6 });

const siteOf = (text: string) => new URL(text).host.replace(/^www\./, '');
const folderOf = (text: string) => new URL(text).pathname.replace(/[^/]*$/, '');
const domainOf = (text: string) =>
  payLevelDomain(new URL(text).hostname, { privateSuffixes: true });
const model = {
  any: () => true,
  host: (seed: string, link: string) => siteOf(seed) === siteOf(link),
  domain: (seed: string, link: string) => domainOf(seed) === domainOf(link),
  prefix: (seed: string, link: string) =>
    siteOf(seed) === siteOf(link) && new URL(link).pathname.startsWith(folderOf(seed)),
};

describe('the scope of a crawl', () => {
  test.each([
    'any',
    'host',
    'domain',
    'prefix',
  ] as const)('%s holds a link exactly when one of the seeds spans it, whatever was asked before', (name) => {
    fc.assert(
      fc.property(seedList, fc.array(url, { minLength: 1, maxLength: 20 }), (seeds, links) => {
        const scope = scopeOf({ scope: name }, ...seeds);
        for (const link of links) {
          const held = seeds.some((seed) => model[name](seed, link));
          expect([link, scope.refusal(link, 1)]).toEqual([link, held ? undefined : 'out-of-scope']);
        }
        for (const seed of seeds) expect(scope.refusal(seed, 0)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['host', 'https://example.org/', 'http://www.example.org/a', true],
    ['host', 'https://www.example.org/', 'https://example.org/a', true],
    ['host', 'https://example.org/', 'https://blog.example.org/', false],
    ['host', 'http://localhost:8000/', 'http://localhost:9000/', false],
    ['domain', 'https://example.co.uk/', 'https://blog.example.co.uk:8443/', true],
    ['domain', 'https://blog.example.co.uk/', 'https://example.co.uk/', true],
    ['domain', 'https://example.co.uk/', 'https://other.co.uk/', false],
    ['domain', 'https://alice.github.io/', 'https://bob.github.io/', false],
    ['domain', 'http://192.0.2.1/', 'http://192.0.2.2/', false],
    ['prefix', 'https://example.org/docs/', 'http://www.example.org/docs/a/b', true],
    ['prefix', 'https://example.org/docs/index.html', 'https://example.org/docs/a', true],
    ['prefix', 'https://example.org/docs/?next=/a/b', 'https://example.org/docs/a', true],
    ['prefix', 'https://example.org/docs/', 'https://example.org/docs', false],
    ['prefix', 'https://example.org/docs/', 'https://example.org/docs-old/', false],
    ['prefix', 'https://example.org/docs', 'https://example.org/blog', true],
    ['prefix', 'https://example.org/docs/', 'https://blog.example.org/docs/', false],
    ['prefix', 'https://example.org/docs/', 'https://example.org/?q=/docs/', false],
    ['any', 'https://example.org/', 'http://anything.test/', true],
  ] as const)('%s: from %s, %s is in scope: %s', (name, seed, link, held) => {
    expect(scopeOf({ scope: name }, seed).refusal(link, 1) === undefined).toBe(held);
  });

  test('a folder within another changes nothing, in whatever order the seeds are named', () => {
    const at = (folder: string) => `https://example.org${folder}`;
    const seeds = ['/a/b/', '/a/', '/a/c/', '/z/', '/a0/'].map(at);
    for (const order of [seeds, seeds.toReversed()]) {
      const scope = scopeOf({ scope: 'prefix' }, ...order);
      const held = ['/a/x', '/a/b/x', '/z/', '/a0/'].map((folder) => scope.refusal(at(folder), 1));
      const refused = ['/', '/a', '/a1/', '/b/'].map((folder) => scope.refusal(at(folder), 1));
      expect(held).toEqual(held.map(() => undefined));
      expect(refused).toEqual(refused.map(() => 'out-of-scope'));
    }
  });

  test('without seeds nothing is in scope, except for the scope any', () => {
    for (const name of ['host', 'domain', 'prefix'] as const)
      expect(scopeOf({ scope: name }).refusal('http://a.org/', 1)).toBe('out-of-scope');
    expect(scopeOf({}).refusal('http://a.org/', 1)).toBeUndefined();
  });
});

describe('limits and patterns', () => {
  test('a link may be as deep as the limit, and not deeper', () => {
    const scope = scopeOf({ maxDepth: 2 });
    expect([0, 1, 2, 3, 127].map((depth) => scope.refusal('http://a.org/', depth))).toEqual([
      ...[undefined, undefined, undefined],
      ...['too-deep', 'too-deep'],
    ]);
    expect(scopeOf({ maxDepth: 0 }).refusal('http://a.org/', 1)).toBe('too-deep');
  });

  test('a URL may be as long as the limit, and not longer', () => {
    const scope = scopeOf({ maxUrlLength: 20 });
    expect(scope.refusal(`http://a.org/${'x'.repeat(7)}`, 1)).toBeUndefined();
    expect(scope.refusal(`http://a.org/${'x'.repeat(8)}`, 1)).toBe('url-too-long');
  });

  test('a path that repeats the same segments more often in a row than the limit is refused', () => {
    expect(scopeOf({}).trap('http://a.org/x/y/x/y/x/y/x/y/')).toBe('repeated-segments');
    expect(scopeOf({ maxRepeats: 4 }).trap('http://a.org/x/y/x/y/x/y/x/y/')).toBeUndefined();
    expect(scopeOf({}).trap('http://a.org/2011/11/11/11/')).toBeUndefined();
  });

  test('a link must match one pattern of include, if there are any, and none of exclude', () => {
    const scope = scopeOf({ include: '*/docs/* /\\.pdf$/', exclude: ['*/docs/old/*', '/draft/i'] });
    const answers = {
      'http://a.org/docs/x': undefined,
      'http://a.org/x.pdf': undefined,
      'http://a.org/blog/': 'not-included',
      'http://a.org/docs/old/x.pdf': 'excluded',
      'http://a.org/docs/Draft': 'excluded',
    };
    for (const [link, answer] of Object.entries(answers))
      expect(scope.refusal(link, 1)).toBe(answer);
  });

  test('patterns do not widen the scope', () => {
    const scope = scopeOf({ scope: 'host', include: 'http://b.org/*' }, 'http://a.org/');
    expect(scope.refusal('http://b.org/', 1)).toBe('out-of-scope');
  });

  test('a seed and what it redirects to need not match include', () => {
    const scope = scopeOf({ include: '*/article/*', exclude: '*/login' }, 'http://a.org/');
    expect(scope.refusal('https://a.org/', 0)).toBeUndefined();
    expect(scope.refusal('https://a.org/', 1)).toBe('not-included');
    expect(scope.refusal('https://a.org/login', 0)).toBe('excluded');
  });

  test('of several reasons the cheapest is reported', () => {
    const options = {
      scope: 'host' as const,
      maxDepth: 1,
      maxUrlLength: 30,
      include: '*/i/*',
      exclude: '*x*',
    };
    const scope = scopeOf(options, 'http://a.org/');
    expect(scope.refusal(`http://b.org/${'x'.repeat(30)}`, 2)).toBe('url-too-long');
    expect(scope.refusal('http://b.org/x', 2)).toBe('too-deep');
    expect(scope.refusal('http://b.org/x', 1)).toBe('out-of-scope');
    expect(scope.refusal('http://a.org/x', 1)).toBe('excluded');
    expect(scope.refusal('http://a.org/', 1)).toBe('not-included');
  });
});

describe('a seed that redirects', () => {
  test('moves the scope with it, and reports it once', () => {
    for (const name of ['host', 'domain', 'prefix'] as const) {
      const scope = scopeOf({ scope: name }, 'http://old.org/docs/');
      expect(scope.refusal('https://new.org/docs/', 0)).toBe('out-of-scope');
      expect(scope.admitSeedRedirect('http://old.org/docs/', 'https://new.org/docs/')).toBe(true);
      expect(scope.admitSeedRedirect('http://old.org/docs/', 'https://new.org/docs/')).toBe(false);
      expect(scope.refusal('https://new.org/docs/', 0)).toBeUndefined();
      expect(scope.refusal('https://new.org/docs/a', 1)).toBeUndefined();
      expect(scope.refusal('https://third.org/', 1)).toBe('out-of-scope');
      expect(scope.refusal('http://old.org/docs/a', 1)).toBeUndefined();
      expect(scope.admitted).toEqual(['https://new.org/docs/']);
    }
  });

  test('to another spelling of its site changes nothing', () => {
    const scope = scopeOf({ scope: 'host' }, 'http://example.org/');
    expect(scope.admitSeedRedirect('http://example.org/', 'https://www.example.org/')).toBe(false);
    expect(scope.refusal('https://www.example.org/', 0)).toBeUndefined();
    expect(scope.admitted).toEqual([]);
  });

  test('to the front page does not open the whole site in a folder scope', () => {
    const scope = scopeOf({ scope: 'prefix' }, 'http://example.org/docs/v1/');
    expect(scope.admitSeedRedirect('http://example.org/docs/v1/', 'https://www.example.org/')).toBe(
      false,
    );
    expect(scope.admitSeedRedirect('http://example.org/docs/v1/', 'http://example.org/docs/')).toBe(
      false,
    );
    expect(scope.refusal('https://www.example.org/blog', 1)).toBe('out-of-scope');
    expect(
      scope.admitSeedRedirect('http://example.org/docs/v1/', 'http://example.org/docs/v2/'),
    ).toBe(true);
    expect(scope.refusal('http://example.org/docs/v2/a', 1)).toBeUndefined();
  });

  test('does so along a chain, but not from outside', () => {
    const scope = scopeOf({ scope: 'host' }, 'http://a.org/');
    expect(scope.admitSeedRedirect('http://b.org/', 'http://c.org/')).toBe(false);
    expect(scope.admitSeedRedirect('http://a.org/', 'http://b.org/')).toBe(true);
    expect(scope.admitSeedRedirect('http://b.org/', 'http://c.org/')).toBe(true);
    expect(scope.admitted).toEqual(['http://b.org/', 'http://c.org/']);
  });

  test('changes nothing where everything is in scope', () => {
    const scope = scopeOf({}, 'http://a.org/');
    expect(scope.admitSeedRedirect('http://a.org/', 'http://b.org/')).toBe(false);
    expect(scope.admitted).toEqual([]);
  });

  test('a resumed crawl, or another agent, has the same scope from the seeds and the admitted redirects', () => {
    const redirects = fc.array(fc.tuple(url, url), { maxLength: 8 });
    const names = fc.constantFrom('any', 'host', 'domain', 'prefix');
    fc.assert(
      fc.property(names, seedList, redirects, fc.array(url), (name, seeds, moves, links) => {
        const first = scopeOf({ scope: name }, ...seeds);
        for (const [from, to] of moves) first.admitSeedRedirect(from, to);
        const stored = JSON.parse(JSON.stringify([...seeds, ...first.admitted])) as string[];
        const second = scopeOf({ scope: name }, ...stored);
        for (const link of links) expect(second.refusal(link, 1)).toBe(first.refusal(link, 1));
        for (const to of first.admitted) expect(first.refusal(to, 0)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

test('what a scope caches does not keep in memory the pages that it was asked about', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const scope = scopeOf({ scope: 'domain' }, 'http://example.org/');
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 2000; i++) {
    const page = Buffer.alloc(100_000, `http://a-rather-long-name-${i}.test/ `).toString('latin1');
    scope.refusal(page.slice(0, page.indexOf(' ')), 1);
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * 2 ** 20);
});
