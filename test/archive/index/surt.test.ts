import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { surt } from '../../../src/archive/index/surt.ts';
import { anyCharacter } from '../../any-character.ts';

describe('the key of a URL', () => {
  test.each([
    ['http://example.org/', 'org,example)/'],
    ['http://example.org', 'org,example)/'],
    ['https://www.example.org/', 'org,example)/'],
    ['http://www17.Example.ORG/', 'org,example)/'],
    ['http://wwwx.example.org/', 'org,example,wwwx)/'],
    ['http://example.org:80/', 'org,example)/'],
    ['https://example.org:443/', 'org,example)/'],
    ['http://example.org:443/', 'org,example:443)/'],
    ['http://me:secret@example.org:8080/a', 'org,example:8080)/a'],
    ['http://192.0.2.7/', '7,2,0,192)/'],
    ['http://[2001:db8::1]:81/', '[2001:db8::1]:81)/'],
    ['ftp://www.example.org/x', 'org,example)/x'],
  ])('has the host of %s reversed, without www and the default port', (url, key) => {
    expect(surt(url)).toBe(key);
  });

  test.each([
    ['http://example.org/Docs/Intro.HTML', 'org,example)/docs/intro.html'],
    ['http://example.org/docs/', 'org,example)/docs'],
    ['http://example.org/docs/?', 'org,example)/docs'],
    ['http://example.org//a///b', 'org,example)/a/b'],
    ['http://example.org/a/./b/../c', 'org,example)/a/c'],
    ['http://example.org/a#part', 'org,example)/a'],
    ['http://example.org/%7Euser/%41', 'org,example)/~user/a'],
    ['http://example.org/a%2541', 'org,example)/aa'],
    ['http://example.org/100%', 'org,example)/100%25'],
    ['http://example.org/a b', 'org,example)/a%20b'],
    ['http://example.org/ü', 'org,example)/%c3%bc'],
    ['http://example.org/%C3%BC', 'org,example)/%c3%bc'],
  ])('has the path of %s in one form', (url, key) => {
    expect(surt(url)).toBe(key);
  });

  test.each([
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a', 'a&a=1&a=2'],
    ['ab=1&a=2', 'a=2&ab=1'],
    ['a-b=1&a=2', 'a=2&a-b=1'],
    ['a=1&', '&a=1'],
    ['Q=X%2FY&x=a+b', 'q=x/y&x=a+b'],
    ['phpsessid=0123456789abcdef0123456789abcdef&x=1', 'x=1'],
    ['x=1&jsessionid=0123456789abcdef0123456789abcdef', '&x=1'],
    ['sid=0123456789abcdef0123456789abcde&x=1', 'sid=0123456789abcdef0123456789abcde&x=1'],
    ['CFID=1&CFTOKEN=2&x=1', 'x=1'],
  ])('has the parameters of ?%s sorted, without session identifiers', (query, key) => {
    expect(surt(`http://example.org/p?${query}`)).toBe(`org,example)/p?${key}`);
  });

  test('of an ASP page has no session identifier in its path', () => {
    const session = '(S(abcdefghijklmnopqrstuvwx))';
    expect(surt(`http://example.org/a/${session}/b.aspx`)).toBe('org,example)/a/b.aspx');
  });

  test('of a URL without host is the URL itself, on one line', () => {
    expect(surt('dns:example.org')).toBe('dns:example.org');
    expect(surt('urn:pageinfo:http://example.org/')).toBe('urn:pageinfo:http://example.org/');
    expect(surt('a b\nc')).toBe('a%20b%0Ac');
    expect(surt('')).toBe('-');
  });

  test('is one word of ASCII, for any text', () => {
    const anyUrl = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: anyCharacter }).map((rest) => `http://${rest}`),
      fc.string().map((rest) => `http://example.org/${rest}`),
    );
    fc.assert(
      fc.property(anyUrl, (url) => {
        expect(surt(url)).toMatch(/^[!-~]+$/);
      }),
      { numRuns: 500 },
    );
  });
});
