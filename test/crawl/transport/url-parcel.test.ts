import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packKeyedBatch, unpackKeyedBatch } from '../../../src/crawl/transport/url-parcel.ts';
import { BatchBuilder, entryBytes } from '../../../src/drum/keyed-batch.ts';

const entry = fc.record({
  key: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  text: fc.string({ unit: 'grapheme', maxLength: 12 }),
});

test('a batch is unpacked from its parcel unchanged, at any alignment in memory', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), fc.nat(9), (entries, offset) => {
      const builder = new BatchBuilder(2, 16);
      for (const { key, text } of entries) builder.addText(key, text);
      const parcel = packKeyedBatch(builder);
      const elsewhere = new Uint8Array(parcel.length + offset);
      elsewhere.set(parcel, offset);
      for (const bytes of [parcel, elsewhere.subarray(offset)]) {
        const batch = unpackKeyedBatch(bytes);
        const out = Array.from({ length: batch.length }, (_, i) => ({
          key: batch.keys[i],
          text: Buffer.from(entryBytes(batch, i)).toString(),
        }));
        expect(out).toEqual(entries);
      }
    }),
  );
});

test('a parcel is a new buffer of the exact size, so that the batch can be filled again', () => {
  const builder = new BatchBuilder();
  builder.addText(7n, 'http://a/');
  const parcel = packKeyedBatch(builder);
  builder.clear();
  builder.addText(8n, 'overwritten');
  expect(parcel.buffer.byteLength).toBe(8 + 12 + 9);
  expect(Buffer.from(entryBytes(unpackKeyedBatch(parcel), 0)).toString()).toBe('http://a/');
});

test('a truncated or extended parcel is rejected', () => {
  const builder = new BatchBuilder();
  builder.addText(1n, 'http://a/');
  builder.addText(2n, 'http://b/');
  const parcel = packKeyedBatch(builder);
  for (let length = 0; length < parcel.length; length++) {
    expect(() => unpackKeyedBatch(parcel.slice(0, length))).toThrow('A parcel of URLs');
  }
  expect(() => unpackKeyedBatch(new Uint8Array([...parcel, 0]))).toThrow('not complete');
});
