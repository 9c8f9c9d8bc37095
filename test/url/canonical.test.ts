import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalise, canonicaliseOrReason, REFUSED } from '../../src/url/canonical.ts';
import { ParameterList, TRACKING_PARAMETERS } from '../../src/url/parameters.ts';
import { authorityOf, hostOf, originOf, pathOf } from '../../src/url/parts.ts';
import { foreignMaterial } from '../foreign-material.ts';
import { leftOut } from '../left-out.ts';
import { reference } from './hrefs.ts';

const tracking = new ParameterList(TRACKING_PARAMETERS);

describe('the canonical form', () => {
  const cases: [what: string, from: string, to: string][] = [
    ['lower-cases scheme and host', 'HTTP://WWW.Example.ORG/A', 'http://www.example.org/A'],
    ['gives an empty path a slash', 'https://example.org', 'https://example.org/'],
    ['drops the fragment', 'http://example.org/a#b?c', 'http://example.org/a'],
    ['drops an empty query', 'http://example.org/a?#b', 'http://example.org/a'],
    ['keeps a query that only looks empty', 'http://example.org/??', 'http://example.org/??'],
    ['drops the default port of http', 'http://example.org:80/', 'http://example.org/'],
    ['drops the default port of https', 'https://example.org:443/', 'https://example.org/'],
    ['keeps another port', 'https://example.org:80/', 'https://example.org:80/'],
    ['drops credentials', 'http://user:pass@example.org/', 'http://example.org/'],
    ['drops the dot of the root', 'http://example.org.:8080/', 'http://example.org:8080/'],
    ['removes dot segments, escaped or not', 'http://a/b/%2e%2E/./c/../d', 'http://a/d'],
    ['decodes unreserved characters', 'http://a/%7E%41%2d%2E%5f?%7a', 'http://a/~A-._?z'],
    ['writes escapes in upper case', 'http://a/%c3%a9%2f?%3d', 'http://a/%C3%A9%2F?%3D'],
    [
      'encodes what is no URL character',
      'http://a/é [x]^{y}|"?a[]=`\\',
      'http://a/%C3%A9%20%5Bx%5D%5E%7By%7D%7C%22?a%5B%5D=%60%5C',
    ],
    [
      'encodes a percent sign that escapes nothing',
      'http://a/100%?x=%zz%%32e',
      'http://a/100%25?x=%25zz%252e',
    ],
    ['keeps the order of parameters', 'http://a/?b=1&a=2&b=0', 'http://a/?b=1&a=2&b=0'],
    ['writes a host in Punycode', 'http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['reads every spelling of an IPv4 address', 'http://0x7f.1/', 'http://127.0.0.1/'],
    ['shortens an IPv6 address', 'http://[2001:DB8:0:0::1]:81/', 'http://[2001:db8::1]:81/'],
    ['reads what a browser would read', ' \thttp:\\\\a\\b\n/c ', 'http://a/b/c'],
  ];
  test.each(cases)('%s', (_, from, to) => {
    expect(canonicalise(from)).toBe(to);
  });

  test('is idempotent, with and without dropping parameters', () => {
    fc.assert(
      fc.property(reference, fc.boolean(), (text, dropping) => {
        const options = dropping ? { drop: tracking } : {};
        const once = canonicalise(text, { ...options, base: 'http://example.org/x/y?z' });
        if (once === undefined) return;
        expect(canonicalise(once, options)).toBe(once);
        expect(new URL(once).href).toBe(once);
        expect(once).toMatch(/^https?:\/\/[^/?#@]+\/(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-F]{2})*$/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a refusal has a reason', () => {
  test.each([
    ['http://', REFUSED.invalid],
    ['http://a b/', REFUSED.invalid],
    ['http://..b/', REFUSED.invalid],
    ['http://a..b/', REFUSED.invalid],
    ['http://.a/', REFUSED.invalid],
    ['http://a../', REFUSED.invalid],
    ['http://./', REFUSED.invalid],
    ['/relative/without/base', REFUSED.invalid],
    ['', REFUSED.invalid],
    ['ftp://example.org/', REFUSED.scheme],
    ['javascript:void(0)', REFUSED.scheme],
    ['mailto:a@example.org', REFUSED.scheme],
    [`http://example.org/${'a'.repeat(2030)}`, REFUSED['too-long']],
    [`http://example.org/#${'a'.repeat(20_000)}`, REFUSED['too-long']],
  ])('%#', (text, refusal) => {
    expect(canonicaliseOrReason(text)).toBe(refusal);
    expect(canonicalise(text)).toBeUndefined();
  });

  test('the limit counts the canonical form, to the byte', () => {
    expect(canonicalise(`http://example.org/${'a'.repeat(2029)}#fragment`)).toHaveLength(2048);
    expect(canonicalise('http://a/12', { maxLength: 11 })).toBe('http://a/12');
    expect(canonicalise('http://a/123', { maxLength: 11 })).toBeUndefined();
    expect(canonicaliseOrReason('http://a/é', { maxLength: 11 })).toBe(REFUSED['too-long']);
  });
});

describe('session and tracking parameters', () => {
  const cases: [from: string, to: string][] = [
    ['http://a/?utm_source=x&q=1&UTM_Medium=y', 'http://a/?q=1'],
    ['http://a/?fbclid=1', 'http://a/'],
    ['http://a/p;jsessionid=1A2B?q=1', 'http://a/p?q=1'],
    ['http://a/p;v=1;JSESSIONID=1A2B/r', 'http://a/p;v=1/r'],
    ['http://a/x/..;jsessionid=1/b', 'http://a/x/..;jsessionid=1/b'],
    ['http://a/?sid=42&sid=0123456789abcdef', 'http://a/?sid=42'],
    ['http://a/?%50HPSESSID=1&&x', 'http://a/?&x'],
    ['http://a/?ASPSESSIONIDQQ=z', 'http://a/'],
    ['http://a/?mysid=0123456789abcdef', 'http://a/?mysid=0123456789abcdef'],
    ['http://a/sid=0123456789abcdef', 'http://a/sid=0123456789abcdef'],
  ];
  test.each(cases)('%s becomes %s', (from, to) => {
    expect(canonicalise(from, { drop: tracking })).toBe(to);
    expect(canonicalise(to, { drop: tracking })).toBe(to);
  });

  test('nothing is dropped by default', () => {
    expect(canonicalise('http://a/?utm_source=x')).toBe('http://a/?utm_source=x');
  });

  test.each([
    '',
    '*',
    'a=b',
    'a&b',
    'a*b',
    'a b',
  ])('the rule %j is refused with a remedy', (rule) => {
    expect(() => new ParameterList([rule])).toThrow(/is not a rule .* Write a name/);
  });
});

describe('the parts of a canonical URL', () => {
  test('agree with the parser', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const url = canonicalise(text, { base: 'https://example.org:8443/x' });
        if (url === undefined) return;
        const parsed = new URL(url);
        expect(hostOf(url)).toBe(parsed.hostname);
        expect(authorityOf(url)).toBe(parsed.host);
        expect(originOf(url)).toBe(parsed.origin);
        expect(pathOf(url)).toBe(parsed.pathname + parsed.search);
      }),
      { numRuns: 2000 },
    );
  });
});

interface UrlTestCase {
  readonly input: string;
  readonly base: string | null;
  readonly failure?: boolean;
  readonly href: string;
  readonly protocol: string;
  readonly host: string;
  readonly pathname: string;
  readonly search: string;
}

const vectors = await foreignMaterial('urls');

describe.skipIf(leftOut(vectors))('the WHATWG test cases', () => {
  let web: UrlTestCase[];
  let others: UrlTestCase[];
  beforeAll(() => {
    const entries: (UrlTestCase | string)[] = JSON.parse(readFileSync(vectors.path, 'utf8'));
    const cases = entries.filter((entry) => typeof entry === 'object');
    const isOfWeb = (c: UrlTestCase) => !c.failure && /^https?:$/.test(c.protocol);
    web = cases.filter(isOfWeb);
    others = cases.filter((c) => !isOfWeb(c));
  });

  /**
   * The rules of docs/url.md applied to the expected parse of the test case, one character at a
   * time.
   */
  function model(expected: UrlTestCase): string {
    const settle = (text: string) =>
      text.replace(/%[0-9a-f]{2}|./gis, (part) => {
        if (part.length === 3) {
          const decoded = String.fromCharCode(Number(`0x${part.slice(1)}`));
          return /[A-Za-z0-9._~-]/.test(decoded) ? decoded : part.toUpperCase();
        }
        return /[A-Za-z0-9._~!$&'()*+,;=:@/?-]/.test(part)
          ? part
          : `%${Buffer.from(part).toString('hex').toUpperCase()}`;
      });
    return `${expected.protocol}//${expected.host.replace(/(?<=[^.])\.$/, '')}${settle(expected.pathname)}${settle(expected.search)}`;
  }

  test('http and https cases have the form of the expected parse', () => {
    expect(web.length).toBeGreaterThan(200);
    for (const c of web) {
      // The DNS has no such names as !"$&'()*+,-.;=_`{}~ or a..b, although a URL may contain them.
      const named = /^((?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?|\[[0-9a-f:.]+\])(:\d+)?$/.test(c.host);
      const found = canonicalise(c.input, c.base === null ? {} : { base: c.base });
      expect(found, c.input).toBe(named ? model(c) : undefined);
    }
  });

  test('every failure is refused as invalid, every other scheme as such', () => {
    expect(others.length).toBeGreaterThan(200);
    for (const c of others) {
      const options = c.base === null ? {} : { base: c.base };
      expect(canonicaliseOrReason(c.input, options), c.input).toBe(
        c.failure ? REFUSED.invalid : REFUSED.scheme,
      );
    }
  });
});
