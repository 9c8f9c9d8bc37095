import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalise } from '../../src/url/canonical.ts';
import { payLevelDomain } from '../../src/url/domain.ts';
import { hostOf } from '../../src/url/parts.ts';
import { foreignMaterial } from '../foreign-material.ts';
import { leftOut } from '../left-out.ts';
import { reference } from './hrefs.ts';

describe('the pay-level domain', () => {
  const cases: [what: string, host: string, domain: string][] = [
    ['is one label more than the suffix', 'www.shop.example.co.uk', 'example.co.uk'],
    ['is shared by the names under a private suffix', 'alice.blogspot.com', 'blogspot.com'],
    ['of an IPv4 address is the address', '192.0.2.7', '192.0.2.7'],
    ['of an IPv6 address is the address', '[2001:db8::1]', '[2001:db8::1]'],
    ['of a bare suffix is the suffix', 'co.uk', 'co.uk'],
    ['of a name without a dot is the name', 'localhost', 'localhost'],
    ['under an unknown suffix takes the last two labels', 'a.b.c.intranet', 'c.intranet'],
    ['may contain underscores', 'my_host.example.com', 'example.com'],
  ];
  test.each(cases)('%s', (_, host, domain) => {
    expect(payLevelDomain(host)).toBe(domain);
  });

  test('counts names under a private suffix as domains on request', () => {
    expect(payLevelDomain('blog.alice.blogspot.com', { privateSuffixes: true })).toBe(
      'alice.blogspot.com',
    );
    expect(payLevelDomain('blogspot.com', { privateSuffixes: true })).toBe('blogspot.com');
  });

  test('is never empty, is a suffix of the host, and is its own domain', () => {
    fc.assert(
      fc.property(reference, (text) => {
        const url = canonicalise(text, { base: 'http://a.b.example.com/' });
        if (url === undefined) return;
        const host = hostOf(url);
        const domain = payLevelDomain(host);
        expect(domain).not.toBe('');
        expect(host.endsWith(domain)).toBe(true);
        expect(payLevelDomain(domain)).toBe(domain);
      }),
    );
  });
});

const vectors = await foreignMaterial('suffixes');

describe.skipIf(leftOut(vectors))('the public suffix vectors', () => {
  // The vectors are for the whole list and for names as people write them; our function takes
  // hosts of canonical URLs.
  test('all of them agree, with the private section', () => {
    const text = readFileSync(vectors.path, 'utf8');
    const lines = [...text.matchAll(/^checkPublicSuffix\('([^']+)', (?:'([^']+)'|null)\);/gm)];
    expect(lines.length).toBeGreaterThan(70);
    for (const [, name, expected] of lines) {
      const url = canonicalise(`http://${name}/`);
      if (name.startsWith('.') || url === undefined) continue;
      const domain = expected === undefined ? undefined : canonicalise(`http://${expected}/`);
      const host = hostOf(url);
      expect(payLevelDomain(host, { privateSuffixes: true }), name).toBe(
        domain === undefined ? host : hostOf(domain),
      );
    }
  });
});
