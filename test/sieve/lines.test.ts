import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineBatches } from '../../src/sieve/lines.ts';
import { xxh64Bytes } from '../../src/url/xxh64.ts';
import { unpack } from './packing.ts';

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const n = sizes[i % sizes.length];
    yield bytes.slice(at, at + n);
    at += n;
  }
}

test('every line comes once with its hash, whatever the pieces it arrives in and however small the buffer', async () => {
  const line = fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(16, 33, 1024),
      async (lines, ended, sizes, capacity) => {
        const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
        const found: { key: bigint; text: string }[] = [];
        for await (const batch of lineBatches(pieces(Buffer.from(text), sizes), capacity)) {
          found.push(...unpack(batch));
        }
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(found.map((one) => one.text)).toEqual(expected.map((one) => `${one}\n`));
        expect(found.map((one) => one.key)).toEqual(expected.map((one) => xxh64Bytes(Buffer.from(one))));
      },
    ),
  );
});
