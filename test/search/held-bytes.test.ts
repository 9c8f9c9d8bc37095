import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VarintReader } from '../../src/base/varint.ts';
import { HeldBytes } from '../../src/search/store/held-bytes.ts';
import '../property-seed.ts';

test('texts that are held come back whole, each in one piece', () => {
  const text = fc.oneof(
    fc.string(),
    fc.nat(70_000).map((length) => 'é'.repeat(length >> 1)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
      const held = new HeldBytes();
      for (const each of texts) held.text(each);
      const found: string[] = [];
      for (const piece of held.take()) {
        const reader = new VarintReader(piece);
        while (reader.at < piece.length)
          found.push(Buffer.from(reader.take(reader.next())).toString());
      }
      expect(found).toEqual(texts.map((each) => Buffer.from(each).toString()));
      expect(held.length).toBe(0);
    }),
    { numRuns: 50 },
  );
});
