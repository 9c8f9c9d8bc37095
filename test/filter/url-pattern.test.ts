import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { checkUrlPattern, compileUrlPattern, refusePath } from '../../src/filter/url-pattern.ts';
import { anyCharacter } from '../any-character.ts';

const matches = (pattern: string, url: string) => compileUrlPattern(pattern)(url);

describe('a URL pattern', () => {
  test.each([
    ['https://example.org/docs/*', 'https://example.org/docs/a/b?c', true],
    ['https://example.org/docs/*', 'https://example.org/blog/', false],
    ['https://example.org/docs/*', 'http://example.org/docs/', false],
    ['http*://example.org/*', 'http://example.org/docs/', true],
    ['*://*.example.org/*', 'https://www.example.org/', true],
    ['*.zip', 'https://example.org/a.zip', true],
    ['*.zip', 'https://example.org/a.zip?download', false],
    ['*/a,b;c*', 'https://example.org/a,b;c', true],
    ['*?print=*', 'https://example.org/?print=1', true],
    ['*', 'http://x/', true],
    ['/\\.(?:zip|iso)$/', 'https://example.org/a.iso', true],
    ['/\\.(?:zip|iso)$/', 'https://example.org/a.ISO', false],
    ['/\\.(?:zip|iso)$/i', 'https://example.org/a.ISO', true],
    ['/login/', 'https://example.org/user/login?x', true],
    ['/^https:\\/\\/[^/]+\\/a{2,3}$/', 'https://example.org/aaa', true],
  ])('%s about %s: %s', (pattern, url, verdict) => {
    checkUrlPattern(pattern);
    expect(matches(pattern, url)).toBe(verdict);
  });

  test('is normalised to the spelling of canonical URLs', () => {
    expect(matches('https://Example.ORG/Docs/*', 'https://example.org/Docs/a')).toBe(true);
    expect(matches('https://Example.ORG/Docs/*', 'https://example.org/docs/a')).toBe(false);
    expect(matches('*/caf%c3%a9*', 'https://example.org/caf%C3%A9')).toBe(true);
    // Without a star it is one URL, in any spelling.
    expect(matches('https://example.org', 'https://example.org/')).toBe(true);
    expect(matches('HTTPS://example.org:443/%7Ea', 'https://example.org/~a')).toBe(true);
  });

  test.each([
    [
      '/login',
      'begins like a regular expression but does not end with a slash. Write */login* for URLs',
    ],
    ['/', 'does not end with a slash. Write */* for URLs'],
    [
      '/(/',
      'is not a regular expression (Unterminated group). Write a JavaScript regular expression',
    ],
    ['/a/g', 'does not end with a slash'],
    [
      'login',
      'can match no URL, because a glob must match the whole URL. Write *login* for URLs that contain it.',
    ],
    ['example.org/*', 'Write *example.org/* for URLs that contain it.'],
    ['/private/*', 'Write */private/* for URLs that contain it'],
    ['ftp://example.org/*', 'can match no URL'],
    ['httpx*', 'can match no URL'],
    ['http', 'can match no URL'],
    [
      'http://',
      'is a single URL that cannot be crawled. Write a pattern like https://example.org/docs/*.',
    ],
    ['*/café*', 'contains "é", which occurs in no URL. Write %C3%A9 instead.'],
    ['*/a|b*', 'Write %7C instead.'],
    ['*/a b', 'Write %20 instead.'],
    ['*#part', 'Remove the fragment'],
    ['*\\d', 'Write / instead.'],
  ])('%s is refused with a remedy', (pattern, words) => {
    expect(() => checkUrlPattern(pattern)).toThrow(DrumlinError);
    expect(() => checkUrlPattern(pattern)).toThrow(words);
    expect(() => compileUrlPattern(pattern)).toThrow(words);
  });

  test('a path between slashes is refused, because it would be a regular expression', () => {
    expect(() => refusePath('/private/')).toThrow(
      'Write */private/* for the path, or /private/i for',
    );
    expect(() => refusePath('/a/b-c/')).toThrow('Write */a/b-c/* for the path');
    for (const pattern of ['/private/i', '/private$/', '/priv.te/', '*/private/*'])
      refusePath(pattern);
  });

  test.each([
    '/(a+)+$/',
    '/(x|x)*$/',
    '/(?:\\w+\\/?)+$/',
    '/a.*a.*a.*a.*a$/',
    '/(foo|foofoo)+$/',
    '/^https?:\\/\\/(\\w|\\w\\w)+\\.test\\/$/',
    '/.*.*.*x/',
    '/(\\w{1,30}){1,30}!/',
  ])('%s would be very slow in the engine of JavaScript, and is quick here', (pattern) => {
    const test = compileUrlPattern(pattern);
    const before = process.cpuUsage();
    for (const unit of ['a', 'x', 'foo', 'a/', '0', 'example'])
      expect(test(`http://${unit.repeat(2000)}~`)).toBeTypeOf('boolean');
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });

  test.each([
    ['/(?!a)b/', 'look-around'],
    ['/a(?=b)/', 'look-around'],
    ['/(?<=a)b/', 'look-around'],
    ['/(?<!a)b/', 'look-around'],
    ['/(a)\\1/', 'back-references'],
    ['/(?<n>a)\\k<n>/', 'back-references'],
    ['/a{20000}/', 'more than 10000 steps when its repetitions are counted'],
    [`/${'('.repeat(300)}a${')'.repeat(300)}/`, 'more than 200 nested groups'],
  ])('%.30s is refused by name', (pattern, name) => {
    expect(() => checkUrlPattern(pattern)).toThrow(
      `has ${name}, which cannot be tested in linear time. Write it without`,
    );
  });

  test.each([
    '/.*\\/search.*/',
    '/example\\.org\\/(crawl-this|crawl-that)/',
    '/^https?:\\/\\/([^/]+\\.)?example\\.org\\/([^/]+\\/)*[^/]+\\.html?$/',
    '/[?&](?:sessionid|sid)=[0-9a-f]{32}/i',
    '/\\/(\\d{4})\\/(\\d{2})\\//',
  ])('the common pattern %s is accepted', (pattern) => {
    expect(() => checkUrlPattern(pattern)).not.toThrow();
  });

  test('is refused in one sentence if it has more options than can be compiled', () => {
    const options = Array.from({ length: 150_000 }, (_, i) => i.toString(36));
    expect(() => compileUrlPattern(`/${options.join('|')}/`)).toThrow(DrumlinError);
  });

  test('is compiled or refused in one sentence, for any text', () => {
    const typed = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter }),
      fc.string().map((s) => `/${s}/`),
      fc.string().map((s) => `*${s}*`),
    );
    fc.assert(
      fc.property(typed, (pattern) => {
        try {
          expect(compileUrlPattern(pattern)('http://example.org/')).toBeTypeOf('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(DrumlinError);
          expect((error as DrumlinError).remedy).toMatch(/\.$/);
        }
      }),
    );
  });
});
