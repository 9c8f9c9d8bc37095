import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Domain, Host } from '../../src/frontier/host.ts';
import {
  decodeDomain,
  decodeHost,
  encodeDomain,
  encodeHost,
} from '../../src/frontier/host-record.ts';
import { robotsFromResponse, UNREACHABLE } from '../../src/robots/parse-robots.ts';

const FILE = Buffer.from(
  'User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 7\n',
);

describe('the record of a host', () => {
  test('restores everything known of the host', () => {
    const address = fc.constantFrom(
      { ip: '192.0.2.7', family: 4 as const },
      { ip: '2001:db8::1', family: 6 as const },
    );
    const time = fc.nat(2 ** 31).map((t) => t * 1000);
    fc.assert(
      fc.property(
        fc.record({
          readyAt: time,
          failures: fc.nat(9),
          pages: fc.nat(),
          responseTime: fc.option(fc.nat(60_000), { nil: undefined }),
          addresses: fc.array(address, { maxLength: 3 }),
          addressesExpireAt: time,
          givenUp: fc.option(fc.record({ fault: fc.constant('reset'), until: time }), {
            nil: undefined,
          }),
        }),
        (facts) => {
          const host = Object.assign(new Host('www.example.org', new Domain('example.org')), facts);
          const back = new Host('www.example.org', new Domain('example.org'));
          expect(decodeHost(encodeHost(host), back)).toBe(true);
          expect(back).toMatchObject(facts);
        },
      ),
    );
  });

  test('restores the rules of every origin, and starts a request that was under way again', () => {
    const host = new Host('example.org', new Domain('example.org'));
    const inquiry = { url: 'https://example.org/robots.txt', hops: 0, failures: 2 };
    const rules = robotsFromResponse(200, FILE, 'drumlin');
    host.robots.set('https://example.org', { rules, expiresAt: 5e12, crawlDelay: 7000, inquiry });
    host.robots.set('http://example.org', {
      rules: UNREACHABLE,
      expiresAt: 4e12,
      crawlDelay: 0,
      inquiry,
    });
    host.robots.set('http://example.org:8080', {
      rules: undefined,
      expiresAt: 0,
      crawlDelay: 0,
      inquiry,
    });
    const back = new Host('example.org', new Domain('example.org'));
    decodeHost(encodeHost(host), back);
    expect([...back.robots.keys()]).toEqual(['https://example.org', 'http://example.org']);
    const read = back.robots.get('https://example.org');
    expect(read).toMatchObject({ expiresAt: 5e12, crawlDelay: 7000 });
    expect(read?.rules?.verdict('/private/x').allowed).toBe(false);
    expect(read?.rules?.verdict('/private/open').allowed).toBe(true);
    expect(back.robots.get('http://example.org')?.rules).toBe(UNREACHABLE);
    expect(back.crawlDelay).toBe(7000);
  });

  test('is not used for another host with the same key', () => {
    const record = encodeHost(new Host('a.example', new Domain('a.example')));
    expect(decodeHost(record, new Host('b.example', new Domain('b.example')))).toBe(false);
  });

  test('of a domain restores its pages', () => {
    const domain = Object.assign(new Domain('example.org'), { pages: 12_345 });
    const back = new Domain('example.org');
    expect(decodeDomain(encodeDomain(domain), back)).toBe(true);
    expect(back.pages).toBe(12_345);
  });
});
