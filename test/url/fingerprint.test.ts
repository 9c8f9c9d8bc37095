import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../src/base/xxh64.ts';
import { payLevelDomain } from '../../src/url/domain.ts';
import {
  fingerprint,
  PARTITIONS,
  partitionOf,
  partitionOfFingerprint,
} from '../../src/url/fingerprint.ts';

describe('a fingerprint', () => {
  // Folders on users' disks contain these numbers. If this test fails, the code is wrong, never the
  // vector.
  const vectors: [url: string, fingerprint: bigint][] = [
    ['https://example.org/', 0xaf14a15d4db5e8e0n],
    ['http://example.org/', 0xaf1728ebdde76ceen],
    ['http://www.example.co.uk:8080/a/b?c=d', 0x1591de8012a64a4dn],
    ['http://alice.blogspot.com/', 0xfb3fc3e0cee4a295n],
    ['http://192.0.2.7/', 0xd84a08de57f3cf77n],
    ['http://[2001:db8::1]/x', 0xd48d252472fbdac4n],
  ];
  test.each(vectors)('of %s is fixed forever', (url, expected) => {
    expect(fingerprint(url)).toBe(expected);
  });

  const url = fc
    .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.webPath())
    .map(([scheme, host, path]) => `${scheme}://${host.toLowerCase()}${path === '' ? '/' : path}`);

  test('is the partition of the domain over the high bits of the hash of the URL, and fits 64 bits', () => {
    fc.assert(
      fc.property(url, (url) => {
        const host = url.split('/')[2];
        const hash = xxh64(url).toString(2).padStart(64, '0');
        const partition = xxh64(payLevelDomain(host)).toString(2).padStart(64, '0');
        const expected = BigInt(`0b${partition.slice(0, 10)}${hash.slice(0, 54)}`);
        expect(fingerprint(url)).toBe(expected);
        expect(new BigUint64Array([fingerprint(url)])[0]).toBe(expected);
        expect(partitionOfFingerprint(expected)).toBe(partitionOf(payLevelDomain(host)));
      }),
    );
  });

  test('does not depend on earlier hosts', () => {
    const probe = 'http://probe.example.net/';
    const first = fingerprint(probe);
    for (let i = 0; i < 10_000; i++) fingerprint(`http://h${i}.example.com/`);
    expect(fingerprint(probe)).toBe(first);
  });

  test('spreads domains evenly over the partitions', () => {
    const counts = new Uint32Array(PARTITIONS);
    for (let i = 0; i < 64 * PARTITIONS; i++) counts[partitionOf(`domain-${i}.com`)]++;
    // Poisson with mean 64: eight standard deviations either side.
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThan(128);
  });
});
