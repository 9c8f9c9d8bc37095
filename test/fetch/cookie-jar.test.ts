import { describe, expect, test } from 'vitest';
import { CookieJar, type CookieTarget } from '../../src/fetch/cookie-jar.ts';
import { parseCookies } from '../../src/fetch/cookies.ts';
import { parseHostHeaders } from '../../src/fetch/host-headers.ts';

const at = (url: string): CookieTarget => {
  const { hostname, pathname, search, protocol } = new URL(url);
  return { host: hostname, path: pathname + search, secure: protocol === 'https:' };
};
/** With its name and "=", as long as a cookie may be. */
const LONG = 'x'.repeat(4096 - 2);
const NOW = Date.parse('2026-11-17T12:00:00Z');

/** What is sent to a URL after another has answered with these lines. */
function sent(lines: string[], from: string, to: string, later = 0): string | undefined {
  const jar = new CookieJar();
  jar.take(lines, at(from), NOW);
  return jar.headerFor(at(to), NOW + later);
}

describe('a cookie that a server sets', () => {
  test.each([
    // line, set by, sent to, expected
    ['a=1', 'http://x.example/', 'http://x.example/', 'a=1'],
    ['a=1', 'http://x.example/', 'http://y.example/', undefined],
    ['a=1', 'http://x.example/', 'http://www.x.example/', undefined],
    ['a=1; Domain=x.example', 'http://x.example/', 'http://www.x.example/', 'a=1'],
    ['a=1; Domain=.x.example', 'http://www.x.example/', 'http://x.example/', 'a=1'],
    ['a=1; Domain=example', 'http://x.example/', 'http://y.example/', undefined],
    ['a=1; Domain=example', 'http://x.example/', 'http://x.example/', undefined],
    ['a=1; Domain=co.uk', 'http://x.co.uk/', 'http://www.x.co.uk/', undefined],
    ['a=1; Domain=co.uk', 'http://x.co.uk/', 'http://y.co.uk/', undefined],
    ['a=1; Domain=github.io', 'http://x.github.io/', 'http://y.github.io/', undefined],
    ['a=1; Domain=y.example', 'http://x.example/', 'http://y.example/', undefined],
    ['a=1; Domain=www.x.example', 'http://x.example/', 'http://www.x.example/', undefined],
    ['a=1; Domain=0.1', 'http://127.0.0.1/', 'http://127.0.0.1/', undefined],
    ['a=1; Domain=127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1/', 'a=1'],
    ['a=1; Path=/in', 'http://x.example/', 'http://x.example/in/a?b', 'a=1'],
    ['a=1; Path=/in', 'http://x.example/', 'http://x.example/inner', undefined],
    ['a=1', 'http://x.example/in/page', 'http://x.example/in/other', 'a=1'],
    ['a=1', 'http://x.example/in/page', 'http://x.example/', undefined],
    ['a=1; Path=relative', 'http://x.example/in/page', 'http://x.example/in/b', 'a=1'],
    ['a=1; Secure', 'https://x.example/', 'https://x.example/', 'a=1'],
    ['a=1; Secure', 'https://x.example/', 'http://x.example/', undefined],
    ['a=1; Secure', 'http://x.example/', 'https://x.example/', undefined],
    ['__Host-a=1; Secure; Path=/', 'https://x.example/', 'https://x.example/', '__Host-a=1'],
    ['__Host-a=1; Secure', 'https://x.example/', 'https://x.example/', undefined],
    ['__Secure-a=1', 'https://x.example/', 'https://x.example/', undefined],
    ['a=1; HttpOnly; SameSite=Lax', 'http://x.example/', 'http://x.example/', 'a=1'],
    [' a = b=c ; x', 'http://x.example/', 'http://x.example/', 'a=b=c'],
    ['=1', 'http://x.example/', 'http://x.example/', undefined],
    ['novalue', 'http://x.example/', 'http://x.example/', undefined],
    ['a=\x01', 'http://x.example/', 'http://x.example/', undefined],
    [`a=${LONG}`, 'http://x.example/', 'http://x.example/', `a=${LONG}`],
    [`a=${LONG}x`, 'http://x.example/', 'http://x.example/', undefined],
  ])('%s, set by %s, for %s', (line, from, to, expected) => {
    expect(sent([line], from, to)).toBe(expected);
  });

  test.each([
    ['a=1; Max-Age=60', 59_000, 'a=1'],
    ['a=1; Max-Age=60', 60_000, undefined],
    ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 0, 'a=1'],
    ['a=1; Expires=Tue, 17 Nov 2026 12:00:10 GMT', 9000, 'a=1'],
    ['a=1; Expires=Tue, 17 Nov 2026 12:00:10 GMT', 10_000, undefined],
    ['a=1; Expires=nonsense', 1e12, 'a=1'],
  ])('%s is sent until it expires', (line, later, expected) => {
    expect(sent([line], 'http://x.example/', 'http://x.example/', later)).toBe(expected);
  });

  test('replaces one of its name, and is deleted by one that has expired', () => {
    const from = at('http://x.example/');
    const jar = new CookieJar();
    jar.take(['a=1', 'b=2', 'a=3'], from, NOW);
    expect(jar.headerFor(from, NOW)).toBe('b=2; a=3');
    jar.take(['a=; Max-Age=0'], from, NOW);
    expect(jar.headerFor(from, NOW)).toBe('b=2');
  });

  test('goes behind those of longer paths, and replaces one of the user', () => {
    const given = parseCookies(
      'x.example\tFALSE\t/\tFALSE\t0\ta\told\nx.example\tFALSE\t/\tFALSE\t0\tb\tkept',
      'f',
    );
    const jar = new CookieJar(given);
    const to = at('http://x.example/in/deep');
    expect(jar.headerFor(to, NOW)).toBe('a=old; b=kept');
    jar.take(['a=new; Path=/', 'c=4; Path=/in'], to, NOW);
    expect(jar.headerFor(to, NOW)).toBe('c=4; b=kept; a=new');
  });

  test('takes limited memory: fifty a domain, and the domains used last', () => {
    const jar = new CookieJar();
    const busy = at('http://busy.example/');
    for (let i = 0; i < 60; i++) jar.take([`a${i}=1`], busy, NOW);
    expect(jar.headerFor(busy, NOW)?.split('; ')).toHaveLength(50);
    for (let i = 0; i < 4000; i++) {
      jar.take(['a=1'], at(`http://d${i}.example/`), NOW);
      if (i % 1000 === 0) jar.headerFor(busy, NOW);
    }
    expect(jar.headerFor(at('http://d0.example/'), NOW)).toBeUndefined();
    expect(jar.headerFor(at('http://d3999.example/'), NOW)).toBe('a=1');
    expect(jar.headerFor(busy, NOW)).toBeDefined();
  });
});

describe('headers of a host', () => {
  const FILE = `# tokens
api.example X-Key: one
https://api.example Authorization: Bearer two:three
api.example:8080 X-Port: 8080
https://api.example:443 X-Usual: yes
[::1] X-Six: 6`;
  const headers = parseHostHeaders(FILE, 'f');

  test.each([
    ['api.example', 'api.example', false, { 'X-Key': 'one' }],
    [
      'api.example',
      'api.example',
      true,
      { 'X-Key': 'one', 'X-Usual': 'yes', Authorization: 'Bearer two:three' },
    ],
    ['api.example', 'api.example:8080', false, { 'X-Key': 'one', 'X-Port': '8080' }],
    ['www.api.example', 'www.api.example', true, {}],
    ['[::1]', '[::1]:81', false, { 'X-Six': '6' }],
  ])('%s (%s), secure: %s', (host, authority, secure, expected) => {
    expect(Object.fromEntries(headers.headersFor(host, authority, secure))).toEqual(expected);
  });

  test.each([
    ['secret', 'The line has no host, name and value.'],
    ['a.example secret', 'The line has no host, name and value.'],
    ['a.example/x Name: secret', 'The first word is not a host.'],
    ['ftp://a.example Name: secret', 'The first word is not a host.'],
    ['a.example Na(me: secret', 'The header contains characters that cannot be sent.'],
    ['a.example Name: sec\u0001ret', 'The header contains characters that cannot be sent.'],
    ['a.example Host: secret', 'Host is a header that Drumlin makes itself.'],
    ['a.example user-agent: secret', 'user-agent is a header that Drumlin makes itself.'],
  ])('the line %j is refused by file and line, without its value', (line, fact) => {
    expect(() => parseHostHeaders(`# x\n${line}`, 'f.txt')).toThrow(`f.txt:2: ${fact}`);
    try {
      parseHostHeaders(line, 'f.txt');
    } catch (error) {
      expect(String(error)).not.toContain('secret');
    }
  });
});
