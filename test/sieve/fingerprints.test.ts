import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xxh64 } from '../../src/base/xxh64.ts';
import { Fingerprints } from '../../src/sieve/fingerprints.ts';
import { fingerprint, partitionOfFingerprint } from '../../src/url/fingerprint.ts';
import { PackedUrls } from '../../src/url/packed-urls.ts';

/** Paths are slices of it: to generate every letter would take longer than the test. */
const LETTERS = Array.from({ length: 2000 }, (_, i) =>
  String.fromCharCode(33 + ((i * i) % 94)),
).join('');

test('fingerprints of many URLs at once equal those of each URL, however many and however long', () => {
  const url = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('a.example', 'www.b.example', 'b.example:8080', '[2001:db8::1]'),
      fc.nat({ max: 1000 }),
      fc.nat({ max: 300 }),
    )
    .map(
      ([scheme, host, from, length]) => `${scheme}://${host}/${LETTERS.slice(from, from + length)}`,
    );
  const fingerprints = new Fingerprints();
  fc.assert(
    fc.property(fc.array(url, { maxLength: 600, size: 'max' }), (urls) => {
      const keys = fingerprints.hash(PackedUrls.of(urls));
      expect([...keys.subarray(0, urls.length)]).toEqual(urls.map(xxh64));
      const partitions = urls.map((url, i) => fingerprints.finish(i, url));
      expect([...keys.subarray(0, urls.length)]).toEqual(urls.map(fingerprint));
      expect(partitions).toEqual(urls.map((url) => partitionOfFingerprint(fingerprint(url))));
    }),
    { numRuns: 40 },
  );
});
