import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type GzipLevel,
  gzipMember,
  looksCompressed,
  storedMember,
} from '../../../src/archive/compress/gzip.ts';

const level = fc.integer({ min: 0, max: 9 }).map((n) => n as GzipLevel);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 6000 }),
  fc
    .tuple(fc.string({ minLength: 1 }), fc.nat({ max: 3000 }))
    .map(([unit, n]) => Buffer.from(unit.repeat(n))),
);

describe('a gzip member', () => {
  test('decompresses to the same bytes at any level', async () => {
    await fc.assert(
      fc.asyncProperty(content, level, async (bytes, level) => {
        expect(gunzipSync(await gzipMember(bytes, level, Buffer.from)).equals(bytes)).toBe(true);
      }),
    );
  });

  test('of stored blocks decompresses to the same bytes near the limits of a block', () => {
    for (const length of [0, 1, 65534, 65535, 65536, 131070, 131071, 200_000]) {
      const bytes = randomBytes(length);
      expect(gunzipSync(storedMember(bytes)).equals(bytes)).toBe(true);
    }
  });

  test('is made synchronously for a page and asynchronously for a huge record, at any level', async () => {
    const page = Buffer.alloc(100_000, 'a page of text. ');
    const huge = Buffer.alloc(3_000_000, 'a page of text. ');
    for (const level of [1, 6] as const) {
      expect(gzipMember(page, level, Buffer.from)).toBeInstanceOf(Uint8Array);
      const member = gzipMember(huge, level, Buffer.from);
      expect(member).toBeInstanceOf(Promise);
      expect(gunzipSync(await member).equals(huge)).toBe(true);
    }
  });

  test('of a huge record lets other tasks run, and compress, between its pieces', async () => {
    const huge = Array.from({ length: 4 }, (_, i) =>
      Buffer.alloc(1_500_000 + i, `record ${i} of four. `),
    );
    const page = Buffer.alloc(2000, 'a page of text. ');
    let turns = 0;
    let isDone = false;
    const goOn = () => {
      turns++;
      expect(gunzipSync(gzipMember(page, 1, Buffer.from) as Uint8Array).equals(page)).toBe(true);
      if (!isDone) setImmediate(goOn);
    };
    goOn();
    const members = await Promise.all(huge.map((record) => gzipMember(record, 1, Buffer.from)));
    isDone = true;
    members.forEach((member, i) => {
      expect(gunzipSync(member).equals(huge[i])).toBe(true);
    });
    expect(turns).toBeGreaterThan(8);
  });

  test('is stored if the content is already compressed, and deflated if it is text in any script', () => {
    const text = Buffer.from(
      'Straße 北京市の天気は晴れ Καλημέρα <a href="/x">мир</a> '.repeat(200),
    );
    expect(looksCompressed(text)).toBe(false);
    expect(looksCompressed(randomBytes(5000))).toBe(true);
    const zipped = gzipSync(
      Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${i * 7919}`).join(' ')),
    );
    expect(looksCompressed(zipped)).toBe(true);
    expect((gzipMember(zipped, 6, Buffer.from) as Uint8Array).length).toBe(
      storedMember(zipped).length,
    );
  });
});
