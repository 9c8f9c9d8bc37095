import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base32, digest, digestMatches } from '../../../src/archive/warc/digest.ts';

test('Base32 agrees with the vectors of RFC 4648, without their padding', () => {
  const vectors = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB' };
  for (const [text, expected] of Object.entries(vectors)) expect(base32(text)).toBe(expected);
});

test('a digest is written in one form and recognised in every form that other tools write', () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.constantFrom('sha1' as const, 'sha256' as const),
      (bytes, algorithm) => {
        const actual = createHash(algorithm).update(bytes).digest();
        const written = digest(algorithm, bytes);
        expect(written).toMatch(
          algorithm === 'sha1' ? /^sha1:[A-Z2-7]{32}$/ : /^sha256:[0-9a-f]{64}$/,
        );
        const forms = [
          written,
          `${algorithm}:${actual.toString('hex')}`,
          `${algorithm}:${actual.toString('hex').toUpperCase()}`,
          `${algorithm.toUpperCase().replace('SHA', 'SHA-')}:${base32(actual.toString('latin1'))}`,
          `${algorithm}:${actual.toString('base64')}`,
          `${algorithm}:${actual.toString('base64url')}`,
        ];
        for (const form of forms) expect(digestMatches(form, bytes)).toBe(true);
      },
    ),
  );
});

test('a wrong digest is distinguished from one that we cannot compute', () => {
  const bytes = Buffer.from('x');
  expect(digestMatches(digest('sha1', Buffer.from('y')), bytes)).toBe(false);
  expect(digestMatches('sha1:', bytes)).toBe(false);
  expect(digestMatches('blake9:abc', bytes)).toBeUndefined();
  expect(digestMatches('no label', bytes)).toBeUndefined();
});
