import { expect, test } from 'vitest';
import { canonicalSeed } from '../../../src/crawl/state/seeds.ts';

test('a seed with a password is refused with the remedy, and not quoted', () => {
  for (const seed of [
    'http://me:s3cret@wiki.test/a',
    'HTTPS://me@wiki.test',
    ' http://me:s3cret@wiki.test?x',
  ]) {
    expect(() => canonicalSeed(seed)).toThrow(/"wiki\.test" holds a user name.*--auth/);
    expect(() => canonicalSeed(seed)).not.toThrow(/s3cret/);
  }
  expect(canonicalSeed('http://wiki.test/@me')).toBe('http://wiki.test/@me');
});
