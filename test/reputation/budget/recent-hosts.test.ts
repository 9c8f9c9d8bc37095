import { expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { encodeDiscovery } from '../../../src/frontier/queue/discovered-url.ts';
import { RecentHosts } from '../../../src/reputation/budget/recent-hosts.ts';
import { payLevelDomain } from '../../../src/url/domain.ts';
import { hostOf } from '../../../src/url/parts.ts';

const AUTHORITIES = [
  'example.org',
  'www.example.org',
  'www.example.org:8080',
  'www.example.com',
  'a.b.example.co.uk',
  'localhost',
  '192.0.2.1',
  '192.0.2.1:81',
  '[2001:db8::1]',
  '[2001:db8::1]:8080',
];

test('the host of a discovery is the host of its URL, wherever it is in the batch', () => {
  const hosts = new RecentHosts();
  const urls = AUTHORITIES.flatMap((authority) =>
    ['http', 'https'].flatMap((scheme) =>
      ['/', '/a:b/c]:9', '/?q=http://x.example:80/'].map(
        (path) => `${scheme}://${authority}${path}`,
      ),
    ),
  );
  let text = '';
  for (const url of [...urls, ...urls]) {
    const start = text.length;
    text += encodeDiscovery({ url, depth: 47, redirects: 58 });
    const domain = payLevelDomain(hostOf(url));
    expect(hosts.in(Buffer.from(text, 'latin1'), start)).toMatchObject({
      ...{ name: hostOf(url), domain, key: xxh64(domain) },
    });
  }
});

test('a host that is seen again and again is never forgotten; others may be', () => {
  const hosts = new RecentHosts();
  const meet = (name: string) => hosts.in(Buffer.from(`\0\0http://${name}/`), 0);
  meet('often.example').introduced = true;
  meet('once.example').introduced = true;
  for (let i = 0; i < 40_000; i++) {
    meet(`host${i}.example`);
    if (i % 1000 === 0) expect(meet('often.example').introduced).toBe(true);
  }
  expect(meet('once.example').introduced).toBe(false);
});
