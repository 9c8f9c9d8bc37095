import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xxh64, xxh64Bytes } from '../../src/base/xxh64.ts';

// Published values of the reference implementation; the property below covers the longer inputs.
const VECTORS: [text: string, hash: bigint][] = [
  ['', 0xef46db3751d8e999n],
  ['a', 0xd24ec4f1a98c6e5bn],
  ['abc', 0x44bc2cf5ad770999n],
];

test.each(VECTORS)('the hash of %j is the reference value', (text, hash) => {
  expect(xxh64(text)).toBe(hash);
});

/** The algorithm as its specification writes it, one lane at a time. */
function model(bytes: Uint8Array): bigint {
  const [p1, p2, p3, p4, p5] = [
    0x9e3779b185ebca87n,
    0xc2b2ae3d27d4eb4fn,
    0x165667b19e3779f9n,
    0x85ebca77c2b2ae63n,
    0x27d4eb2f165667c5n,
  ];
  const u = (x: bigint) => BigInt.asUintN(64, x);
  const rotl = (x: bigint, r: bigint) => u((x << r) | (x >> (64n - r)));
  const round = (acc: bigint, lane: bigint) => u(rotl(u(acc + lane * p2), 31n) * p1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let h = p5;
  if (bytes.length >= 32) {
    const acc = [u(p1 + p2), p2, 0n, u(-p1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) acc[i] = round(acc[i], view.getBigUint64(at + 8 * i, true));
    }
    h = u(rotl(acc[0], 1n) + rotl(acc[1], 7n) + rotl(acc[2], 12n) + rotl(acc[3], 18n));
    for (const a of acc) h = u((h ^ round(0n, a)) * p1 + p4);
  }
  h = u(h + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8)
    h = u(rotl(h ^ round(0n, view.getBigUint64(at, true)), 27n) * p1 + p4);
  for (; at + 4 <= bytes.length; at += 4)
    h = u(rotl(h ^ u(BigInt(view.getUint32(at, true)) * p1), 23n) * p2 + p3);
  for (; at < bytes.length; at++) h = u(rotl(h ^ u(BigInt(bytes[at]) * p5), 11n) * p1);
  h = u((h ^ (h >> 33n)) * p2);
  h = u((h ^ (h >> 29n)) * p3);
  return h ^ (h >> 32n);
}

test('any bytes hash as the specification says, and a text hashes as its UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(xxh64Bytes(bytes)).toBe(model(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.uint16Array({ maxLength: 100 }), (units) => {
      const text = String.fromCharCode(...units);
      expect(xxh64(text)).toBe(model(new TextEncoder().encode(text)));
    }),
  );
});
